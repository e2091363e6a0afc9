//! The part of the language that is written in itself. It is packed by the build script, and unpacked when a session
//! begins.

const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/prelude.packed"));

/// The least number of bytes that a reference stands for; as in the build script.
const LEAST: usize = 3;

/// The text of the prelude.
pub(crate) fn text() -> Vec<char> {
    let mut out = Vec::new();
    let mut bytes = PACKED.iter().copied();
    while let Some(flags) = bytes.next() {
        for bit in 0..8 {
            let Some(low) = bytes.next() else { break };
            if flags >> bit & 1 == 0 {
                out.push(low);
                continue;
            }
            let reference = usize::from(bytes.next().unwrap_or(0)) << 8 | usize::from(low);
            let begin = out.len().saturating_sub(reference >> 4);
            for place in begin..begin + (reference & 15) + LEAST {
                out.extend(out.get(place).copied());
            }
        }
    }
    // It is ASCII, which a test makes sure of.
    out.into_iter().map(char::from).collect()
}

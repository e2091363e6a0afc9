//! Changes to WebAssembly that leave its framing whole: sections are dropped, doubled, exchanged, or changed inside, at
//! any depth, and the lengths around them are set right again.

/// A header, and sections; modules and components inside a component are such a section's content.
struct Binary<'b> {
    header: &'b [u8],
    sections: Vec<(u8, Vec<u8>)>,
}

const HEADER: usize = 8;

/// Sections of a component that hold a whole module or component.
const NESTED: &[u8] = &[1, 4];

/// A small generator: the fuzzer gives one seed a mutation.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap_or(0)
    }
}

/// One change to `bytes`, if they are framed as WebAssembly is.
pub fn mutate(bytes: &[u8], seed: u32) -> Option<Vec<u8>> {
    let mut dice = Dice(u64::from(seed) << 1 | 1 << 40);
    for _ in 0..4 {
        dice.roll(1);
    }
    change(bytes, &mut dice)
}

fn change(bytes: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let mut binary = Binary::parse(bytes)?;
    if binary.sections.is_empty() {
        return None;
    }
    let is_component = binary.header.get(4) == Some(&0x0d);
    let (at, other) = (dice.roll(binary.sections.len()), dice.roll(binary.sections.len()));
    match dice.roll(10) {
        0 => {
            binary.sections.remove(at);
        }
        1 => {
            let copy = binary.sections[at].clone();
            binary.sections.insert(other, copy);
        }
        2 => binary.sections.swap(at, other),
        3 => binary.sections.truncate(at + 1),
        _ => {
            let (id, content) = &mut binary.sections[at];
            match (is_component && NESTED.contains(id))
                .then(|| change(content, dice))
                .flatten()
            {
                Some(changed) => *content = changed,
                None => scratch(content, dice),
            }
        }
    }
    Some(binary.print())
}

/// Changes a few bytes.
fn scratch(content: &mut Vec<u8>, dice: &mut Dice) {
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(content.len());
        match (dice.roll(4), content.get_mut(at)) {
            (0, Some(byte)) => *byte ^= 1 << dice.roll(8),
            (1, Some(byte)) => *byte = dice.roll(256) as u8,
            (2, Some(_)) => {
                content.remove(at);
            }
            _ => content.insert(at, [0, 1, 0x0b, 0x40, 0x7f, 0xff][dice.roll(6)]),
        }
    }
}

impl<'b> Binary<'b> {
    fn parse(bytes: &'b [u8]) -> Option<Binary<'b>> {
        let (header, mut rest) = bytes.split_at_checked(HEADER)?;
        if !header.starts_with(b"\0asm") {
            return None;
        }
        let mut sections = Vec::new();
        while let Some((id, after)) = rest.split_first() {
            let (length, after) = number(after)?;
            let (content, after) = after.split_at_checked(length)?;
            sections.push((*id, content.to_vec()));
            rest = after;
        }
        Some(Binary { header, sections })
    }

    fn print(&self) -> Vec<u8> {
        let mut bytes = self.header.to_vec();
        for (id, content) in &self.sections {
            bytes.push(*id);
            let mut left = content.len();
            while left >= 0x80 {
                bytes.push((left & 0x7f) as u8 | 0x80);
                left >>= 7;
            }
            bytes.push(left as u8);
            bytes.extend_from_slice(content);
        }
        bytes
    }
}

/// A length, seven bits a byte, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

//! Reading a line from the terminal without showing it.

use std::io::{self, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

/// Longest line, in bytes.
const LONGEST: usize = 1 << 20;

/// The terminal as it was, which it is again when this is dropped. What was typed and not read is thrown away: of a text
/// of several lines that was pasted, the rest must not end up in the shell.
struct Restored(Termios);

impl Drop for Restored {
    fn drop(&mut self) {
        // Nothing can be done about a terminal that is gone.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.0);
    }
}

/// One line that is typed on standard input, a terminal, after `prompt`. Nothing of it is shown. Keys are read one by
/// one, because a terminal that edits lines itself cuts them after 4,095 bytes, and is left without echo on Ctrl-C.
///
/// # Errors
/// When the terminal can't be read, or the person ended the input.
pub(super) fn line(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let before = tcgetattr(io::stdin())?;
    let mut silent = before.clone();
    silent
        .local_modes
        .remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG | LocalModes::IEXTEN);
    silent.special_codes[SpecialCodeIndex::VMIN] = 1;
    silent.special_codes[SpecialCodeIndex::VTIME] = 0;
    let restored = Restored(before);
    tcsetattr(io::stdin(), OptionalActions::Flush, &silent)?;
    write!(io::stderr(), "{prompt}")?;
    let line = keys(&mut io::stdin().lock());
    drop(restored);
    let _ = writeln!(io::stderr());
    line
}

/// Reads keys until one ends the line.
fn keys(input: &mut impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut line = Zeroizing::new(Vec::with_capacity(64 << 10));
    let ended = || io::Error::new(io::ErrorKind::Interrupted, "nothing was set");
    loop {
        let mut key = [0];
        // The standard reader would try an interrupted read again; an end is an end.
        if input.read(&mut key)? == 0 {
            return Err(ended());
        }
        match key[0] {
            b'\r' | b'\n' => return Ok(line),
            // Ctrl-C, Ctrl-D, Ctrl-Z, Ctrl-\
            0x03 | 0x04 | 0x1a | 0x1c => return Err(ended()),
            // Backspace takes a whole character.
            0x08 | 0x7f => while line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            // Ctrl-U
            0x15 => line.clear(),
            other if line.len() < LONGEST => line.push(other),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::keys;

    fn typed(mut keyed: &[u8]) -> Option<String> {
        let line = keys(&mut keyed).ok()?;
        Some(String::from_utf8(line.to_vec()).unwrap())
    }

    #[test]
    fn a_line_ends_with_return_and_can_be_mended() {
        assert_eq!(typed(b"secret\rmore").as_deref(), Some("secret"));
        assert_eq!(typed("sé\u{7f}ecret\n".as_bytes()).as_deref(), Some("secret"));
        assert_eq!(typed(b"\x7fwrong\x15right\r").as_deref(), Some("right"));
    }

    #[test]
    fn what_is_broken_off_is_no_value() {
        for keyed in [&b"sec\x03ret\r"[..], b"\x04", b"sec"] {
            assert_eq!(typed(keyed), None);
        }
    }
}

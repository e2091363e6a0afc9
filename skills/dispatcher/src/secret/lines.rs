//! The body of a private key where something stands before each of its lines: signs of quotation, numbers, names of files, remarks.

/// The first line of a body stands below at most three headers and a blank line: RFC 1421, RFC 4880.
const LINES: usize = 5;
/// Most that stands before one, in bytes: a path, a number, an author and a date.
const LONGEST_PREFIX: usize = 200;
/// The fewest characters of a line of a body: 64 or more is usual.
const SHORTEST: usize = 32;
/// What is not looked at is that much further on, in bytes.
const FAR: usize = 2048;

/// Whether in one of the lines below the one that `rest` begins in stands one of a key.
pub(super) fn hold_a_key(rest: &str) -> bool {
    let rest = rest.get(..rest.floor_char_boundary(FAR)).unwrap_or_default();
    let lines = rest.split('\n').flat_map(|line| line.split("\\n"));
    lines.skip(1).take(LINES).any(ends_in_a_key)
}

/// Whether a line ends in a long run of base64, whatever stands before it and of what signs it is followed.
fn ends_in_a_key(line: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let line = line.as_bytes();
    let end = line.iter().rposition(is_digit).map_or(0, |at| at + 1);
    let length = line[..end].iter().rev().take_while(|byte| is_digit(byte)).count();
    let run = &line[end - length..end];
    let has = |kind: fn(&u8) -> bool| run.iter().any(kind);
    // A path has more steps.
    let slashes = run.iter().filter(|byte| **byte == b'/').count();
    end - length <= LONGEST_PREFIX
        && length >= SHORTEST
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && slashes <= length / 12
}

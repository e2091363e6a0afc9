//! `read-file`: a file's lines, from one on.

use passepartout_sdk::{Action, files};

use crate::private::is_innocently_named;
use crate::shown::{self, LONGEST};
use crate::text::is_utf16;
use crate::{number, required, unasked};

/// How much is asked of the host at a time, in bytes.
const PART: u32 = 1 << 20;

/// How far into a file is looked for what tells that it is no text, in bytes.
const LOOKED_AT: usize = 8 << 10;

/// Carries the tool out.
pub(crate) fn call(action: &Action) -> Result<String, String> {
    let path = required(action, "path")?;
    let first = number(action, "line")?.unwrap_or(1);
    let most = number(action, "lines")?.unwrap_or(usize::MAX);
    let found = lines(&path, first, most)?;
    let shown = shown::line(&path);
    if found.lines == 0 {
        return Ok(match found.before {
            0 => format!("{shown} is empty\n"),
            before => format!("{shown} has {before} lines, and none from line {first} on\n"),
        });
    }
    let last = first + found.lines - 1;
    let more = match (found.cut, found.more) {
        (true, _) => format!("; line {last} is cut, being longer than {LONGEST} bytes"),
        (false, true) => format!("; more follows from line {} on", last + 1),
        (false, false) => ", the last one".to_owned(),
    };
    Ok(format!("{shown}, lines {first} to {last}{more}:\n{}", found.text))
}

/// Some lines of a file.
#[derive(Debug, Default)]
struct Found {
    text: String,
    lines: usize,
    /// Lines before them, as far as they were counted.
    before: usize,
    more: bool,
    cut: bool,
}

/// At most `most` lines of the file from line `first` on, as many as there is room for.
fn lines(path: &str, first: usize, most: usize) -> Result<Found, String> {
    let mut found = Found::default();
    // What has come of the line that is not whole yet.
    let mut begun: Vec<u8> = Vec::new();
    let mut offset = 0;
    loop {
        let part = files::read(path, offset, PART).map_err(|failure| failure.to_string())?;
        if offset == 0 && is_utf16(&part) {
            return Err(format!(
                "{} is text in UTF-16, and only UTF-8 is read",
                shown::line(path)
            ));
        }
        if offset == 0 && part[..part.len().min(LOOKED_AT)].contains(&0) {
            return Err(format!("{} is no text file", shown::line(path)));
        }
        if offset == 0 && is_innocently_named(path, &part) {
            return Err(unasked(path));
        }
        if part.is_empty() {
            if !begun.is_empty() {
                take(&mut found, &begun, first, most, path)?;
            }
            return Ok(found);
        }
        offset += part.len() as u64;
        for piece in part.split_inclusive(|byte| *byte == b'\n') {
            // A line that is only counted, or is longer than what is shown, needs not be kept.
            if found.before + 1 >= first && begun.len() <= LONGEST {
                begun.extend_from_slice(piece);
            } else if begun.is_empty() {
                begun.push(b' ');
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut begun);
                if !take(&mut found, &line, first, most, path)? {
                    return Ok(found);
                }
            }
        }
    }
}

/// Takes the next line, and says whether another one is wanted.
fn take(found: &mut Found, line: &[u8], first: usize, most: usize, path: &str) -> Result<bool, String> {
    if found.before + 1 < first {
        found.before += 1;
        return Ok(true);
    }
    if found.lines == most {
        found.more = true;
        return Ok(false);
    }
    if found.text.len() + line.len() > LONGEST {
        if found.lines > 0 {
            found.more = true;
            return Ok(false);
        }
        let text = String::from_utf8_lossy(line);
        found.text.push_str(shown::cut(&text, LONGEST).0);
        found.lines = 1;
        found.cut = true;
        return Ok(false);
    }
    let text = str::from_utf8(line).map_err(|_| format!("{} is no text in UTF-8", shown::line(path)))?;
    found.text.push_str(text);
    found.lines += 1;
    Ok(true)
}

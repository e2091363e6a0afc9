//! What goes back to the model: bounded, one line for each thing, and nothing in a name that could end a line.

/// Most that one call gives back, in bytes. What is longer than about 24,000, a model is not shown whole unless
/// `loop.history_bytes` is raised, and it would take what stands above for all of it.
pub(crate) const LONGEST: usize = 20 << 10;

/// Longest line of a file that is shown where lines are only pointed at, in bytes.
pub(crate) const LONGEST_LINE: usize = 240;

/// A name or a line, with control characters made visible.
pub(crate) fn line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => shown.push('\t'),
            other if other.is_control() => shown.extend(other.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

/// So many bytes, in words.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        1 => "1 byte".to_owned(),
        _ => format!("{count} bytes"),
    }
}

/// So many files, and what is said of one or of several.
pub(crate) fn files(count: usize, one: &str, several: &str) -> String {
    match count {
        1 => format!("1 file {one}"),
        _ => format!("{count} files {several}"),
    }
}

/// As much of `text` as fits into `bytes`, and whether that is all.
pub(crate) fn cut(text: &str, bytes: usize) -> (&str, bool) {
    let end = text.floor_char_boundary(bytes);
    (&text[..end], end == text.len())
}

/// Lines that are kept while there is room, and how many there were beyond.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    text: String,
    kept: usize,
    beyond: usize,
}

impl Lines {
    pub(crate) fn push(&mut self, line: &str) {
        if self.beyond > 0 || self.text.len() + line.len() >= LONGEST {
            self.beyond += 1;
        } else {
            self.text.push_str(line);
            self.text.push('\n');
            self.kept += 1;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept + self.beyond == 0
    }

    /// How many there were.
    pub(crate) fn count(&self) -> usize {
        self.kept + self.beyond
    }

    /// The lines, and how many `things` are not shown.
    pub(crate) fn finish(mut self, things: &str) -> String {
        if self.beyond > 0 {
            self.text.push_str(&format!("… and {} more {things}\n", self.beyond));
        }
        self.text
    }
}

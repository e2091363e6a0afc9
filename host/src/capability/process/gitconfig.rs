//! Git's configuration, read as git reads it: git-config(1), "Syntax".

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The name of its section, in lower case.
    pub(super) section: String,
    /// What stands beside that name, as git compares it.
    pub(super) part: Option<String>,
    /// In lower case.
    pub(super) key: String,
    /// Without quotes and escapes. Empty where there is none.
    pub(super) value: String,
    /// Whether it is written without any.
    pub(super) plain: bool,
    /// Whether there is no value, not even an empty one: then it means yes.
    pub(super) bare: bool,
}

impl Setting {
    /// `section.key`, or `section.*.key`.
    pub(super) fn kind(&self) -> String {
        let part = if self.part.is_some() { "*." } else { "" };
        format!("{}.{part}{}", self.section, self.key)
    }
}

/// The entries of a configuration, and whether git could read it to its end. It stops where it can't.
pub(super) fn settings(text: &[u8]) -> (Vec<Setting>, bool) {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = Reader { text, at: 0 };
    let mut found = Vec::new();
    let read = reader.all(&mut found).is_some();
    (found, read)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// A carriage return before the end of a line belongs to that, and so does the end of the file.
    fn next(&mut self) -> Option<u8> {
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        if byte == b'\r' && self.text.get(self.at) == Some(&b'\n') {
            self.at += 1;
            return Some(b'\n');
        }
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn all(&mut self, found: &mut Vec<Setting>) -> Option<()> {
        let mut section: Option<(String, Option<String>)> = None;
        while let Some(byte) = self.next() {
            match byte {
                b'#' | b';' => while self.next().is_some_and(|byte| byte != b'\n') {},
                b'[' => section = Some(self.section()?),
                byte if is_space(byte) => {}
                byte if byte.is_ascii_alphabetic() => {
                    let (name, part) = section.clone()?;
                    let key = self.key(byte);
                    let next = self.next();
                    let (value, plain) = match next {
                        None | Some(b'\n') => (String::new(), true),
                        Some(b'=') => self.value()?,
                        Some(_) => return None,
                    };
                    found.push(Setting {
                        section: name,
                        part,
                        key,
                        value,
                        plain,
                        bare: next != Some(b'='),
                    });
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn section(&mut self) -> Option<(String, Option<String>)> {
        let mut name = String::new();
        loop {
            match self.next()? {
                b']' => break,
                byte if is_space(byte) => return Some((name, Some(self.quoted_part()?))),
                byte if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.') => {
                    name.push(char::from(byte.to_ascii_lowercase()));
                }
                _ => return None,
            }
        }
        // An old way to write the other one.
        Some(match name.split_once('.') {
            Some((name, part)) => (name.to_owned(), Some(part.to_owned())),
            None => (name, None),
        })
    }

    fn quoted_part(&mut self) -> Option<String> {
        while self.peek().is_some_and(|byte| is_space(byte) && byte != b'\n') {
            self.at += 1;
        }
        if self.next()? != b'"' {
            return None;
        }
        let mut part = Vec::new();
        loop {
            match self.next()? {
                b'\n' => return None,
                b'"' => break,
                b'\\' => match self.next()? {
                    b'\n' => return None,
                    byte => part.push(byte),
                },
                byte => part.push(byte),
            }
        }
        (self.next()? == b']').then(|| String::from_utf8_lossy(&part).into_owned())
    }

    fn key(&mut self, first: u8) -> String {
        let mut key = String::from(char::from(first.to_ascii_lowercase()));
        while let Some(byte) = self.peek().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            key.push(char::from(byte.to_ascii_lowercase()));
            self.at += 1;
        }
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t')) {
            self.at += 1;
        }
        key
    }

    fn value(&mut self) -> Option<(String, bool)> {
        let mut value: Vec<u8> = Vec::new();
        // How much of it stays when the spaces at its end go.
        let (mut kept, mut quoted, mut comment, mut plain) = (0, false, false, true);
        loop {
            let byte = self.next().unwrap_or(b'\n');
            match byte {
                b'\n' if quoted => return None,
                b'\n' => break,
                _ if comment => {}
                b'#' | b';' if !quoted => comment = true,
                b'"' => {
                    quoted = !quoted;
                    plain = false;
                    kept = kept.max(value.len());
                }
                b'\\' => {
                    plain = false;
                    match self.next().unwrap_or(b'\n') {
                        b'\n' => continue,
                        b't' => value.push(b'\t'),
                        b'b' => value.push(8),
                        b'n' => value.push(b'\n'),
                        byte @ (b'\\' | b'"') => value.push(byte),
                        _ => return None,
                    }
                    kept = value.len();
                }
                byte if is_space(byte) && !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                }
                byte => {
                    value.push(byte);
                    kept = value.len();
                }
            }
        }
        value.truncate(kept);
        Some((String::from_utf8_lossy(&value).into_owned(), plain))
    }
}

/// As git takes it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let (found, whole) = settings(text.as_bytes());
        assert!(whole, "{text}");
        let shown = |one: &Setting| format!("{} {} {}", one.kind(), one.part.clone().unwrap_or_default(), one.value);
        found.iter().map(shown).collect()
    }

    #[test]
    fn quotes_escapes_comments_and_lines_that_go_on_are_read_as_git_reads_them() {
        for (text, wanted) in [
            ("[core]\n\thooksPath = .git\\\nhooks\n", "core.hookspath  .githooks"),
            ("[Core] HooksPath=.\"git\"hooks ; more\n", "core.hookspath  .githooks"),
            ("[a \"B\\\"c\"]k = \"x # y\" # z", "a.*.k B\"c x # y"),
            ("[a.B]\nk= a  b \t\r\n", "a.*.k b a  b"),
            ("\u{feff}[a]\n# c\n;d\nk\n", "a.k  "),
            ("[a]\nk = \\\"x\\\\\\n\\t\" \"", "a.k  \"x\\\n\t "),
            ("[a]k=\\\n\\\n  x", "a.k  x"),
        ] {
            assert_eq!(read(text), [wanted], "{text}");
        }
    }

    #[test]
    fn what_git_would_not_read_is_told() {
        for text in [
            "k = v",
            "[a]\nk = \"x\n",
            "[a]\nk = \\x",
            "[a b]\n",
            "[a",
            "[a]\nk v",
            "[a \"b\" ]\n",
            "[a]\n=x",
        ] {
            assert!(!settings(text.as_bytes()).1, "{text}");
        }
        assert_eq!(settings(b"[a]\nk = v\n]").0.len(), 1);
    }
}

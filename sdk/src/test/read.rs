//! A small reader for the plists that tests write. It reads what the host prints, and says where a text is broken; the
//! host's own reader knows much more.

use std::iter::Peekable;
use std::str::CharIndices;

use super::form::TestForm;

/// Deeper than any test needs, and far from the end of a test thread's stack.
const MAX_DEPTH: usize = 100;

/// Reads the one form that `text` holds.
pub(crate) fn read(text: &str) -> Result<TestForm, String> {
    let mut reader = Reader {
        text,
        chars: text.char_indices().peekable(),
    };
    let form = reader.form(0)?;
    match reader.next_token() {
        None => Ok(form),
        Some((at, _)) => Err(format!("there is more after the form, at byte {at}: {}", &text[at..])),
    }
}

struct Reader<'a> {
    text: &'a str,
    chars: Peekable<CharIndices<'a>>,
}

impl Reader<'_> {
    /// Skips white space and comments, and looks at what comes then.
    fn next_token(&mut self) -> Option<(usize, char)> {
        while let Some(&(at, char)) = self.chars.peek() {
            if char == ';' {
                while self.chars.next_if(|&(_, char)| char != '\n').is_some() {}
            } else if char.is_whitespace() {
                self.chars.next();
            } else {
                return Some((at, char));
            }
        }
        None
    }

    fn form(&mut self, depth: usize) -> Result<TestForm, String> {
        if depth > MAX_DEPTH {
            return Err(format!("lists are nested more than {MAX_DEPTH} deep"));
        }
        let Some((at, char)) = self.next_token() else {
            return Err("the text ends where a form belongs".to_owned());
        };
        match char {
            '(' => {
                self.chars.next();
                self.list(at, depth)
            }
            ')' => Err(format!("a parenthesis too many at byte {at}")),
            '"' => {
                self.chars.next();
                self.delimited('"', at).map(TestForm::Text)
            }
            '\'' => {
                self.chars.next();
                Ok(TestForm::List(vec![
                    TestForm::Symbol("QUOTE".to_owned()),
                    self.form(depth + 1)?,
                ]))
            }
            '#' => {
                self.chars.next();
                self.character(at)
            }
            _ => self.atom(),
        }
    }

    fn list(&mut self, start: usize, depth: usize) -> Result<TestForm, String> {
        let mut items = Vec::new();
        loop {
            match self.next_token() {
                None => return Err(format!("the list that begins at byte {start} does not end")),
                Some((_, ')')) => {
                    self.chars.next();
                    return Ok(if items.is_empty() {
                        TestForm::Nil
                    } else {
                        TestForm::List(items)
                    });
                }
                Some((at, '.')) if self.text[at + 1..].starts_with([' ', '\n']) && !items.is_empty() => {
                    self.chars.next();
                    let tail = self.form(depth + 1)?;
                    return match self.next_token() {
                        Some((_, ')')) => {
                            self.chars.next();
                            Ok(TestForm::Dotted(items, Box::new(tail)))
                        }
                        _ => Err(format!(
                            "the dotted list that begins at byte {start} does not end after its tail"
                        )),
                    };
                }
                Some(_) => items.push(self.form(depth + 1)?),
            }
        }
    }

    /// What stands before the closing `delimiter`. As for the host, `\n` and `\t` in a string are a newline and a tab.
    fn delimited(&mut self, delimiter: char, start: usize) -> Result<String, String> {
        let mut out = String::new();
        while let Some((_, char)) = self.chars.next() {
            match char {
                '\\' => match self.chars.next() {
                    Some((_, 'n')) if delimiter == '"' => out.push('\n'),
                    Some((_, 't')) if delimiter == '"' => out.push('\t'),
                    Some((_, escaped)) => out.push(escaped),
                    None => break,
                },
                _ if char == delimiter => return Ok(out),
                _ => out.push(char),
            }
        }
        Err(format!("what begins with {delimiter} at byte {start} does not end"))
    }

    fn character(&mut self, start: usize) -> Result<TestForm, String> {
        let unknown = || format!("only characters such as #\\a may begin with # here, unlike at byte {start}");
        self.chars.next_if(|&(_, char)| char == '\\').ok_or_else(unknown)?;
        let (_, first) = self.chars.next().ok_or_else(unknown)?;
        let mut name = String::from(first);
        while let Some((_, char)) = self.chars.next_if(|&(_, char)| char.is_alphanumeric()) {
            name.push(char);
        }
        let char = match name.to_lowercase().as_str() {
            "space" => ' ',
            "newline" => '\n',
            "tab" => '\t',
            _ if name.chars().count() == 1 => first,
            _ => return Err(format!("no character is called {name}, at byte {start}")),
        };
        Ok(TestForm::Character(char))
    }

    fn atom(&mut self) -> Result<TestForm, String> {
        let mut name = String::new();
        let mut barred = false;
        while let Some((at, char)) = self
            .chars
            .next_if(|&(_, char)| !char.is_whitespace() && !"()\";'".contains(char))
        {
            if char == '|' {
                barred = true;
                name.push_str(&self.delimited('|', at)?);
            } else {
                name.extend(char.to_uppercase());
            }
        }
        Ok(match name.strip_prefix(':') {
            Some(keyword) => TestForm::Keyword(keyword.to_owned()),
            None if barred => TestForm::Symbol(name),
            None if name == "NIL" => TestForm::Nil,
            None if is_number(&name) => TestForm::Number(name),
            None => TestForm::Symbol(name),
        })
    }
}

fn is_number(name: &str) -> bool {
    let unsigned = name.strip_prefix(['+', '-']).unwrap_or(name);
    unsigned.starts_with(|char: char| char.is_ascii_digit())
        && unsigned.bytes().all(|byte| b"0123456789./ED-+".contains(&byte))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::Kind;

    #[test]
    fn what_is_read_prints_as_the_host_prints_it() {
        for (text, printed) in [
            (
                "(:type :request :payload (:cmd \"ls\"))",
                "(:TYPE :REQUEST :PAYLOAD (:CMD \"ls\"))",
            ),
            ("(a . b)", "(A . B)"),
            ("((a) . (b . c)) ; tail", "((A) . (B . C))"),
            (
                "(:|two words| |x| -1 2.50 1/2 #\\a #\\Space nil () t)",
                "(:|two words| |x| -1 2.50 1/2 #\\a #\\Space NIL NIL T)",
            ),
            ("\"a\\nb\\\"\\\\\"", "\"a\nb\\\"\\\\\""),
            ("'x", "(QUOTE X)"),
        ] {
            assert_eq!(read(text).unwrap().to_string(), printed, "for {text}");
        }
    }

    #[test]
    fn broken_texts_are_errors_that_say_where() {
        for (text, part) in [
            ("", "ends where a form belongs"),
            ("(a", "byte 0 does not end"),
            ("(a) b", "more after the form, at byte 4"),
            (")", "too many at byte 0"),
            ("\"a", "does not end"),
            ("#.(run)", "may begin with #"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "for {text}: {error}");
        }
        assert!(read(&"(".repeat(5000)).unwrap_err().contains("nested"));
    }

    #[test]
    fn a_path_step_with_a_sharp_sign_is_a_position_that_no_key_hides() {
        let form = read("(:a \"first\" :|1| \"second\" :|x.y| (1 2))").unwrap();
        assert_eq!(form.at("1").unwrap().text(), Some("second"));
        assert_eq!(form.at("#1").unwrap().text(), Some("first"));
        assert_eq!(form.at("#5.1").unwrap().integer(), Some(2));
        assert_eq!(form.at("x.y"), None);
        assert_eq!(form.at("#9").map(TestForm::kind), None);
        assert_eq!(form.at("").unwrap().kind(), Kind::Sequence);
    }

    #[test]
    fn what_stands_at_a_path_is_of_the_kind_that_the_host_would_say() {
        let kinds = [
            ("NIL", Kind::Nil),
            (":SHELL", Kind::Keyword),
            ("SHELL", Kind::Symbol),
            ("\"12\"", Kind::Text),
            ("-12", Kind::Integer),
            ("99999999999999999999", Kind::Number),
            ("1.5", Kind::Number),
            ("#\\a", Kind::Character),
            ("(1)", Kind::Sequence),
            ("(1 . 2)", Kind::Other),
        ];
        for (text, kind) in kinds {
            assert_eq!(read(text).unwrap().kind(), kind, "for {text}");
        }
    }
}

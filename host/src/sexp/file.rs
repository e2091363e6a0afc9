//! Forms that stand one after the other in a file that people read and may mend, with comments between them.

use std::ops::Range;

use super::{Brackets, Form, ReadError, read_prefix};

/// The forms of `text`, each with where it stands, in bytes; of one that can't be read where it begins, and then nothing
/// more. Within the bounds of the wire.
pub fn read_all(text: &str) -> impl Iterator<Item = Result<(Form, Range<usize>), (usize, ReadError)>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + blank(text.get(at..)?);
        match read_prefix(text.get(start..)?, Brackets::Refuse) {
            Ok((form, length)) => {
                at = start + length;
                Some(Ok((form, start..at)))
            }
            Err(ReadError::Empty) => None,
            Err(error) => {
                // Past the end there is nothing.
                at = text.len() + 1;
                Some(Err((start, error)))
            }
        }
    })
}

/// The line, from 1, on which the byte at `at` stands.
pub fn line_at(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|byte| **byte == b'\n').count()
}

/// How much white space and how many comments `text` begins with, in bytes.
fn blank(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        if !content.is_empty() && !content.starts_with(';') {
            return at + line.len() - content.len();
        }
        at += line.len();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_found_between_comments_and_an_error_ends_them_where_it_begins() {
        let text = "; a file\n\n(:A 1) (:B 2)\n  ; and\n(:C \n 3)\n";
        let found: Vec<(String, &str)> = read_all(text)
            .filter_map(Result::ok)
            .map(|(form, span)| (form.to_string(), text.get(span).unwrap_or_default()))
            .collect();
        assert_eq!(
            found,
            [
                ("(:A 1)".to_owned(), "(:A 1)"),
                ("(:B 2)".to_owned(), "(:B 2)"),
                ("(:C 3)".to_owned(), "(:C \n 3)")
            ]
        );
        let text = "(:A 1)\n; next\n(:B\n(:C 3)\n";
        let mut read = read_all(text);
        assert!(matches!(read.next(), Some(Ok(_))));
        let Some(Err((at, _))) = read.next() else {
            panic!("it is not closed")
        };
        assert_eq!(line_at(text.as_bytes(), at), 3);
        assert!(read.next().is_none());
    }

    #[test]
    fn a_file_of_comments_alone_holds_nothing() {
        for text in ["", "\n\n", "; nothing\n", "  ; nothing"] {
            assert!(read_all(text).next().is_none(), "{text:?}");
        }
    }
}

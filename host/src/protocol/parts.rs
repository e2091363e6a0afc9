//! Long messages: a text that no frame can hold goes ahead in parts, and the frame follows without it.
//!
//! [`encode_message`] takes a message apart and [`Assembler`] puts it together again, so that nobody else has to know
//! that frames have a limit. The parts of one message and its frame are one run of bytes: nothing comes between them.

use super::frame::{self, FrameError};
use crate::sexp::{Form, kw};
use crate::signal::frames;

/// Longest text of one part, in bytes. Printing may double it, and the frame around it is small.
const PART: usize = 1 << 20;

/// Longest text that is put together again, in bytes: sixteen frames' worth.
const ASSEMBLED: usize = 64 << 20;

/// The bytes of `message`: one frame, or the parts of its `:PAYLOAD :TEXT` and then the frame without it.
///
/// # Errors
/// When it is too long even without that text.
pub fn encode_message(message: &Form) -> Result<Vec<u8>, FrameError> {
    let too_long = match frame::encode(message) {
        Ok(bytes) => return Ok(bytes),
        Err(error) => error,
    };
    let (Some(payload), Some(text)) = (message.get("PAYLOAD"), message.text_at("payload.text")) else {
        return Err(too_long);
    };
    let meta = message.get("META").cloned().unwrap_or(Form::Nil);
    let rest = frame::encode(&message.clone().with("PAYLOAD", payload.clone().without("TEXT")))?;
    let parts = split(text);
    let mut bytes = Vec::with_capacity(text.len() + rest.len());
    for (at, part) in parts.iter().enumerate() {
        bytes.extend(frame::encode(&frames::part(&meta, at + 1, parts.len(), part))?);
    }
    bytes.extend(rest);
    Ok(bytes)
}

/// `text` in pieces of at most [`PART`] bytes, cut between characters.
fn split(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > PART {
        let mut end = PART;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, more) = rest.split_at(end);
        pieces.push(piece);
        rest = more;
    }
    pieces.push(rest);
    pieces
}

/// Parts that can't be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// One is missing, or its numbers are no numbers.
    #[error("part {found} of a long text arrived where part {expected} belongs")]
    OutOfOrder {
        /// What should have come.
        expected: usize,
        /// What came.
        found: String,
    },
    /// More text than is put together.
    #[error("a text in parts is longer than {allowed} bytes")]
    TooLong {
        /// The bound.
        allowed: usize,
    },
}

/// Puts the parts of long texts back into their frames.
#[derive(Debug, Default)]
pub struct Assembler {
    text: String,
    parts: usize,
    of: usize,
}

impl Assembler {
    /// Takes the next frame: `None` for a part, else the message, with its text if parts came before it.
    ///
    /// # Errors
    /// When a part is missing, or the whole is too long.
    pub fn take(&mut self, frame: Form) -> Result<Option<Form>, PartError> {
        let Some(payload) = frame.get("PAYLOAD") else {
            return self.finish(frame);
        };
        if !payload.get("ACTION").is_some_and(|action| action.is_kw("PART")) {
            return self.finish(frame);
        }
        let number = |key| {
            payload
                .get(key)
                .and_then(Form::as_int)
                .and_then(|number| usize::try_from(number).ok())
        };
        let text = payload.text_at("text").unwrap_or_default();
        match (number("INDEX"), number("OF")) {
            (Some(index), Some(of)) if index == self.parts + 1 && (self.parts == 0 || of == self.of) => self.of = of,
            (index, _) => {
                let found = index.map_or_else(|| "without a number".to_owned(), |index| index.to_string());
                return Err(PartError::OutOfOrder {
                    expected: self.parts + 1,
                    found,
                });
            }
        }
        if self.text.len() + text.len() > ASSEMBLED {
            return Err(PartError::TooLong { allowed: ASSEMBLED });
        }
        self.text.push_str(text);
        self.parts += 1;
        Ok(None)
    }

    fn finish(&mut self, frame: Form) -> Result<Option<Form>, PartError> {
        let Assembler { text, parts, of } = std::mem::take(self);
        if parts == 0 {
            return Ok(Some(frame));
        }
        if parts != of {
            return Err(PartError::OutOfOrder {
                expected: parts + 1,
                found: "the end".to_owned(),
            });
        }
        let mut payload = frame.get("PAYLOAD").cloned().unwrap_or(Form::Nil);
        // The text stands where the frame's declaration has it: right behind the action (and a plan's id).
        if let Form::List(items) = &mut payload {
            let after = items
                .chunks_exact(2)
                .take_while(|pair| pair[0].is_kw("ACTION") || pair[0].is_kw("PLAN"))
                .count();
            items.splice(after * 2..after * 2, [kw("TEXT"), text.into()]);
        }
        Ok(Some(frame.with("PAYLOAD", payload)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::plist;
    use crate::protocol::frame::{Decoder, LIMIT};
    use crate::sexp::{Limits, read_with};

    fn message(text: String) -> Form {
        plist!(
            "TYPE" => kw("REQUEST"), "TARGET" => kw("CLI"), "META" => plist!("SOURCE" => kw("CLI")),
            "PAYLOAD" => plist!("ACTION" => kw("MESSAGE"), "TEXT" => text, "EXPLANATION" => "because"),
        )
    }

    fn frames_of(bytes: &[u8]) -> Vec<Form> {
        let mut decoder = Decoder::new(LIMIT);
        decoder.push(bytes);
        std::iter::from_fn(|| decoder.next_frame().unwrap())
            .map(|text| read_with(&text, Limits::STORED).unwrap())
            .collect()
    }

    #[test]
    fn a_short_message_is_one_frame() {
        assert_eq!(
            frames_of(&encode_message(&message("hi".to_owned())).unwrap()),
            [message("hi".to_owned())]
        );
    }

    #[test]
    fn a_long_text_comes_back_unchanged_through_its_parts() {
        // Three bytes a character, so that no part ends where the bytes would have it; quotes double in print.
        let long = message("€\"\n".repeat(1 << 20));
        let frames = frames_of(&encode_message(&long).unwrap());
        assert!(frames.len() > 2);
        let mut assembler = Assembler::default();
        let whole: Vec<Form> = frames
            .into_iter()
            .filter_map(|frame| assembler.take(frame).unwrap())
            .collect();
        assert_eq!(whole, [long]);
    }

    #[test]
    fn a_message_that_is_too_long_without_its_text_is_an_error() {
        let long = message("x".to_owned()).with("OTHER", "y".repeat(LIMIT));
        assert!(matches!(encode_message(&long), Err(FrameError::TooLong { .. })));
    }

    #[test]
    fn a_missing_part_is_an_error() {
        let mut assembler = Assembler::default();
        assert_eq!(assembler.take(frames::part(&Form::Nil, 1, 3, "a")), Ok(None));
        assert!(matches!(
            assembler.take(frames::part(&Form::Nil, 3, 3, "c")),
            Err(PartError::OutOfOrder { expected: 2, .. })
        ));
        assert!(assembler.take(message("end".to_owned())).is_err());
    }
}

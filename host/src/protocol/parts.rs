//! Long messages: what no frame can hold goes ahead in parts, and the frame follows without it. That is the message's
//! text, or, where it is too long without that too, its whole payload as it is printed.
//!
//! [`encode_message`] takes a message apart and [`Assembler`] puts it together again, so that nobody else has to know
//! that frames have a limit. The parts of one message and its frame are one run of bytes: nothing comes between them.

use super::frame::{self, FrameError};
use crate::plist;
use crate::sexp::{Form, Limits, ReadError, kw, read_with};
use crate::signal::frames;

/// Longest text of one part, in bytes. Printing may double it, and the frame around it is small.
const PART: usize = 1 << 20;

/// Longest text that is put together again, in bytes: sixteen frames' worth.
const ASSEMBLED: usize = 64 << 20;

/// The bounds on a payload that is put together again. Whoever answers with lists keeps within them.
const PAYLOAD: Limits = Limits {
    bytes: ASSEMBLED,
    depth: Limits::STORED.depth,
    atoms: 4_000_000,
};

/// Says of a frame that its parts are its payload, printed.
const PRINTED: &str = "PRINTED";

/// The bytes of `message`: one frame; or the parts of its `:PAYLOAD :TEXT` and then the frame without it; or the parts of
/// its printed payload, and then the frame with `(:ACTION … :PRINTED T)` in its place.
///
/// # Errors
/// When what would go in parts is longer than is put together again, or the frame is too long without it.
pub fn encode_message(message: &Form) -> Result<Vec<u8>, PartError> {
    let too_long = match frame::encode(message) {
        Ok(bytes) => return Ok(bytes),
        Err(error) => error,
    };
    let Some(payload) = message.get("PAYLOAD") else {
        return Err(too_long.into());
    };
    let meta = message.get("META").cloned().unwrap_or(Form::Nil);
    if let Some(text) = payload.text_at("text") {
        let rest = message.clone().with("PAYLOAD", payload.clone().without("TEXT"));
        if let Ok(rest) = frame::encode(&rest) {
            return in_parts(&meta, text, &rest);
        }
    }
    let action = payload.get("ACTION").cloned().unwrap_or(Form::Nil);
    let rest = message
        .clone()
        .with("PAYLOAD", plist!("ACTION" => action, PRINTED => true));
    in_parts(&meta, &payload.to_string(), &frame::encode(&rest)?)
}

fn in_parts(meta: &Form, text: &str, rest: &[u8]) -> Result<Vec<u8>, PartError> {
    if text.len() > ASSEMBLED {
        return Err(PartError::TooLong { allowed: ASSEMBLED });
    }
    let parts = split(text);
    let mut bytes = Vec::with_capacity(text.len() + rest.len());
    for (at, part) in parts.iter().enumerate() {
        bytes.extend(frame::encode(&frames::part(meta, at + 1, parts.len(), part))?);
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

/// What can't be taken apart, or put together.
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
    /// A payload that is no form once it is put together.
    #[error("what came in parts can't be read: {0}")]
    Unreadable(#[from] ReadError),
    /// A frame that is too long without what would go in parts.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// Puts the parts of long messages back into their frames.
#[derive(Debug, Default)]
pub struct Assembler {
    text: String,
    parts: usize,
    of: usize,
}

impl Assembler {
    /// Takes the next frame: `None` for a part, else the message, with its text or payload if parts came before it.
    ///
    /// # Errors
    /// When a part is missing, the whole is too long, or it is no payload.
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
        if payload.get(PRINTED).is_some_and(Form::is_true) {
            let payload = read_with(&text, PAYLOAD)?;
            return Ok(Some(frame.with("PAYLOAD", payload)));
        }
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
    use crate::protocol::frame::{Decoder, LIMIT};

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
        assert_eq!(assembled(&long), [long]);
    }

    fn assembled(message: &Form) -> Vec<Form> {
        let mut assembler = Assembler::default();
        let frames = frames_of(&encode_message(message).unwrap());
        assert!(frames.len() > 2);
        let whole = frames.into_iter().filter_map(|frame| assembler.take(frame).unwrap());
        whole.collect()
    }

    #[test]
    fn a_payload_that_is_too_long_without_its_text_comes_back_unchanged_through_its_parts() {
        let entry = plist!("TEXT" => "€\"\\\n".repeat(1 << 18), "NOTHING" => Form::Nil, "COUNT" => 3);
        let entries = vec![entry; 8];
        let payload = plist!("ACTION" => kw("STATUS"), "ENTRIES" => entries.clone(), "NONE" => Form::Nil);
        let answer = plist!("TYPE" => kw("RESPONSE"), "META" => plist!("REQUEST-ID" => "7"), "PAYLOAD" => payload);
        assert_eq!(assembled(&answer), [answer]);
        let long = message("short".to_owned());
        let payload = long.get("PAYLOAD").unwrap().clone().with("ENTRIES", entries);
        let long = long.with("PAYLOAD", payload);
        assert_eq!(assembled(&long), [long]);
    }

    #[test]
    fn what_would_not_be_put_together_is_not_taken_apart() {
        let whole = message("y".repeat(ASSEMBLED + 1));
        assert_eq!(encode_message(&whole), Err(PartError::TooLong { allowed: ASSEMBLED }));
        let unaddressed = message("x".to_owned()).with("META", "y".repeat(LIMIT));
        assert!(matches!(encode_message(&unaddressed), Err(PartError::Frame(_))));
    }

    #[test]
    fn parts_that_are_no_payload_are_an_error() {
        let mut assembler = Assembler::default();
        assert_eq!(assembler.take(frames::part(&Form::Nil, 1, 1, "(:ACTION")), Ok(None));
        let frame = plist!("TYPE" => kw("RESPONSE"), "PAYLOAD" => plist!("ACTION" => kw("STATUS"), PRINTED => true));
        assert!(matches!(assembler.take(frame), Err(PartError::Unreadable(_))));
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

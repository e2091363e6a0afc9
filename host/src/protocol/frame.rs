//! Frames: six hexadecimal digits, then that many bytes of UTF-8, then nothing.
//!
//! Turns bytes into texts and forms into bytes. A prefix is judged before anything is kept for it; an incomplete
//! frame is no error. What the texts mean is not known here.

use crate::sexp::Form;

/// Longest text of one frame, in bytes. The same bound as the reader's, so that one can't be sent what the other
/// refuses.
pub const LIMIT: usize = 4 << 20;

/// Digits of a prefix.
const PREFIX: usize = 6;

/// Capacity that an empty buffer may keep.
const KEPT: usize = 64 << 10;

/// Why a stream of bytes is no stream of frames. After any of these the rest of the stream means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Something that is no hexadecimal digit stands in a prefix.
    #[error(
        "byte 0x{byte:02X} stands in the prefix of a frame; a frame begins with six hexadecimal digits, its length in bytes"
    )]
    BadPrefix {
        /// The byte.
        byte: u8,
    },
    /// The prefix announces more than is allowed.
    #[error("a frame of {size} bytes is announced and at most {allowed} are allowed here")]
    TooLong {
        /// What was announced.
        size: usize,
        /// The bound.
        allowed: usize,
    },
    /// The text is not UTF-8, or its length cuts a character in two.
    #[error("the frame's text is not UTF-8 from byte {at} on; its prefix counts bytes, not characters")]
    NotUtf8 {
        /// Offset in the text, in bytes.
        at: usize,
    },
}

impl FrameError {
    /// A short stable name.
    pub fn code(&self) -> &'static str {
        match self {
            FrameError::BadPrefix { .. } => "bad-prefix",
            FrameError::TooLong { .. } => "frame-too-long",
            FrameError::NotUtf8 { .. } => "not-utf-8",
        }
    }
}

/// Bytes that arrived, from which whole frames are taken.
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    start: usize,
    limit: usize,
    failed: Option<FrameError>,
}

impl Decoder {
    /// A decoder that takes frames of up to `limit` bytes, and never more than [`LIMIT`].
    pub fn new(limit: usize) -> Decoder {
        Decoder {
            buffer: Vec::new(),
            start: 0,
            limit: limit.min(LIMIT),
            failed: None,
        }
    }

    /// Changes the longest frame that is taken from now on.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit.min(LIMIT);
    }

    /// Adds what arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
            if self.buffer.capacity() > KEPT {
                self.buffer.shrink_to(KEPT);
            }
        } else if self.start > self.buffer.len() / 2 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The text of the next whole frame; `None` while it is incomplete.
    ///
    /// # Errors
    /// When the bytes are no frame. Then, and from then on, nothing more can be read.
    pub fn next_frame(&mut self) -> Result<Option<String>, FrameError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.take().inspect_err(|error| self.failed = Some(error.clone()))
    }

    /// Whether no part of a frame is waiting for its rest.
    pub fn is_between_frames(&self) -> bool {
        self.buffer[self.start..].iter().all(is_blank)
    }

    fn take(&mut self) -> Result<Option<String>, FrameError> {
        while self.buffer.get(self.start).is_some_and(is_blank) {
            self.start += 1;
        }
        let rest = &self.buffer[self.start..];
        let prefix = &rest[..rest.len().min(PREFIX)];
        let mut size = 0;
        for byte in prefix {
            let digit = char::from(*byte)
                .to_digit(16)
                .ok_or(FrameError::BadPrefix { byte: *byte })?;
            size = size << 4 | digit as usize;
        }
        if prefix.len() < PREFIX {
            return Ok(None);
        }
        if size > self.limit {
            return Err(FrameError::TooLong {
                size,
                allowed: self.limit,
            });
        }
        let Some(text) = rest.get(PREFIX..PREFIX + size) else {
            return Ok(None);
        };
        let text = str::from_utf8(text)
            .map_err(|error| FrameError::NotUtf8 {
                at: error.valid_up_to(),
            })?
            .to_owned();
        self.start += PREFIX + size;
        Ok(Some(text))
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The frame of `form`, canonically printed.
///
/// # Errors
/// When the text is longer than [`LIMIT`].
pub fn encode(form: &Form) -> Result<Vec<u8>, FrameError> {
    let mut text = "000000".to_owned();
    form.print_into(&mut text);
    let size = text.len() - PREFIX;
    if size > LIMIT {
        return Err(FrameError::TooLong { size, allowed: LIMIT });
    }
    text.replace_range(..PREFIX, &format!("{size:06X}"));
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use proptest::prelude::*;

    use super::*;
    use crate::sexp::read;

    fn decode(bytes: &[u8]) -> Result<Option<String>, FrameError> {
        let mut decoder = Decoder::new(LIMIT);
        decoder.push(bytes);
        decoder.next_frame()
    }

    /// All frames, then the error if there was one.
    fn decode_cut(bytes: &[u8], cuts: &[usize]) -> (Vec<String>, Option<FrameError>, bool) {
        let mut decoder = Decoder::new(LIMIT);
        let mut frames = Vec::new();
        let mut at = 0;
        for cut in cuts.iter().copied().chain([bytes.len()]) {
            let end = cut.clamp(at, bytes.len());
            decoder.push(&bytes[at..end]);
            at = end;
            loop {
                match decoder.next_frame() {
                    Ok(Some(frame)) => frames.push(frame),
                    Ok(None) => break,
                    Err(error) => return (frames, Some(error), false),
                }
            }
        }
        (frames, None, decoder.is_between_frames())
    }

    #[test]
    fn a_form_is_printed_with_its_length_in_upper_case() {
        let form = read("(:TYPE :HEALTH-RESPONSE :STATUS :HEALTHY :CHECKED-P T)").unwrap();
        assert_eq!(
            encode(&form).unwrap(),
            b"000036(:TYPE :HEALTH-RESPONSE :STATUS :HEALTHY :CHECKED-P T)"
        );
    }

    #[test]
    fn the_prefix_counts_bytes_and_not_characters() {
        assert_eq!(encode(&"é".into()).unwrap(), "000004\"é\"".as_bytes());
        assert_eq!(decode("000004\"é\"".as_bytes()), Ok(Some("\"é\"".to_owned())));
    }

    #[test]
    fn lower_case_digits_and_white_space_before_a_prefix_are_read() {
        assert_eq!(decode(b" \r\n\t00000a(:A :BCD)\n"), Ok(Some("(:A :BCD)\n".to_owned())));
    }

    #[test]
    fn an_incomplete_frame_is_no_error() {
        for cut in 0..12 {
            assert_eq!(decode(&b"000006(:A 1)"[..cut]), Ok(None), "{cut} bytes");
        }
    }

    #[test]
    fn a_prefix_over_the_limit_is_an_error_as_soon_as_it_is_there() {
        assert_eq!(
            decode(b"FFFFFF"),
            Err(FrameError::TooLong {
                size: 0xFF_FFFF,
                allowed: LIMIT
            })
        );
        assert_eq!(
            decode(b"400001"),
            Err(FrameError::TooLong {
                size: LIMIT + 1,
                allowed: LIMIT
            })
        );
        assert_eq!(decode(b"400000"), Ok(None));
    }

    #[test]
    fn the_first_byte_of_a_bad_prefix_is_enough() {
        assert_eq!(decode(b"G"), Err(FrameError::BadPrefix { byte: b'G' }));
        assert_eq!(decode(b"00 015"), Err(FrameError::BadPrefix { byte: b' ' }));
    }

    #[test]
    fn a_length_that_cuts_a_character_is_an_error_that_says_where() {
        assert_eq!(decode("000002\"é\"".as_bytes()), Err(FrameError::NotUtf8 { at: 1 }));
    }

    #[test]
    fn after_an_error_nothing_more_is_read() {
        let mut decoder = Decoder::new(LIMIT);
        decoder.push(b"xyz");
        let error = decoder.next_frame().unwrap_err();
        decoder.push(b"000003(A)");
        assert_eq!(decoder.next_frame(), Err(error));
    }

    #[test]
    fn a_text_longer_than_the_limit_is_not_encoded() {
        assert!(encode(&"x".repeat(LIMIT - 2).into()).is_ok());
        assert!(matches!(
            encode(&"x".repeat(LIMIT - 1).into()),
            Err(FrameError::TooLong { .. })
        ));
    }

    proptest! {
        #[test]
        fn frames_are_the_same_however_the_bytes_are_cut(
            texts in prop::collection::vec("\\PC{0,40}", 0..6),
            blanks in "[ \r\n\t]{0,3}",
            tail in prop::collection::vec(any::<u8>(), 0..20),
            mut cuts in prop::collection::vec(0_usize..300, 0..12),
        ) {
            let mut bytes = Vec::new();
            for text in &texts {
                bytes.extend(format!("{blanks}{:06x}{text}", text.len()).into_bytes());
            }
            bytes.extend(tail);
            cuts.sort_unstable();
            let whole = decode_cut(&bytes, &[]);
            prop_assert!(whole.0.starts_with(&texts));
            prop_assert_eq!(decode_cut(&bytes, &cuts), whole);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_cut(&bytes, &[]);
        }
    }
}

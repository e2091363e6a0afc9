//! A model's thoughts where they stand in the text of its answer, in front, as many local servers send them: between tags,
//! or before the closing tag alone where the opening one is part of the prompt. They are no part of the answer: nothing in
//! them is proposed, and nobody is shown them.

use crate::sexp::{Brackets, ReadError, read_prefix};

/// The tags that thoughts stand between.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// How much white space may stand before the first tag, in bytes, so that no more than that is held back.
const BLANK: usize = 64;

/// Tells thoughts and answer apart, while the text comes.
#[derive(Default)]
pub(super) struct Thoughts {
    state: State,
    /// What came and is neither yet.
    held: String,
}

#[derive(Default)]
enum State {
    /// Nothing of the answer has come.
    #[default]
    Before,
    /// Within thoughts that end with this.
    Within(&'static str),
    /// The answer has begun.
    Answer,
}

/// What of a piece is what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sorted {
    /// So many bytes of thoughts.
    pub(super) thoughts: usize,
    /// More of the answer.
    pub(super) answer: String,
}

impl Thoughts {
    /// Takes the next piece of text. What is the answer for sure is given back; the rest is held.
    pub(super) fn sort(&mut self, piece: &str) -> Sorted {
        let mut sorted = Sorted::default();
        self.held.push_str(piece);
        // Everything before is sorted. It is taken away at the end, once, however many tags a piece has.
        let mut from = 0;
        loop {
            let rest = self.held.get(from..).unwrap_or_default();
            match self.state {
                State::Before => {
                    let begun = rest.trim_start();
                    let blank = rest.len() - begun.len();
                    if let Some((open, close)) = TAGS.into_iter().find(|(open, _)| begun.starts_with(open)) {
                        from += blank + open.len();
                        self.state = State::Within(close);
                    } else if blank <= BLANK && TAGS.iter().any(|(open, _)| open.starts_with(begun)) {
                        break;
                    } else {
                        self.state = State::Answer;
                    }
                }
                State::Within(close) => match rest.find(close) {
                    Some(at) => {
                        from += at + close.len();
                        self.state = State::Before;
                    }
                    None => {
                        // The tag may be split between two pieces.
                        let mut end = rest.len().saturating_sub(close.len() - 1);
                        while !rest.is_char_boundary(end) {
                            end -= 1;
                        }
                        from += end;
                        break;
                    }
                },
                State::Answer => {
                    sorted.answer.push_str(rest);
                    sorted.thoughts = from;
                    self.held.clear();
                    return sorted;
                }
            }
        }
        sorted.thoughts = from;
        self.held.drain(..from);
        sorted
    }

    /// How many bytes are held.
    pub(super) fn held(&self) -> usize {
        self.held.len()
    }

    /// What is still held at the end, if that is answer: thoughts that were left open are none.
    pub(super) fn rest(self) -> String {
        match self.state {
            State::Within(_) => String::new(),
            State::Before | State::Answer => self.held,
        }
    }
}

/// `answer` from behind a closing tag that nothing has opened; all of it where there is none. A tag inside a form, in code, or
/// in the middle of a line is one that the answer speaks of.
pub(super) fn without_unopened(answer: String) -> String {
    let ends = TAGS.iter().filter_map(|(open, close)| {
        let at = answer.find(close)?;
        let (before, after) = (answer.get(..at)?, answer.get(at + close.len()..)?);
        let is_opened = before.contains(open) || is_in_code(before) || is_in_form(&answer, at);
        let ends_line = after.trim_start_matches([' ', '\t', '\r']).is_empty() || is_blank_line(after);
        let begins_line = before.trim_end_matches([' ', '\t']).ends_with('\n') || before.trim().is_empty();
        (!is_opened && (ends_line || begins_line)).then_some(at + close.len())
    });
    match ends.min() {
        Some(end) => answer.get(end..).unwrap_or_default().to_owned(),
        None => answer,
    }
}

fn is_blank_line(text: &str) -> bool {
    text.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}

/// Whether a fence or a span of code is open at the end of `text`.
fn is_in_code(text: &str) -> bool {
    let is_fence = |line: &&str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    let line = text.rsplit('\n').next().unwrap_or_default();
    text.lines().filter(is_fence).count() % 2 == 1 || line.matches('`').count() % 2 == 1
}

/// How often as many bytes as the text has are read in search of a form, so that none takes longer, however it is made.
const READINGS: usize = 8;

/// Whether a form that begins a line of `text` spans what stands at `tag`.
fn is_in_form(text: &str, tag: usize) -> bool {
    let mut left = READINGS * text.len();
    let mut at = 0;
    while at < tag && left > 0 {
        let Some(rest) = text.get(at..) else { return false };
        at += rest.len() - rest.trim_start().len();
        let Some(rest) = text.get(at..) else { return false };
        if rest.starts_with(['(', '[']) {
            match read_prefix(rest, Brackets::AsList) {
                Ok((_, length)) if at + length > tag => return at < tag,
                Ok((_, length)) => at += length,
                // What is not closed may hold a form that is.
                Err(ReadError::Unfinished { .. } | ReadError::Empty) => left = left.saturating_sub(rest.len()),
                Err(
                    ReadError::Unopened { at: broke, .. }
                    | ReadError::Trailing { at: broke }
                    | ReadError::Refused { at: broke, .. }
                    | ReadError::TooLarge { at: broke, .. },
                ) => left = left.saturating_sub(broke),
            }
        }
        let Some(next) = text.get(at..).and_then(|rest| rest.find('\n')) else {
            return false;
        };
        at += next + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(pieces: &[&str]) -> String {
        let mut thoughts = Thoughts::default();
        let mut answer = String::new();
        for piece in pieces {
            answer.push_str(&thoughts.sort(piece).answer);
        }
        without_unopened(answer + &thoughts.rest())
    }

    #[test]
    fn thoughts_in_front_are_no_answer_however_they_are_cut_into_pieces() {
        let text = "\n<think>\nI could\n(:TOOL \"shell\" :ARGS (:CMD \"ls\"))\n</think>\n\nNothing é to do.";
        for cut in 0..=text.len() {
            if let Some((one, other)) = text.split_at_checked(cut) {
                assert_eq!(sorted(&[one, other]).trim(), "Nothing é to do.", "{cut}");
            }
        }
        let letters: Vec<String> = text.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        assert_eq!(sorted(&letters).trim(), "Nothing é to do.");
        assert_eq!(sorted(&["<thinking>a</think>b</thinking><think>c</think>d"]), "d");
    }

    #[test]
    fn thoughts_that_only_end_are_thoughts_and_those_that_never_end_are_all_there_is() {
        assert_eq!(sorted(&["I could\n(:TOOL \"x\")\n</think>\n\nNo."]).trim(), "No.");
        assert_eq!(sorted(&["I could.</think>\nNo."]).trim(), "No.");
        assert_eq!(sorted(&["<think>I could\n(:TOOL \"x\")"]), "");
    }

    #[test]
    fn an_answer_made_to_be_read_again_and_again_is_sorted_at_once() {
        // Read anew at each step, they take minutes.
        let end = "\n</think>\nfine";
        for many in ["\n", "(#|\n", "(a\n", "(\"\n", "(#.\n", " \n", "(a #.x\n"] {
            let text = many.repeat(1_000_000 / many.len()) + "x" + end;
            assert!(sorted(&[&text]).ends_with("fine"));
        }
        assert_eq!(sorted(&[&("<think></think>".repeat(100_000) + "fine")]), "fine");
        assert_eq!(
            sorted(&[&("</think>\n".repeat(100_000) + "fine")]).trim_start().len(),
            9 * 99_999 + 4
        );
    }

    #[test]
    fn what_speaks_of_the_tags_is_an_answer() {
        for answer in [
            "Put it between <think> and </think>\nand be done.",
            "The end is `</think>`\nas said.",
            "```\n</think>\n```\n",
            "(:TOOL \"write-file\" :ARGS (:PATH \"a\" :TEXT \"one\n</think>\ntwo\"))",
            "the tag </think> closes it",
            "<thin",
            "<b>bold</b>",
            "  indented",
        ] {
            assert_eq!(sorted(&[answer]), answer);
        }
    }
}

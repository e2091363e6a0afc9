//! One session's conversation: what was said by whom, and what of it still fits.

use crate::plist;
use crate::sexp::{Form, Text, kw};

/// Who said a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool: the result of an action.
    Tool,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Speaker::User => "USER",
            Speaker::Assistant => "ASSISTANT",
            Speaker::Tool => "TOOL",
        }
    }
}

/// One line of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Who said it.
    pub speaker: Speaker,
    /// What was said.
    pub text: Text,
    /// Whether it holds text from outside the workspace.
    pub tainted: bool,
}

impl Line {
    /// `(:ROLE … :TEXT … :TAINTED …)`, as it is kept on disk.
    pub fn to_form(&self) -> Form {
        plist!("ROLE" => kw(self.speaker.name()), "TEXT" => self.text.clone(), "TAINTED" => self.tainted)
    }

    /// The line that [`Line::to_form`] printed.
    pub fn from_form(form: &Form) -> Option<Line> {
        let role = form.at("role")?.keyword()?;
        let speaker = [Speaker::User, Speaker::Assistant, Speaker::Tool]
            .into_iter()
            .find(|own| own.name() == role)?;
        let tainted = form.at("tainted").is_some_and(Form::is_true);
        Some(Line {
            speaker,
            text: form.at("text")?.as_text()?.clone(),
            tainted,
        })
    }
}

/// What was said so far, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    lines: Vec<Line>,
}

impl Conversation {
    /// The conversation with these lines.
    pub fn new(lines: Vec<Line>) -> Conversation {
        Conversation { lines }
    }

    /// Adds a line.
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// All lines.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The newest lines that fit into `bytes`, oldest first, and how many were left out. The newest always goes along.
    pub fn recent(&self, bytes: usize) -> (&[Line], usize) {
        let mut room = bytes;
        let mut from = self.lines.len();
        while from > 0 {
            let size = self.lines[from - 1].text.len();
            if size > room && from < self.lines.len() {
                break;
            }
            room = room.saturating_sub(size);
            from -= 1;
        }
        (&self.lines[from..], from)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn line(text: &str) -> Line {
        Line {
            speaker: Speaker::User,
            text: text.into(),
            tainted: true,
        }
    }

    #[test]
    fn the_newest_lines_that_fit_go_along_and_the_newest_always() {
        let talk = Conversation::new(vec![line("aaaa"), line("bbbb"), line("cccc")]);
        let texts = |bytes| {
            talk.recent(bytes)
                .0
                .iter()
                .map(|line| line.text.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(100), ["aaaa", "bbbb", "cccc"]);
        assert_eq!(texts(8), ["bbbb", "cccc"]);
        assert_eq!(texts(7), ["cccc"]);
        assert_eq!(texts(0), ["cccc"]);
        assert_eq!(talk.recent(8).1, 1);
        assert_eq!(Conversation::default().recent(8), (&[][..], 0));
    }

    #[test]
    fn a_line_is_read_back_as_it_was_kept() {
        let line = Line {
            speaker: Speaker::Tool,
            text: "out\n\"put\"".into(),
            tainted: true,
        };
        assert_eq!(Line::from_form(&line.to_form()), Some(line));
    }
}

//! One session's conversation: what was said by whom.

use super::window::Window;
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
    /// The host: that the request above is over.
    Host,
}

impl Speaker {
    fn name(self) -> &'static str {
        match self {
            Speaker::User => "USER",
            Speaker::Assistant => "ASSISTANT",
            Speaker::Tool => "TOOL",
            Speaker::Host => "HOST",
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
        let speaker = [Speaker::User, Speaker::Assistant, Speaker::Tool, Speaker::Host]
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

    /// What of it goes to the model, within `tokens`.
    pub fn window(&self, tokens: usize) -> Window {
        Window::on(&self.lines, tokens)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

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

//! Reading redirections, and the here-documents that they announce.

use super::{Doubt, Reader, Redirect};
use crate::shell::scan;
use crate::shell::word::{Glyph, Word};

impl Reader {
    /// `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<`, `<<-`, `<<<` and what follows.
    pub(super) fn read_redirect(&mut self) {
        let from = self.at;
        // The number before it was read as a word; bash takes it for the descriptor.
        if self.at > 0
            && self.text[self.at - 1].is_ascii_digit()
            && self
                .command
                .words
                .last()
                .and_then(Word::bare)
                .is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()))
        {
            self.command.words.pop();
        }
        if self.at_start() && self.command.redirects.is_empty() {
            self.command.compound = scan::closes(&self.text[..self.at]);
        }
        let mut operator = String::new();
        while let Some(char) = self.peek(0)
            && matches!(char, '<' | '>' | '|' | '&')
            && operator.len() < 3
            && is_operator(&operator, char)
        {
            operator.push(char);
            self.at += 1;
        }
        if operator == "<<" && self.peek(0) == Some('-') {
            operator.push('-');
            self.at += 1;
        }
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        let Some(target) = self.word() else {
            return self.doubt(Doubt::Unfinished);
        };
        self.mark(from);
        match operator.as_str() {
            "<<" | "<<-" => self
                .documents
                .push((target.literal(), target.quoted, operator.len() == 3)),
            "<<<" => self.command.input.push(target),
            // `>&2` and `2>&-` name a descriptor and no file.
            ">&" | "<&"
                if target
                    .literal()
                    .chars()
                    .all(|char| char.is_ascii_digit() || char == '-') => {}
            _ => {
                self.command.redirects.push(Redirect {
                    writes: operator.contains('>'),
                    replaces: !operator.contains(">>") && operator != "<>",
                    target,
                });
            }
        }
    }

    /// The bodies of the here-documents that the line before announced.
    pub(super) fn read_documents(&mut self) {
        for (delimiter, quoted, tabs) in std::mem::take(&mut self.documents) {
            let start = self.at;
            let mut end = None;
            while self.at < self.text.len() {
                let line_end = scan::find(&self.text, self.at, '\n').unwrap_or(self.text.len());
                let line: String = self.text[self.at..line_end].iter().collect();
                let line_start = self.at;
                self.at = (line_end + 1).min(self.text.len());
                if (if tabs { line.trim_start_matches('\t') } else { &line }) == delimiter {
                    end = Some(line_start);
                    break;
                }
            }
            let body = self.text[start..end.unwrap_or(self.text.len())].to_vec();
            if end.is_none() {
                // Bash would take the rest for the document. It is judged as commands too, to be safe.
                self.doubt(Doubt::Unfinished);
                self.out.nested.push(body.iter().collect());
            }
            if !quoted {
                self.harvest(&body);
            }
            if let Some(command) = self.out.commands.last_mut() {
                command.input.push(Word {
                    glyphs: body.into_iter().map(Glyph::Quoted).collect(),
                    quoted: true,
                });
            }
        }
    }
}

/// Whether `next` goes on the redirection operator `so_far`.
fn is_operator(so_far: &str, next: char) -> bool {
    matches!(
        (so_far, next),
        ("", '<' | '>') | ("<", '<' | '>' | '&') | (">", '>' | '|' | '&') | ("<<", '<')
    )
}

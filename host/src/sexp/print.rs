//! The one canonical printing, which SBCL reads back as what was meant.

use std::fmt::{self, Write};

use super::atom;
use super::form::Form;

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        print_into(self, &mut text);
        f.write_str(&text)
    }
}

impl Form {
    /// The canonical text, cut after about `limit` characters with an ellipsis: for error messages only.
    pub fn shortened(&self, limit: usize) -> String {
        let text = self.to_string();
        match text.char_indices().nth(limit) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    }

    /// The canonical text in `out`, without the detour over a formatter.
    pub fn print_into(&self, out: &mut String) {
        print_into(self, out);
    }
}

fn print_into(form: &Form, out: &mut String) {
    match form {
        Form::Nil => out.push_str("NIL"),
        Form::Keyword(name) => {
            out.push(':');
            print_name(name, atom::keyword_needs_bars(name), out);
        }
        Form::Symbol(name) => print_name(name, atom::symbol_needs_bars(name), out),
        Form::String(text) => print_string(text, out),
        Form::Number(number) => out.push_str(&number.text),
        Form::Char(char) => {
            out.push_str("#\\");
            match atom::char_name(*char) {
                Some(name) => out.push_str(&name),
                None => out.push(*char),
            }
        }
        Form::Pathname(text) => {
            out.push_str("#P");
            print_string(text, out);
        }
        Form::List(items) if items.is_empty() => out.push_str("NIL"),
        Form::List(items) => {
            out.push('(');
            print_items(items, out);
            out.push(')');
        }
        Form::Dotted(items, tail) => {
            out.push('(');
            print_items(items, out);
            out.push_str(" . ");
            print_into(tail, out);
            out.push(')');
        }
        Form::Vector(items) => {
            out.push_str("#(");
            print_items(items, out);
            out.push(')');
        }
    }
}

fn print_items(items: &[Form], out: &mut String) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        print_into(item, out);
    }
}

fn print_name(name: &str, bars: bool, out: &mut String) {
    if bars {
        out.push('|');
        escape(name, ['|', '\\'], out);
        out.push('|');
    } else {
        out.push_str(name);
    }
}

fn print_string(text: &str, out: &mut String) {
    out.push('"');
    escape(text, ['"', '\\'], out);
    out.push('"');
}

/// Copies `text`, with a backslash before each of the two ASCII characters.
fn escape(text: &str, special: [char; 2], out: &mut String) {
    out.reserve(text.len());
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte == special[0] as u8 || byte == special[1] as u8 {
            out.push_str(&text[start..at]);
            out.push('\\');
            start = at;
        }
    }
    out.push_str(&text[start..]);
}

/// `text` with control, bidirectional and invisible characters written as `<U+202E>`, so that a person who approves
/// it sees what is there. Newlines and tabs stay. Not reversible: for showing only.
pub fn visible(text: &str) -> String {
    shown(text, |char| char == '\n' || char == '\t')
}

/// As [`visible`], with newlines and tabs written so too: what stays in its line can't pass for another one.
pub fn visible_line(text: &str) -> String {
    shown(text, |_| false)
}

fn shown(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if stays(char) || !is_hidden(char) {
            out.push(char);
        } else {
            let _ = write!(out, "<U+{:04X}>", char as u32);
        }
    }
    out
}

/// Whether there is nothing in `text` for a person to read.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|char| char.is_whitespace() || is_hidden(char))
}

/// Control characters, and those that Unicode calls bidirectional controls, zero-width, separators of lines, tags,
/// fillers or variation selectors (Unicode 16, properties Bidi_Control and Default_Ignorable_Code_Point).
pub fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

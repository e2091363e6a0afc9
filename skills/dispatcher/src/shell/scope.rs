//! What is known at one point of a script beside its text: the variables and the current folder. Followed in the order
//! of the text, whatever branches there are: a rule that depends on it may ask too much, and never passes for it.

use super::parse::Command;
use super::word::{Field, LONGEST_VALUE, Value, Variables};
use crate::path::Place;

/// The most variables that are remembered.
const MOST_VARIABLES: usize = 512;

/// The variables and the current folder.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) variables: Variables,
    /// Where relative paths begin; `None` once that can't be told.
    pub(super) here: Option<Place>,
    /// Whether there were more variables than are remembered.
    pub(super) full: bool,
}

impl Scope {
    fn set(&mut self, name: &str, value: &Field) {
        let known = value.is_known() && value.text.len() <= LONGEST_VALUE;
        self.insert(
            name,
            if known {
                Value::Known(value.text.clone())
            } else {
                Value::Dynamic
            },
        );
    }

    fn insert(&mut self, name: &str, value: Value) {
        if self.variables.len() >= MOST_VARIABLES && !self.variables.contains_key(name) {
            self.full = true;
        } else {
            self.variables.insert(name.to_owned(), value);
        }
    }

    /// Follows assignments that stand alone.
    pub(super) fn assign(&mut self, command: &Command) {
        for (name, append, word) in &command.assignments {
            let mut field = word.joined(&self.variables);
            if let (true, Some(Value::Known(before))) = (append, self.variables.get(name)) {
                field.text.insert_str(0, before);
            }
            self.set(name, &field);
        }
    }

    /// Follows a command that changes variables or the current folder.
    pub(super) fn follow(&mut self, fields: &[Field], start: &Place) {
        let Some((name, rest)) = fields.split_first() else {
            return;
        };
        match name.text.as_str() {
            "cd" | "pushd" => self.change_folder(rest, start),
            "popd" => self.here = None,
            "for" | "select" => match rest {
                [variable, keyword, values @ ..] if keyword.text == "in" => {
                    self.set(&variable.text, &joined(values));
                }
                [variable, ..] => self.insert(&variable.text, Value::Dynamic),
                [] => {}
            },
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for field in rest {
                    if let Some((variable, value)) = field.text.split_once('=') {
                        self.set(variable, &Field::from(value));
                    }
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "printf" | "let" => {
                for field in rest.iter().filter(|field| is_name(&field.text)) {
                    self.insert(&field.text, Value::Dynamic);
                }
            }
            "set" => {
                if let Some(arguments) = arguments_of_set(rest) {
                    let values = joined(arguments);
                    self.set("@", &values);
                    self.set("*", &values);
                }
            }
            _ => {}
        }
    }

    fn change_folder(&mut self, arguments: &[Field], start: &Place) {
        let target = arguments
            .iter()
            .find(|field| field.text == "-" || !field.text.starts_with('-'));
        self.here = match target {
            None => Some(Place::absolute("~")),
            Some(field) if !field.is_known() || field.text == "-" || field.glob => None,
            Some(field) if field.text.starts_with(['/', '~']) => Some(Place::of(&field.text, start)),
            Some(field) => self.here.as_ref().map(|here| Place::of(&field.text, here)),
        };
    }
}

/// What `set` makes the positional parameters; bash(1). `None` if it leaves them as they are.
fn arguments_of_set(mut rest: &[Field]) -> Option<&[Field]> {
    while let [first, more @ ..] = rest {
        match first.text.as_str() {
            "--" | "-" => return Some(more),
            text if text.starts_with(['-', '+']) => {
                // Each `o` takes a name.
                let names = text.bytes().filter(|byte| *byte == b'o').count();
                rest = more.get(names..).unwrap_or_default();
            }
            _ => return Some(rest),
        }
    }
    None
}

fn joined(fields: &[Field]) -> Field {
    let texts: Vec<_> = fields.iter().map(|field| field.text.as_str()).collect();
    Field {
        text: texts.join(" "),
        glob: false,
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

//! What is known at one point of a script: the variables, the current folder, the functions; and what flows in a pipe.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use brush_parser::ast::FunctionBody;

use super::{NAME, NUMBER};
use crate::path::Place;
use crate::shell::word::UNKNOWN;

/// The most folders that the current one may be.
const MOST_FOLDERS: usize = 8;

/// What a command prints, or what flows into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Nothing at all.
    Nothing,
    /// This text.
    Text(String),
    /// Numbers.
    Number,
    /// Names of files in the workspace, one a line.
    Names,
    /// The same, each with its folder before it, so that none looks like an option.
    Found,
    /// Anything.
    Unknown,
}

impl Output {
    /// The same of what may not run, or not to its end.
    pub(super) fn unsure(self) -> Output {
        match self {
            Output::Text(_) => Output::Unknown,
            other => other,
        }
    }

    /// Whether it is names of files.
    pub(super) fn is_names(&self) -> bool {
        matches!(self, Output::Names | Output::Found)
    }

    /// This, and then `other`.
    pub(super) fn and(self, other: Output) -> Output {
        match (self, other) {
            (Output::Nothing, output) | (output, Output::Nothing) => output,
            (Output::Number, Output::Number) => Output::Number,
            (Output::Found, Output::Found) => Output::Found,
            (Output::Names | Output::Found | Output::Number, Output::Names | Output::Found | Output::Number) => {
                Output::Names
            }
            _ => Output::Unknown,
        }
    }

    /// What a substitution makes of it: the newlines at its end go.
    pub(super) fn value(&self) -> String {
        match self {
            Output::Nothing => String::new(),
            Output::Text(text) => text.trim_end_matches('\n').to_owned(),
            Output::Number => NUMBER.to_string(),
            Output::Names => NAME.to_string(),
            Output::Found => format!("./{NAME}"),
            Output::Unknown => UNKNOWN.to_string(),
        }
    }

    /// One line of it, as `read` and `xargs` take it.
    pub(super) fn item(&self) -> String {
        match self {
            Output::Text(text) if text.trim_end_matches('\n').contains([' ', '\t', '\n', '\'', '"', '\\']) => {
                UNKNOWN.to_string()
            }
            other => other.value(),
        }
    }
}

/// A function: each of the bodies that it may have, with their text.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) bodies: Vec<(String, Rc<FunctionBody>)>,
    /// Whether it surely is one by now, and not still the program of that name.
    pub(super) sure: bool,
}

/// What is known.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// What each variable that was assigned holds: its elements, one for a plain one.
    pub(super) variables: BTreeMap<String, Vec<String>>,
    /// Where relative paths may begin; `None` if that is not known.
    pub(super) here: Option<Rc<[Place]>>,
    /// The workspace, which is also the home folder of a command.
    pub(super) home: Rc<Place>,
    pub(super) functions: BTreeMap<String, Function>,
    /// `$1` and so on, if they are known.
    pub(super) arguments: Option<Vec<String>>,
    /// The variables that are local to the functions which run.
    pub(super) locals: BTreeSet<String>,
    /// Those of them that may not be.
    pub(super) unclear: BTreeSet<String>,
    /// Whether the folder was changed since the command began, so that names that flow in mean something else.
    pub(super) moved: bool,
    /// `$0`.
    pub(super) zero: Rc<str>,
}

impl State {
    pub(super) fn new(workspace: &Rc<Place>) -> State {
        State {
            variables: BTreeMap::new(),
            here: Some(Rc::from([Place::clone(workspace)])),
            home: Rc::clone(workspace),
            functions: BTreeMap::new(),
            arguments: Some(Vec::new()),
            locals: BTreeSet::new(),
            unclear: BTreeSet::new(),
            moved: false,
            zero: Rc::from(UNKNOWN.to_string()),
        }
    }

    /// Assigns a plain variable.
    pub(super) fn set(&mut self, name: &str, value: String) {
        // Of a list only the first element would change.
        let list = self.variables.get(name).is_some_and(|values| values.len() != 1);
        let value = if list { UNKNOWN.to_string() } else { value };
        self.variables.insert(name.to_owned(), vec![value]);
    }

    /// The folder changes: names mean something else then.
    pub(super) fn move_to(&mut self, folders: Option<Vec<Place>>) {
        self.here = folders.map(Rc::from);
        self.moved = true;
        let forget = |value: &mut String| {
            if value.contains(NAME) {
                *value = UNKNOWN.to_string();
            }
        };
        self.variables.values_mut().flatten().for_each(forget);
        self.arguments.iter_mut().flatten().for_each(forget);
        if self.zero.contains(NAME) {
            self.zero = Rc::from(UNKNOWN.to_string());
        }
    }

    /// The current folder may be one of these as well.
    pub(super) fn may_be(&mut self, others: Option<Rc<[Place]>>) {
        let (Some(own), Some(others)) = (&self.here, others) else {
            self.here = None;
            return;
        };
        let new: Vec<&Place> = others.iter().filter(|other| !own.contains(other)).collect();
        if own.len() + new.len() > MOST_FOLDERS {
            self.here = None;
        } else if !new.is_empty() {
            self.here = Some(own.iter().chain(new).cloned().collect());
        }
    }

    /// What is known after either of two ways was taken.
    pub(super) fn join(&mut self, other: State) {
        let mut names: Vec<String> = self.variables.keys().cloned().collect();
        names.extend(
            other
                .variables
                .keys()
                .filter(|name| !self.variables.contains_key(*name))
                .cloned(),
        );
        for name in names {
            let own = self.variables.get(&name);
            let theirs = other.variables.get(&name);
            if own != theirs {
                let joined = match (own, theirs) {
                    (Some(a), Some(b)) if [a, b].iter().all(|v| is(v, NUMBER)) => NUMBER,
                    _ => UNKNOWN,
                };
                self.set(&name, joined.to_string());
            }
        }
        self.may_be(other.here);
        if self.arguments != other.arguments {
            self.arguments = None;
        }
        for (name, function) in &mut self.functions {
            function.sure &= other.functions.contains_key(name);
        }
        for (name, function) in other.functions {
            let own = self.functions.entry(name).or_insert_with(|| Function {
                bodies: Vec::new(),
                sure: false,
            });
            own.sure &= function.sure;
            for body in function.bodies {
                if !own.bodies.iter().any(|known| known.0 == body.0) {
                    own.bodies.push(body);
                }
            }
        }
        // Local on one of the ways only: what is outside afterwards is one or the other.
        let apart: Vec<String> = self.locals.symmetric_difference(&other.locals).cloned().collect();
        for name in apart {
            self.set(&name, UNKNOWN.to_string());
            self.unclear.insert(name);
        }
        self.unclear.extend(other.unclear);
        self.locals.extend(other.locals);
        self.moved |= other.moved;
    }

    /// Whether two points know the same.
    pub(super) fn same(&self, other: &State) -> bool {
        self.variables == other.variables
            && self.here == other.here
            && self.arguments == other.arguments
            && self.functions.len() == other.functions.len()
            && self
                .functions
                .iter()
                .zip(&other.functions)
                .all(|((a, f), (b, g))| a == b && f.sure == g.sure && f.bodies.len() == g.bodies.len())
    }
}

/// Whether a value is one number, whichever.
fn is(value: &[String], what: char) -> bool {
    let [one] = value else { return false };
    !one.is_empty() && one.chars().all(|char| char == what || char.is_ascii_digit())
}

//! Tools that a skill declares to the model, with their parameters.

use std::fmt;

use crate::plist::{Plist, list};

/// Longest description of a tool, and of one of its parameters, in bytes: the host's bounds.
#[cfg(not(target_arch = "wasm32"))]
const TOOL: usize = 2_000;
#[cfg(not(target_arch = "wasm32"))]
const PARAMETER: usize = 500;

/// Whether the host takes it for a name, in whatever case.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && name.len() <= 64
}

/// A tool, as the model is told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    name: String,
    description: String,
    parameters: Vec<Parameter>,
}

impl Tool {
    /// A tool without parameters. The description says to a model what it does and when to use it.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Tool {
        Tool {
            name: name.into(),
            description: description.into(),
            parameters: Vec::new(),
        }
    }

    /// Adds a parameter. The host refuses calls with parameters that are not declared, except for `explanation`: that is the
    /// action's, the host takes it from among the arguments, and it need not be declared.
    #[must_use]
    pub fn parameter(mut self, parameter: Parameter) -> Tool {
        self.parameters.push(parameter);
        self
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What the host would refuse about it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn fault(&self) -> Option<String> {
        let name = &self.name;
        if !is_name(name) || name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Some(format!(
                "{name:?} can't name a tool: write lower-case letters, digits and `-`"
            ));
        }
        if self.description.len() > TOOL {
            return Some(format!(
                "the description of the tool {name:?} has more than {TOOL} bytes"
            ));
        }
        let fault = |own: &Parameter| {
            if !is_name(&own.name.replace('_', "-")) {
                let own = &own.name;
                return Some(format!(
                    "{own:?} can't name a parameter: write letters, digits, `-` and `_`"
                ));
            }
            (own.description.len() > PARAMETER).then(|| {
                format!(
                    "the description of the parameter {:?} has more than {PARAMETER} bytes",
                    own.name
                )
            })
        };
        self.parameters.iter().find_map(fault)
    }

    /// How much the model is told of it, in bytes.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn told(&self) -> usize {
        let parameters = self.parameters.iter();
        // The host counts the words around them too.
        let parameters: usize = parameters.map(|own| 80 + own.name.len() + own.description.len()).sum();
        80 + self.name.len() + self.description.len() + parameters
    }

    /// Whether a parameter of this name is declared.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn takes(&self, key: &str) -> bool {
        let folded = |name: &str| name.replace('_', "-").to_lowercase();
        let own = self.parameters.iter().map(|own| folded(&own.name));
        own.into_iter().any(|own| own == folded(key))
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = Plist::new()
            .text("name", &self.name)
            .text("description", &self.description);
        if self.parameters.is_empty() {
            return tool.fmt(f);
        }
        tool.form("parameters", &list(self.parameters.iter().map(Parameter::to_string)))
            .fmt(f)
    }
}

/// A parameter of a tool. It is optional until [`required`](Parameter::required) says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    name: String,
    description: String,
    kind: &'static str,
    required: bool,
}

impl Parameter {
    /// A parameter that is a string.
    pub fn string(name: impl Into<String>, description: impl Into<String>) -> Parameter {
        Parameter::of("string", name, description)
    }

    /// A parameter that is an integer.
    pub fn integer(name: impl Into<String>, description: impl Into<String>) -> Parameter {
        Parameter::of("integer", name, description)
    }

    /// A parameter that is any number.
    pub fn number(name: impl Into<String>, description: impl Into<String>) -> Parameter {
        Parameter::of("number", name, description)
    }

    /// A parameter that is `T` or `NIL`.
    pub fn boolean(name: impl Into<String>, description: impl Into<String>) -> Parameter {
        Parameter::of("boolean", name, description)
    }

    /// A parameter that is a list.
    pub fn list(name: impl Into<String>, description: impl Into<String>) -> Parameter {
        Parameter::of("list", name, description)
    }

    /// A parameter that is any form.
    pub fn any(name: impl Into<String>, description: impl Into<String>) -> Parameter {
        Parameter::of("any", name, description)
    }

    fn of(kind: &'static str, name: impl Into<String>, description: impl Into<String>) -> Parameter {
        Parameter {
            name: name.into(),
            description: description.into(),
            kind,
            required: false,
        }
    }

    /// Says that a call without it is refused.
    #[must_use]
    pub fn required(mut self) -> Parameter {
        self.required = true;
        self
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Plist::new().text("name", &self.name).keyword("type", self.kind);
        if self.required {
            out = out.flag("required", true);
        }
        out.text("description", &self.description).fmt(f)
    }
}

//! The arguments of a tool call, held against what its skill declares: the tool is called with nothing else.

use super::close::refuse;
use crate::gate::Rejection;
use crate::sexp::Form;

/// One parameter of a tool, as far as closing is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolParameter {
    /// Its name, lower case.
    pub name: String,
    /// What kind of value it takes, upper case, as its skill declares it.
    pub kind: String,
    /// Whether it must be there.
    pub required: bool,
}

impl ToolParameter {
    fn is(&self, key: &str) -> bool {
        self.name.eq_ignore_ascii_case(key)
    }

    /// Whether `value` is one that it takes. `NIL` stands for what is left out, where that may be.
    fn takes(&self, value: &Form) -> bool {
        let is_left_out = *value == Form::Nil && !self.required;
        is_left_out
            || match self.kind.as_str() {
                "STRING" => matches!(value, Form::String(_)),
                "INTEGER" => value.as_int().is_some(),
                "NUMBER" => matches!(value, Form::Number(_)),
                "LIST" => matches!(value, Form::List(_) | Form::Nil),
                // Models write `true` as often as `T`; what is not `NIL` is true.
                "BOOLEAN" => matches!(value, Form::Symbol(_) | Form::Keyword(_) | Form::Nil),
                _ => true,
            }
    }

    /// What such a value looks like.
    fn example(&self) -> &'static str {
        match self.kind.as_str() {
            "STRING" => "a string, in double quotes",
            "INTEGER" => "an integer, such as 3, without quotes",
            "NUMBER" => "a number, such as 1.5, without quotes",
            "LIST" => "a list, such as (\"a\" \"b\")",
            _ => "T or NIL, without quotes",
        }
    }
}

/// Refuses arguments of the tool `name` that it does not declare, that it lacks, or that are of another kind.
pub(super) fn check(name: &str, args: &Form, parameters: &[ToolParameter]) -> Result<(), Rejection> {
    let field = |key: &str| format!("payload.args.{}", key.to_lowercase());
    for (key, value) in args.pairs() {
        let shown = key.to_uppercase();
        let Some(parameter) = parameters.iter().find(|own| own.is(key)) else {
            let names: Vec<String> = parameters
                .iter()
                .map(|own| format!(":{}", own.name.to_uppercase()))
                .collect();
            let names = match names.is_empty() {
                true => "it has none".to_owned(),
                false => format!("its parameters are {}", names.join(", ")),
            };
            let reason = format!("the tool {name} has no parameter :{shown}");
            return Err(refuse("unknown-parameter", &field(key), reason, &names));
        };
        if !parameter.takes(value) {
            let reason = format!(
                "the tool {name} takes as :{shown} {}; {} is none",
                parameter.example(),
                value.shortened(40)
            );
            let repair = format!("give :{shown} {}", parameter.example());
            return Err(refuse("parameter-kind", &field(key), reason, &repair));
        }
    }
    let missing = parameters
        .iter()
        .find(|own| own.required && !own.is("explanation") && args.get(&own.name).is_none());
    match missing {
        None => Ok(()),
        Some(missing) => Err(refuse(
            "missing-parameter",
            &field(&missing.name),
            format!("the tool {name} needs :{}", missing.name.to_uppercase()),
            "add it to :ARGS",
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sexp::read;

    fn checked(kind: &str, value: &str) -> Result<(), String> {
        let parameter = ToolParameter {
            name: "most".to_owned(),
            kind: kind.to_owned(),
            required: true,
        };
        let args = read(&format!("(:MOST {value})")).unwrap();
        check("copy", &args, &[parameter]).map_err(|rejection| rejection.reason)
    }

    #[test]
    fn an_argument_is_of_the_kind_that_the_tool_declares() {
        for (kind, value) in [
            ("STRING", "\"a\""),
            ("INTEGER", "3"),
            ("NUMBER", "3"),
            ("NUMBER", "-1.5"),
            ("LIST", "(1 2)"),
            ("LIST", "NIL"),
            ("BOOLEAN", "T"),
            ("BOOLEAN", "NIL"),
            ("BOOLEAN", "true"),
            ("ANY", "\"a\""),
            ("ANY", "#(1)"),
        ] {
            assert_eq!(checked(kind, value), Ok(()), "{kind} {value}");
        }
        for (kind, value) in [
            ("STRING", "3"),
            ("STRING", "word"),
            ("STRING", "NIL"),
            ("STRING", "(\"a\")"),
            ("INTEGER", "\"3\""),
            ("INTEGER", "1.5"),
            ("INTEGER", "NIL"),
            ("NUMBER", "\"1.5\""),
            ("LIST", "\"a\""),
            ("LIST", "3"),
            ("BOOLEAN", "\"yes\""),
            ("BOOLEAN", "1"),
        ] {
            let reason = checked(kind, value).unwrap_err();
            let shown = value.to_uppercase();
            assert!(
                reason.contains(":MOST") && reason.to_uppercase().contains(&shown),
                "{reason}"
            );
        }
    }

    #[test]
    fn nil_stands_for_what_may_be_left_out() {
        let parameter = ToolParameter {
            name: "most".to_owned(),
            kind: "INTEGER".to_owned(),
            required: false,
        };
        assert!(check("copy", &read("(:MOST NIL)").unwrap(), &[parameter]).is_ok());
    }
}

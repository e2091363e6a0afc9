//! The arguments of a tool call, held against what its skill declares: the tool is called with nothing else.

use super::close::refuse;
use crate::gate::Rejection;
use crate::sexp::{Form, kw};

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
                "BOOLEAN" => *value == Form::Nil || *value == Form::truth(true),
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

/// The arguments by the names that the tool declares, with `_` where a key has `-` for it or the other way round, and each value
/// in the form of its kind, where models write it otherwise: `true` and `false`, and a whole number with a fraction of nothing.
pub(super) fn by_declaration(args: Form, parameters: &[ToolParameter]) -> Form {
    let Form::List(mut items) = args else { return args };
    for pair in items.chunks_exact_mut(2) {
        let dashed = |name: &str| name.replace('_', "-");
        let is_named = |key: &str, own: &ToolParameter| dashed(&own.name).eq_ignore_ascii_case(&dashed(key));
        let Some(key) = pair[0].keyword().map(str::to_owned) else {
            continue;
        };
        let Some(parameter) = parameters.iter().find(|own| is_named(&key, own)) else {
            continue;
        };
        pair[0] = kw(&parameter.name.to_uppercase());
        let meant = match parameter.kind.as_str() {
            "BOOLEAN" => truth(&pair[1]).map(Form::truth),
            "INTEGER" => whole(&pair[1]),
            _ => None,
        };
        if let Some(meant) = meant {
            pair[1] = meant;
        }
    }
    Form::List(items)
}

/// The truth value that models write as JSON does.
fn truth(value: &Form) -> Option<bool> {
    let (Form::Keyword(name) | Form::Symbol(name)) = value else {
        return None;
    };
    let is_true = name.eq_ignore_ascii_case("true");
    (is_true || name.eq_ignore_ascii_case("false")).then_some(is_true)
}

/// The whole number that is written as `3.0`, which JSON takes for the same as 3.
fn whole(value: &Form) -> Option<Form> {
    let Form::Number(number) = value else { return None };
    let (whole, fraction) = number.text().split_once('.')?;
    let is_nothing = !fraction.is_empty() && fraction.chars().all(|digit| digit == '0');
    is_nothing.then(|| whole.parse::<i64>().ok().map(Form::from)).flatten()
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
            ("BOOLEAN", "maybe"),
            ("BOOLEAN", ":yes"),
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
    fn what_models_write_as_json_does_is_closed_to_the_one_form_of_its_kind() {
        let of = |kind: &str| {
            let parameter = ToolParameter {
                name: "ignore_case".to_owned(),
                kind: kind.to_owned(),
                required: false,
            };
            move |args: &str| by_declaration(read(args).unwrap(), std::slice::from_ref(&parameter)).to_string()
        };
        let (truth, number, text) = (of("BOOLEAN"), of("INTEGER"), of("STRING"));
        for (written, meant) in [
            ("true", "T"),
            (":TRUE", "T"),
            ("false", "NIL"),
            (":false", "NIL"),
            ("T", "T"),
            ("\"false\"", "\"false\""),
        ] {
            assert_eq!(
                truth(&format!("(:IGNORE-CASE {written})")),
                format!("(:IGNORE_CASE {meant})")
            );
        }
        for (written, meant) in [("3.0", "3"), ("-2.00", "-2"), ("3.5", "3.5"), ("3e0", "3e0")] {
            assert_eq!(
                number(&format!("(:ignore_case {written})")),
                format!("(:IGNORE_CASE {meant})")
            );
        }
        assert_eq!(
            text("(:IGNORE-CASE \"true\" :OTHER false)"),
            "(:IGNORE_CASE \"true\" :OTHER FALSE)"
        );
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

//! Native calls: what a model calls the way its provider has it becomes the same form as a call that it writes.
//!
//! The arguments are JSON, which the model wrote. They are read by rules of their own, because a reader of JSON keeps
//! the last of two equal keys and says nothing: a gate must not see another value than somebody else would.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use crate::model::NativeCall;
use crate::plist;
use crate::sexp::{Form, Limits, kw, read};

/// Longest key, in bytes: no tool has a parameter with a longer name.
const KEY_BYTES: usize = 64;

/// `(:TOOL … :ARGS …)`, as a model would have written this call. A name that no tool has is closing's to refuse.
///
/// # Errors
/// Why the arguments can't be read.
pub(super) fn proposal_of(call: &NativeCall) -> Result<Form, String> {
    let args = arguments(&call.arguments).map_err(|error| {
        format!(
            "the arguments of the call of {} are no plain JSON object: {error}",
            Form::from(&call.name).shortened(80)
        )
    })?;
    Ok(plist!("TOOL" => &call.name, "ARGS" => args))
}

/// The object `json` as a plist; no text at all is an object without keys.
fn arguments(json: &str) -> Result<Form, serde_json::Error> {
    if json.trim().is_empty() {
        return Ok(Form::Nil);
    }
    if json.len() > Limits::INPUT.bytes {
        let limit = Limits::INPUT.bytes;
        return Err(serde_json::Error::custom(format!("they are longer than {limit} bytes")));
    }
    let left = Cell::new(Limits::INPUT.atoms);
    let mut reader = serde_json::Deserializer::from_str(json);
    let args = (&mut reader).deserialize_map(Value {
        depth: Limits::INPUT.depth,
        left: &left,
    })?;
    reader.end()?;
    Ok(args)
}

/// One value, and how much may still come: how deep, and how many values in all.
#[derive(Clone, Copy)]
struct Value<'a> {
    depth: usize,
    left: &'a Cell<usize>,
}

impl Value<'_> {
    /// Counts one value more.
    fn count<E: Error>(self) -> Result<(), E> {
        match self.left.get().checked_sub(1) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(E::custom(format!("more than {} values", Limits::INPUT.atoms))),
        }
    }

    /// What may still come inside of this one.
    fn inside<E: Error>(self) -> Result<Self, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Value { depth, ..self }),
            None => Err(E::custom(format!("nested more than {} deep", Limits::INPUT.depth))),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = Form;

    fn deserialize<D: serde::Deserializer<'de>>(self, reader: D) -> Result<Form, D::Error> {
        self.count()?;
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = Form;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Form, E> {
        Ok(Form::Nil)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Form, E> {
        Ok(Form::truth(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Form, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Form, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Form, E> {
        // Written so that a reader takes it for a number with a fraction: `1.0`, `2.5e-7`.
        read(&format!("{value:?}")).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Form, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Form, A::Error> {
        let inside = self.inside()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inside)? {
            list.push(item);
        }
        Ok(Form::list(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Form, A::Error> {
        let inside = self.inside()?;
        let mut plist = Vec::new();
        let mut seen = HashSet::new();
        while let Some(own) = pairs.next_key::<String>()? {
            let key = folded(&own).map_err(A::Error::custom)?;
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!(
                    "the key {key} is there twice (keys are compared without regard to case, and `_` is `-`)"
                )));
            }
            plist.extend([kw(&key), pairs.next_value_seed(inside)?]);
        }
        Ok(Form::list(plist))
    }
}

/// The key as plists have it.
fn folded(key: &str) -> Result<String, String> {
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    if key.is_empty() || key.len() > KEY_BYTES || !key.chars().all(plain) {
        let shown = Form::from(key).shortened(40);
        return Err(format!(
            "{shown} is no key: at most {KEY_BYTES} letters, digits, `-` and `_`"
        ));
    }
    Ok(key.to_ascii_uppercase().replace('_', "-"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use proptest::prelude::*;

    use super::*;

    fn read_call(arguments: &str) -> Result<String, String> {
        let call = NativeCall {
            name: "read-file".to_owned(),
            arguments: arguments.to_owned(),
        };
        proposal_of(&call).map(|form| form.to_string())
    }

    #[test]
    fn an_object_becomes_a_plist_as_a_model_would_write_it() {
        for (json, wanted) in [
            (r#"{"path": "a.txt"}"#, r#"(:TOOL "read-file" :ARGS (:PATH "a.txt"))"#),
            (
                r#"{"max_bytes": 10, "follow": true, "raw": false, "from": null}"#,
                r#"(:TOOL "read-file" :ARGS (:MAX-BYTES 10 :FOLLOW T :RAW NIL :FROM NIL))"#,
            ),
            (
                r#" {"list": [1, -2, 2.5, [], {"Key": "\"\n"}]} "#,
                "(:TOOL \"read-file\" :ARGS (:LIST (1 -2 2.5 NIL (:KEY \"\\\"\n\"))))",
            ),
            ("{}", r#"(:TOOL "read-file" :ARGS NIL)"#),
            ("", r#"(:TOOL "read-file" :ARGS NIL)"#),
        ] {
            assert_eq!(read_call(json).as_deref(), Ok(wanted), "{json}");
        }
    }

    #[test]
    fn a_key_that_is_there_twice_is_an_error_however_it_is_written() {
        for json in [
            r#"{"cmd": "ls", "cmd": "rm"}"#,
            r#"{"cmd": "ls", "CMD": "rm"}"#,
            r#"{"max_bytes": 1, "max-bytes": 2}"#,
            r#"{"cmd": "ls", "\u0063md": "rm"}"#,
            r#"{"deep": [{"a": 1, "A": 2}]}"#,
        ] {
            assert!(read_call(json).is_err_and(|error| error.contains("twice")), "{json}");
        }
    }

    #[test]
    fn what_is_no_plain_object_is_an_error() {
        for json in [
            "[1]",
            "\"{}\"",
            "null",
            "{\"a\": 1",
            "{\"a\": 1} {\"a\": 2}",
            "{\"a b\": 1}",
            "{\"\": 1}",
            "{\"caf\u{e9}\": 1}",
            "{\"a|b\": 1}",
            "(:a 1)",
        ] {
            assert!(read_call(json).is_err(), "{json}");
        }
        let long = format!("{{\"{}\": 1}}", "a".repeat(KEY_BYTES + 1));
        assert!(read_call(&long).is_err_and(|error| error.len() < 300));
    }

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        let nested = |depth: usize| format!("{{\"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(read_call(&nested(Limits::INPUT.depth - 1)).is_ok());
        assert!(read_call(&nested(Limits::INPUT.depth)).is_err_and(|error| error.contains("deep")));
        assert!(read_call(&nested(1_000_000)).is_err());
        let many = |count: usize| format!("{{\"a\": [{}1]}}", "1,".repeat(count - 1));
        assert!(read_call(&many(Limits::INPUT.atoms - 1)).is_ok());
        assert!(read_call(&many(Limits::INPUT.atoms)).is_err_and(|error| error.contains("values")));
    }

    proptest! {
        #[test]
        fn no_arguments_panic_and_what_is_read_can_be_printed_and_read(json in "(\\PC|[{}\\[\\]\":,0-9eE.-]){0,60}") {
            if let Ok(args) = arguments(&json) {
                prop_assert_eq!(read(&args.to_string()).unwrap(), args);
            }
        }

        #[test]
        fn a_text_is_taken_as_it_is(text in "\\PC*") {
            let json = serde_json::json!({ "text": text }).to_string();
            let args = arguments(&json).unwrap();
            prop_assert_eq!(args.text_at("text"), Some(text.as_str()));
        }
    }
}

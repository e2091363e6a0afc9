//! JSON that is kept as it was written, above all with two keys of one name as two: which of them counts is not for this
//! room to say.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The arguments of a call: a text that should be a JSON object, or, where a server sends the object itself, that object
/// as text.
#[derive(Debug, Default)]
pub(super) struct Arguments(pub(super) String);

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Arguments, D::Error> {
        struct Outer;
        impl<'de> Visitor<'de> for Outer {
            type Value = Arguments;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an object")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Arguments, E> {
                Ok(Arguments(text.to_owned()))
            }

            fn visit_unit<E: Error>(self) -> Result<Arguments, E> {
                Ok(Arguments::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Arguments, A::Error> {
                Inner.visit_map(map).map(|own| Arguments(own.0))
            }
        }
        deserializer.deserialize_any(Outer)
    }
}

/// Any value, as text.
struct Text(String);

struct Inner;

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        deserializer.deserialize_any(Inner)
    }
}

impl<'de> Visitor<'de> for Inner {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Text, E> {
        Ok(Text(truth.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Text, E> {
        Ok(Text(number.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Text, E> {
        Ok(Text(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Text, E> {
        serde_json::to_string(&number).map(Text).map_err(E::custom)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
        serde_json::to_string(text).map(Text).map_err(E::custom)
    }

    fn visit_unit<E: Error>(self) -> Result<Text, E> {
        Ok(Text("null".to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Text, A::Error> {
        let mut all = Vec::new();
        while let Some(Text(item)) = items.next_element()? {
            all.push(item);
        }
        Ok(Text(format!("[{}]", all.join(","))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        let mut all = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let key = serde_json::to_string(&key).map_err(A::Error::custom)?;
            let Text(value) = map.next_value()?;
            all.push(format!("{key}:{value}"));
        }
        Ok(Text(format!("{{{}}}", all.join(","))))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn kept(json: &str) -> String {
        serde_json::from_str::<Arguments>(json).unwrap().0
    }

    #[test]
    fn an_object_is_kept_with_every_key_in_its_order() {
        let json = r#"{"b":1,"a":{"x":[true,null,-2,1.5,"\"é\n"],"x":{}},"b":"two"}"#;
        assert_eq!(kept(json), json);
    }

    #[test]
    fn a_string_is_what_it_holds_and_nothing_is_nothing() {
        assert_eq!(kept(r#""{\"a\":1,\"a\":2}""#), r#"{"a":1,"a":2}"#);
        assert_eq!(kept("null"), "");
        assert!(serde_json::from_str::<Arguments>("[1]").is_err());
    }
}

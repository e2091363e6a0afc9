//! JSON that is kept as it was written, above all with two keys of one name as two: which of them counts is not for this
//! room to say.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The arguments of a call: a text that should be a JSON object, or, where a server sends the object itself, that object
/// as text. So is what is no object, for whoever reads the call to say so.
#[derive(Debug, Default)]
pub(super) struct Arguments(pub(super) String);

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Arguments, D::Error> {
        struct Outer;
        impl<'de> Visitor<'de> for Outer {
            type Value = Arguments;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Arguments, E> {
                Ok(Arguments(text.to_owned()))
            }

            fn visit_unit<E: Error>(self) -> Result<Arguments, E> {
                Ok(Arguments::default())
            }

            fn visit_bool<E: Error>(self, truth: bool) -> Result<Arguments, E> {
                kept(|inner| inner.visit_bool(truth))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Arguments, E> {
                kept(|inner| inner.visit_i64(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Arguments, E> {
                kept(|inner| inner.visit_u64(number))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Arguments, E> {
                kept(|inner| inner.visit_f64(number))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Arguments, A::Error> {
                kept(|inner| inner.visit_seq(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Arguments, A::Error> {
                kept(|inner| inner.visit_map(map))
            }
        }
        deserializer.deserialize_any(Outer)
    }
}

/// What `write` writes.
fn kept<E>(write: impl FnOnce(Inner<'_>) -> Result<(), E>) -> Result<Arguments, E> {
    let mut text = String::new();
    write(Inner(&mut text))?;
    Ok(Arguments(text))
}

/// Writes any value to the end of a text, so that nothing but the text is ever held.
struct Inner<'a>(&'a mut String);

impl Inner<'_> {
    fn write<E: Error>(self, value: &impl serde::Serialize) -> Result<(), E> {
        self.0.push_str(&serde_json::to_string(value).map_err(E::custom)?);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Inner<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Inner<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<(), E> {
        self.write(&truth)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.write(&number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.write(&number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.write(&number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.write(&text)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.write(&())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push('[');
        let begun = self.0.len();
        loop {
            let before = self.0.len();
            if before > begun {
                self.0.push(',');
            }
            if items.next_element_seed(Inner(self.0))?.is_none() {
                self.0.truncate(before);
                self.0.push(']');
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.push('{');
        let begun = self.0.len();
        while let Some(key) = map.next_key::<String>()? {
            if self.0.len() > begun {
                self.0.push(',');
            }
            Inner(self.0).write(&key)?;
            self.0.push(':');
            map.next_value_seed(Inner(self.0))?;
        }
        self.0.push('}');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(json: &str) -> String {
        serde_json::from_str::<Arguments>(json).unwrap().0
    }

    #[test]
    fn an_object_is_kept_with_every_key_in_its_order() {
        let json = r#"{"b":1,"a":{"x":[true,null,-2,1.5,"\"é\n"],"x":{}},"b":"two"}"#;
        assert_eq!(read(json), json);
    }

    #[test]
    fn a_string_is_what_it_holds_and_nothing_is_nothing() {
        assert_eq!(read(r#""{\"a\":1,\"a\":2}""#), r#"{"a":1,"a":2}"#);
        assert_eq!(read("null"), "");
    }

    #[test]
    fn what_is_no_object_is_kept_as_it_stands() {
        for json in ["[1,{\"a\":2}]", "5", "-5", "1.5", "true"] {
            assert_eq!(read(json), json);
        }
    }
}

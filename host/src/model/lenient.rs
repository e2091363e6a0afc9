//! What is read where it can be, and passed over where it can't: an answer is not thrown away for a part of it that means
//! nothing.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// An object, where one stands there.
pub(super) struct Maybe<T>(pub(super) Option<T>);

/// A word, or a number as one; empty where there is neither.
#[derive(Default)]
pub(super) struct Word(pub(super) String);

impl<T> Default for Maybe<T> {
    fn default() -> Maybe<T> {
        Maybe(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Maybe<T>, D::Error> {
        struct Reading<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reading<T> {
            type Value = Maybe<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }

            fn visit_unit<E: Error>(self) -> Result<Maybe<T>, E> {
                Ok(Maybe(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Maybe<T>, A::Error> {
                IgnoredAny.visit_seq(items).map(|_| Maybe(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Maybe<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Maybe(Some(value)))
            }
        }
        deserializer.deserialize_any(Reading(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Word, E> {
                Ok(Word::default())
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Word, E> {
                Ok(Word(number.to_string()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Word, E> {
                Ok(Word(text.to_owned()))
            }

            fn visit_unit<E: Error>(self) -> Result<Word, E> {
                Ok(Word::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Word, A::Error> {
                IgnoredAny.visit_seq(items).map(|_| Word::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Word, A::Error> {
                IgnoredAny.visit_map(map).map(|_| Word::default())
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

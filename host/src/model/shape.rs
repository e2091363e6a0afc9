//! The shapes that answers are made of, read so that what is kept of them is never much more than what came: a list of
//! nothings costs three bytes an element to send, and would cost hundreds to keep.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Most elements of a list that are kept. No answer has as many parts.
const FEW: usize = 1024;

/// The first of a list. What follows it is read past.
pub(super) struct First<T>(pub(super) Option<T>);

impl<T> Default for First<T> {
    fn default() -> First<T> {
        First(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<First<T>, D::Error> {
        struct Reading<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reading<T> {
            type Value = First<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_unit<E: Error>(self) -> Result<First<T>, E> {
                Ok(First(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<First<T>, A::Error> {
                let first = items.next_element()?;
                IgnoredAny.visit_seq(items)?;
                Ok(First(first))
            }
        }
        deserializer.deserialize_any(Reading(PhantomData))
    }
}

/// A list that is refused as soon as it is longer than any that is meant.
pub(super) struct Few<T>(pub(super) Vec<T>);

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Few<T>, D::Error> {
        struct Reading<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reading<T> {
            type Value = Few<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_unit<E: Error>(self) -> Result<Few<T>, E> {
                Ok(Few(Vec::new()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Few<T>, A::Error> {
                let mut few = Vec::new();
                while let Some(item) = items.next_element()? {
                    if few.len() == FEW {
                        return Err(A::Error::custom(format_args!("a list in it is longer than {FEW}")));
                    }
                    few.push(item);
                }
                Ok(Few(few))
            }
        }
        deserializer.deserialize_any(Reading(PhantomData))
    }
}

/// What was said: a text, or a list of parts, as some servers have it.
#[derive(Default)]
pub(super) struct Content {
    /// The text of all parts.
    pub(super) text: String,
    /// Bytes of the thoughts among them.
    pub(super) thoughts: usize,
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    thinking: Length,
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of parts")
            }

            fn visit_unit<E: Error>(self) -> Result<Content, E> {
                Ok(Content::default())
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                let text = text.to_owned();
                Ok(Content { text, thoughts: 0 })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Content, A::Error> {
                let mut content = Content::default();
                while let Some(Part { text, thinking }) = parts.next_element()? {
                    content.text.push_str(text.as_deref().unwrap_or(""));
                    content.thoughts = content.thoughts.saturating_add(thinking.0);
                }
                Ok(content)
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

/// How many bytes of text there are in something, which itself is not kept.
#[derive(Clone, Copy, Default)]
pub(super) struct Length(pub(super) usize);

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Length, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Length;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_unit<E: Error>(self) -> Result<Length, E> {
                Ok(Length(0))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Length, E> {
                Ok(Length(0))
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Length, E> {
                Ok(Length(0))
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Length, E> {
                Ok(Length(0))
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Length, E> {
                Ok(Length(0))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Length, E> {
                Ok(Length(text.len()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Length, A::Error> {
                let mut all = 0_usize;
                while let Some(Length(bytes)) = items.next_element()? {
                    all = all.saturating_add(bytes);
                }
                Ok(Length(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Length, A::Error> {
                let mut all = 0_usize;
                while let Some((IgnoredAny, Length(bytes))) = map.next_entry()? {
                    all = all.saturating_add(bytes);
                }
                Ok(Length(all))
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

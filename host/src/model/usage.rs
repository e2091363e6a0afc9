//! What a server tells of the tokens that it counted. What is no count there is none told: it is no reason to throw a good
//! answer away.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A count, where one stands there.
#[derive(Clone, Copy, Default)]
pub(super) struct Count(pub(super) Option<u64>);

/// The counts of one answer, by the names that the dialects have for them.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    /// OpenAI's tokens of the question.
    pub(super) prompt: Option<u64>,
    /// OpenAI's tokens of the answer.
    pub(super) completion: Option<u64>,
    /// Anthropic's tokens of the question, without what follows.
    pub(super) input: Option<u64>,
    /// Those that were put into the cache.
    pub(super) cache_written: Option<u64>,
    /// Those that were found there.
    pub(super) cache_read: Option<u64>,
    /// Anthropic's tokens of the answer.
    pub(super) output: Option<u64>,
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_u64<E: Error>(self, count: u64) -> Result<Count, E> {
                Ok(Count(Some(count)))
            }

            fn visit_f64<E: Error>(self, count: f64) -> Result<Count, E> {
                let is_count = count >= 0.0 && count < u64::MAX as f64;
                Ok(Count(is_count.then_some(count as u64)))
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_unit<E: Error>(self) -> Result<Count, E> {
                Ok(Count(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Count, A::Error> {
                IgnoredAny.visit_seq(items).map(|_| Count(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Count, A::Error> {
                IgnoredAny.visit_map(map).map(|_| Count(None))
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

impl<'de> Deserialize<'de> for Usage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Usage, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = Usage;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Usage, E> {
                Ok(Usage::default())
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Usage, E> {
                Ok(Usage::default())
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Usage, E> {
                Ok(Usage::default())
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Usage, E> {
                Ok(Usage::default())
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Usage, E> {
                Ok(Usage::default())
            }

            fn visit_unit<E: Error>(self) -> Result<Usage, E> {
                Ok(Usage::default())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Usage, A::Error> {
                IgnoredAny.visit_seq(items).map(|_| Usage::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Usage, A::Error> {
                let mut usage = Usage::default();
                while let Some(key) = map.next_key::<String>()? {
                    let place = match key.as_str() {
                        "prompt_tokens" => &mut usage.prompt,
                        "completion_tokens" => &mut usage.completion,
                        "input_tokens" => &mut usage.input,
                        "cache_creation_input_tokens" => &mut usage.cache_written,
                        "cache_read_input_tokens" => &mut usage.cache_read,
                        "output_tokens" => &mut usage.output,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    *place = map.next_value::<Count>()?.0;
                }
                Ok(usage)
            }
        }
        deserializer.deserialize_any(Reading)
    }
}

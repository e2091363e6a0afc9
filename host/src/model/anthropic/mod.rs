//! Anthropic's messages.

mod answer;
mod request;

use reqwest::header::HeaderName;

use super::ProviderError;
use super::exchange::{Dialect, Partial, Question};

/// The dialect.
pub(super) struct Anthropic;

impl Dialect for Anthropic {
    fn path(&self) -> &'static str {
        "/messages"
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn key_header(&self) -> (HeaderName, &'static str) {
        (HeaderName::from_static("x-api-key"), "")
    }

    fn may_leave_limit(&self) -> bool {
        false
    }

    fn encode(&self, question: &Question<'_>) -> Result<Vec<u8>, serde_json::Error> {
        request::encode(question)
    }

    fn whole(&self, body: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
        answer::whole(body, answer)
    }

    fn event(&self, data: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
        answer::event(data, answer)
    }
}

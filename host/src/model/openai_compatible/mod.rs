//! OpenAI's chat completions, which nearly every server speaks.

mod answer;
mod request;

use reqwest::header::{AUTHORIZATION, HeaderName};

use super::ProviderError;
use super::exchange::{Dialect, Partial, Question};

/// The dialect.
pub(super) struct OpenAiCompatible;

impl Dialect for OpenAiCompatible {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn key_header(&self) -> (HeaderName, &'static str) {
        (AUTHORIZATION, "Bearer ")
    }

    fn may_leave_limit(&self) -> bool {
        true
    }

    fn encode(&self, question: &Question<'_>) -> Result<Vec<u8>, serde_json::Error> {
        request::encode(question)
    }

    fn whole(&self, body: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
        answer::whole(body, answer)
    }

    fn event(&self, data: &[u8], answer: &mut Partial) -> Result<(), ProviderError> {
        if data == b"[DONE]" {
            answer.done = true;
            return Ok(());
        }
        answer::event(data, answer)
    }
}

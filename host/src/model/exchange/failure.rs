//! How an exchange fails, and what a server says of when to try again.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

use super::dialect::Extra;
use crate::model::{ProviderError, retry_after};

/// How one exchange ended without an answer.
pub(super) enum Failure {
    /// For good.
    Error(ProviderError),
    /// The server takes the request only without this.
    Declined(Extra),
}

impl From<ProviderError> for Failure {
    fn from(error: ProviderError) -> Failure {
        Failure::Error(error)
    }
}

/// How long the server asks to wait.
pub(super) fn wish(headers: &HeaderMap) -> Option<Duration> {
    let text = |value: Option<&HeaderValue>| value.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let seconds = text(headers.get(RETRY_AFTER));
    let milliseconds = text(headers.get("retry-after-ms"));
    retry_after::parse(seconds.as_deref(), milliseconds.as_deref(), SystemTime::now())
}

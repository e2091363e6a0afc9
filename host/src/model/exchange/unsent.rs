//! Why a request reached nobody who could answer it; and whether that is for its scheme, which people get wrong more often
//! than hosts and ports.

use reqwest::StatusCode;

use super::address::shown;
use super::key::presentable;
use super::{Remote, http};
use crate::capability::http::tls::{Mismatch, mismatch};
use crate::model::{ProviderError, TimeoutStage};

/// What servers of TLS say to who speaks without, in lower case: nginx, Apache, Go.
const WANTS_TLS: &[&str] = &[
    "plain http request was sent to https port",
    "speaking plain http to an ssl-enabled server",
    "client sent an http request to an https server",
];

impl Remote {
    /// The error that a request is which could not be sent.
    pub(super) fn unsent(&self, cause: reqwest::Error) -> ProviderError {
        let address = shown(&self.endpoint);
        match mismatch(&cause) {
            Some(Mismatch::NoTls) => ProviderError::Misconfigured {
                problem: format!("the server at {address} does not speak TLS"),
                remedy: format!("try http:// in front of its `base_url`{}", self.unencrypted()),
            },
            Some(Mismatch::HungUp) => ProviderError::Unreachable {
                address,
                problem: "it hung up while TLS was set up; if it speaks none, try http:// in front".to_owned(),
            },
            // It may have been answered all the same, so that it is none of the errors that cost nothing.
            Some(Mismatch::NoHttp) => ProviderError::Closed {
                problem: format!(
                    "what {address} sends is no HTTP; if it speaks TLS, write https:// in front of its `base_url`"
                ),
            },
            None if cause.is_connect() && cause.is_timeout() => self.late(TimeoutStage::Connect),
            None if cause.is_connect() => ProviderError::Unreachable {
                address,
                problem: self.cause(cause),
            },
            None => ProviderError::Closed {
                problem: self.cause(cause),
            },
        }
    }

    /// The error that it is where a server refuses to be asked without TLS.
    pub(super) fn wants_tls(&self, status: StatusCode, body: &[u8]) -> Option<ProviderError> {
        if status != StatusCode::BAD_REQUEST || self.endpoint.scheme() == "https" {
            return None;
        }
        let said = String::from_utf8_lossy(body).to_lowercase();
        let said = said.split_whitespace().collect::<Vec<&str>>().join(" ");
        let wants = WANTS_TLS.iter().any(|words| said.contains(words));
        wants.then(|| ProviderError::Misconfigured {
            problem: format!("the server at {} speaks TLS only", shown(&self.endpoint)),
            remedy: "write https:// in front of its `base_url`".to_owned(),
        })
    }

    /// What has to be known before TLS is done without.
    fn unencrypted(&self) -> &'static str {
        match http::is_loopback(&self.endpoint) {
            true => "",
            false => ", if questions and key may travel there without encryption",
        }
    }

    /// The innermost cause: the outer ones only say that sending failed.
    pub(super) fn cause(&self, error: reqwest::Error) -> String {
        let error = error.without_url();
        let mut cause: &dyn std::error::Error = &error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        presentable(self.key.as_ref(), &cause.to_string())
    }
}

//! HTTP to the hosts that the operator granted. Needs a grant, `http:HOST`, and cannot be called from a gate.
//!
//! Fetching is bounded by the grant alone. What is sent is what the gates saw: [`send`] takes a path into the cleared
//! action, and the host reads the request there. A request of the skill's own is an action of its own: [`propose`].
//!
//! In the value of a header, `{vault:NAME}` stands for a secret. The host puts it in, if the skill was granted
//! `vault:NAME` and the secret may go to that host; the skill never sees it.

pub use crate::capability::Failure;
use crate::{Action, imports};

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Response {
    /// The status, such as 200.
    pub status: u16,
    /// Names in lower case, and values, in the server's order.
    pub headers: Vec<(String, String)>,
    /// The body, up to the host's bound.
    pub body: Vec<u8>,
    /// Whether the body was longer, and cut.
    pub truncated: bool,
    /// The address that answered, after redirects on the same host.
    pub url: String,
}

impl Response {
    /// The body as text, with a mark for what is no UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The value of the first header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Fetches `url`. At most five redirects are followed, and only to the same scheme, host and port: one that leads elsewhere
/// is the response, with its status and the header `location`. What comes back counts as coming from outside.
///
/// # Errors
/// Why there is no response. A response that reports an error is a [`Response`].
pub fn get(url: &str, headers: &[(&str, &str)]) -> Result<Response, Failure> {
    imports::http::get(url, headers)
}

/// Sends the request `(:METHOD "POST" :URL "…" :HEADERS ("name" "value" …) :BODY "…")` that stands at `path` of the
/// cleared action. For a tool that is `payload.args`, and nothing else is cleared. Once for each action.
///
/// # Errors
/// Why there is no response.
pub fn send(action: &Action, path: &str) -> Result<Response, Failure> {
    imports::http::send(action.handle(), path)
}

/// Proposes a request of the skill's own. It is an action of its own, meets every gate, and needs an explanation. An
/// empty `body` is not sent.
///
/// # Errors
/// Why there is no response.
pub fn propose(
    method: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: &str,
    explanation: &str,
) -> Result<Response, Failure> {
    imports::http::propose(method, url, headers, body, explanation)
}

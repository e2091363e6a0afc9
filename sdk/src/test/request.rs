//! What a harness keeps of a request.

/// A request that a skill sent or proposed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method, upper case.
    pub method: String,
    /// The URL.
    pub url: String,
    /// Names in lower case, and values, as the skill gave them.
    pub headers: Vec<(String, String)>,
    /// The body; empty if there is none.
    pub body: String,
}

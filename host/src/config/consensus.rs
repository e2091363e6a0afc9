//! What several models must agree on.

/// Actions that go on to the gates only where several models propose the same: those of `ModelConfig::consulted`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consensus {
    /// The targets, and the tools, that need it. Upper case.
    pub targets: Vec<String>,
}

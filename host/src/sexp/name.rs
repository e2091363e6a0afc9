//! Names of keywords and symbols. The ones the host itself uses cost no allocation.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The name of a keyword or symbol, without colon or bars, in the case a Lisp reader gives it (upper case unless it
/// was written between bars).
#[derive(Clone)]
pub struct Name(Repr);

#[derive(Clone)]
enum Repr {
    Known(&'static str),
    Other(Arc<str>),
}

/// Names that occur in nearly every message, sorted for the binary search.
const KNOWN: &[&str] = &[
    "ACTION",
    "ALLOW",
    "ANSWERED",
    "APPROVAL-REQUIRED",
    "APPROVE",
    "ARGS",
    "ASK",
    "ASKS",
    "AT",
    "BODY",
    "CAPABILITIES",
    "CHAT-MESSAGE",
    "CHECKED-P",
    "CLI",
    "CMD",
    "CODE",
    "CONTENT",
    "CYCLE-END",
    "DENY",
    "DEPTH",
    "DETAIL",
    "DIGEST",
    "EMACS",
    "ERROR",
    "EVAL",
    "EVENT",
    "EXIT-CODE",
    "EXPIRES",
    "EXPLANATION",
    "FIELD",
    "FOVEAL-ID",
    "GATE",
    "GATE-TRACE",
    "HANDSHAKE",
    "HEALTH-CHECK",
    "HEALTH-RESPONSE",
    "HEALTHY",
    "HEARTBEAT",
    "HELLO",
    "ID",
    "INTERRUPT",
    "LEVEL",
    "LOG",
    "LOOP-ERROR",
    "MAC",
    "MESSAGE",
    "META",
    "MODEL",
    "NAME",
    "NIL",
    "NONCE",
    "ORIGIN",
    "OUTCOME",
    "PATH",
    "PAYLOAD",
    "PERSON",
    "PLAN",
    "PRIORITY",
    "PROGRESS",
    "PROOF",
    "REASON",
    "REFUSAL",
    "REJECTIONS",
    "REPAIR",
    "REPL-EVAL",
    "REQUEST",
    "REQUEST-ID",
    "RESPONSE",
    "RESULT",
    "RISK",
    "RULE",
    "RULE-COUNT",
    "SENSOR",
    "SESSION",
    "SESSION-ID",
    "SHELL",
    "SIGNAL",
    "SKILL",
    "SOURCE",
    "STAGE",
    "STATUS",
    "STDERR",
    "STDOUT",
    "SUMMARY",
    "SYSTEM",
    "T",
    "TAINTED",
    "TARGET",
    "TEXT",
    "TOOL",
    "TOOL-ERROR",
    "TOOL-OUTPUT",
    "TUI",
    "TYPE",
    "USER-INPUT",
    "VERSION",
];

impl Name {
    /// The name `text`, exactly as given.
    pub fn new(text: &str) -> Name {
        match KNOWN.binary_search(&text) {
            Ok(at) => Name(Repr::Known(KNOWN[at])),
            Err(_) => Name(Repr::Other(text.into())),
        }
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Known(text) => text,
            Repr::Other(text) => text,
        }
    }

    /// Whether this is the key `key` after case folding: `cmd`, `CMD` and `Cmd` are one key.
    pub fn is_key(&self, key: &str) -> bool {
        same_key(self.as_str(), key)
    }
}

/// Whether two names are one key of a plist.
pub(super) fn same_key(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || (!(a.is_ascii() && b.is_ascii()) && fold(a) == fold(b))
}

/// The folded spelling by which keys are compared.
pub(super) fn fold(name: &str) -> String {
    name.chars().flat_map(char::to_uppercase).collect()
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Name {}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_sorted_so_that_every_one_is_found() {
        for pair in KNOWN.windows(2) {
            assert!(pair[0] < pair[1], "{} stands before {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn keys_fold_beyond_ascii() {
        assert!(Name::new("straße").is_key("STRASSE"));
        assert!(!Name::new("cmd").is_key("cmds"));
    }
}

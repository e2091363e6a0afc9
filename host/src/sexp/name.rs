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

/// Names that occur in nearly every message.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    "ACTION", "ALLOW", "ANSWERED", "APPROVAL-REQUIRED", "APPROVE", "ARGS", "ASK", "ASKS", "AT", "BODY",
    "CAPABILITIES", "CHAT-MESSAGE", "CHECKED-P", "CLI", "CMD", "CODE", "CONTENT", "CYCLE-END", "DENY", "DEPTH",
    "DETAIL", "DIGEST", "EMACS", "ERROR", "EVAL", "EVENT", "EXIT-CODE", "EXPIRES", "EXPLANATION", "FIELD",
    "FOVEAL-ID", "GATE", "GATE-TRACE", "HANDSHAKE", "HEALTH-CHECK", "HEALTH-RESPONSE", "HEALTHY", "HEARTBEAT",
    "HELLO", "ID", "INTERRUPT", "LEVEL", "LOG", "LOOP-ERROR", "MAC", "MESSAGE", "META", "MODEL", "NAME", "NIL",
    "NONCE", "ORIGIN", "OUTCOME", "PATH", "PAYLOAD", "PERSON", "PLAN", "PRIORITY", "PROGRESS", "PROOF", "REASON",
    "REFUSAL", "REJECTIONS", "REPAIR", "REPL-EVAL", "REQUEST", "REQUEST-ID", "RESPONSE", "RESULT", "RISK", "RULE",
    "RULE-COUNT", "SENSOR", "SESSION", "SESSION-ID", "SHELL", "SIGNAL", "SKILL", "SOURCE", "STAGE", "STATUS",
    "STDERR", "STDOUT", "SUMMARY", "SYSTEM", "T", "TAINTED", "TARGET", "TEXT", "TOOL", "TOOL-ERROR", "TOOL-OUTPUT",
    "TUI", "TYPE", "USER-INPUT", "VERSION",
];

/// Where to look a name up in [`KNOWN`]: at its hash, or in the slots after it, stands its place plus one.
const SLOTS: [u8; 256] = {
    let mut slots = [0; 256];
    let mut at = 0;
    while at < KNOWN.len() {
        let mut slot = hash(KNOWN[at].as_bytes());
        while slots[slot] != 0 {
            slot = (slot + 1) % 256;
        }
        at += 1;
        slots[slot] = at as u8;
    }
    slots
};

/// A hash that is the same for upper and lower case.
const fn hash(name: &[u8]) -> usize {
    if name.is_empty() {
        return 0;
    }
    let (first, middle, last) = (name[0], name[name.len() / 2], name[name.len() - 1]);
    let sum =
        (first & 0xdf) as usize * 5 + (middle & 0xdf) as usize * 17 + (last & 0xdf) as usize * 3 + name.len() * 29;
    sum % 256
}

/// The known name that is `name` without regard to ASCII case.
fn known(name: &str) -> Option<&'static str> {
    let mut slot = hash(name.as_bytes());
    loop {
        let at = usize::from(SLOTS[slot]).checked_sub(1)?;
        if KNOWN[at].eq_ignore_ascii_case(name) {
            return Some(KNOWN[at]);
        }
        slot = (slot + 1) % 256;
    }
}

impl Name {
    /// The name `text`, exactly as given.
    pub fn new(text: &str) -> Name {
        match known(text) {
            Some(known) if known == text => Name(Repr::Known(known)),
            _ => Name(Repr::Other(text.into())),
        }
    }

    /// The name that Common Lisp's reader makes of the unescaped `text`: upper case.
    pub(super) fn upcased(text: &str) -> Name {
        Name(match known(text) {
            Some(known) => Repr::Known(known),
            None => Repr::Other(upcase(text)),
        })
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
    for (one, other) in a.bytes().zip(b.bytes()) {
        // Beyond ASCII one character can fold to several, or to one within it.
        if !one.is_ascii() || !other.is_ascii() {
            return fold(a) == fold(b);
        }
        // Most keys differ in their first letter already.
        if !one.eq_ignore_ascii_case(&other) {
            return false;
        }
    }
    // Whatever follows folds to something.
    a.len() == b.len()
}

/// The folded spelling by which keys are compared.
pub(super) fn fold(name: &str) -> String {
    name.chars().flat_map(char::to_uppercase).collect()
}

fn upcase(text: &str) -> Arc<str> {
    if is_folded(text) {
        text.into()
    } else {
        text.chars().map(upcase_char).collect::<String>().into()
    }
}

/// Upper case as Common Lisp's reader makes it: one character for one, and only where there is a way back.
pub(super) fn upcase_char(char: char) -> char {
    if char.is_ascii() {
        return char.to_ascii_uppercase();
    }
    let mut upper = char.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(only), None) if only != char && only.to_lowercase().eq([char]) => only,
        _ => char,
    }
}

/// Whether folding and upper case surely leave `name` as it is.
pub(super) fn is_folded(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_lowercase())
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
    fn every_known_name_is_found_in_either_case() {
        for name in KNOWN {
            assert_eq!(known(name), Some(*name));
            assert_eq!(known(&name.to_lowercase()), Some(*name));
        }
        for other in ["", "TYPES", "TYP", "-", "TEXT\r"] {
            assert_eq!(known(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_known_name_in_another_case_stays_as_it_is_unless_the_reader_upcases_it() {
        assert_eq!(Name::new("type").as_str(), "type");
        assert_eq!(Name::upcased("type").as_str(), "TYPE");
    }

    #[test]
    fn keys_fold_beyond_ascii() {
        assert!(Name::new("straße").is_key("STRASSE"));
        assert!(Name::new("ſtraße").is_key("strasse"));
        assert!(!Name::new("cmd").is_key("cmds"));
        assert!(!Name::new("straße").is_key("ztraße"));
    }
}

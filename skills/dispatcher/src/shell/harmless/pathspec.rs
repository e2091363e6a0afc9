//! Patterns of paths as git takes them, with what stands before one and says how it is read: gitglossary(7), "pathspec".

use super::picked::Case;
use crate::path::KeptOut;

/// Words that say how a pattern is read, and nothing of which file it is otherwise.
const SIMPLE: &[&str] = &["exclude", "glob", "icase", "literal"];

/// A pattern with something before it.
pub(super) struct Pathspec {
    /// It leaves out what it matches.
    pub(super) excludes: bool,
    /// Nothing before it says more than how the pattern is read.
    pub(super) is_simple: bool,
    /// The pattern: in small letters, if any will do.
    pub(super) pattern: String,
    case: Case,
}

impl Pathspec {
    /// `None` if nothing stands before it.
    pub(super) fn read(text: &str) -> Option<Pathspec> {
        let rest = text.strip_prefix(':')?;
        let Some(long) = rest.strip_prefix('(') else {
            let pattern = rest.trim_start_matches(['!', '^', '/']);
            let excludes = rest[..rest.len() - pattern.len()].contains(['!', '^']);
            return Some(Pathspec {
                excludes,
                is_simple: true,
                pattern: pattern.strip_prefix(':').unwrap_or(pattern).to_owned(),
                case: Case::Same,
            });
        };
        let (words, pattern) = long.split_once(')').unwrap_or((long, ""));
        let words: Vec<&str> = words.split(',').map(str::trim).collect();
        let has = |own: &str| words.contains(&own);
        let excludes = has("exclude");
        // What is left out beneath the folder above is no file that is looked at.
        let simple = |word: &&str| SIMPLE.contains(word) || excludes && *word == "top";
        Some(Pathspec {
            excludes,
            is_simple: long.contains(')') && words.iter().all(simple),
            pattern: if has("icase") {
                pattern.to_lowercase()
            } else {
                pattern.to_owned()
            },
            case: Case::any_if(has("icase")),
        })
    }

    /// The pattern in an operand that leaves out what it matches.
    pub(super) fn left_out(text: &str) -> Option<(String, Case)> {
        let told = Pathspec::read(text).filter(|told| told.excludes)?;
        Some((told.pattern, told.case))
    }

    /// What an operand matches, if it is a pattern that leaves out nothing.
    pub(super) fn picks(text: &str) -> Vec<KeptOut> {
        let told = Pathspec::read(text);
        if !text.contains(['*', '?', '[']) || told.as_ref().is_some_and(|told| told.excludes) {
            return Vec::new();
        }
        let (pattern, case) = told.map_or((text.to_owned(), Case::Same), |told| (told.pattern, told.case));
        KeptOut::paths(&pattern, case == Case::Any)
    }
}

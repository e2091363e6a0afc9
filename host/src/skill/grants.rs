//! The operator's grants: which skill may have which right, and which file may replace a bundled or required skill.
//!
//! One s-expression an entry, in a file that only its owner can read or write. A file with an error grants nothing at
//! all, and the error names the line: half of a policy would be another policy. Writing keeps comments, and either
//! happens whole or not at all.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::describe::is_name;
use super::right::Right;
use crate::audit::{LogError, PrivateFault, read_private, write_private};
use crate::plist;
use crate::sexp::{Digest, Form, ReadError, kw, line_at, read_all};

/// Longest file that is read, in bytes: thousands of entries.
const LONGEST: u64 = 1 << 20;

/// What a grant is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pin {
    /// One file, by its digest.
    Digest(Digest),
    /// Whatever bears the name. For development.
    Follow,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A skill may have a right.
    Grant {
        /// The skill.
        skill: String,
        /// Which file of that name.
        pin: Pin,
        /// What it may.
        right: Right,
    },
    /// A file may replace the bundled or required skill of its name.
    Trust {
        /// The skill.
        skill: String,
        /// The file.
        digest: Digest,
    },
}

impl Entry {
    /// `(:GRANT :SKILL … :DIGEST … :CAPABILITY …)` or `(:TRUST :SKILL … :DIGEST …)`.
    fn to_form(&self) -> Form {
        let (head, rest) = match self {
            Entry::Grant { skill, pin, right } => {
                let rest = plist!("SKILL" => skill);
                let rest = match pin {
                    Pin::Digest(digest) => rest.with("DIGEST", digest.to_string()),
                    Pin::Follow => rest.with("FOLLOW", true),
                };
                ("GRANT", rest.with("CAPABILITY", right.to_string()))
            }
            Entry::Trust { skill, digest } => ("TRUST", plist!("SKILL" => skill, "DIGEST" => digest.to_string())),
        };
        let mut items = vec![kw(head)];
        items.extend(rest.items().unwrap_or_default().iter().cloned());
        Form::list(items)
    }

    fn from_form(form: &Form) -> Result<Entry, String> {
        let Some([head, rest @ ..]) = form.items() else {
            return Err("an entry is a list: (:GRANT …) or (:TRUST …)".to_owned());
        };
        let rest = Form::list(rest.to_vec());
        rest.check_plist("the entry").map_err(|error| error.to_string())?;
        let known: &[&str] = if head.is_kw("TRUST") {
            &["SKILL", "DIGEST"]
        } else {
            &["SKILL", "DIGEST", "FOLLOW", "CAPABILITY"]
        };
        if let Some((key, _)) = rest
            .pairs()
            .find(|(key, _)| !known.iter().any(|own| own.eq_ignore_ascii_case(key)))
        {
            return Err(format!("there is no key :{key} here; there are :{}", known.join(" :")));
        }
        let skill = rest.get("SKILL").and_then(Form::as_str).unwrap_or_default();
        if !is_name(skill) {
            return Err("`:SKILL` needs the name of a skill, a string".to_owned());
        }
        let digest = match rest.get("DIGEST") {
            None => None,
            Some(value) => Some(
                value
                    .as_str()
                    .and_then(|text| text.parse::<Digest>().ok())
                    .ok_or("`:DIGEST` needs 64 hexadecimal digits, as `skill inspect FILE` prints them")?,
            ),
        };
        let follow = rest.get("FOLLOW").is_some_and(Form::is_true);
        let skill = skill.to_owned();
        if head.is_kw("TRUST") {
            return Ok(Entry::Trust {
                skill,
                digest: digest.ok_or("(:TRUST …) needs :DIGEST")?,
            });
        }
        if !head.is_kw("GRANT") {
            return Err(format!(
                "an entry begins with :GRANT or :TRUST, not {}",
                head.shortened(40)
            ));
        }
        let pin = match (digest, follow) {
            (Some(digest), false) => Pin::Digest(digest),
            (None, true) => Pin::Follow,
            _ => return Err("(:GRANT …) needs either :DIGEST or :FOLLOW T".to_owned()),
        };
        let right = rest
            .get("CAPABILITY")
            .and_then(Form::designator)
            .ok_or("(:GRANT …) needs :CAPABILITY")?
            .parse::<Right>()
            .map_err(|error| error.to_string())?;
        Ok(Entry::Grant { skill, pin, right })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_form(), f)
    }
}

/// Why the grants can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It could not be written whole; it is as it was.
    #[error(transparent)]
    Write(#[from] LogError),
    /// Others than the owner could have written it.
    #[error("{path}: {problem}, so nothing in it counts; {remedy}")]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// Who else could.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// It would be longer than what is read.
    #[error(
        "{path}: it would have {asked} bytes, and {allowed} is the most, so nothing was written: take back what is of no use, \
         with `passepartout-host skill revoke`"
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// How long it would be, in bytes.
        asked: usize,
        /// The bound.
        allowed: u64,
    },
    /// An entry that can't be understood.
    #[error("{path}, line {line}: {problem}; nothing is granted until this is mended")]
    Entry {
        /// The file.
        path: PathBuf,
        /// The line the entry begins on, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// What the operator granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    entries: Vec<Entry>,
    /// Why they can't be read, where that is why there are none.
    fault: Option<String>,
}

impl Grants {
    /// Reads the file; one that does not exist grants nothing.
    ///
    /// # Errors
    /// When it can't be read, is not its owner's alone, or holds anything that is no entry. Then nothing is granted.
    pub fn load(path: &Path) -> Result<Grants, GrantError> {
        let text = read_text(path)?;
        Ok(Grants {
            entries: parse(path, &text)?.into_iter().map(|(entry, _)| entry).collect(),
            fault: None,
        })
    }

    /// Nothing, because of this.
    pub(super) fn unreadable(fault: &GrantError) -> Grants {
        Grants {
            entries: Vec::new(),
            fault: Some(fault.to_string()),
        }
    }

    /// Why nothing is granted, where the file can't be read.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Every right that the skill `name` has, as the file with `digest`.
    pub fn rights_of(&self, name: &str, digest: &Digest) -> BTreeSet<Right> {
        let held = |entry: &Entry| match entry {
            Entry::Grant { skill, pin, right } if skill == name => {
                (*pin == Pin::Follow || *pin == Pin::Digest(*digest)).then(|| right.clone())
            }
            Entry::Grant { .. } | Entry::Trust { .. } => None,
        };
        self.entries.iter().filter_map(held).collect()
    }

    /// Whether the file with `digest` may replace the bundled or required skill `name`.
    pub fn trusts(&self, name: &str, digest: &Digest) -> bool {
        let wanted = Entry::Trust {
            skill: name.to_owned(),
            digest: *digest,
        };
        self.entries.contains(&wanted)
    }

    /// The entries about the skill `name`.
    pub fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| match entry {
            Entry::Grant { skill, .. } | Entry::Trust { skill, .. } => skill == name,
        })
    }

    /// The entries, in the order of the file.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// Adds an entry, as [`add_all`] does. Returns whether it is new.
///
/// # Errors
/// As [`add_all`].
pub fn add(path: &Path, entry: &Entry) -> Result<bool, GrantError> {
    Ok(!add_all(path, std::slice::from_ref(entry))?.is_empty())
}

/// Adds entries to the file, which is made if it does not exist: all of them or none. Returns those that are new: one that is
/// there already is not added again.
///
/// # Errors
/// As [`Grants::load`]; a file with an error is not added to, and none is made longer than what is read.
pub fn add_all<'a>(path: &Path, entries: &'a [Entry]) -> Result<Vec<&'a Entry>, GrantError> {
    let mut new: Vec<&Entry> = Vec::new();
    rewrite(path, |text, known| {
        for entry in entries {
            if !new.contains(&entry) && known.iter().all(|(own, _)| own != entry) {
                new.push(entry);
            }
        }
        let mut text = text.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        for entry in &new {
            text += &format!("{entry}\n");
        }
        (!new.is_empty()).then_some(text)
    })?;
    Ok(new)
}

/// Removes every entry for which `gone` is true, and says how many there were.
///
/// # Errors
/// As [`Grants::load`].
pub fn remove(path: &Path, gone: impl Fn(&Entry) -> bool) -> Result<usize, GrantError> {
    rewrite(path, |text, entries| {
        let mut kept = text.to_owned();
        let doomed: Vec<_> = entries.iter().filter(|(entry, _)| gone(entry)).collect();
        for (_, span) in doomed.iter().rev() {
            // The line break after it goes too.
            let end = span.end + usize::from(kept[span.end..].starts_with('\n'));
            kept.replace_range(span.start..end, "");
        }
        (!doomed.is_empty()).then_some(kept)
    })
}

type Span = std::ops::Range<usize>;

/// Changes the file under a lock; says how many entries it has less than before.
fn rewrite(path: &Path, change: impl FnOnce(&str, &[(Entry, Span)]) -> Option<String>) -> Result<usize, GrantError> {
    let io = |source| GrantError::Io {
        path: path.to_owned(),
        source,
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    // Two commands at once must not lose each other's entries.
    let lock = File::open(folder).map_err(io)?;
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).map_err(|error| io(error.into()))?;
    let text = read_text(path)?;
    let entries = parse(path, &text)?;
    let Some(changed) = change(&text, &entries) else {
        return Ok(0);
    };
    // What can't be read again would be the end of all grants, and of every way to take one back.
    if changed.len() as u64 > LONGEST {
        return Err(GrantError::TooLong {
            path: path.to_owned(),
            asked: changed.len(),
            allowed: LONGEST,
        });
    }
    let left = parse(path, &changed)?.len();
    write_private(path, changed.as_bytes())?;
    Ok(entries.len().saturating_sub(left))
}

fn read_text(path: &Path) -> Result<String, GrantError> {
    let io = |path, source| GrantError::Io { path, source };
    let bytes = read_private(path, LONGEST).map_err(|fault| match fault {
        PrivateFault::Io { path, source } => io(path, source),
        PrivateFault::NotPrivate { path, problem, remedy } => GrantError::NotPrivate { path, problem, remedy },
        PrivateFault::TooLong { path, allowed } => {
            io(path, io::Error::other(format!("it is longer than {allowed} bytes")))
        }
    })?;
    let bytes = bytes.map(|bytes| bytes.to_vec()).unwrap_or_default();
    String::from_utf8(bytes).map_err(|error| {
        let line = line_at(error.as_bytes(), error.utf8_error().valid_up_to());
        GrantError::Entry {
            path: path.to_owned(),
            line,
            problem: "it is not UTF-8".to_owned(),
        }
    })
}

/// The entries of the file, and where each stands.
fn parse(path: &Path, text: &str) -> Result<Vec<(Entry, Span)>, GrantError> {
    let error = |at: usize, problem: String| GrantError::Entry {
        path: path.to_owned(),
        line: line_at(text.as_bytes(), at),
        problem,
    };
    let entry = |read: Result<(Form, Span), (usize, ReadError)>| {
        let (form, span) = read.map_err(|(at, problem)| error(at, problem.to_string()))?;
        let entry = Entry::from_form(&form).map_err(|problem| error(span.start, problem))?;
        Ok((entry, span))
    };
    read_all(text).map(entry).collect()
}

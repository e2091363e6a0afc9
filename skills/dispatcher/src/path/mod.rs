//! Paths: where they lead once `.` and `..` are taken out, whether that is inside the workspace, and whether what is
//! there is protected. Purely by text: symbolic links are seen through when the action is carried out.

mod table;

pub(crate) use table::Effect;
use table::{Match, ROWS, SAMPLES, SOURCES, WORDS};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only its name or its attributes are looked at.
    Look,
    /// Its contents are read.
    Read,
    /// It is changed, moved, or taken away.
    Write,
}

/// Where the parts of a path begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// At the root.
    Root,
    /// In somebody's home, which may be anywhere.
    Home,
}

/// A path without `.`, `..` or doubled slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Where it begins.
    pub(crate) base: Base,
    /// The components.
    pub(crate) parts: Vec<String>,
}

impl Place {
    /// Where `text` leads when `from` is the current folder.
    pub(crate) fn of(text: &str, from: &Place) -> Place {
        let text = text.strip_prefix("file://").unwrap_or(text);
        let (mut place, rest) = if text.starts_with('/') {
            (
                Place {
                    base: Base::Root,
                    parts: Vec::new(),
                },
                text,
            )
        } else if let Some(rest) = text.strip_prefix('~') {
            // `~name` is somebody's home as well.
            let rest = rest.split_once('/').map_or("", |(_, rest)| rest);
            (
                Place {
                    base: Base::Home,
                    parts: Vec::new(),
                },
                rest,
            )
        } else {
            (from.clone(), text)
        };
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                // Nothing is above the root; above a home is where homes are.
                ".." => {
                    if place.parts.pop().is_none() && place.base == Base::Home {
                        place = Place {
                            base: Base::Root,
                            parts: vec!["home".to_owned()],
                        };
                    }
                }
                _ => place.parts.push(part.to_owned()),
            }
        }
        place
    }

    /// The place an absolute path names.
    pub(crate) fn absolute(text: &str) -> Place {
        Place::of(
            text,
            &Place {
                base: Base::Root,
                parts: Vec::new(),
            },
        )
    }

    /// Whether this is `other` or beneath it.
    pub(crate) fn is_in(&self, other: &Place) -> bool {
        self.base == other.base && self.parts.starts_with(&other.parts)
    }

    /// The place with a home written out, where it is known whose: the one in which the workspace or our folders are.
    fn at_home(&self, roots: &Roots) -> Option<Place> {
        if self.base == Base::Root {
            return None;
        }
        let home = roots.private.iter().chain(&roots.workspace).find_map(home_of)?;
        let mut parts = home;
        parts.extend(self.parts.iter().cloned());
        Some(Place {
            base: Base::Root,
            parts,
        })
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.base == Base::Home { "~/" } else { "/" })?;
        f.write_str(&self.parts.join("/"))
    }
}

/// The person's home that a place is in, by convention.
fn home_of(place: &Place) -> Option<Vec<String>> {
    match place.parts.first()?.as_str() {
        "root" => Some(vec!["root".to_owned()]),
        "home" | "Users" if place.parts.len() > 1 => Some(place.parts[..2].to_vec()),
        _ => None,
    }
}

/// The folders that the operator's settings name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roots {
    /// Where the agent works.
    pub(crate) workspace: Option<Place>,
    /// Our own folders.
    pub(crate) private: Vec<Place>,
    /// Extra patterns: a name, an absolute path, or components, with `*` for any run of characters.
    pub(crate) protected: Vec<String>,
}

impl Roots {
    /// Where relative paths begin.
    pub(crate) fn start(&self) -> Place {
        self.workspace
            .clone()
            .unwrap_or_else(|| Place::absolute("/unknown-workspace"))
    }

    /// Whether a place is inside the workspace.
    pub(crate) fn is_inside(&self, place: &Place) -> bool {
        let resolved = place.at_home(self);
        let place = resolved.as_ref().unwrap_or(place);
        self.workspace.as_ref().is_some_and(|workspace| place.is_in(workspace))
    }

    /// Whether the workspace is beneath a place.
    pub(crate) fn holds_workspace(&self, place: &Place) -> bool {
        let resolved = place.at_home(self);
        let place = resolved.as_ref().unwrap_or(place);
        self.workspace
            .as_ref()
            .is_some_and(|workspace| workspace.is_in(place) && workspace != place)
    }

    /// Whether a place is in one of our own folders (the workspace may lie in one of them, and is not meant).
    fn is_private(&self, place: &Place) -> bool {
        let resolved = place.at_home(self);
        let place = resolved.as_ref().unwrap_or(place);
        !self.is_inside(place) && self.private.iter().any(|own| place.is_in(own))
    }

    /// What protects a place from `access`, and what it is. `None` if nothing does.
    pub(crate) fn protection(&self, place: &Place, access: Access) -> Option<(Effect, &'static str)> {
        if self.is_private(place) {
            return Some((Effect::Reject, "one of Passepartout's own folders"));
        }
        let extra = self.protected.iter().any(|pattern| matches_pattern(pattern, place));
        let mut found = extra.then_some((Effect::Reject, "protected by the setting dispatcher.protected"));
        for (what, read, write, name) in ROWS {
            let effect = if access == Access::Write { *write } else { *read };
            if found.is_none_or(|(worst, _)| effect > worst) && row_matches(*what, place) {
                found = Some((effect, name));
            }
        }
        if found.is_none() {
            found = by_words(place).map(|name| (Effect::Ask, name));
        }
        let (mut effect, name) = found?;
        // Names in those folders are no secret, and some files in `.ssh` are not either.
        if access == Access::Look || (access == Access::Read && is_public(place)) {
            effect = effect.min(Effect::Ask);
        }
        (effect != Effect::Allow).then_some((effect, name))
    }
}

/// Whether a pattern for the last component of a path may match the name of a file that must not be read.
pub(crate) fn may_match_protected(pattern: &str) -> bool {
    let may = |what: &Match| match what {
        Match::Name(name) => glob(pattern, name),
        Match::Stem(stem) => glob(pattern, &format!("{stem}x")) || glob(pattern, &format!("{stem}gpg")),
        Match::Suffix(suffix) => glob(pattern, &format!("x{suffix}")),
        Match::Part(_) | Match::Root(_) => false,
    };
    // A bare star matches all there is; what is protected by its name alone, and not hidden, is no secret from it.
    ROWS.iter().any(|(what, read, ..)| *read != Effect::Allow && may(what))
        && !pattern.chars().all(|char| matches!(char, '*' | '?'))
}

/// Public halves and settings in folders of keys.
fn is_public(place: &Place) -> bool {
    place.parts.last().is_some_and(|name| {
        name.ends_with(".pub") || matches!(name.as_str(), "known_hosts" | "config" | "authorized_keys" | "gpg.conf")
    }) && place.parts.iter().any(|part| part == ".ssh" || part == ".gnupg")
}

fn row_matches(what: Match, place: &Place) -> bool {
    let parts = &place.parts;
    match what {
        Match::Name(".env") => parts.last().is_some_and(|name| is_environment_file(name)),
        Match::Name(name) => parts.last().is_some_and(|own| own == name),
        Match::Stem(stem) => parts
            .last()
            .is_some_and(|own| own.len() > stem.len() && own.starts_with(stem)),
        Match::Suffix(suffix) => parts
            .last()
            .is_some_and(|own| own.len() > suffix.len() && ends_with(own, suffix)),
        Match::Part(wanted) => parts.windows(wanted.len()).any(|window| window == wanted),
        Match::Root(wanted) => {
            place.base == Base::Root
                && parts.len() >= wanted.len()
                && wanted
                    .iter()
                    .zip(parts)
                    .all(|(wanted, own)| *wanted == "*" || wanted == own)
        }
    }
}

/// Whether `name` ends with `suffix`, which is lower case, in any case.
fn ends_with(name: &str, suffix: &str) -> bool {
    let (name, suffix) = (name.as_bytes(), suffix.as_bytes());
    let end = name.len().checked_sub(suffix.len()).and_then(|start| name.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

/// `.env`, `.env.local`, and not `.env.example` or `notes.env.txt`.
fn is_environment_file(name: &str) -> bool {
    match name.strip_prefix(".env") {
        Some("") => true,
        Some(rest) => rest.strip_prefix('.').is_some_and(|ending| !SAMPLES.contains(&ending)),
        None => false,
    }
}

/// Names with a word such as `password` in them, that are no source code.
fn by_words(place: &Place) -> Option<&'static str> {
    let (name, folders) = place.parts.split_last()?;
    let lower = name.to_ascii_lowercase();
    let mut pieces = lower.rsplit('.');
    let ending = pieces.next().unwrap_or_default();
    if lower.contains('.') && (SOURCES.contains(&ending) || SAMPLES.contains(&ending)) {
        return None;
    }
    let named = lower
        .split(|char: char| !char.is_ascii_alphanumeric())
        .any(|word| WORDS.contains(&word));
    let folder = folders.iter().any(|part| WORDS.contains(&part.trim_start_matches('.')));
    if named {
        Some("named like something that holds a secret")
    } else {
        folder.then_some("in a folder named like one that holds secrets")
    }
}

/// Whether a pattern from the settings matches: an absolute path and what is beneath it, or components anywhere.
fn matches_pattern(pattern: &str, place: &Place) -> bool {
    let wanted: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
    if wanted.is_empty() {
        return false;
    }
    let fits = |window: &[String]| wanted.iter().zip(window).all(|(wanted, own)| glob(wanted, own));
    if pattern.starts_with('/') {
        return place.base == Base::Root && place.parts.len() >= wanted.len() && fits(&place.parts);
    }
    place.parts.windows(wanted.len()).any(fits)
}

/// Whether `name` matches `pattern`, in which `*` is any run of characters, `?` any one, and `[a-c]` one of a set. Takes
/// at most the product of the two lengths.
pub(crate) fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    // The last star, and how much of the name it has taken.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, n));
            p += 1;
        } else if let Some(length) = one(&pattern[p..], name[n]) {
            p += length;
            n += 1;
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            p = at + 1;
            n = taken + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|char| *char == '*')
}

/// How long the part at the start of `pattern` is that stands for `char`, if it does.
fn one(pattern: &[char], char: char) -> Option<usize> {
    let set = match pattern {
        ['?', ..] => return Some(1),
        ['[', set @ ..] => set,
        [own, ..] => return (*own == char).then_some(1),
        [] => return None,
    };
    let negated = matches!(set.first(), Some('!' | '^'));
    let items = &set[usize::from(negated)..];
    // A bracket that comes first is one of the set.
    let Some(end) = items.iter().skip(1).position(|item| *item == ']').map(|end| end + 1) else {
        return (char == '[').then_some(1);
    };
    let ranges = items[..end]
        .windows(3)
        .any(|window| window[1] == '-' && window[0] <= char && char <= window[2]);
    let within = ranges || items[..end].contains(&char);
    (within != negated).then_some(1 + usize::from(negated) + end + 1)
}

#[cfg(test)]
mod tests;

//! Where a path leads, once `.` and `..` are taken out.

use super::Roots;
use crate::text;

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
    /// The components, with slashes between them.
    path: String,
}

impl Place {
    /// Where `text` leads when `from` is the current folder.
    pub(crate) fn of(text: &str, from: &Place) -> Place {
        let text = text.strip_prefix("file://").unwrap_or(text);
        let (mut place, rest) = if text.starts_with('/') {
            (Place::empty(Base::Root, text.len()), text)
        } else if let Some(rest) = text.strip_prefix('~') {
            // `~name` is somebody's home as well.
            let rest = rest.split_once('/').map_or("", |(_, rest)| rest);
            (Place::empty(Base::Home, rest.len()), rest)
        } else {
            let mut place = Place::empty(from.base, from.path.len() + 1 + text.len());
            place.path.push_str(&from.path);
            (place, text)
        };
        for part in Parts::of(rest) {
            match part {
                "." => {}
                // Nothing is above the root; above a home is where homes are.
                ".." => {
                    if !place.pop() && place.base == Base::Home {
                        place = Place {
                            base: Base::Root,
                            path: "home".to_owned(),
                        };
                    }
                }
                _ => place.push(part),
            }
        }
        place
    }

    fn empty(base: Base, room: usize) -> Place {
        Place {
            base,
            path: String::with_capacity(room),
        }
    }

    pub(super) fn push(&mut self, part: &str) {
        if !self.path.is_empty() {
            self.path.push('/');
        }
        self.path.push_str(part);
    }

    /// Takes the last component away. `false` if there was none.
    pub(crate) fn pop(&mut self) -> bool {
        let there = !self.path.is_empty();
        self.path.truncate(text::last(&self.path, b'/').unwrap_or(0));
        there
    }

    /// The components.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts::of(&self.path)
    }

    /// The last component, and what is before it. `None` if there is none.
    pub(crate) fn split_last(&self) -> Option<(&str, &str)> {
        match text::split_last(&self.path, b'/') {
            Some((folders, last)) => Some((last, folders)),
            None => (!self.path.is_empty()).then_some((self.path.as_str(), "")),
        }
    }

    /// The place an absolute path names.
    pub(crate) fn absolute(text: &str) -> Place {
        Place::of(text, &Place::empty(Base::Root, 0))
    }

    /// Whether this is `other` or beneath it.
    pub(crate) fn is_in(&self, other: &Place) -> bool {
        let rest = self.path.strip_prefix(other.path.as_str());
        self.base == other.base
            && rest.is_some_and(|rest| rest.is_empty() || other.path.is_empty() || rest.starts_with('/'))
    }

    /// The place with a home written out, where it is known whose: the one in which the workspace or our folders are.
    pub(super) fn at_home(&self, roots: &Roots) -> Option<Place> {
        if self.base == Base::Root {
            return None;
        }
        let home = roots.private.iter().chain(&roots.workspace).find_map(Place::home)?;
        let mut place = Place::empty(Base::Root, home.len() + 1 + self.path.len());
        place.push(home);
        self.parts().for_each(|part| place.push(part));
        Some(place)
    }

    /// The person's home that a place is in, by convention.
    fn home(&self) -> Option<&str> {
        let mut parts = self.parts();
        match (parts.next()?, parts.next()) {
            ("root", _) => Some("root"),
            (first @ ("home" | "Users"), Some(second)) => self.path.get(..first.len() + 1 + second.len()),
            _ => None,
        }
    }
}

/// The components of a path that are not empty. They are short, so that the slashes are found byte by byte.
#[derive(Clone, Debug)]
pub(crate) struct Parts<'a>(&'a str);

impl<'a> Parts<'a> {
    pub(super) fn of(path: &'a str) -> Parts<'a> {
        Parts(path)
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        while !self.0.is_empty() {
            let end = self.0.bytes().position(|byte| byte == b'/');
            let (part, rest) = match end {
                Some(end) => (&self.0[..end], &self.0[end + 1..]),
                None => (self.0, ""),
            };
            self.0 = rest;
            if !part.is_empty() {
                return Some(part);
            }
        }
        None
    }
}

impl<'a> DoubleEndedIterator for Parts<'a> {
    fn next_back(&mut self) -> Option<&'a str> {
        while !self.0.is_empty() {
            let slash = self.0.bytes().rposition(|byte| byte == b'/');
            let (rest, part) = match slash {
                Some(at) => (&self.0[..at], &self.0[at + 1..]),
                None => ("", self.0),
            };
            self.0 = rest;
            if !part.is_empty() {
                return Some(part);
            }
        }
        None
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.base == Base::Home { "~/" } else { "/" })?;
        f.write_str(&self.path)
    }
}

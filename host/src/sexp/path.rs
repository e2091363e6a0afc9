//! Paths into forms: `payload.cmd` is the value of `:CMD` in the value of `:PAYLOAD`; `args.0` the first item.

use std::fmt;

use super::form::Form;

/// A path into a form: keys and list positions separated by dots. The empty path is the form itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path<'a>(pub &'a str);

impl Form {
    /// What stands at `path`, such as `payload.cmd`. A step that is a number takes that item of a list, unless a key
    /// of a plist has that name; `#0` is always the item, so that no key can hide one.
    pub fn at(&self, path: &str) -> Option<&Form> {
        if path.is_empty() {
            return Some(self);
        }
        steps(path).try_fold(self, Form::step)
    }

    /// What stands at one step of a path, which has no dot in it.
    pub(crate) fn step(&self, step: &str) -> Option<&Form> {
        let item = |position: &str| self.items()?.get(position.parse::<usize>().ok()?);
        match step.strip_prefix('#') {
            Some(position) => item(position),
            None => self.get(step).or_else(|| item(step)),
        }
    }

    /// The string at `path`.
    pub fn text_at(&self, path: &str) -> Option<&str> {
        self.at(path).and_then(Form::as_str)
    }
}

/// The steps of a path that is not empty. Paths are short, and looked up again and again: quicker than a search for `.`
/// that is made for long texts.
pub(crate) fn steps(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let path = rest?;
        match path.bytes().position(|byte| byte == b'.') {
            Some(end) => {
                rest = Some(&path[end + 1..]);
                Some(&path[..end])
            }
            None => rest.take(),
        }
    })
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.split('.').enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            write!(f, ":{}", step.to_uppercase())?;
        }
        Ok(())
    }
}

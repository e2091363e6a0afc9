//! What a model is shown of memory: the object in focus whole, what surrounds it in outline.
//!
//! Every list is bounded and found by walking from the focus, so the cost does not grow with the number of objects.
//! What is private, or stands below something that is, is left out without a trace.

use std::fmt::{self, Write};

use super::object::{Object, ObjectId};
use super::store::Store;
use crate::sexp::visible;

/// Most of the focus's own text, in bytes: some 8,000 tokens, a good part of a small model's window.
const CONTENT_BYTES: usize = 32 << 10;
/// Most attributes of the focus, and most of each value, in characters.
const ATTRIBUTES: usize = 24;
const VALUE_CHARS: usize = 160;
/// Most of a title, in characters: one line.
const TITLE_CHARS: usize = 100;
/// Most levels above the focus, siblings on either side of it, children and buffers.
const ABOVE: usize = 12;
const BESIDE: usize = 5;
const BELOW: usize = 20;
const BUFFERS: usize = 20;
/// How many objects a list may pass over, because they are private, for each that it shows.
const PASSED_OVER: usize = 4;

/// What a model is shown of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The text; empty where there is nothing to show.
    pub text: String,
    /// Whether any object of it may have come from outside the workspace.
    pub tainted: bool,
}

impl Outline {
    /// `object`, of which something is shown.
    fn showing<'a>(&mut self, object: &'a Object) -> &'a Object {
        self.tainted |= object.origin.is_tainted();
        object
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{line}");
    }
}

/// The outline around `focus`, or the list of buffers where nothing that may be shown is in focus.
pub(super) fn outline(store: &Store, focus: Option<&ObjectId>) -> Outline {
    let mut out = Outline::default();
    match focus
        .and_then(|id| store.get(id))
        .and_then(|object| Some((object, above(store, object)?)))
    {
        Some((object, above)) => around(store, object, &above, &mut out),
        None => list(&mut out, "Buffers:", store.buffers().map(|object| &**object), BUFFERS),
    }
    out
}

/// The objects above this one, nearest first; none if it or one of them is private.
pub(super) fn above<'a>(store: &'a Store, object: &'a Object) -> Option<Vec<&'a Object>> {
    let mut above = Vec::new();
    let mut at = object;
    loop {
        if !at.privacy.is_empty() {
            return None;
        }
        match at.place.parent.as_ref().and_then(|id| store.get(id)) {
            Some(parent) => {
                above.push(&**parent);
                at = parent;
            }
            None => return Some(above),
        }
    }
}

fn around(store: &Store, object: &Object, above: &[&Object], out: &mut Outline) {
    let focus = line(out.showing(object));
    out.line(format_args!("In focus: {focus}"));
    if let Some(top) = above.last() {
        let shown = above.len().min(ABOVE);
        let nearest: Vec<String> = above[..shown]
            .iter()
            .rev()
            .map(|object| one_line(out.showing(object).title(), TITLE_CHARS))
            .collect();
        let cut = if shown < above.len() {
            format!("{} > … > ", one_line(out.showing(top).title(), TITLE_CHARS))
        } else {
            String::new()
        };
        out.line(format_args!("It stands in: {cut}{}", nearest.join(" > ")));
    }
    for (key, value) in object.attributes.iter().take(ATTRIBUTES) {
        let (key, value) = (one_line(key, TITLE_CHARS), one_line(&value.to_string(), VALUE_CHARS));
        out.line(format_args!("  :{key} {value}"));
    }
    content(&object.content, out);
    let get = |id: &ObjectId| store.get(id).map(|object| &**object);
    let walk = |step: fn(&Object) -> Option<&ObjectId>| {
        std::iter::successors(step(object).and_then(get), move |object| step(object).and_then(get))
    };
    list(
        out,
        "Before it, nearest first:",
        walk(|object| object.place.previous.as_ref()),
        BESIDE,
    );
    list(out, "After it:", walk(|object| object.place.next.as_ref()), BESIDE);
    list(out, "Inside it:", object.children.iter().filter_map(get), BELOW);
}

/// The text of the focus, each line marked, so that no text can pass for a line of the outline.
fn content(content: &str, out: &mut Outline) {
    let mut end = content.len().min(CONTENT_BYTES);
    while !content.is_char_boundary(end) {
        end -= 1;
    }
    for line in content[..end].lines() {
        out.line(format_args!("  | {}", visible(line)));
    }
    if end < content.len() {
        out.line(format_args!("  (… {} more bytes)", content.len() - end));
    }
}

/// A heading and at most `most` lines under it; nothing at all where there is nothing to show.
fn list<'a>(out: &mut Outline, heading: &str, objects: impl Iterator<Item = &'a Object>, most: usize) {
    let mut objects = objects
        .take(most * PASSED_OVER)
        .filter(|object| object.privacy.is_empty());
    let mut shown = objects.by_ref().take(most).peekable();
    if shown.peek().is_some() {
        out.line(format_args!("{heading}"));
    }
    for object in shown {
        let object = line(out.showing(object));
        out.line(format_args!("- {object}"));
    }
    if objects.next().is_some() {
        out.line(format_args!("- … and more"));
    }
}

/// One object as one line: `HEADLINE "Title" [id] (3 inside)`.
fn line(object: &Object) -> String {
    let title = one_line(object.title(), TITLE_CHARS);
    let inside = match object.children.len() {
        0 => String::new(),
        children => format!(" ({children} inside)"),
    };
    format!(
        "{} \"{title}\" [{}]{inside}",
        one_line(&object.kind, TITLE_CHARS),
        one_line(object.id.as_str(), TITLE_CHARS)
    )
}

/// `text` on one line, hidden characters made visible, cut after `most` characters.
fn one_line(text: &str, most: usize) -> String {
    let short: String = text
        .chars()
        .take(most)
        .map(|char| if char.is_whitespace() { ' ' } else { char })
        .collect();
    let cut = text.chars().nth(most).is_some();
    visible(&short) + if cut { "…" } else { "" }
}

//! Editing: one piece of a file that is still as it was when the action was closed, by another.
//!
//! The piece must stand in the file exactly once, so that nobody can mean another place than the one that is changed. The
//! file is written as a whole, as any other.

use std::path::Path;

use super::place::{self, Place};
use super::read::content_of;
use super::write::{Before, changed, deleted, open, place_whole};
use super::{BASE, Way};
use crate::capability::Failure;
use crate::capability::effects::text_of;
use crate::capability::own::OnBehalf;
use crate::sexp::{Form, visible};
use crate::signal::Action;

/// What is to be edited, as the cleared action says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) path: String,
    pub(super) old: String,
    pub(super) new: String,
    /// The SHA-256 of the file when the action was closed; nothing if there was none.
    pub(super) base: Option<String>,
}

impl Edit {
    /// What a call of a tool says is to be edited.
    pub(super) fn of(action: &Action) -> Result<Edit, Failure> {
        let text = |path: &str| text_of(action, path).map(str::to_owned);
        Ok(Edit {
            path: text("payload.args.path")?,
            old: text("payload.args.old")?,
            new: text("payload.args.new")?,
            base: action.payload().get(BASE).and_then(Form::as_str).map(str::to_owned),
        })
    }

    /// The text after the edit.
    ///
    /// # Errors
    /// What is wrong with the file, as the end of a sentence about it, where the piece does not stand in it once.
    pub(super) fn apply(&self, text: &str) -> Result<String, &'static str> {
        if self.old.is_empty() {
            return Err("can't be edited at an empty text: name the text that is to be replaced");
        }
        match (text.find(&self.old), text.rfind(&self.old)) {
            (Some(first), Some(last)) if first == last => {
                Ok([&text[..first], &self.new, &text[first + self.old.len()..]].concat())
            }
            (Some(_), _) => Err(
                "has the text to be replaced in several places; name more of what stands around the one that is meant",
            ),
            (None, _) if has_other_line_ends(text, &self.old) => Err(
                "has the text to be replaced only with CR before each line's end; name a piece within one line, or write \
                 those too",
            ),
            (None, _) => Err("does not have the text to be replaced; read the file again, and copy it to the letter"),
        }
    }
}

/// Whether `text` would have `piece`, if its lines ended as those of `piece` do.
fn has_other_line_ends(text: &str, piece: &str) -> bool {
    piece.contains('\n') && text.contains("\r\n") && text.replace("\r\n", "\n").contains(&piece.replace("\r\n", "\n"))
}

/// Edits, and returns how many bytes the file has then.
pub(super) fn edit(edit: &Edit, on: &OnBehalf<'_>) -> Result<u64, Failure> {
    on.turn.check()?;
    let place = Place::find(&edit.path, Way::Write, on)?;
    let (folder, name) = place.parent(on)?;
    let failed = |what: &str| {
        let shown = visible(&place.path.display().to_string());
        Failure::Failed(format!("{shown} {what}"))
    };
    match place::look(&folder, &name, &place.path)? {
        Some(status) => place::check_plain(&status, &place.path)?,
        None if edit.base.is_some() => return Err(deleted(&place.path)),
        None => return Err(missing(&place.path)),
    }
    let (file, status) = open(&folder, &name, &place.path)?;
    let (content, digest) = content_of(&file, &place.path)?;
    if edit.base.as_deref() != Some(digest.as_str()) {
        return Err(changed(&place.path));
    }
    let text = String::from_utf8(content).map_err(|_| failed("is no text in UTF-8"))?;
    let whole = edit.apply(&text).map_err(failed)?;
    let before = Before { file, status, digest };
    let data = &on.turn.services().home.data;
    place_whole(&folder, &name, &place.path, whole.as_bytes(), Some(&before), data)
}

/// There is no file to edit.
pub(super) fn missing(path: &Path) -> Failure {
    Failure::Failed(format!(
        "{} does not exist; a new file is written whole",
        visible(&path.display().to_string())
    ))
}

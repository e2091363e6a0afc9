//! The calls of an answer, whole or put together from the pieces of a stream.
//!
//! Servers differ in what of a call its pieces repeat. Numbers are missing, or all 0; identifiers are empty, missing, or
//! others in each piece; names stand in the first piece or in each. Another call begins where a name says so: one that
//! differs, or one that comes when the arguments before it are complete.

use super::surrogates::{mended, settled};
use crate::model::NativeCall;

/// Calls in the order in which they began.
#[derive(Default)]
pub(super) struct Calls(Vec<Call>);

/// One piece of a call, as it came.
#[derive(Default)]
pub(in crate::model) struct Piece<'a> {
    /// Which call of the answer it belongs to.
    pub(in crate::model) index: Option<u64>,
    /// The call's identifier.
    pub(in crate::model) id: &'a str,
    /// The tool's name.
    pub(in crate::model) name: &'a str,
    /// More of its arguments.
    pub(in crate::model) arguments: &'a str,
}

struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    extent: Extent,
}

/// How far arguments have come, known without reading them again at each piece.
#[derive(Default)]
struct Extent {
    depth: usize,
    /// Bytes that are not blank.
    solid: usize,
    is_begun: bool,
    is_text: bool,
    is_escaped: bool,
}

impl Calls {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Which call `piece` is more of; none if it begins one.
    pub(super) fn continued_by(&self, piece: &Piece<'_>) -> Option<usize> {
        if piece.name.is_empty() {
            return self.newest_of(piece).or_else(|| self.misnumbered(piece));
        }
        self.newest_of(piece)
            .filter(|at| self.0.get(*at).is_some_and(|call| call.may_be_named_by(piece)))
    }

    /// Begins a call with what `piece` says of it.
    pub(super) fn begin(&mut self, piece: &Piece<'_>) {
        self.0.push(Call {
            index: piece.index,
            id: piece.id.to_owned(),
            name: String::new(),
            arguments: String::new(),
            extent: Extent::default(),
        });
        self.go_on(self.0.len() - 1, piece);
    }

    /// Adds `piece` to the call at this place.
    pub(super) fn go_on(&mut self, at: usize, piece: &Piece<'_>) {
        if let Some(call) = self.0.get_mut(at) {
            call.take(piece);
        }
    }

    pub(super) fn finish(self) -> Vec<NativeCall> {
        self.0.into_iter().map(Call::finish).collect()
    }

    /// The newest call of the number of `piece`, if it has one; its identifier chooses among them if any has that.
    fn newest_of(&self, piece: &Piece<'_>) -> Option<usize> {
        let numbered = |at: usize, call: &Call| match (piece.index, call.index) {
            (None, _) => true,
            (Some(wanted), Some(own)) => wanted == own,
            // A call that began without a number has that of its place.
            (Some(wanted), None) => u64::try_from(at) == Ok(wanted),
        };
        let of_number = || self.0.iter().enumerate().rev().filter(|(at, call)| numbered(*at, call));
        let newest = |id: Option<&str>| {
            let mut calls = of_number();
            calls.find(|(_, call)| id.is_none_or(|id| call.id == id))
        };
        let same = newest(Some(piece.id).filter(|id| !id.is_empty()));
        same.or_else(|| newest(None)).map(|(at, _)| at)
    }

    /// What a piece without a name goes on with where no call has its number. One that brings nothing may begin a call.
    fn misnumbered(&self, piece: &Piece<'_>) -> Option<usize> {
        if piece.arguments.is_empty() {
            return None;
        }
        let same = |call: &Call| !piece.id.is_empty() && call.id == piece.id;
        let unfinished = |at: &usize| {
            let call = self.0.get(*at);
            call.is_some_and(|call| !call.name.is_empty() && !call.extent.is_whole())
        };
        let newest = || self.0.len().checked_sub(1).filter(unfinished);
        self.0.iter().rposition(same).or_else(newest)
    }
}

impl Call {
    /// Whether a piece with a name can be more of this call.
    fn may_be_named_by(&self, piece: &Piece<'_>) -> bool {
        let is_whole = self.extent.is_whole();
        if self.name.is_empty() {
            return !is_whole || piece.arguments.is_empty();
        }
        // The same identifier again says that an empty object only held the place of the arguments.
        let is_same = !piece.id.is_empty() && piece.id == self.id;
        self.name == piece.name && (!is_whole || is_same && self.extent.is_nothing())
    }

    fn take(&mut self, piece: &Piece<'_>) {
        if self.name.is_empty() {
            piece.name.clone_into(&mut self.name);
        }
        // Some servers send an empty object before the arguments.
        if self.extent.is_nothing() && !piece.arguments.trim().is_empty() {
            self.arguments.clear();
            self.extent = Extent::default();
        }
        self.extent.take(piece.arguments);
        self.arguments.push_str(piece.arguments);
    }

    fn finish(self) -> NativeCall {
        // A tool without arguments is called with nothing by some models.
        let arguments = if self.arguments.trim().is_empty() {
            "{}".to_owned()
        } else {
            mended(self.arguments)
        };
        NativeCall {
            name: settled(self.name),
            arguments,
        }
    }
}

impl Extent {
    /// Whether what was opened is closed.
    fn is_whole(&self) -> bool {
        self.is_begun && self.depth == 0 && !self.is_text
    }

    /// Whether it is an empty object, or an empty list.
    fn is_nothing(&self) -> bool {
        self.is_whole() && self.solid == 2
    }

    fn take(&mut self, more: &str) {
        for byte in more.bytes() {
            self.solid += usize::from(!byte.is_ascii_whitespace());
            match byte {
                _ if std::mem::take(&mut self.is_escaped) => {}
                b'\\' => self.is_escaped = self.is_text,
                b'"' => self.is_text = !self.is_text,
                _ if self.is_text => {}
                b'{' | b'[' => {
                    self.is_begun = true;
                    self.depth += 1;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

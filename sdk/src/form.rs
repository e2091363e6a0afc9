//! Handles on the forms of the running call: the action, the signal, what failed. They reach nothing outside the call,
//! so they cannot be cloned or kept: an author gets them by reference.

use std::ops::Deref;

use crate::imports::forms;

/// What stands at a path of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing stands there.
    Missing,
    /// `NIL`, false, the empty list.
    Nil,
    /// A keyword such as `:SHELL`.
    Keyword,
    /// A symbol.
    Symbol,
    /// A string.
    Text,
    /// An integer of at most 64 bits.
    Integer,
    /// Any other number.
    Number,
    /// A character.
    Character,
    /// A list or plist.
    Sequence,
    /// A dotted list, a vector, or a pathname.
    Other,
}

/// A handle on one form. `path` is steps separated by dots: keys of plists in any case, or positions in lists counted
/// from 0, such as `payload.cmd` or `payload.args.0`. A step `#0` is always a position, which no key can hide. The empty
/// path is the form itself.
///
/// No function fails: where nothing stands at a path, or something of another kind, the answer is nothing, 0 or empty.
#[derive(Debug)]
pub struct Form {
    handle: u32,
}

impl Form {
    pub(crate) fn handle(&self) -> u32 {
        self.handle
    }

    /// What stands at `path`.
    pub fn kind(&self, path: &str) -> Kind {
        forms::kind_of(self.handle, path)
    }

    /// Whether anything but `NIL` stands at `path`.
    pub fn has(&self, path: &str) -> bool {
        !matches!(self.kind(path), Kind::Missing | Kind::Nil)
    }

    /// The text of the string, the name of the keyword or symbol (without colon), or the digits of the number at `path`.
    /// Where the difference matters, ask [`kind`](Form::kind) first.
    pub fn text(&self, path: &str) -> Option<String> {
        forms::text(self.handle, path)
    }

    /// The integer at `path`, if it fits.
    pub fn integer(&self, path: &str) -> Option<i64> {
        forms::integer(self.handle, path)
    }

    /// How many items the list at `path` has; a plist of three keys has six.
    pub fn count(&self, path: &str) -> u32 {
        forms::count(self.handle, path)
    }

    /// The keys of the plist at `path`, in upper case, in order. A key with a dot in it can be reached by position only.
    pub fn keys(&self, path: &str) -> Vec<String> {
        forms::keys(self.handle, path)
    }

    /// The canonical printing of what stands at `path`.
    pub fn printed(&self, path: &str) -> Option<String> {
        forms::printed(self.handle, path)
    }

    /// How many bytes of UTF-8 the string at `path` has, without copying it.
    pub fn size(&self, path: &str) -> u32 {
        forms::size(self.handle, path)
    }
}

/// Wraps a handle on one form of the call in a type that says which form it is.
macro_rules! handle {
    ($(#[$docs:meta])* $name:ident) => {
        $(#[$docs])*
        #[derive(Debug)]
        pub struct $name(Form);

        impl $name {
            pub(crate) fn from_handle(handle: u32) -> $name {
                $name(Form { handle })
            }
        }

        impl Deref for $name {
            type Target = Form;

            fn deref(&self) -> &Form {
                &self.0
            }
        }
    };
}

handle! {
    /// The closed action: `(:TYPE :REQUEST :TARGET :SHELL :ORIGIN :MODEL :PAYLOAD (:CMD "ls" :EXPLANATION "…"))`.
    /// Everything that can be asked of a [`Form`] can be asked of it.
    Action
}

handle! {
    /// The signal the loop is working on: `(:TYPE :EVENT :META (:SOURCE :CLI :SESSION-ID "…" :TAINTED NIL) :DEPTH 0
    /// :PAYLOAD (:SENSOR :USER-INPUT :TEXT "…"))`. Everything that can be asked of a [`Form`] can be asked of it.
    Signal
}

handle! {
    /// What a cycle failed with: `(:CODE :LLM-ERROR :TEXT "…")`, and further keys. Why a capability did not do what it was
    /// asked is another type, [`capability::Failure`](crate::capability::Failure).
    Failure
}

/// Who proposed an action. The host says so, never the proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A language model.
    Model,
    /// A person typed it.
    Person,
    /// A skill, by its name.
    Skill(String),
    /// Something newer than this SDK. Trust it no more than a model.
    Unknown,
}

impl Action {
    /// The target in upper case, such as `SHELL`.
    pub fn target(&self) -> String {
        self.text("target").unwrap_or_default()
    }

    /// Who proposed it.
    pub fn origin(&self) -> Origin {
        match self.text("origin").as_deref() {
            Some("MODEL") => Origin::Model,
            Some("PERSON") => Origin::Person,
            _ => self.text("origin.skill").map_or(Origin::Unknown, Origin::Skill),
        }
    }
}

impl Signal {
    /// What kind of perception it is, in upper case, such as `USER-INPUT`.
    pub fn sensor(&self) -> String {
        self.text("payload.sensor").unwrap_or_default()
    }

    /// The reply target of whoever sent it, in upper case, such as `CLI`.
    pub fn source(&self) -> String {
        self.text("meta.source").unwrap_or_default()
    }

    /// Whether the turn has seen text from outside the workspace.
    pub fn tainted(&self) -> bool {
        self.has("meta.tainted")
    }

    /// How many signals led to this one.
    pub fn depth(&self) -> i64 {
        self.integer("depth").unwrap_or_default()
    }
}

impl Failure {
    /// Which kind of error, in upper case, such as `LLM-ERROR`.
    pub fn code(&self) -> String {
        self.text("code").unwrap_or_default()
    }

    /// What the error said.
    pub fn message(&self) -> String {
        self.text("text").unwrap_or_default()
    }
}

//! S-expressions: the one language of proposals, frames, settings records and verdicts.
//!
//! This room turns text into [`Form`]s and back. It promises that no input overflows the stack or the heap, that
//! nothing is ever evaluated, that what it prints SBCL's `read` reads back as what was meant, and that one value has
//! one printing. It is the only room that knows `lexpr`, and it knows nothing of what forms mean to the others.

mod atom;
mod digest;
mod file;
mod form;
mod limits;
mod name;
mod path;
mod plist;
mod print;
mod read;
mod scan;
#[cfg(test)]
mod tests;

pub use digest::Digest;
pub use file::{line_at, read_all};
pub use form::{Form, Number, NumberKind, Text, kw};
pub use limits::Limits;
pub use name::Name;
pub use path::Path;
pub(crate) use path::steps;
pub use plist::PlistError;
pub use print::{is_blank, is_hidden, visible, visible_line};
pub use read::{Brackets, ReadError, read, read_begun, read_prefix, read_with};

/// Builds a plist form: `plist!("TYPE" => kw("EVENT"), "DEPTH" => 0)`. Keys are written in upper case.
#[macro_export]
macro_rules! plist {
    ($($key:expr => $value:expr),* $(,)?) => {
        $crate::sexp::Form::plist([$(($key, $crate::sexp::Form::from($value))),*])
    };
}

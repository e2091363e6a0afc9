//! What the file of a session holds: first whose it is, then what was said.

use crate::context::Line;
use crate::plist;
use crate::sexp::{Form, kw};

/// Whose a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The operator's, or the daemon's own.
    Operator,
    /// That of somebody who has not proven to be the operator: what the operator approved once and for all does not count
    /// in it.
    Stranger,
}

impl Owner {
    fn name(self) -> &'static str {
        match self {
            Owner::Operator => "OPERATOR",
            Owner::Stranger => "STRANGER",
        }
    }

    /// `(:OWNER …)`, the first entry of a session's file.
    pub(super) fn to_form(self) -> Form {
        plist!("OWNER" => kw(self.name()))
    }

    fn from_form(form: &Form) -> Option<Owner> {
        let name = form.get("OWNER")?.keyword()?;
        [Owner::Operator, Owner::Stranger]
            .into_iter()
            .find(|own| own.name() == name)
    }
}

/// What was read from the file of a session.
#[derive(Debug)]
pub(super) struct Kept {
    /// Whose it is, where the file says so; those of older versions don't.
    pub(super) owner: Option<Owner>,
    pub(super) lines: Vec<Line>,
}

impl Kept {
    /// What `entries` say.
    pub(super) fn read(entries: &[Form]) -> Kept {
        Kept {
            // No other entry counts: nothing that is said later can change whose it is.
            owner: entries.first().and_then(Owner::from_form),
            lines: entries.iter().filter_map(Line::from_form).collect(),
        }
    }
}

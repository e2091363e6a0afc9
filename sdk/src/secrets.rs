//! Whether a text contains something the operator keeps secret, without ever seeing the secret. Needs the grant
//! `contains-secret`; values of fewer than eight characters are not looked for.

use crate::{Form, imports};

/// Whether any string inside what stands at `path` contains a secret. An [`Action`](crate::Action) or a
/// [`Signal`](crate::Signal) can be given for the form.
pub fn contains(form: &Form, path: &str) -> bool {
    imports::secrets::contains_secret(form.handle(), path)
}

/// Whether a text of the skill's own contains a secret.
pub fn in_text(text: &str) -> bool {
    imports::secrets::text_contains_secret(text)
}

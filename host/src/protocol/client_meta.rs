//! What a client's `:META` says: where replies go, which session it wants, and its own name for the request.

use super::envelope::{EnvelopeError, refuse, wrong};
use crate::sexp::Form;
use crate::signal::SessionId;

/// Keys that only the host sets.
const HOST_ONLY: &[&str] = &["TAINTED", "ORIGIN", "DEPTH", "APPROVED", "APPROVED-ACTION"];

/// Targets that act. A reply must not be sent to one of them.
const ACTING: &[&str] = &["SHELL", "SYSTEM", "TOOL"];

/// What a client's `:META` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientMeta {
    /// The reply target it wants, upper case.
    pub source: Option<String>,
    /// The session it wants.
    pub session: Option<SessionId>,
    /// Its name for this request: an atom, echoed in all that answers it.
    pub request_id: Option<Form>,
}

/// The request id of a message, whatever else is wrong with it, so that an error about it can name it.
pub(super) fn request_id(form: &Form) -> Option<Form> {
    let value_of = |form: &Form, key: &str| {
        let mut pairs = form.items()?.chunks_exact(2);
        pairs
            .find(|pair| pair[0].designator().is_some_and(|name| name.eq_ignore_ascii_case(key)))
            .map(|pair| pair[1].clone())
    };
    value_of(&value_of(form, "META")?, "REQUEST-ID").filter(is_request_id)
}

/// Takes `:META` apart.
pub(super) fn client_meta(meta: Option<&Form>) -> Result<ClientMeta, EnvelopeError> {
    let Some(meta) = meta else {
        return Ok(ClientMeta::default());
    };
    refuse(meta, ":META ", HOST_ONLY)?;
    let given = |key| meta.get(key).filter(|value| value.is_true());
    let source = given("SOURCE")
        .map(|value| source_name(value).ok_or_else(|| wrong(":META :SOURCE", Some(value), SOURCE)))
        .transpose()?;
    let session = given("SESSION-ID")
        .map(|value| {
            let id = value.as_str().and_then(|text| text.parse().ok());
            id.ok_or_else(|| {
                wrong(
                    ":META :SESSION-ID",
                    Some(value),
                    "a session's id, a string of 32 hexadecimal digits",
                )
            })
        })
        .transpose()?;
    let request_id = given("REQUEST-ID")
        .map(|value| {
            let id = is_request_id(value).then(|| value.clone());
            id.ok_or_else(|| {
                wrong(
                    ":META :REQUEST-ID",
                    Some(value),
                    "a keyword, string or number of at most 200 characters",
                )
            })
        })
        .transpose()?;
    Ok(ClientMeta {
        source,
        session,
        request_id,
    })
}

const SOURCE: &str = "the name of a reply target such as :CLI, at most 64 letters, digits and hyphens, and no target that acts \
                      (:SHELL, :SYSTEM, :TOOL)";

fn source_name(form: &Form) -> Option<String> {
    let name = form.designator()?.to_uppercase();
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    (plain && (1..=64).contains(&name.len()) && !ACTING.contains(&name.as_str())).then_some(name)
}

/// An atom, and short, since it goes into every frame that answers.
fn is_request_id(form: &Form) -> bool {
    match form {
        Form::Keyword(name) | Form::Symbol(name) => name.len() <= 200,
        Form::String(text) => text.len() <= 200,
        Form::Number(number) => number.text().len() <= 200,
        _ => false,
    }
}

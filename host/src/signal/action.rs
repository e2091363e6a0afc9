//! Actions: proposals, closed. What gates judge and actuators run is the canonical text of one of these.

use std::fmt;
use std::sync::Arc;

use crate::plist;
use crate::sexp::{Digest, Form, Text, kw};

/// Longest label, in characters: a proposal may name its target with a megabyte.
const LABEL: usize = 60;

/// Who proposed an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A language model, or anything that counts as one.
    Model,
    /// A person, who typed it.
    Person,
    /// A skill, by name.
    Skill(String),
}

impl Origin {
    /// `:MODEL`, `:PERSON` or `(:SKILL "name")`.
    pub fn to_form(&self) -> Form {
        match self {
            Origin::Model => kw("MODEL"),
            Origin::Person => kw("PERSON"),
            Origin::Skill(name) => Form::list(vec![kw("SKILL"), name.into()]),
        }
    }

    /// The origin that [`Origin::to_form`] printed.
    pub fn from_form(form: &Form) -> Option<Origin> {
        match form {
            _ if form.is_kw("MODEL") => Some(Origin::Model),
            _ if form.is_kw("PERSON") => Some(Origin::Person),
            _ => form.text_at("skill").map(|name| Origin::Skill(name.to_owned())),
        }
    }
}

/// A closed action: target, origin and payload, its canonical text and digest. Cheap to clone, never changed.
#[derive(Clone, Debug)]
pub struct Action(Arc<Closed>);

#[derive(Debug)]
struct Closed {
    target: String,
    origin: Origin,
    form: Form,
    canonical: Text,
    digest: Digest,
}

impl Action {
    /// Closes an action: `(:TYPE :REQUEST :TARGET … :ORIGIN … :PAYLOAD …)` and nothing else. `target` is taken in
    /// upper case.
    pub fn close(target: &str, origin: Origin, payload: Form) -> Action {
        let target = target.to_uppercase();
        let form = plist!(
            "TYPE" => kw("REQUEST"),
            "TARGET" => kw(&target),
            "ORIGIN" => origin.to_form(),
            "PAYLOAD" => payload,
        );
        let canonical: Text = form.to_string().into();
        let digest = Digest::of_action(&canonical);
        Action(Arc::new(Closed {
            target,
            origin,
            form,
            canonical,
            digest,
        }))
    }

    /// The action that `form`, printed by an earlier run of the host, describes.
    pub fn from_stored(form: &Form) -> Option<Action> {
        let origin = Origin::from_form(form.at("origin")?)?;
        Some(Action::close(
            form.at("target")?.keyword()?,
            origin,
            form.at("payload")?.clone(),
        ))
    }

    /// The same action with another payload.
    pub fn with_payload(&self, payload: Form) -> Action {
        Action::close(&self.0.target, self.0.origin.clone(), payload)
    }

    /// The target, upper case.
    pub fn target(&self) -> &str {
        &self.0.target
    }

    /// Who proposed it.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// The whole form.
    pub fn form(&self) -> &Form {
        &self.0.form
    }

    /// The payload.
    pub fn payload(&self) -> &Form {
        static NIL: Form = Form::Nil;
        self.0.form.get("PAYLOAD").unwrap_or(&NIL)
    }

    /// The canonical text, which is what gates judge and what an approval names.
    pub fn canonical(&self) -> &Text {
        &self.0.canonical
    }

    /// The digest of the canonical text.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    /// A short name of what it is, for progress lines: `shell`, `system eval`, `tool read-file`, `message`.
    pub fn label(&self) -> String {
        let payload = self.payload();
        let detail = payload
            .at("tool")
            .or(payload.at("action"))
            .and_then(Form::designator)
            .unwrap_or_default();
        let target = self.0.target.to_lowercase();
        let label = if detail.is_empty() {
            target
        } else {
            format!("{target} {}", detail.to_lowercase())
        };
        match label.char_indices().nth(LABEL) {
            Some((end, _)) => format!("{}…", &label[..end]),
            None => label,
        }
    }

    /// What of its payload says to a person what it is about: the command, the file, the address; nothing where it has none of
    /// these. As it was proposed, so that it may hold what must not be shown.
    pub fn about(&self) -> Option<&str> {
        const KEYS: &[&str] = &["cmd", "path", "url", "code", "pattern", "query", "id"];
        let (payload, arguments) = (self.payload(), self.payload().get("ARGS"));
        KEYS.iter()
            .find_map(|key| payload.text_at(key).or_else(|| arguments?.text_at(key)))
    }
}

impl PartialEq for Action {
    fn eq(&self, other: &Action) -> bool {
        self.0.canonical == other.0.canonical
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.canonical)
    }
}

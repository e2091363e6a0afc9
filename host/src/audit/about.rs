//! Finding what the record says about one thing.

use crate::sexp::Form;

/// The entries that `id` names, and what came of the decisions among them: by their number, by a plan's id, by a standing
/// approval's, or by the beginning of an action's digest, of at least eight digits.
pub fn about(entries: Vec<Form>, id: &str) -> Vec<Form> {
    let named: Vec<bool> = entries.iter().map(|entry| names(entry, id)).collect();
    let decisions: Vec<i64> = entries
        .iter()
        .zip(&named)
        .filter(|(_, named)| **named)
        .filter_map(|(entry, _)| entry.at("sequence")?.as_int())
        .collect();
    let follows = |entry: &Form| {
        let of = entry.at("of").and_then(Form::as_int);
        of.is_some_and(|of| decisions.contains(&of))
    };
    let chosen = entries.into_iter().zip(named);
    chosen
        .filter(|(entry, named)| *named || follows(entry))
        .map(|(entry, _)| entry)
        .collect()
}

fn names(entry: &Form, id: &str) -> bool {
    let number = |key: &str| {
        let number = entry.at(key).and_then(Form::as_int);
        number.is_some_and(|number| number.to_string() == id)
    };
    // Ids in a decision that a standing approval covered; the approvals themselves where they were made.
    let standing = || {
        let all = entry.get("STANDING").and_then(Form::items).unwrap_or_default();
        all.iter()
            .any(|own| own.as_str() == Some(id) || own.text_at("id") == Some(id))
    };
    let digest = entry.text_at("digest").unwrap_or_default();
    number("sequence")
        || number("of")
        || entry.text_at("plan") == Some(id)
        || entry.text_at("approval") == Some(id)
        || standing()
        || (id.len() >= 8 && digest.starts_with(id))
}

//! What answers list: of however much is kept, as much as can be sent.
//!
//! A text in a list is given in its beginning where it is long, and what there is no room for is counted, so that no
//! answer fails because there is much, or because something in it is long.

use crate::sexp::Form;

/// Longest text in a list that is given whole, in bytes.
pub(super) const TEXT: usize = 4 << 10;

/// Most that one list may weigh.
const LIST: usize = 16 << 20;

/// Most that a list may weigh whose texts are all whole.
const WHOLE: usize = 24 << 20;

/// What an atom weighs beside its bytes: about what reading it costs.
const ATOM: usize = 16;

/// `answer` with this list, and, where there is no room for all of it, with how many are left out.
pub(super) fn with_list(answer: Form, key: &str, entries: impl IntoIterator<Item = Form>) -> Form {
    let (given, left_out) = bounded(entries);
    with_bounded(answer, key, given, left_out)
}

/// `answer` with a list that is bounded already.
pub(super) fn with_bounded(answer: Form, key: &str, given: Vec<Form>, left_out: usize) -> Form {
    let answer = answer.with(key, given);
    match left_out {
        0 => answer,
        count => answer.with(&format!("{key}-LEFT-OUT"), count),
    }
}

/// All of `entries` whole, if there is room; else as [`bounded`] gives them.
pub(super) fn whole_or_bounded(entries: Vec<Form>) -> (Vec<Form>, usize) {
    let mut room = WHOLE;
    if entries.iter().all(|entry| takes(&mut room, entry)) {
        return (entries, 0);
    }
    bounded(entries)
}

/// As many of `entries` as there is room for, the first ones first, each with the beginnings of its long texts; and how many
/// are left out.
fn bounded(entries: impl IntoIterator<Item = Form>) -> (Vec<Form>, usize) {
    let (mut given, mut left_out, mut room) = (Vec::new(), 0, LIST);
    for entry in entries {
        let entry = in_beginnings(entry);
        if left_out == 0 && takes(&mut room, &entry) {
            given.push(entry);
        } else {
            left_out += 1;
        }
    }
    (given, left_out)
}

/// Takes the weight of `entry` from `room`, if there is enough.
fn takes(room: &mut usize, entry: &Form) -> bool {
    let weight = entry.to_string().len() + ATOM * atoms(entry);
    let left = room.checked_sub(weight);
    *room = left.unwrap_or(*room);
    left.is_some()
}

fn atoms(form: &Form) -> usize {
    match form {
        Form::List(items) | Form::Vector(items) => 1 + items.iter().map(atoms).sum::<usize>(),
        Form::Dotted(items, tail) => 1 + items.iter().map(atoms).sum::<usize>() + atoms(tail),
        _ => 1,
    }
}

/// `form`, and of each long text in it the beginning, with how much there is.
fn in_beginnings(form: Form) -> Form {
    let all = |items: Vec<Form>| items.into_iter().map(in_beginnings).collect();
    match form {
        Form::String(text) if text.len() > TEXT => begun(&text).into(),
        Form::Nil | Form::String(_) | Form::Char(_) => form,
        Form::List(items) => Form::List(all(items)),
        Form::Vector(items) => Form::Vector(all(items)),
        Form::Dotted(items, tail) => Form::Dotted(all(items), Box::new(in_beginnings(*tail))),
        // Names and numbers can be long, too.
        Form::Keyword(_) | Form::Symbol(_) | Form::Number(_) | Form::Pathname(_) => match form.to_string() {
            text if text.len() > TEXT => begun(&text).into(),
            _ => form,
        },
    }
}

/// `text`, or, where it is long, its beginning and how much there is.
pub(super) fn begun(text: &str) -> String {
    match text.len() {
        0..=TEXT => text.to_owned(),
        bytes => format!("{}… ({bytes} bytes in all)", &text[..text.floor_char_boundary(TEXT)]),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;
    use crate::plist;
    use crate::sexp::kw;

    #[test]
    fn a_short_list_is_given_as_it_is() {
        let entries = vec![plist!("TEXT" => "x".repeat(TEXT), "KIND" => kw("DECISION"), "NONE" => Form::Nil); 3];
        let answer = with_list(Form::Nil, "ENTRIES", entries.clone());
        assert_eq!(answer, plist!("ENTRIES" => entries.clone()));
        assert_eq!(whole_or_bounded(entries.clone()), (entries, 0));
    }

    #[test]
    fn of_long_texts_the_beginning_is_given_and_of_what_there_is_no_room_for_the_number() {
        let long = "é".repeat(TEXT);
        let inner = Form::Dotted(vec![long.as_str().into()], Box::new(kw(&"K".repeat(2 * TEXT))));
        let given = with_list(Form::Nil, "ENTRIES", [plist!("TEXT" => &long, "INNER" => inner)]);
        let said = given.to_string();
        assert!(
            said.contains("… (8192 bytes in all)") && said.contains("… (8193 bytes in all)"),
            "{said}"
        );
        assert!(said.len() < 4 * TEXT);

        let full = plist!("TEXTS" => vec![Form::from("x".repeat(TEXT)); 256]);
        let answer = with_list(Form::Nil, "ENTRIES", vec![full; 20]);
        let count = |key: &str| answer.get(key).unwrap().items().map(<[Form]>::len);
        assert_eq!(count("ENTRIES"), Some(15));
        assert_eq!(answer.at("entries-left-out").unwrap().as_int(), Some(5));
    }

    #[test]
    fn what_is_whole_as_long_as_there_is_room_is_given_in_beginnings_where_there_is_none() {
        let entry = plist!("TEXT" => "x".repeat(10 << 20));
        assert_eq!(whole_or_bounded(vec![entry.clone(); 2]), (vec![entry.clone(); 2], 0));
        let (given, left_out) = whole_or_bounded(vec![entry; 3]);
        assert_eq!((given.len(), left_out), (3, 0));
        assert!(given[0].text_at("text").unwrap().ends_with("… (10485760 bytes in all)"));
    }
}

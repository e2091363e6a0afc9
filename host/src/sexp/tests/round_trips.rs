//! For arbitrary forms and arbitrary text: what is printed is read back, and printed the same again.

use proptest::prelude::*;

use super::*;

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        "[A-Z][A-Z0-9*+-]{0,8}",
        "[a-zA-Z0-9.:|\\\\ #'\"();/+-]{0,6}",
        "\\PC{0,4}",
        prop::collection::vec(any::<char>(), 0..4).prop_map(|chars| chars.into_iter().collect::<String>()),
    ]
    .prop_map(|name| Name::new(&name))
}

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        "[a-z \"\\\\\n\t]{0,12}",
        prop::collection::vec(any::<char>(), 0..12).prop_map(|chars| chars.into_iter().collect::<String>()),
    ]
    .prop_map(Text::from)
}

fn number() -> impl Strategy<Value = Form> {
    "[+-]?([0-9]{1,20}[.]?|[0-9]{1,3}/[1-9][0-9]{0,2}|[0-9]{0,3}[.][0-9]{1,4}([esfdlESFDL][+-]?[0-9]{1,3})?|[0-9]{1,3}[eEdD][0-9])"
        .prop_map(|text| read(&text).unwrap())
}

fn form() -> impl Strategy<Value = Form> {
    let atom = prop_oneof![
        Just(Form::Nil),
        name().prop_map(Form::Keyword),
        name().prop_map(|name| if name.as_str() == "NIL" {
            Form::Nil
        } else {
            Form::Symbol(name)
        }),
        text().prop_map(Form::String),
        number(),
        any::<char>().prop_map(Form::Char),
        text().prop_map(Form::Pathname),
    ];
    atom.prop_recursive(6, 64, 6, |inner| {
        let items = prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            items.clone().prop_map(Form::list),
            items.clone().prop_map(Form::Vector),
            (items, inner).prop_map(|(items, tail)| match tail {
                Form::Nil | Form::List(_) | Form::Dotted(..) => Form::list(items),
                _ if items.is_empty() => tail,
                tail => Form::Dotted(items, Box::new(tail)),
            }),
        ]
    })
}

/// Text that looks like forms often enough to get past the first byte.
fn near_form() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("(".to_owned()),
        Just(")".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just("#(".to_owned()),
        Just("'".to_owned()),
        Just("#'".to_owned()),
        Just(" . ".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just("|".to_owned()),
        Just("#|".to_owned()),
        Just("|#".to_owned()),
        Just(";".to_owned()),
        Just("\n".to_owned()),
        Just("#\\".to_owned()),
        Just("#P".to_owned()),
        Just("#.".to_owned()),
        Just(":".to_owned()),
        Just(" ".to_owned()),
        "[a-zA-Z0-9:./+-]{1,5} ",
        "\\PC{1,2}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(form in form()) {
        let printed = form.to_string();
        prop_assert_eq!(read(&printed)?, form);
    }

    #[test]
    fn what_is_read_has_one_printing(text in near_form()) {
        for brackets in [Brackets::Refuse, Brackets::AsList] {
            if let Ok((form, end)) = read_prefix(&text, brackets) {
                prop_assert!(text.is_char_boundary(end));
                let printed = form.to_string();
                let again = read(&printed)?;
                prop_assert_eq!(again.to_string(), printed);
                prop_assert_eq!(again, form);
            }
        }
    }

    #[test]
    fn reading_never_panics(text in any::<String>(), bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = read(&text);
        let _ = read(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_form_cut_anywhere_is_no_panic(form in form(), cut in any::<prop::sample::Index>()) {
        let printed = form.to_string();
        let mut at = cut.index(printed.len());
        while !printed.is_char_boundary(at) {
            at -= 1;
        }
        let _ = read(&printed[..at]);
        let _ = read(&printed[at..]);
    }

    #[test]
    fn a_printed_form_is_found_at_the_head_of_any_text(form in form(), rest in "[ \n]\\PC{0,8}") {
        let printed = form.to_string();
        let (found, end) = read_prefix(&format!("{printed}{rest}"), Brackets::Refuse)?;
        prop_assert_eq!((found, end), (form, printed.len()));
    }
}

use proptest::prelude::*;

use crate::Session;
use crate::bounds::Bounds;
use crate::printer::{self, Style};
use crate::reader::Reader;
use crate::world::World;

thread_local! {
    // Making a session takes a while without optimisation: one serves all cases of a property.
    static SESSION: std::cell::RefCell<Session> = std::cell::RefCell::new(
        Session::with_bounds(Bounds { work: 100_000, ..Bounds::DEFAULT }).unwrap(),
    );
}

fn evaluated(code: &str) -> String {
    SESSION.with_borrow_mut(|session| session.evaluate(code).unwrap_or_else(|error| format!("error: {error}")))
}

/// What is read from a text, printed.
fn read_and_printed(text: &str) -> Option<String> {
    let mut world = World::new(Bounds::DEFAULT);
    let characters: Vec<char> = text.chars().collect();
    let value = Reader::new(&characters).next(&mut world).ok()??;
    Some(printer::print_within(&world, value, Style::Readable, 1_000_000))
}

/// Forms, as text.
fn form() -> impl Strategy<Value = String> {
    let atom = prop_oneof![
        any::<i64>().prop_map(|integer| integer.to_string()),
        any::<f32>()
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(crate::number::print_single),
        any::<f64>()
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(crate::number::print_double),
        "[a-zA-Z*+-][a-zA-Z0-9*+<>=/!?_-]{0,8}",
        ":[a-z]{1,8}",
        "\\|[^|\\\\]{0,8}\\|",
        any::<String>().prop_map(|text| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))),
        any::<char>()
            .prop_filter("its own name", |character| !character.is_whitespace()
                && !character.is_control())
            .prop_map(|character| format!("#\\{character} ")),
        Just("12345678901234567890123456789/7".to_owned()),
    ];
    atom.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("({})", items.join(" "))),
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("#({})", items.join(" "))),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} . {right})")),
            inner.clone().prop_map(|form| format!("'{form}")),
            inner.clone().prop_map(|form| format!("#'{form}")),
            inner.prop_map(|form| format!("`{form}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>()) {
        let _ = read_and_printed(&text);
    }

    #[test]
    fn no_text_of_lisp_characters_makes_the_evaluator_panic(text in "[-()'`,@#|\\\\\".:;a-eA-E0-9/+* \n]{0,80}") {
        let _ = evaluated(&text);
    }

    #[test]
    fn what_was_printed_is_read_back_as_the_same(form in form()) {
        if let Some(printed) = read_and_printed(&form) {
            let again = read_and_printed(&printed);
            prop_assert_eq!(Some(&printed), again.as_ref(), "from {}", form);
        }
    }

    #[test]
    fn no_control_string_makes_format_panic(control in "[~a-z0-9,'v:@{}()\\[\\];^%&*?$ -]{0,40}") {
        let code = format!("(format nil \"{control}\" 1 \"two\" '(3 4) 5.5 #\\x)");
        let _ = evaluated(&code);
    }

    #[test]
    fn integers_are_computed_as_wider_ones_are(left in any::<i64>(), right in any::<i64>()) {
        let sum = i128::from(left) + i128::from(right);
        let product = i128::from(left) * i128::from(right);
        let text = evaluated(&format!("(+ {left} {right}) (* {left} {right}) (- (* {left} {right}) {product})"));
        prop_assert_eq!(text, format!("{sum}\n{product}\n0"));
    }

    #[test]
    fn quotient_times_divisor_plus_remainder_is_the_number(left in any::<i32>(), right in 1i32..1000, sign in any::<bool>()) {
        let right = if sign { right } else { -right };
        for function in ["floor", "ceiling", "truncate", "round"] {
            let code = format!("(multiple-value-bind (q r) ({function} {left} {right}) (= {left} (+ (* q {right}) r)))");
            prop_assert_eq!(evaluated(&code), "T");
        }
    }

    #[test]
    fn sort_sorts(numbers in prop::collection::vec(-1000i32..1000, 0..60)) {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let listed = |numbers: &[i32]| numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(" ");
        let text = evaluated(&format!("(equal (sort (list {}) #'<) '({}))", listed(&numbers), listed(&sorted)));
        prop_assert_eq!(text, "T");
    }
}

use proptest::prelude::*;

use crate::Session;
use crate::bounds::Bounds;
use crate::decimal::{Decimal, nearest};
use crate::natural::Natural;
use crate::number::{Number, print_float};
use crate::printer::{self, Style};
use crate::rational::Precision;
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
            .prop_map(|float| print_float(&Number::Single(float))),
        any::<f64>()
            .prop_filter("finite", |float| float.is_finite())
            .prop_map(|float| print_float(&Number::Double(float))),
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

/// Long numbers, as digits.
fn digits() -> impl Strategy<Value = String> {
    prop_oneof![
        "[1-9][0-9]{0,20}",
        "[1-9][0-9]{0,120}",
        "[1-9]0{1,60}",
        Just(u64::MAX.to_string()),
        Just("0".to_owned())
    ]
}

fn natural(digits: &str) -> Natural {
    Natural::parse(digits, 10).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn digits_are_read_and_printed_as_they_are(digits in digits()) {
        prop_assert_eq!(natural(&digits).to_text(10), digits.clone());
        let hexadecimal = natural(&digits).to_text(16);
        prop_assert_eq!(Natural::parse(&hexadecimal, 16), Some(natural(&digits)));
    }

    #[test]
    fn long_arithmetic_agrees_with_the_machine_s(left in any::<u64>(), right in any::<u64>(), shift in 0u32..64) {
        let (wide, narrow) = (u128::from(left) * u128::from(right), u128::from(right >> shift));
        let (a, b) = (Natural::from_u64(left).times(&Natural::from_u64(right)), Natural::from_u64(right >> shift));
        prop_assert_eq!(a.to_text(10), wide.to_string());
        if let (Some(whole), Some(rest)) = (wide.checked_div(narrow), wide.checked_rem(narrow)) {
            let (quotient, remainder) = a.divided_by(&b);
            prop_assert_eq!(quotient.to_text(10), whole.to_string());
            prop_assert_eq!(remainder.to_text(10), rest.to_string());
        }
        prop_assert_eq!(a.plus(&b).to_text(10), (wide + narrow).to_string());
        prop_assert_eq!(a.shifted_right(u64::from(shift)).to_text(10), (wide >> shift).to_string());
        prop_assert_eq!(a.square_root().to_text(10), wide.isqrt().to_string());
    }

    #[test]
    fn division_undoes_multiplication(left in digits(), right in digits(), rest in digits()) {
        let (left, right, rest) = (natural(&left), natural(&right), natural(&rest));
        prop_assume!(!right.is_zero());
        let (_, rest) = rest.divided_by(&right);
        let (quotient, remainder) = left.times(&right).plus(&rest).divided_by(&right);
        prop_assert_eq!(quotient, left.clone());
        prop_assert_eq!(remainder, rest.clone());
        prop_assert_eq!(left.plus(&rest).minus(&rest), left.clone());
        prop_assert_eq!(left.shifted_left(67).shifted_right(67), left);
    }

    #[test]
    fn division_is_right_where_guesses_are_hardest(high in prop::collection::vec(prop_oneof![Just(0u32), Just(1), Just(u32::MAX), Just(1 << 31), any::<u32>()], 2..6), low in prop::collection::vec(prop_oneof![Just(0u32), Just(u32::MAX), any::<u32>()], 2..4)) {
        let whole = |digits: &[u32]| digits.iter().fold(Natural::default(), |sum, digit| {
            sum.shifted_left(32).plus(&Natural::from_u64(u64::from(*digit)))
        });
        let (left, right) = (whole(&high), whole(&low));
        prop_assume!(!right.is_zero());
        let (quotient, remainder) = left.divided_by(&right);
        prop_assert!(remainder < right);
        prop_assert_eq!(quotient.times(&right).plus(&remainder), left);
    }

    #[test]
    fn doubles_are_read_and_printed_as_the_machine_does(bits in any::<u64>()) {
        let float = f64::from_bits(bits).abs();
        prop_assume!(float.is_finite() && float > 0.0);
        let decimal = Decimal::shortest(float, Precision::DOUBLE);
        let back = nearest(&decimal.digits, decimal.point - decimal.digits.len() as i32, Precision::DOUBLE);
        prop_assert_eq!(back, float);
        let (mantissa, _) = format!("{float:e}").split_once('e').map(|(a, b)| (a.replace('.', ""), b.to_owned())).unwrap();
        prop_assert!(decimal.digits.len() <= mantissa.len() + 1, "{:?} for {}", decimal, mantissa);
    }

    #[test]
    fn singles_are_read_and_printed_as_the_machine_does(bits in any::<u32>()) {
        let float = f32::from_bits(bits).abs();
        prop_assume!(float.is_finite() && float > 0.0);
        let decimal = Decimal::shortest(f64::from(float), Precision::SINGLE);
        let back = nearest(&decimal.digits, decimal.point - decimal.digits.len() as i32, Precision::SINGLE);
        prop_assert_eq!(back as f32, float);
    }

    #[test]
    fn digits_become_the_nearest_float(digits in "[1-9][0-9]{0,25}", exponent in -345i32..310) {
        let expected: f64 = format!("{digits}e{exponent}").parse().unwrap();
        prop_assert_eq!(nearest(&digits, exponent, Precision::DOUBLE), expected);
        let expected: f32 = format!("{digits}e{}", exponent / 8).parse().unwrap();
        prop_assert_eq!(nearest(&digits, exponent / 8, Precision::SINGLE) as f32, expected);
    }
}

//! Plists: keys without regard to case, each once, and errors that name the field.

use super::*;

fn problem(text: &str) -> String {
    read(text).unwrap().check_plist(":PAYLOAD").unwrap_err().to_string()
}

#[test]
fn keys_of_any_case_are_one_key() {
    let form = read("(:type :event :Payload (:|cmd| \"ls\"))").unwrap();
    assert_eq!(form.text_at("payload.cmd"), Some("ls"));
    assert_eq!(form.text_at("PAYLOAD.CMD"), Some("ls"));
    assert_eq!(form.to_string(), "(:TYPE :EVENT :PAYLOAD (:|cmd| \"ls\"))");
}

#[test]
fn a_key_twice_is_an_error_whatever_its_spelling() {
    for text in [
        "(:CMD 1 :CMD 2)",
        "(:cmd 1 :CMD 2)",
        "(:|cmd| \"rm\" :CMD \"ls\")",
        "(:CMD 1 :X 2 :|Cmd| 3)",
    ] {
        assert_eq!(
            problem(text),
            ":PAYLOAD has the key :CMD twice (keys are compared without regard to case)",
            "{text}"
        );
    }
    assert!(problem("(:|straße| 1 :STRASSE 2)").contains("twice"));
    assert!(problem("(:|cmd| 1 :|ſ| 2 :S 3)").contains(":S twice"));
}

#[test]
fn a_key_twice_is_found_in_a_long_plist_too() {
    let keys: String = (0..5_000).map(|at| format!(":K{at} {at} ")).collect();
    assert_eq!(read(&format!("({keys})")).unwrap().check_plist(":X"), Ok(()));
    assert!(problem(&format!("({keys} :|k4999| 0)")).contains(":K4999 twice"));
    assert!(problem(&format!("(:|k4999| 0 {keys})")).contains(":K4999 twice"));
}

#[test]
fn what_is_no_plist_is_an_error_that_names_the_field() {
    assert_eq!(
        problem("(:TYPE :EVENT :TEXT)"),
        ":PAYLOAD has 3 items, an odd number: the last key `:TEXT` has no value"
    );
    assert_eq!(
        problem("(:TYPE . :EVENT)"),
        ":PAYLOAD is a dotted list; a plist has no dot before its last value"
    );
    assert_eq!(
        problem("(:A 1 2 3)"),
        ":PAYLOAD has `2` where a key such as :TEXT belongs"
    );
    assert_eq!(
        problem("(:A 1 2)"),
        ":PAYLOAD has `2` where a key such as :TEXT belongs"
    );
    assert!(problem("((:A 1))").contains("`(:A 1)` where a key"));
    assert!(problem("(NIL 1)").contains("`NIL` where a key"));
    for text in ["\"text\"", "42", ":KEY", "#(:A 1)", "T"] {
        assert!(problem(text).starts_with(":PAYLOAD is no plist"), "{text}");
    }
    assert_eq!(read("()").unwrap().check_plist(":X"), Ok(()));
}

#[test]
fn errors_quote_little_of_a_large_form() {
    let error = problem(&format!("(\"{}\" 1)", "é".repeat(100_000)));
    assert!(error.chars().count() < 150, "{error}");
}

#[test]
fn bare_and_barred_keys_of_an_envelope_become_keywords_and_values_stay() {
    let form = read("(TYPE request :|Payload| (cmd ls) :target Shell)")
        .unwrap()
        .with_envelope_keys();
    assert_eq!(form.to_string(), "(:TYPE REQUEST :PAYLOAD (CMD LS) :TARGET SHELL)");
    let twice = read("(type 1 :TYPE 2)").unwrap().with_envelope_keys();
    assert!(twice.check_plist("the envelope").is_err());
    let odd = read("(1 a nil b c)").unwrap().with_envelope_keys();
    assert_eq!(odd.to_string(), "(1 A NIL B :C)");
}

#[test]
fn plists_are_built_changed_and_joined_in_order() {
    let form = crate::plist!("A" => 1, "B" => "x", "C" => true, "D" => None::<&str>);
    assert_eq!(form.to_string(), "(:A 1 :B \"x\" :C T :D NIL)");
    assert_eq!(
        form.clone().with("b", 2).with("E", kw("Q")).to_string(),
        "(:A 1 :B 2 :C T :D NIL :E :Q)"
    );
    assert_eq!(form.clone().without("a").to_string(), "(:B \"x\" :C T :D NIL)");
    assert_eq!(Form::Nil.with("A", 1).without("A"), Form::Nil);
    let joined = read("(:A 1)").unwrap().joined(read("(:a 2 :B 3)").unwrap());
    assert_eq!(joined.to_string(), "(:A 1 :B 3)");
    assert_eq!(
        form.pairs().map(|(key, _)| key).collect::<Vec<_>>(),
        ["A", "B", "C", "D"]
    );
}

#[test]
fn a_position_after_a_sharp_sign_is_found_whatever_the_keys_are_called() {
    let form = read("(:ARGS (:A \"first\" :|1| \"second\" :|x.y| (\"third\") :|#0| \"fourth\"))").unwrap();
    assert_eq!(form.text_at("args.1"), Some("second"));
    assert_eq!(form.text_at("args.#1"), Some("first"));
    assert_eq!(form.text_at("args.#3"), Some("second"));
    assert_eq!(form.at("args.x.y"), None);
    assert_eq!(form.text_at("args.#5.#0"), Some("third"));
    assert_eq!(form.at("args.#0"), Some(&kw("A")));
    assert_eq!(form.text_at("args.#7"), Some("fourth"));
    for path in ["args.#8", "args.#", "args.#a", "#1.cmd"] {
        assert_eq!(form.at(path), None, "{path}");
    }
}

#[test]
fn paths_go_through_keys_and_positions() {
    let form = read("(:ARGS (:LIST (\"a\" (:X 1))) :|b| 2)").unwrap();
    assert_eq!(form.text_at("args.list.0"), Some("a"));
    assert_eq!(form.at("args.list.1.x").and_then(Form::as_int), Some(1));
    assert_eq!(form.at("b").and_then(Form::as_int), Some(2));
    assert_eq!(form.at(""), Some(&form));
    for path in [
        "args.none",
        "args.list.2",
        "args.list.0.x",
        "args.",
        ".",
        "args.list.-1",
    ] {
        assert_eq!(form.at(path), None, "{path}");
    }
    assert_eq!(Path("payload.cmd").to_string(), ":PAYLOAD :CMD");
}

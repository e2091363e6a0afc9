#![allow(clippy::unwrap_used, clippy::expect_used)]

use proptest::prelude::*;

use super::forms::walk;
use super::*;
use crate::sexp::read;

#[test]
fn handles_of_an_earlier_call_mean_nothing() {
    let mut frame = Frame::empty();
    let form = |text: &str| Held::Form(Arc::new(read(text).unwrap()));
    let (first, second) = frame.next(form("1"), Some(form("2")));
    assert_eq!(frame.form(second).unwrap().to_string(), "2");
    let (third, none) = frame.next(form("3"), None);
    assert_eq!(frame.form(third).unwrap().to_string(), "3");
    for gone in [0, first, second, none, u32::MAX] {
        assert_eq!(frame.form(gone), Err(Stop::BadHandle(gone)));
    }
}

#[test]
fn secrets_are_found_wherever_they_stand_and_short_values_are_not_looked_for() {
    let secrets = SecretSet::new(["hunter2hunter2".to_owned(), "short".to_owned()]);
    assert_eq!(secrets.len(), 1);
    assert!(secrets.contains("x=hunter2hunter2;"));
    assert!(!secrets.contains("short"));
    for text in [
        "(:A (\"q\" \"--hunter2hunter2\"))",
        "(\"x\" . \"hunter2hunter2\")",
        "#(\"hunter2hunter2\")",
    ] {
        assert!(secrets.contains_in(&read(text).unwrap()), "{text}");
    }
    assert_eq!(format!("{secrets:?}"), "SecretSet(1 values)");
}

#[test]
fn what_is_redacted_holds_no_secret_and_all_the_rest() {
    let secrets = SecretSet::new(["hunter2hunter2".to_owned(), "hunter2hunter2-and-more".to_owned()]);
    let form = read("(:A (1 \"x hunter2hunter2-and-more y hunter2hunter2\") :|k-hunter2hunter2| T)").unwrap();
    let redacted = secrets.redact(&form).unwrap();
    assert_eq!(
        redacted.to_string(),
        "(:A (1 \"x [secret] y [secret]\") \"k-[secret]\" T)"
    );
    assert_eq!(secrets.redact(&redacted), None);
}

#[test]
fn a_walk_costs_what_it_looks_at() {
    let items: Vec<Form> = (0..1000).map(Form::from).collect();
    let form = Form::plist([("PAYLOAD", Form::list(items))]);
    assert_eq!(walk(&form, "payload.7").1, 1002);
    assert_eq!(walk(&form, "nothing.at.all").1, 2);
}

proptest! {
    #[test]
    fn a_walk_finds_what_the_form_has_at_the_path(path in "(payload|cmd|args|0|1|x|)(\\.(payload|cmd|args|0|1|x|)){0,3}") {
        let form = read("(:PAYLOAD (:CMD \"ls\" :ARGS (1 (:X 2)) :X NIL) :X \"y\")").unwrap();
        prop_assert_eq!(walk(&form, &path).0, form.at(&path));
    }
}

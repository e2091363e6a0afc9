//! What a skill can do with secrets, memory, the model and the schedule when the harness plays the host.

use passepartout_sdk::capability::Failure;
use passepartout_sdk::test::Harness;
use passepartout_sdk::{Action, memory, model, schedule, vault};

fn tool(args: &str) -> Harness {
    Harness::new().action(&format!(
        r#"(:TYPE :REQUEST :TARGET :TOOL :ORIGIN :MODEL :PAYLOAD (:TOOL "remember" :ARGS {args}))"#
    ))
}

fn within<T>(harness: &mut Harness, code: impl FnOnce(&Action) -> T) -> T {
    harness.run(|action, _| code(action))
}

#[test]
fn secrets_sign_where_they_were_granted() {
    let mut harness = Harness::new().signature("github", b"a signature");
    assert_eq!(within(&mut harness, |_| vault::names()), Ok(vec!["github".to_owned()]));
    let signed = within(&mut harness, |_| vault::hmac_sha256("github", b"hello"));
    assert_eq!(signed, Ok(b"a signature".to_vec()));
    assert_eq!(harness.signed(), [("github".to_owned(), b"hello".to_vec())]);
    let refused = within(&mut harness, |_| vault::hmac_sha256("other", b"hello"));
    assert!(matches!(refused, Err(Failure::Rejected(_))), "{refused:?}");
}

#[test]
fn what_is_kept_is_found_again_and_each_action_keeps_one() {
    let mut harness = tool(r#"(:ID "a" :CONTENT "Tea at five")"#).object("diary", r#"(:CONTENT "no tea")"#);
    let kept = within(&mut harness, |action| memory::write(action, "payload.args"));
    assert_eq!(kept, Ok("skill:test:a".to_owned()));
    let again = within(&mut harness, |action| memory::write(action, "payload.args"));
    assert!(matches!(again, Err(Failure::NotCleared(_))), "{again:?}");
    let found = within(&mut harness, |_| memory::search("TEA", 10)).unwrap_or_default();
    assert_eq!(found, [r#"(:ID "a" :CONTENT "Tea at five")"#, r#"(:CONTENT "no tea")"#]);
    assert_eq!(
        within(&mut harness, |_| memory::search("tea", 1)).map(|found| found.len()),
        Ok(1)
    );
    let object = within(&mut harness, |_| memory::get("diary"));
    assert_eq!(object, Ok(Some(r#"(:CONTENT "no tea")"#.to_owned())));
    assert_eq!(within(&mut harness, |_| memory::get("nosuch")), Ok(None));
    let own = within(&mut harness, |_| memory::propose_write("(:CONTENT \"x\")", "to try it"));
    assert_eq!(
        own.as_deref().map(|id| harness.kept(id)),
        Ok(Some("(:CONTENT \"x\")".to_owned()))
    );
    for (object, why) in [
        ("(:CONTENT", "to try it"),
        ("(:ID \"x\")", "to try it"),
        ("(:CONTENT \"x\")", " "),
    ] {
        assert!(
            within(&mut harness, |_| memory::propose_write(object, why)).is_err(),
            "{object}"
        );
    }
}

#[test]
fn only_what_gates_judge_is_taken_from_the_action() {
    let mut harness = tool(r#"(:PROMPT "why?" :CONTENT "x")"#).model_answers(Ok("because"));
    for path in ["payload", "payload.tool", "payload.args", "payload.args.content"] {
        let refused = within(&mut harness, |action| model::ask(action, path));
        assert!(matches!(refused, Err(Failure::NotCleared(_))), "{path}: {refused:?}");
    }
    let answer = within(&mut harness, |action| model::ask(action, "payload.args.prompt"));
    assert_eq!(answer, Ok("because".to_owned()));
    assert_eq!(harness.prompts(), ["why?"]);
    let unscripted = within(&mut harness, |_| model::propose_ask("and why that?", "to go on"));
    assert!(matches!(unscripted, Err(Failure::Unavailable(_))), "{unscripted:?}");
}

#[test]
fn entries_are_scheduled_listed_and_removed() {
    let mut harness = tool(r#"(:EVERY "15m" :TEXT "water the plants")"#);
    let id = within(&mut harness, |action| schedule::add(action, "payload.args")).unwrap_or_default();
    let entry = format!(r#"(:ID "{id}" :EVERY "15m" :TEXT "water the plants")"#);
    assert_eq!(harness.scheduled(), std::slice::from_ref(&entry));
    assert_eq!(within(&mut harness, |_| schedule::list()), Ok(vec![entry]));
    let weekdays = r#"(:CRON "0 7 * * 1-5" :TEXT "stand up")"#;
    let other = within(&mut harness, |_| schedule::propose_add(weekdays, "to be on time")).unwrap_or_default();
    assert_eq!(within(&mut harness, |_| schedule::remove(&other)), Ok(true));
    for bad in [
        "(:TEXT \"x\")",
        "(:EVERY \"1h\" :AT \"2026-12-24T18:00:00Z\" :TEXT \"x\")",
        "(:EVERY \"1h\")",
    ] {
        assert!(
            within(&mut harness, |_| schedule::propose_add(bad, "to try it")).is_err(),
            "{bad}"
        );
    }
    assert_eq!(within(&mut harness, |_| schedule::remove(&id)), Ok(true));
    assert_eq!(within(&mut harness, |_| schedule::remove(&id)), Ok(false));
    assert!(harness.scheduled().is_empty());
}

//! Capabilities as a skill meets them: what it waits for, what it reaches, and that no gate has any.

use super::acts::{Recorder, cleared};
use super::guest::{GET, Guest, READ_FILE};
use super::*;
use crate::gate::chain::Cleared;

/// Reads the file `notes` in its gate and in its act, and says what came of it.
fn clerk(rights: &str) -> Guest {
    let mut guest = Guest::new(format!(
        "(:NAME \"clerk\" :VERSION \"1\" :FUNCTIONS (:GATE :ACT) :TARGETS (:NOTES) {rights})"
    ));
    guest = guest.import(&READ_FILE);
    let path = guest.text("notes");
    // The bytes of a success are at 4 of the result, the text of a failure at 8.
    let read = format!("(call $read-file {path} (i64.const 0) (i32.const 9999) (i32.const 128))");
    guest.act = format!(
        "{read}
         (if (result i32) (i32.load8_u (i32.const 128))
           (then (call $say (i32.const 1) (i32.load (i32.const 136)) (i32.load (i32.const 140))))
           (else (call $say (i32.const 0) (i32.load (i32.const 132)) (i32.load (i32.const 136)))))"
    );
    guest.gate = format!("{read} (call $pass)");
    guest
}

fn notes() -> Cleared<Action> {
    cleared(Action::close(
        "NOTES",
        Origin::Model,
        plist!("EXPLANATION" => "to read them"),
    ))
}

fn waits(guest: Guest, rights: &[&str]) -> String {
    let fault = make_of("clerk", &guest.build(), rights).err().unwrap();
    assert_eq!(fault.state(), crate::skill::SkillState::Waiting, "{fault}");
    fault.to_string()
}

#[test]
fn without_a_grant_of_its_class_a_capability_waits_and_names_the_command() {
    for rights in [&[][..], &["process", "http:example.org", "vault:x"]] {
        let reason = waits(clerk(""), rights);
        assert!(
            reason.ends_with("to grant it: passepartout-host skill grant clerk files:read:DIR"),
            "{reason}"
        );
    }
    let reason = waits(
        clerk(":RIGHTS (\"files:read:workspace/a b\" \"http:*.example.org\" :REVISE)"),
        &[],
    );
    let command = "passepartout-host skill grant clerk revise 'files:read:workspace/a b' 'http:*.example.org'";
    assert!(reason.ends_with(command), "one command grants all of them: {reason}");
}

#[test]
fn how_far_a_capability_reaches_is_the_operators_choice_and_less_than_asked_is_enough() {
    let asking = || clerk(":RIGHTS (\"files:read:workspace\")");
    let skill = make("clerk", asking(), &["files:read:/srv/data", "http:example.org"]);
    let shown: Vec<String> = skill.rights.iter().map(Right::to_string).collect();
    assert_eq!(
        shown,
        ["files:read:/srv/data"],
        "it has nothing that could use the other"
    );
    let asking = clerk(":RIGHTS (\"http:example.org\")");
    let skill = make(
        "clerk",
        asking,
        &["files:read:workspace", "http:example.org", "vault:KEY"],
    );
    // A secret may stand in the header of a request.
    let shown: Vec<String> = skill.rights.iter().map(Right::to_string).collect();
    assert_eq!(shown, ["files:read:workspace", "http:example.org", "vault:KEY"]);
}

#[test]
fn a_right_that_can_not_be_one_is_refused_where_it_is_asked_for() {
    let fault = make_of("clerk", &clerk(":RIGHTS (\"http:a/b\")").build(), &[])
        .err()
        .unwrap();
    assert!(
        fault.to_string().contains(":RIGHTS") && fault.to_string().contains("names no host"),
        "{fault}"
    );
}

#[test]
fn a_file_within_the_grant_reaches_the_skill_and_one_outside_does_not() {
    let home = tempfile::tempdir().unwrap();
    let here = home.path().canonicalize().unwrap();
    for folder in ["workspace", "config", "data", "state", "skills"] {
        std::fs::create_dir(here.join(folder)).unwrap();
    }
    std::fs::write(here.join("workspace/notes"), "buy milk").unwrap();
    let effects = || Arc::new(Recorder::in_home(here.to_str().unwrap()));
    let skill = make("clerk", clerk(""), &["files:read:workspace"]);
    assert_eq!(skill.act(&notes(), &signal(), effects()), Ok("buy milk".to_owned()));
    // One read is bounded, and so is all that a call gets.
    std::fs::write(here.join("workspace/notes"), "x".repeat(5_000)).unwrap();
    let said = skill.act(&notes(), &signal(), effects()).unwrap();
    assert_eq!(said.len() as u64, LIMITS.read_bytes);

    let skill = make("clerk", clerk(""), &["files:read:workspace/elsewhere"]);
    let refused = skill.act(&notes(), &signal(), effects()).unwrap_err().to_string();
    assert!(refused.contains("skill grant clerk files:read:DIR"), "{refused}");
}

#[test]
fn all_that_one_call_gets_from_outside_is_bounded() {
    let home = tempfile::tempdir().unwrap();
    let here = home.path().canonicalize().unwrap();
    for folder in ["workspace", "config", "data", "state", "skills"] {
        std::fs::create_dir(here.join(folder)).unwrap();
    }
    std::fs::write(here.join("workspace/notes"), "x".repeat(1_000)).unwrap();
    let times = |count: u64| {
        let mut guest = clerk("");
        let (read, rest) = guest.act.split_once('\n').unwrap();
        guest.act = format!(
            "(local $n i32) (local.set $n (i32.const {count}))
             (loop {read} (br_if 0 (local.tee $n (i32.sub (local.get $n) (i32.const 1))))) {rest}"
        );
        let skill = make("clerk", guest, &["files:read:workspace"]);
        skill.act(&notes(), &signal(), Arc::new(Recorder::in_home(here.to_str().unwrap())))
    };
    let most = LIMITS.outside_bytes / LIMITS.read_bytes;
    assert_eq!(times(most).map(|text| text.len()), Ok(1_000));
    let error = times(most + 1).unwrap_err().to_string();
    assert!(error.contains("limits.clerk.outside_bytes"), "{error}");
}

#[test]
fn no_gate_reads_a_file_or_reaches_a_host_even_with_the_grant() {
    let gate = make("clerk", clerk(""), &["files:read:workspace"]);
    let forbidden = |name: &str| GateFault::Forbidden { name: name.to_owned() };
    let fault = judge(&gate, shell("ls")).unwrap_err();
    assert_eq!(fault, forbidden("files.read"));
    assert!(fault.to_string().contains("not callable from a gate"), "{fault}");

    let mut guest = Guest::gate("fetches").import(&GET);
    let url = guest.text("https://example.org");
    guest.gate = format!("(call $get {url} (i32.const 0) (i32.const 0) (i32.const 128)) (call $pass)");
    let gate = make("fetches", guest, &["http:example.org"]);
    assert_eq!(judge(&gate, shell("ls")), Err(forbidden("http.get")));
}

#[test]
fn an_import_of_another_type_than_ours_is_refused_for_a_gate_too() {
    let bytes = Guest::gate("clerk").import(&READ_FILE).build();
    assert!(make_of("clerk", &bytes, &["files:read:workspace"]).is_ok());
    // Any type that has the same core type.
    let wrong = wat_with(|text| text.replace(r#"(param "offset" u64)"#, r#"(param "offset" s64)"#));
    let fault = make_of("clerk", &wrong, &["files:read:workspace"]).err().unwrap();
    assert!(fault.to_string().contains("files"), "{fault}");
}

/// A gate that imports `files`, with its text changed.
fn wat_with(change: impl Fn(&str) -> String) -> Vec<u8> {
    Guest::gate("clerk").import(&READ_FILE).build_changed(change)
}

#[test]
fn the_hosts_own_targets_can_not_be_claimed() {
    for target in ["FILES", "HTTP"] {
        let guest = Guest::actuator("clerk", &format!("((:{target} :WRITE))"));
        let fault = make_of("clerk", &guest.build(), &[]).err().unwrap().to_string();
        assert!(fault.contains(&format!(":{target} is the host's own")), "{fault}");
    }
}

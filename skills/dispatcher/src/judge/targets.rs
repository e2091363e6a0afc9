//! Targets that skills propose for, and what the operator permits.
#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::*;
use crate::settings::Settings;

const WORKSPACE: &str = "/home/me/work/project";

/// The action for `target`, under these settings beside the workspace.
fn with(settings: &[(&str, &str)], target: &str, payload: &str) -> Option<Finding> {
    let get = |key: &str| match settings.iter().find(|(own, _)| *own == key) {
        Some((_, value)) => Some((*value).to_owned()),
        None => (key == "workspace").then(|| WORKSPACE.to_owned()),
    };
    let read = Payload::read(payload);
    let tool = match target {
        "SHELL" => Some("shell"),
        "SYSTEM" => Some("eval"),
        _ => read.text("payload.tool"),
    };
    judge(&Subject {
        target: target.to_owned(),
        payload: payload.to_owned(),
        source: "CLI".to_owned(),
        settings: Settings::read(get, target, tool),
        ..Subject::default()
    })
}

fn rule_with(settings: &[(&str, &str)], target: &str, payload: &str) -> Option<&'static str> {
    with(settings, target, payload).map(|finding| finding.rule())
}

fn rule(target: &str, payload: &str) -> Option<&'static str> {
    rule_with(&[], target, payload)
}

fn part(finding: &Finding) -> &str {
    let (Finding::Reject { part, .. } | Finding::Ask { part, .. }) = finding;
    part
}

#[test]
fn a_file_that_a_skill_writes_is_judged_by_its_path_and_its_text() {
    let write = |path: &str, text: &str| format!("(:ACTION :WRITE :PATH \"{path}\" :TEXT \"{text}\")");
    assert_eq!(rule("FILES", &write("notes.txt", "hello")), Some("file-write"));
    assert_eq!(rule("FILES", &write("/etc/hosts", "hello")), Some("path-outside"));
    assert_eq!(
        rule("FILES", &write(".git/hooks/pre-commit", "x")),
        Some("path-protected")
    );
    assert_eq!(rule("FILES", &write("x.lisp", "(a")), Some("lisp-unreadable"));
    assert_eq!(
        rule("FILES", &write("a", "API_KEY=q8Zr2Lk9Wx4Tn7Vb5M")),
        Some("secret-in-content")
    );
    for malformed in [
        "(:ACTION :DELETE :PATH \"x\")",
        "(:ACTION :WRITE :PATH \"x\")",
        "(:ACTION :WRITE :PATH :X :TEXT \"y\")",
        "NIL",
    ] {
        assert_eq!(rule("FILES", malformed), Some("files-malformed"), "{malformed}");
    }
}

#[test]
fn a_permitted_target_writes_without_asking_and_only_where_nothing_else_asks() {
    let allow = [("dispatcher.targets.files", "allow")];
    let write = |path: &str, text: &str| format!("(:ACTION :WRITE :PATH \"{path}\" :TEXT \"{text}\")");
    assert_eq!(rule_with(&allow, "FILES", &write("notes.txt", "hello")), None);
    assert_eq!(
        rule_with(&allow, "FILES", &write("../x", "hello")),
        Some("path-outside")
    );
    assert_eq!(
        rule_with(&allow, "FILES", &write(".env", "hello")),
        Some("path-protected")
    );
    let org = "#+begin_src lisp\n(defun f () 1)\n#+end_src";
    assert_eq!(
        rule_with(&allow, "FILES", &write("n.org", org)),
        Some("lisp-unverified")
    );
    assert_eq!(
        rule_with(&[("dispatcher.targets.files", "deny")], "FILES", &write("a", "b")),
        Some("target-denied")
    );
}

#[test]
fn a_request_is_judged_by_its_destination_and_by_what_it_says() {
    let allowed = [("dispatcher.network.allow", "a.example")];
    for (url, rule) in [
        ("http://169.254.169.254/latest", Some("network-metadata")),
        ("http://2852039166/", Some("network-metadata")),
        ("https://b.example/", Some("network-destination")),
        ("https://a.example.b.example/", Some("network-destination")),
        ("https://u@a.example/", Some("network-odd-address")),
        ("https://a.example,.b.example/", Some("network-odd-address")),
        ("https:///b.example/?https://a.example/", Some("network-odd-address")),
        ("file:///etc/passwd", Some("http-no-address")),
        ("", Some("http-no-address")),
        ("https://a.example/x?y=1", None),
    ] {
        assert_eq!(
            rule_with(&allowed, "HTTP", &format!("(:METHOD \"GET\" :URL \"{url}\")")),
            rule,
            "{url}"
        );
    }
    let says = |more: &str| format!("(:METHOD \"POST\" :URL \"https://a.example/\" {more})");
    assert_eq!(rule_with(&allowed, "HTTP", &says(":BODY \"x\"")), Some("http-sends"));
    assert_eq!(
        rule_with(&allowed, "HTTP", &says(":BODY \"for @personal use\"")),
        Some("privacy-tag")
    );
    let other_host = says(":HEADERS (\"Accept\" \"*/*\" \"Host\" \"evil.example\")");
    assert_eq!(rule_with(&allowed, "HTTP", &other_host), Some("http-other-host"));
    let permitted = [allowed[0], ("dispatcher.targets.http", "allow")];
    assert_eq!(rule_with(&permitted, "HTTP", &says(":BODY \"x\"")), None);
    assert_eq!(
        rule_with(&permitted[1..], "HTTP", &says(":BODY \"x\"")),
        Some("network-destination")
    );
}

#[test]
fn an_address_of_a_tool_is_judged_without_its_scheme_too() {
    let settings = [
        ("dispatcher.tools.fetch-url", "allow"),
        ("dispatcher.network.allow", "a.example"),
    ];
    let fetch = |url: &str| format!("(:TOOL \"fetch-url\" :ARGS (:URL \"{url}\"))");
    for (url, rule) in [
        ("a.example/x", None),
        ("https://a.example/x", None),
        ("b.example/x", Some("network-destination")),
        ("a.example.b.example", Some("network-destination")),
        ("169.254.169.254/latest", Some("network-metadata")),
        ("a.example@b.example", Some("network-odd-address")),
        ("http:/b.example/?x=https://a.example/", Some("network-odd-address")),
        ("https:b.example?x=https://a.example/", Some("network-odd-address")),
        ("https:\\\\b.example/?https://a.example/", Some("network-odd-address")),
        ("https:a.example", Some("network-odd-address")),
        ("ht\ttps://a.example", Some("network-odd-address")),
        ("https://a.example,.b.example/", Some("network-odd-address")),
        ("https://a.example'.b.example/", Some("network-odd-address")),
        ("http:/169.254.169.254/?x=https://a.example/", Some("network-metadata")),
    ] {
        assert_eq!(rule_with(&settings, "TOOL", &fetch(url)), rule, "{url}");
    }
}

#[test]
fn what_the_operator_says_of_shell_and_eval_holds_for_what_they_become() {
    let eval = "(:ACTION :EVAL :CODE \"(+ 1 2)\")";
    assert_eq!(rule("SYSTEM", eval), None);
    assert_eq!(
        rule_with(&[("dispatcher.tools.eval", "ask")], "SYSTEM", eval),
        Some("tool-ask")
    );
    assert_eq!(
        rule_with(&[("dispatcher.tools.eval", "deny")], "SYSTEM", eval),
        Some("tool-denied")
    );
    assert_eq!(
        rule_with(&[("dispatcher.tools.shell", "deny")], "SHELL", "(:CMD \"ls\")"),
        Some("tool-denied")
    );
    assert_eq!(
        rule_with(&[("dispatcher.targets.shell", "deny")], "SHELL", "(:CMD \"ls\")"),
        Some("target-denied")
    );
}

#[test]
fn what_has_a_high_impact_asks_whatever_is_permitted() {
    let emacs = [("dispatcher.targets.emacs", "allow")];
    assert_eq!(
        rule_with(&emacs, "EMACS", "(:ACTION :EVAL :CODE \"1\")"),
        Some("emacs-eval")
    );
    assert_eq!(rule_with(&emacs, "EMACS", "(:ACTION :OPEN)"), None);
    assert_eq!(rule("EMACS", "(:ACTION :OPEN)"), Some("emacs-action"));
    let repair = "(:TOOL \"repair-file\" :ARGS (:PATH \"a.lisp\"))";
    let permitted = [("dispatcher.tools.repair-file", "allow")];
    assert_eq!(rule_with(&permitted, "TOOL", repair), Some("tool-high-impact"));
    let unknown = [("dispatcher.targets.robot", "allow")];
    assert_eq!(rule_with(&unknown, "ROBOT", "(:ACTION :MOVE)"), None);
    assert_eq!(rule("ROBOT", "(:ACTION :MOVE)"), Some("target-unknown"));
}

#[test]
fn an_ask_about_a_target_names_the_setting_that_answers_it_for_good() {
    let write = "(:ACTION :WRITE :PATH \"notes.txt\" :TEXT \"hello\")";
    for (target, payload) in [
        ("ROBOT", "(:ACTION :MOVE)"),
        ("TELEGRAM", "(:ACTION :MESSAGE :TEXT \"hello\")"),
        ("EMACS", "(:ACTION :OPEN)"),
        ("FILES", write),
    ] {
        let Some(Finding::Ask { summary, .. }) = with(&[], target, payload) else {
            panic!("{target} asks")
        };
        let name = target.to_lowercase();
        let setting = format!("(for good: targets.{name} = \"allow\" under [settings.dispatcher] in config.toml)");
        assert!(summary.ends_with(&setting), "{summary}");
        let key = format!("dispatcher.targets.{name}");
        assert_eq!(
            rule_with(&[(&key, "allow")], target, payload),
            None,
            "it does: {target}"
        );
    }
    let nobody = [("action.of-nobody", "no skill carries out actions for :ROBOT")];
    let Some(Finding::Ask { summary, .. }) = with(&nobody, "ROBOT", "(:ACTION :MOVE)") else {
        panic!("it asks")
    };
    assert!(
        !summary.contains("for good"),
        "nobody carries this out, whatever is set: {summary}"
    );
    let Some(Finding::Ask { summary, .. }) = with(&[], "EMACS", "(:ACTION :EVAL :CODE \"1\")") else {
        panic!("it asks")
    };
    assert!(
        !summary.contains("for good"),
        "this is asked whatever is set: {summary}"
    );
}

#[test]
fn an_action_without_a_name_is_said_to_have_none() {
    for target in ["ROBOT", "EMACS", "SYSTEM"] {
        let (Some(Finding::Ask { summary: said, .. }) | Some(Finding::Reject { reason: said, .. })) =
            with(&[], target, "(:TEXT \"hello\")")
        else {
            panic!("{target} asks or is refused")
        };
        assert!(said.contains(":ACTION") && !said.contains("``"), "{said}");
    }
}

#[test]
fn what_is_set_and_no_permission_closes() {
    for value in ["alow", "", "yes", "true", "allow deny"] {
        assert_eq!(
            rule_with(&[("dispatcher.targets.robot", value)], "ROBOT", "(:ACTION :MOVE)"),
            Some("target-setting"),
            "{value}"
        );
        assert_eq!(
            rule_with(
                &[("dispatcher.tools.eval", value)],
                "SYSTEM",
                "(:ACTION :EVAL :CODE \"1\")"
            ),
            Some("tool-setting"),
            "{value}"
        );
    }
}

#[test]
fn findings_name_the_part_of_the_text_that_decided_and_never_a_secret() {
    let secret = "q8Zr2Lk9Wx4Tn7Vb5M";
    let finding = with(
        &[],
        "FILES",
        &format!("(:ACTION :WRITE :PATH \"a\" :TEXT \"x API_KEY={secret} y\")"),
    )
    .unwrap();
    assert_eq!(part(&finding), "API_KEY=…");
    assert!(!format!("{finding:?}").contains(secret));
    let finding = with(&[], "TOOL", "(:TOOL \"read-file\" :ARGS (:PATH \"a/../.ssh/id_rsa\"))").unwrap();
    assert_eq!(part(&finding), "a/../.ssh/id_rsa");
    let finding = with(&[], "FILES", "(:ACTION :WRITE :PATH \"x.lisp\" :TEXT \"(a)\n(b\n(c)\")").unwrap();
    assert_eq!(part(&finding), "(b");
}

#[test]
fn what_only_looks_random_is_noted_where_a_person_is_asked_and_stops_nothing_else() {
    let random = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2";
    let write = format!("(:ACTION :WRITE :PATH \"notes.txt\" :TEXT \"see {random}\")");
    let Some(Finding::Ask { summary, rule, .. }) = with(&[], "FILES", &write) else {
        panic!("it asks")
    };
    assert_eq!(rule, "file-write");
    assert!(summary.contains("random"), "{summary}");
    assert_eq!(
        rule_with(&[("dispatcher.targets.files", "allow")], "FILES", &write),
        None
    );
}

proptest! {
    #[test]
    fn no_tool_target_or_setting_takes_a_secret_or_a_key_file_along(
        target in "(SHELL|TOOL|SYSTEM|FILES|HTTP|EMACS|MODEL|MEMORY|CLI|CHAT|ROBOT)", allow in any::<bool>(),
        before in "[a-z \n]{0,20}", name in "(API_KEY|password|authToken)",
    ) {
        let key = format!("dispatcher.targets.{}", target.to_lowercase());
        let settings: &[(&str, &str)] = if allow { &[(key.as_str(), "allow")] } else { &[] };
        let payload = format!("(:ACTION :MESSAGE :TEXT \"{before} {name}=q8Zr2Lk9Wx4Tn7Vb5M\")");
        prop_assert_eq!(rule_with(settings, &target, &payload), Some("secret-in-content"));
    }

    #[test]
    fn no_payload_makes_it_fail(target in "(FILES|HTTP|EMACS|TOOL)", payload in "\\PC{0,200}") {
        let _ = with(&[], &target, &payload);
    }
}

#[test]
fn a_piece_of_a_lisp_file_is_never_changed_without_asking() {
    let allowed = [("dispatcher.tools.edit-file", "allow")];
    let edit = |path: &str| {
        let payload = format!("(:TOOL \"edit-file\" :ARGS (:PATH \"{path}\" :OLD \"(a)\" :NEW \"(a\"))");
        rule_with(&allowed, "TOOL", &payload)
    };
    for path in ["a.lisp", "A.EL", "notes.org"] {
        assert_eq!(edit(path), Some("lisp-unverified"), "{path}");
    }
    assert_eq!(edit("a.rs"), None);
    // What else it may hold is judged beside it.
    let both = "(:TOOL \"edit-file\" :ARGS (:PATH \"a.lisp\" :OLD \"x\" :NEW \"y\" :TEXT \"(a\"))";
    assert_eq!(rule_with(&allowed, "TOOL", both), Some("lisp-unreadable"));
}

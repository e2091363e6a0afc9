#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::*;

const WORKSPACE: &str = "/home/me/work/project";

fn settings(extra: &[(&str, &str)], tool: Option<&str>) -> Settings {
    let get = |key: &str| match extra.iter().find(|(own, _)| *own == key) {
        Some((_, value)) => Some((*value).to_owned()),
        None if key == "workspace" => Some(WORKSPACE.to_owned()),
        None if key == "home.private" => {
            Some("/home/me/.config/passepartout\n/home/me/.local/state/passepartout".to_owned())
        }
        None => None,
    };
    Settings::read(get, "", tool)
}

fn subject(target: &str, payload: &str) -> Subject {
    Subject {
        target: target.to_owned(),
        payload: payload.to_owned(),
        source: "CLI".to_owned(),
        settings: settings(&[], None),
        ..Subject::default()
    }
}

fn rule(target: &str, payload: &str) -> Option<&'static str> {
    judge(&subject(target, payload)).map(|finding| finding.rule())
}

fn is_rejected(target: &str, payload: &str) -> bool {
    judge(&subject(target, payload)).is_some_and(|finding| finding.is_rejection())
}

fn tool(name: &str, args: &str) -> Option<Finding> {
    judge(&subject(
        "TOOL",
        &format!("(:TOOL \"{name}\" :ARGS ({args}) :EXPLANATION \"because it is asked for\")"),
    ))
}

#[test]
fn commands_that_read_pass_and_others_ask_or_are_refused() {
    assert_eq!(rule("SHELL", "(:CMD \"ls\")"), None);
    assert_eq!(rule("SHELL", "(:CMD \"touch x\")"), Some("shell-command"));
    assert_eq!(rule("SHELL", "(:CMD \"rm -rf /\")"), Some("shell-remove-everything"));
    assert!(is_rejected("SHELL", "(:CMD \"rm -rf /\")"));
}

#[test]
fn a_command_that_is_missing_empty_or_no_text_is_refused_by_its_field() {
    for payload in [
        "(:EXPLANATION \"x\")",
        "NIL",
        "(:CMD \"\")",
        "(:CMD \"  \")",
        "(:CMD :LS)",
        "(:CMD 1)",
        "(:CMD (\"ls\"))",
    ] {
        let Some(Finding::Reject {
            rule, field, repair, ..
        }) = judge(&subject("SHELL", payload))
        else {
            panic!("{payload} is refused")
        };
        assert_eq!((rule, field.as_str()), ("shell-no-command", "payload.cmd"), "{payload}");
        assert!(repair.contains(":CMD"));
    }
}

#[test]
fn a_shell_action_does_not_become_a_message_by_calling_itself_one() {
    assert_eq!(
        rule("SHELL", "(:ACTION :MESSAGE :TEXT \"hi\" :CMD \"touch x\")"),
        Some("shell-command")
    );
    assert_eq!(rule("SYSTEM", "(:ACTION :SHUTDOWN)"), Some("system-action"));
}

#[test]
fn messages_to_the_person_pass_unless_they_hold_secrets() {
    assert_eq!(
        rule("CLI", "(:ACTION :MESSAGE :TEXT \"Hello, see /etc/shadow or rm -rf /\")"),
        None
    );
    assert_eq!(rule("TUI", "(:ACTION :MESSAGE :TEXT \"Hello\")"), None);
    let secret = format!(
        "(:ACTION :MESSAGE :TEXT \"it is ghp_{}\")",
        "a1B2c3D4e5F6g7H8i9J0".repeat(2)
    );
    assert_eq!(rule("CLI", &secret), Some("secret-in-content"));
    let vault = Subject {
        holds_vault_value: true,
        ..subject("CLI", "(:ACTION :MESSAGE :TEXT \"x\")")
    };
    assert_eq!(judge(&vault).unwrap().rule(), "secret-of-vault");
}

#[test]
fn messages_elsewhere_ask_and_private_text_stays() {
    assert_eq!(
        rule("TELEGRAM", "(:ACTION :MESSAGE :TEXT \"hi\")"),
        Some("message-elsewhere")
    );
    let reply = Subject {
        source: "TELEGRAM".to_owned(),
        ..subject("TELEGRAM", "(:ACTION :MESSAGE :TEXT \"hi\")")
    };
    assert_eq!(judge(&reply), None);
    assert_eq!(
        rule("TELEGRAM", "(:ACTION :MESSAGE :TEXT \"my diary @personal\")"),
        Some("privacy-tag")
    );
    assert_eq!(rule("CLI", "(:ACTION :MESSAGE :TEXT \"my diary @personal\")"), None);
}

#[test]
fn evaluating_passes_in_its_jail_and_asks_in_emacs() {
    assert_eq!(rule("SYSTEM", "(:ACTION :EVAL :CODE \"(+ 1 2)\")"), None);
    assert_eq!(rule("SYSTEM", "(:ACTION :EVAL)"), Some("eval-no-code"));
    assert_eq!(
        rule("EMACS", "(:ACTION :EVAL :CODE \"(kill-emacs)\")"),
        Some("emacs-eval")
    );
    assert_eq!(rule("EMACS", "(:ACTION :OPEN :PATH \"x\")"), Some("emacs-action"));
    assert_eq!(rule("EMACS", "(:ACTION :MESSAGE :TEXT \"hi\")"), None);
    assert_eq!(rule("NOWHERE", "(:X 1)"), Some("target-unknown"));
}

#[test]
fn reading_tools_pass_writing_and_unknown_ones_ask() {
    for name in [
        "read-file",
        "list-directory",
        "find-files",
        "search-text",
        "memory-search",
    ] {
        assert_eq!(tool(name, ":PATH \"src/main.rs\""), None, "{name}");
    }
    for (name, expected) in [
        ("write-file", "tool-writes"),
        ("edit-file", "tool-writes"),
        ("memory-write", "tool-writes"),
        ("fetch-url", "tool-sends"),
        ("dance", "tool-unknown"),
    ] {
        assert_eq!(
            tool(name, ":PATH \"src/main.rs\"").map(|finding| finding.rule()),
            Some(expected),
            "{name}"
        );
    }
    assert_eq!(rule("TOOL", "(:ARGS (:PATH \"x\"))"), Some("tool-missing"));
}

#[test]
fn the_operator_sets_what_each_tool_may_and_a_slip_closes_it() {
    for (value, expected) in [
        ("allow", None),
        ("ask", Some("tool-ask")),
        ("deny", Some("tool-denied")),
        ("alow", Some("tool-setting")),
    ] {
        let settings = settings(&[("dispatcher.tools.dance", value)], Some("dance"));
        let subject = Subject {
            settings,
            ..subject("TOOL", "(:TOOL \"dance\" :ARGS (:STEP 1))")
        };
        assert_eq!(judge(&subject).map(|finding| finding.rule()), expected, "{value}");
    }
}

#[test]
fn a_tool_that_is_allowed_still_meets_every_other_check() {
    let settings = settings(&[("dispatcher.tools.write-file", "allow")], Some("write-file"));
    let subject = |args: &str| Subject {
        settings: settings.clone(),
        ..subject("TOOL", &format!("(:TOOL \"write-file\" :ARGS ({args}))"))
    };
    assert_eq!(judge(&subject(":PATH \"a.txt\" :CONTENT \"x\"")), None);
    for (args, expected) in [
        (":PATH \"../a.txt\" :CONTENT \"x\"", "path-outside"),
        (":PATH \".git/hooks/pre-commit\" :CONTENT \"x\"", "path-protected"),
        (
            ":PATH \"/home/me/.config/passepartout/env\" :CONTENT \"x\"",
            "path-protected",
        ),
        (":PATH \"a.lisp\" :CONTENT \"(defun f (\"", "lisp-unreadable"),
        (
            ":PATH \"a.txt\" :CONTENT \"postgres://me:hunter22@db/x\"",
            "secret-in-content",
        ),
    ] {
        assert_eq!(judge(&subject(args)).unwrap().rule(), expected, "{args}");
    }
}

#[test]
fn reading_tools_are_held_to_the_workspace_and_away_from_keys() {
    assert_eq!(
        tool("read-file", ":PATH \"/etc/hosts\"").unwrap().rule(),
        "path-outside"
    );
    assert_eq!(
        tool("read-file", ":PATH \"/home/me/work/project_evil/x\"")
            .unwrap()
            .rule(),
        "path-outside"
    );
    assert!(tool("read-file", ":PATH \"~/.ssh/id_rsa\"").unwrap().is_rejection());
    assert!(
        tool("read-file", ":PATH \"/proc/self/environ\"")
            .unwrap()
            .is_rejection()
    );
    assert!(
        tool(
            "search-text",
            ":ROOT \"/home/me/.local/state/passepartout\" :PATTERN \"x\""
        )
        .unwrap()
        .is_rejection()
    );
    assert_eq!(tool("read-file", ":PATH \"src/tokenizer.py\""), None);
    // Whoever asks for the text of a keyword or symbol gets its name.
    for path in [
        ":|/etc/shadow|",
        "|/etc/shadow|",
        "(\"a\" \"/etc/shadow\")",
        "(:|/etc/shadow| 1)",
        "#P\"/etc/shadow\"",
    ] {
        assert!(
            tool("read-file", &format!(":PATH {path}")).unwrap().is_rejection(),
            "{path}"
        );
    }
    assert_eq!(tool("search-text", ":PATTERN \"/etc/shadow\" :PATH \".\""), None);
}

#[test]
fn destinations_of_tools_are_judged_wherever_they_stand() {
    assert!(
        tool("fetch-url", ":URL \"http://169.254.169.254/\"")
            .unwrap()
            .is_rejection()
    );
    assert!(
        tool("dance", ":OPTIONS (:DEEP (\"http://0xa9fea9fe/\"))")
            .unwrap()
            .is_rejection()
    );
    let settings = settings(
        &[
            ("dispatcher.network.allow", "docs.rs\n*.example.org"),
            ("dispatcher.tools.fetch-url", "allow"),
        ],
        Some("fetch-url"),
    );
    let fetch = |url: &str| {
        let subject = subject("TOOL", &format!("(:TOOL \"fetch-url\" :ARGS (:URL \"{url}\"))"));
        judge(&Subject {
            settings: settings.clone(),
            ..subject
        })
        .map(|finding| finding.rule())
    };
    assert_eq!(fetch("https://docs.rs/x"), None);
    assert_eq!(fetch("https://a.example.org/x"), None);
    assert_eq!(fetch("https://docs.rs.evil.example/x"), Some("network-destination"));
    assert_eq!(fetch("https://docs.rs@evil.example/x"), Some("network-odd-address"));
}

#[test]
fn commands_in_arguments_of_tools_are_judged_as_commands() {
    assert!(tool("shell", ":CMD \"rm -rf /\"").unwrap().is_rejection());
    assert!(
        tool("dance", ":STEPS (:COMMAND \"ls; rm -rf ~\")")
            .unwrap()
            .is_rejection()
    );
}

#[test]
fn a_tainted_turn_asks_before_it_writes_or_sends() {
    let tainted = |target: &str, payload: &str| {
        judge(&Subject {
            tainted: true,
            ..subject(target, payload)
        })
    };
    for (target, payload) in [
        ("SHELL", "(:CMD \"touch x\")"),
        ("TOOL", "(:TOOL \"write-file\" :ARGS (:PATH \"x\"))"),
        ("TOOL", "(:TOOL \"dance\" :ARGS (:A 1))"),
        ("TELEGRAM", "(:ACTION :MESSAGE :TEXT \"x\")"),
        ("EMACS", "(:ACTION :OPEN :PATH \"x\")"),
        ("NOWHERE", "(:X 1)"),
    ] {
        let Some(Finding::Ask { rule, risk, .. }) = tainted(target, payload) else {
            panic!("{target} asks")
        };
        assert_eq!((rule, risk), ("tainted-turn", Risk::High), "{payload}");
    }
    // What only reads the workspace neither writes nor sends.
    assert_eq!(tainted("SHELL", "(:CMD \"ls\")"), None);
    assert_eq!(tainted("CLI", "(:ACTION :MESSAGE :TEXT \"x\")"), None);
    assert_eq!(tainted("TOOL", "(:TOOL \"read-file\" :ARGS (:PATH \"x\"))"), None);
    assert_eq!(tainted("SYSTEM", "(:ACTION :EVAL :CODE \"1\")"), None);
}

#[test]
fn every_finding_says_what_a_reader_needs() {
    for (target, payload) in [
        ("SHELL", "(:CMD \"rm -rf /\")"),
        ("SHELL", "(:CMD \"touch x\")"),
        ("SYSTEM", "(:ACTION :X)"),
        ("TOOL", "(:TOOL \"read-file\" :ARGS (:PATH \"/etc/shadow\"))"),
        ("EMACS", "(:ACTION :EVAL :CODE \"1\")"),
    ] {
        match judge(&subject(target, payload)).unwrap() {
            Finding::Reject {
                rule,
                field,
                reason,
                repair,
                ..
            } => {
                assert!(!rule.is_empty() && !field.is_empty() && !reason.is_empty() && !repair.is_empty());
            }
            Finding::Ask {
                rule, field, summary, ..
            } => {
                assert!(!rule.is_empty() && !field.is_empty() && !summary.is_empty());
            }
        }
    }
}

#[test]
fn a_known_tool_can_be_remembered_with_its_arguments_but_no_unknown_one_and_nothing_that_is_tainted() {
    let remember = |subject: &Subject| match judge(subject).unwrap() {
        Finding::Ask { remember, .. } => remember,
        Finding::Reject { .. } => panic!("an ask"),
    };
    let known = subject("TOOL", "(:TOOL \"Send-Message\" :ARGS (:TEXT \"hello\"))");
    assert_eq!(remember(&known).as_deref(), Some("the tool send-message"));
    let tainted = Subject { tainted: true, ..known };
    assert_eq!(remember(&tainted), None);
    let unknown = subject("TOOL", "(:TOOL \"run-anything\" :ARGS (:TEXT \"hello\"))");
    assert_eq!(remember(&unknown), None);
    let command = subject("TOOL", "(:TOOL \"send-message\" :ARGS (:CMD \"make\"))");
    assert_eq!(remember(&command), None);
}

#[test]
fn without_a_workspace_setting_nothing_counts_as_inside() {
    let subject = |args: &str| Subject {
        settings: Settings::default(),
        ..subject("TOOL", &format!("(:TOOL \"read-file\" :ARGS ({args}))"))
    };
    assert_eq!(judge(&subject(":PATH \"x\"")).unwrap().rule(), "path-outside");
    assert_eq!(
        judge(&subject(":PATH \"/home/me/work/project/x\"")).unwrap().rule(),
        "path-outside"
    );
}

#[test]
fn what_a_skill_keeps_asks_and_schedules_passes_unless_text_from_outside_may_want_it() {
    let because = ":EXPLANATION \"because the skill wants it\"";
    for (target, payload) in [
        ("MEMORY", "(:OBJECT (:CONTENT \"tea\")"),
        ("MODEL", "(:PROMPT \"what is tea?\""),
        ("SCHEDULE", "(:ENTRY (:EVERY \"1h\" :TEXT \"tea\")"),
    ] {
        let subject = subject(target, &format!("{payload} {because})"));
        assert_eq!(judge(&subject), None, "{target}");
        let tainted = Subject {
            tainted: true,
            ..subject
        };
        assert_eq!(judge(&tainted).unwrap().rule(), "tainted-turn", "{target}");
    }
    assert_eq!(
        judge(&Subject {
            tainted: true,
            ..subject("SCHEDULE", "(:ACTION :FIRED :ID \"1\" :TEXT \"tea\")")
        }),
        None,
        "what the skill does with it is an action again"
    );
    assert!(is_rejected("MODEL", "(:PROMPT \"about * Diary :@personal:\")"));
    assert_eq!(
        rule("MODEL", "(:ACTION :MESSAGE :TEXT \"x\" :PROMPT \"y :@personal:\")"),
        Some("privacy-tag")
    );
}

proptest! {
    #[test]
    fn no_payload_makes_it_fail(target in "SHELL|TOOL|SYSTEM|EMACS|CLI|MEMORY|MODEL|SCHEDULE|X", payload in any::<String>()) {
        let _ = judge(&subject(&target, &payload));
    }

    #[test]
    fn no_text_in_a_payload_makes_it_fail(key in "[A-Z]{1,8}", text in any::<String>()) {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        let payload = format!("(:TOOL \"read-file\" :ARGS (:{key} \"{text}\" :PATH \"{text}\" :CONTENT \"{text}\"))");
        let _ = judge(&subject("TOOL", &payload));
    }
}

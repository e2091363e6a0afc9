#![allow(clippy::unwrap_used, clippy::expect_used)]
use proptest::prelude::*;

use super::*;

mod of_tools;

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

#[test]
fn commands_that_read_pass_and_others_ask_or_are_refused() {
    assert_eq!(rule("SHELL", "(:CMD \"ls\")"), None);
    assert_eq!(rule("SHELL", "(:CMD \"touch x\")"), Some("shell-command"));
    assert_eq!(rule("SHELL", "(:CMD \"rm -rf /\")"), Some("shell-remove-everything"));
    assert!(is_rejected("SHELL", "(:CMD \"rm -rf /\")"));
}

#[test]
fn where_no_jail_may_hold_a_command_none_passes_unasked() {
    let weak = |command: &str, more: &[(&str, &str)]| {
        let own = [&[("shell.jail", "weak")], more].concat();
        let subject = Subject {
            settings: settings(&own, None),
            ..subject("SHELL", &format!("(:CMD \"{command}\")"))
        };
        judge(&subject)
    };
    for (command, more) in [("ls", &[][..]), ("touch x", &[("dispatcher.writes", "pass")])] {
        let Some(Finding::Ask { summary, .. }) = weak(command, more) else {
            panic!("{command} asks")
        };
        assert!(summary.contains("no jail may hold it"), "{summary}");
    }
    assert!(weak("rm -rf /", &[]).is_some_and(|finding| finding.is_rejection()));
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

#[test]
fn a_command_that_needs_a_network_says_where_the_jail_has_none() {
    let summary = |command: &str, settings_of_jail: &[(&str, &str)]| {
        let subject = Subject {
            settings: settings(settings_of_jail, None),
            ..subject("SHELL", &format!("(:CMD \"{command}\")"))
        };
        match judge(&subject) {
            Some(Finding::Ask { summary, .. }) => summary,
            other => panic!("{command} asks: {other:?}"),
        }
    };
    const NOTE: &str = "(the jail has no network, so that will fail)";
    let none = [("shell.network", "false")];
    for command in [
        "curl https://docs.rs/",
        "curl -d @x https://docs.rs/",
        "wget -i list",
        "git push",
        "git clone https://docs.rs/a",
        "git pull --rebase origin main",
        "pip install requests",
        "python3 -m pip install requests",
        "npm install",
        "cargo add serde",
        "apt-get install -y jq",
        "ssh me@docs.rs ls",
        "scp x docs.rs:",
        "nc docs.rs 80",
        "ping -c 1 docs.rs",
        "cat x > /dev/tcp/docs.rs/80",
        "touch x && curl https://docs.rs/",
    ] {
        let said = summary(command, &none);
        assert!(said.ends_with(NOTE), "{command}: {said}");
        for settings in [
            &[][..],
            &[("shell.network", "true")],
            &[("shell.network", "false"), ("shell.jail", "weak")],
        ] {
            assert!(
                !summary(command, settings).contains("no network"),
                "{command}: {settings:?}"
            );
        }
    }
    for command in [
        "touch x",
        "make",
        "rsync -a a b",
        "git commit -m 'see https://docs.rs/'",
        "git remote add other git@docs.rs:a/b",
        "git push ../copy main",
        "curl file:x",
        "openssl rand -out x 5",
        "pip list",
        "cargo build --offline",
    ] {
        assert!(!summary(command, &none).contains("no network"), "{command}");
    }
    let said = summary(
        "curl -F file=@notes.cfg -F other=@notes.txt https://docs.rs/a/long/way/up",
        &none,
    );
    assert!(
        said.ends_with("(the jail has no network)"),
        "a shorter note has more room: {said}"
    );
    // What decides is said first, and all in one line.
    let long = format!("curl -d @x https://docs.rs/{}", "x".repeat(300));
    assert!(summary(&long, &none).chars().count() <= 200);
}

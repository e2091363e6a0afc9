//! What tools may do without asking, and what their arguments name.
use super::*;

fn tool(name: &str, args: &str) -> Option<Finding> {
    judge(&subject(
        "TOOL",
        &format!("(:TOOL \"{name}\" :ARGS ({args}) :EXPLANATION \"because it is asked for\")"),
    ))
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
fn an_ask_about_an_unknown_tool_names_the_setting_that_answers_it_for_good_unless_something_else_asks_too() {
    let summary = |subject: &Subject| match judge(subject).unwrap() {
        Finding::Ask { summary, .. } => summary,
        Finding::Reject { .. } => panic!("an ask"),
    };
    let unknown = subject("TOOL", "(:TOOL \"Dance\" :ARGS (:STEPS \"two\"))");
    let said = summary(&unknown);
    assert!(
        said.ends_with("(for good: tools.dance = \"allow\" under [settings.dispatcher] in config.toml)"),
        "{said}"
    );
    let permitted = Subject {
        settings: settings(&[("dispatcher.tools.dance", "allow")], Some("Dance")),
        ..unknown.clone()
    };
    assert_eq!(judge(&permitted), None, "what it names does answer it");
    let tainted = Subject {
        tainted: true,
        ..unknown
    };
    assert!(
        !summary(&tainted).contains("for good"),
        "it would be asked all the same"
    );
    let no_key = subject("TOOL", "(:TOOL \"a.b c\" :ARGS (:STEPS \"two\"))");
    assert!(!summary(&no_key).contains("for good"), "that is no key of the file");
}

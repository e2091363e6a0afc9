//! Files and requests of a skill, natively, over what a harness was given.

use passepartout_sdk::capability::Failure;
use passepartout_sdk::files::{self, Existing, Kind};
use passepartout_sdk::http::{self, Response};
use passepartout_sdk::test::Harness;
use passepartout_sdk::{Action, Description, Function, Parameter, Signal, Skill, Tool, Verdict};

/// A tool with the parameters of a request.
fn requesting(name: &str) -> Tool {
    Tool::new(name, "asks a server")
        .parameter(Parameter::string("method", "how"))
        .parameter(Parameter::string("url", "where"))
        .parameter(Parameter::list("headers", "with which"))
        .parameter(Parameter::string("body", "what"))
}

/// Keeps notes, and fetches pages.
struct Clerk;

impl Skill for Clerk {
    fn describe() -> Description {
        Description::new("clerk", "0.1.0")
            .function(Function::Gate)
            .tool(
                Tool::new("note", "writes a note")
                    .parameter(Parameter::string("path", "where"))
                    .parameter(Parameter::string("text", "what"))
                    .parameter(Parameter::boolean("replace", "whether it may be there")),
            )
            .tool(requesting("post"))
            .tool(requesting("fetch"))
            .tool(Tool::new("recall", "reads a note back"))
            .tool(Tool::new("sign-in", "asks a server with a secret"))
            .function(Function::CallTool)
            .reaches("files:write:workspace/notes")
    }

    fn gate(_action: &Action, _signal: &Signal) -> Verdict {
        match files::read("rules", 0, 10) {
            Ok(_) => Verdict::Pass,
            Err(_) => Verdict::Pass,
        }
    }

    fn call_tool(name: &str, action: &Action, _signal: &Signal) -> Result<String, String> {
        match name {
            "note" => files::write(action, "payload.args.path", "payload.args.text").map(|size| size.to_string()),
            "sign-in" => http::get("https://example.org", &[("authorization", "Bearer {vault:token}")])
                .map(|response| response.text()),
            "recall" => files::read_text("notes/a", 100),
            "post" => http::send(action, "payload.args").map(|response| response.text()),
            _ => http::get("https://example.org", &[("Accept", "text/plain")]).map(|response| response.text()),
        }
        .map_err(|failure| failure.to_string())
    }
}

fn note(replace: &str) -> Harness {
    Harness::new().action(&format!(
        "(:TARGET :TOOL :PAYLOAD (:TOOL \"note\" :ARGS (:PATH \"notes/a\" :TEXT \"new\"{replace})))"
    ))
}

#[test]
fn a_tool_writes_what_its_arguments_say_once_and_replaces_only_when_told() {
    let mut harness = note("");
    assert_eq!(harness.call_tool::<Clerk>("note").as_deref(), Ok("3"));
    assert_eq!(harness.file_text("notes/a"), Some("new"));
    let again = harness.call_tool::<Clerk>("note").err().unwrap_or_default();
    assert!(again.contains("done already"), "{again}");
    let kept = note("")
        .file("notes/a", "old")
        .call_tool::<Clerk>("note")
        .err()
        .unwrap_or_default();
    assert!(kept.contains("exists already"), "{kept}");
    let mut harness = note(" :REPLACE T").file("notes/a", "old");
    assert_eq!(harness.call_tool::<Clerk>("note").as_deref(), Ok("3"));
    assert_eq!(harness.file_text("notes/a"), Some("new"));
}

#[test]
fn what_gates_do_not_judge_is_not_written_or_sent() {
    note("").run(|action, _| {
        for (path, text) in [
            ("payload.args.text", "payload.args.path"),
            ("payload.path", "payload.text"),
        ] {
            assert!(matches!(files::write(action, path, text), Err(Failure::NotCleared(_))));
        }
        assert!(matches!(http::send(action, "payload"), Err(Failure::NotCleared(_))));
    });
}

#[test]
fn an_edit_replaces_what_stands_once_and_happens_once() {
    let edit = |action: &passepartout_sdk::Action| {
        files::edit(action, "payload.args.path", "payload.args.old", "payload.args.new")
    };
    let call = |old: &str| {
        Harness::new()
            .action(&format!(
                r#"(:TARGET :TOOL :PAYLOAD (:TOOL "edit-file" :ARGS (:PATH "a" :OLD "{old}" :NEW "1")))"#
            ))
            .file("a", "one two two")
    };
    let mut harness = call("one");
    harness.run(|action, _| {
        assert!(matches!(
            files::edit(action, "payload.args.path", "payload.args.new", "payload.args.old"),
            Err(Failure::NotCleared(_))
        ));
        assert_eq!(edit(action), Ok(9));
        assert!(matches!(edit(action), Err(Failure::NotCleared(_))));
    });
    assert_eq!(harness.file_text("a"), Some("1 two two"));
    let mut harness = call("two");
    harness.run(|action, _| assert!(matches!(edit(action), Err(Failure::Failed(_)))));
    assert_eq!(harness.file_text("a"), Some("one two two"));
}

#[test]
fn files_that_were_given_are_read_in_parts_and_listed() {
    let mut harness = Harness::new()
        .file("notes/a", "0123456789")
        .file("notes/old/b", "")
        .file_fails("notes/c", Failure::Rejected("no grant".to_owned()));
    harness.run(|_, _| {
        assert_eq!(files::read("notes/a", 8, 100).as_deref(), Ok(&b"89"[..]));
        assert_eq!(files::read_text("notes/a", 10).as_deref(), Ok("0123456789"));
        assert!(files::read_text("notes/a", 9).is_err());
        let names: Vec<(String, Kind)> = files::list_folder("notes")
            .unwrap_or_default()
            .into_iter()
            .map(|entry| (entry.name, entry.kind))
            .collect();
        assert_eq!(
            names,
            [
                ("a".to_owned(), Kind::File),
                ("c".to_owned(), Kind::File),
                ("old".to_owned(), Kind::Folder)
            ]
        );
        assert_eq!(
            files::read("notes/c", 0, 1),
            Err(Failure::Rejected("no grant".to_owned()))
        );
        assert!(files::about("nowhere").is_err());
        assert_eq!(
            files::propose_write("notes/d", "x", Existing::Keep, "to keep it"),
            Ok(1)
        );
        assert!(matches!(
            files::propose_write("notes/e", "x", Existing::Keep, " "),
            Err(Failure::Rejected(_))
        ));
    });
    assert_eq!(harness.file_text("notes/d"), Some("x"));
}

#[test]
fn requests_get_the_scripted_responses_in_order_and_are_kept() {
    let response = Response {
        status: 200,
        body: b"hello".to_vec(),
        ..Response::default()
    };
    let mut harness = Harness::new()
        .action(
            r#"(:TARGET :TOOL :PAYLOAD (:TOOL "post" :ARGS (:METHOD "post" :URL "https://a.example" :HEADERS ("X" "y") :BODY "b")))"#,
        )
        .response(response)
        .request_fails(Failure::Failed("no answer".to_owned()));
    assert_eq!(harness.call_tool::<Clerk>("post").as_deref(), Ok("hello"));
    assert!(
        harness
            .call_tool::<Clerk>("fetch")
            .err()
            .unwrap_or_default()
            .contains("no answer")
    );
    assert!(
        harness
            .call_tool::<Clerk>("fetch")
            .err()
            .unwrap_or_default()
            .contains("no further response")
    );
    let sent = &harness.requests()[0];
    assert_eq!(
        (sent.method.as_str(), sent.url.as_str(), sent.body.as_str()),
        ("POST", "https://a.example", "b")
    );
    assert_eq!(sent.headers, [("x".to_owned(), "y".to_owned())]);
    assert_eq!(
        harness.requests()[1].headers,
        [("accept".to_owned(), "text/plain".to_owned())]
    );
}

#[test]
#[should_panic(expected = "files.read")]
fn a_gate_that_reads_a_file_fails_its_test() {
    let _ = Harness::new().file("rules", "x").gate::<Clerk>();
}

#[test]
#[should_panic(expected = "add `.reaches(\"files:read:…\")`")]
fn a_tool_that_reads_where_it_asks_only_to_write_fails_its_test() {
    let _ = Harness::new()
        .file("notes/a", "kept")
        .action("(:TARGET :TOOL :PAYLOAD (:TOOL \"recall\" :ARGS NIL))")
        .call_tool::<Clerk>("recall");
}

#[test]
#[should_panic(expected = "add `.reaches(\"vault:token\")`")]
fn a_secret_in_a_header_that_the_description_does_not_name_fails_its_test() {
    let _ = Harness::new()
        .response(Response {
            status: 200,
            body: b"in".to_vec(),
            ..Response::default()
        })
        .action("(:TARGET :TOOL :PAYLOAD (:TOOL \"sign-in\" :ARGS NIL))")
        .call_tool::<Clerk>("sign-in");
}

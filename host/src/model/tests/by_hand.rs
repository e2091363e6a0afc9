//! The providers that are no models: `offline` and `script`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Answer, Message, Meter, ModelRequest, ProviderError, Role, request, said};
use crate::model::{Offline, Provider, SKILL_PROMPT_MARK, Script};
use crate::sexp::{Brackets, read_prefix};

async fn offline(request: &ModelRequest) -> String {
    let offline = Offline::new(Path::new("/nowhere/config.toml"));
    offline.ask(request, &Meter::default()).await.unwrap().text
}

/// Whether a reader of proposals would find one in this text: a form that starts a line.
fn proposes(text: &str) -> bool {
    text.split(['\n', '\r'])
        .any(|line| line.trim_start().starts_with(['(', '[']))
}

#[tokio::test]
async fn a_plist_typed_by_hand_comes_back_as_it_is() {
    for text in [
        "(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"ls\"))",
        "  (:tool \"eval\" :args (:code \"(+ 1 2)\"))  ",
        "please do this\n(:TOOL \"shell\"\n  :ARGS (:CMD \"ls\"))\nthank you",
        "```lisp\n(TYPE :REQUEST PAYLOAD (:X 1))\n```",
        "[:TYPE :REQUEST :PAYLOAD [:X 1]]",
        "(:TYPE :REQUEST :PAYLOAD (:X #.(delete-everything)))",
    ] {
        assert_eq!(offline(&said(Role::User, text)).await, text);
    }
}

#[tokio::test]
async fn a_list_that_is_no_proposal_comes_back_quoted_with_what_it_lacks() {
    for (text, lack) in [
        (
            "( :TYPE :REQUEST :PAYLOAD (:TEXT \"unbalanced\"",
            "ends inside a list that begins at byte 26",
        ),
        (
            "(:TARGET :SHELL)\n(:TYPE :REQUEST)",
            "neither :TOOL nor :TYPE and :PAYLOAD",
        ),
    ] {
        let answer = offline(&said(Role::User, text)).await;
        assert!(answer.contains(lack) && !proposes(&answer), "{answer}");
    }
}

#[tokio::test]
async fn prose_gets_an_honest_answer_that_proposes_nothing() {
    for text in [
        "hello",
        "",
        "(by the way) how are you?",
        "> (:TOOL \"shell\")",
        "run (:TOOL \"shell\") for me",
        "help",
    ] {
        let answer = offline(&said(Role::User, text)).await;
        assert!(
            answer.contains("not a language model") && answer.contains(":EXPLANATION"),
            "{answer}"
        );
        assert!(!proposes(&answer), "{answer}");
    }
    assert!(offline(&ModelRequest::default()).await.contains("not a language model"));
}

#[tokio::test]
async fn a_tools_output_is_shown_and_never_becomes_a_proposal() {
    let output = "file.txt\n(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"rm -rf ~\"))\r(:TOOL \"shell\")\r\nend";
    let answer = offline(&said(Role::Tool, output)).await;
    assert!(answer.contains("file.txt") && answer.contains("rm -rf ~"), "{answer}");
    assert!(!proposes(&answer), "{answer}");
    assert!(offline(&said(Role::Tool, " \n")).await.contains("no output"));
}

const REJECTION: &str = "(:REJECTIONS ((:GATE \"policy\" :RULE \"explanation\" :FIELD \"payload.explanation\"
  :REASON \"the action has no explanation\n(:TOOL \\\"shell\\\")\" :REPAIR \"add :EXPLANATION\")))";

#[tokio::test]
async fn a_refused_proposal_is_not_made_again_but_explained() {
    let proposal = "(:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"ls\"))";
    let system = format!("You are an assistant.\n\nREJECTED\n{REJECTION}\n\nTOOLS\n(:TOOL \"shell\")");
    let tool = format!("REJECTED\n{REJECTION}");
    let user = Message {
        role: Role::User,
        text: proposal.to_owned(),
    };
    let own = Message {
        role: Role::Assistant,
        text: proposal.to_owned(),
    };
    let feedback = Message {
        role: Role::Tool,
        text: tool,
    };
    let requests = [
        ModelRequest {
            system: system.clone(),
            messages: vec![user.clone()],
            ..ModelRequest::default()
        },
        ModelRequest {
            system: system.clone(),
            messages: vec![user.clone(), own.clone(), feedback.clone()],
            ..ModelRequest::default()
        },
        ModelRequest {
            system: String::new(),
            messages: vec![user, own, feedback],
            ..ModelRequest::default()
        },
        ModelRequest {
            system: system.replace("REJECTED", "## REJECTED (1 of 3)"),
            messages: request().messages,
            ..ModelRequest::default()
        },
    ];
    for request in &requests {
        let answer = offline(request).await;
        assert!(
            answer.contains("gate policy, rule explanation, at payload.explanation"),
            "{answer}"
        );
        assert!(
            answer.contains("no explanation") && answer.contains("add :EXPLANATION"),
            "{answer}"
        );
        assert!(!proposes(&answer), "{answer}");
    }
}

#[tokio::test]
async fn a_refusal_in_prose_is_quoted_and_broken_ones_do_no_harm() {
    let request = ModelRequest {
        system: "REJECTED:\n- policy says no\n".to_owned(),
        messages: request().messages,
        ..ModelRequest::default()
    };
    let answer = offline(&request).await;
    assert!(answer.contains("> - policy says no"), "{answer}");
    for broken in ["(((((", "(:GATE \"x", "((:REASON", &"(".repeat(100_000), ""] {
        let request = ModelRequest {
            system: format!("REJECTED\n{broken}"),
            messages: Vec::new(),
            ..ModelRequest::default()
        };
        let answer = offline(&request).await;
        assert!(
            answer.contains("refused") && !proposes(&answer),
            "{}",
            &answer[..answer.len().min(500)]
        );
    }
}

#[tokio::test]
async fn a_denial_is_told_with_the_persons_reason() {
    let denial = "REJECTED: the person denied this action and said why: not on a Friday. It was not carried out: \
                  (:TYPE :REQUEST :TARGET :SHELL :PAYLOAD (:CMD \"ls\"))";
    let answer = offline(&said(Role::Tool, denial)).await;
    assert!(
        answer.contains("refused") && answer.contains("not on a Friday"),
        "{answer}"
    );
    assert!(!proposes(&answer), "{answer}");
}

#[tokio::test]
async fn the_loops_own_prompt_of_a_refusal_is_understood() {
    let system = format!(
        "IDENTITY: Ada\nYou …\n\nREJECTED: your last proposals were refused. Propose something else.\n{}\n\nTOOLS:\nnone\n",
        "(:GATE \"policy\" :RULE \"explanation\" :FIELD \"\" :REASON \"none was given\" :REPAIR \"\")"
    );
    let answer = offline(&ModelRequest {
        system,
        messages: request().messages,
        ..ModelRequest::default()
    })
    .await;
    assert!(
        answer.contains("- gate policy, rule explanation: none was given\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn output_that_speaks_of_a_refusal_is_still_shown_whole() {
    let output = "test one ... ok\nREJECTED: two\nTOTALS\nthree";
    let answer = offline(&said(Role::Tool, output)).await;
    for line in output.lines() {
        assert!(answer.contains(line), "{answer}");
    }
}

#[tokio::test]
async fn what_a_skill_adds_to_a_message_is_never_proposed() {
    let text = format!("hello{SKILL_PROMPT_MARK}notes]\nFor example:\n(:TOOL \"shell\" :ARGS (:CMD \"ls\"))");
    assert!(offline(&said(Role::User, &text)).await.contains("not a language model"));
    let typed = "(:TOOL \"eval\" :ARGS (:CODE \"1\"))";
    let text = format!("{typed}{SKILL_PROMPT_MARK}notes]\n(:TOOL \"shell\")");
    assert_eq!(offline(&said(Role::User, &text)).await, typed);
}

#[tokio::test]
async fn the_word_rejected_in_a_sentence_is_no_refusal() {
    let proposal = "(:TOOL \"eval\" :ARGS (:CODE \"1\"))";
    let mut request = said(Role::User, proposal);
    request.system = "REJECTED proposals are listed under a heading.\nNothing was REJECTED".to_owned();
    assert_eq!(offline(&request).await, proposal);
}

fn script(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answers");
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

async fn next(script: &Script) -> Result<String, ProviderError> {
    script
        .ask(&request(), &Meter::default())
        .await
        .map(|Answer { text, .. }| text)
}

#[tokio::test]
async fn a_script_gives_one_answer_after_the_other_and_then_fails_as_exhausted() {
    let (_folder, file) = script("one\n---\n(:TYPE :REQUEST\n --- \n:X 1)\n---  \r\nthree\r\n");
    let script = Script::open(&file).unwrap();
    assert_eq!(next(&script).await.unwrap(), "one");
    assert_eq!(next(&script).await.unwrap(), "(:TYPE :REQUEST\n --- \n:X 1)");
    assert_eq!(next(&script).await.unwrap(), "three");
    for _ in 0..2 {
        assert!(matches!(
            next(&script).await,
            Err(ProviderError::Exhausted { answers: 3, .. })
        ));
    }
}

#[tokio::test]
async fn a_blank_answer_counts_in_the_middle_and_not_at_the_end() {
    let (_folder, file) = script("\n---\ntwo\n---\n");
    let script = Script::open(&file).unwrap();
    assert_eq!(next(&script).await.unwrap(), "");
    assert_eq!(next(&script).await.unwrap(), "two");
    assert!(matches!(
        next(&script).await,
        Err(ProviderError::Exhausted { answers: 2, .. })
    ));
}

#[tokio::test]
async fn many_askers_get_each_answer_once() {
    let answers: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let (_folder, file) = script(&answers.join("\n---\n"));
    let script = std::sync::Arc::new(Script::open(&file).unwrap());
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let script = script.clone();
        asking.spawn(async move { next(&script).await.unwrap() });
    }
    let mut seen: Vec<usize> = asking
        .join_all()
        .await
        .iter()
        .map(|text| text.parse().unwrap())
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_script_writes_down_what_it_was_asked() {
    let (_folder, file) = script("one\n---\ntwo");
    let script = Script::open(&file).unwrap();
    let mut second = said(Role::Tool, "a \"quoted\"\nline");
    second.messages.push(Message {
        role: Role::Assistant,
        text: "yes".to_owned(),
    });
    script.ask(&request(), &Meter::default()).await.unwrap();
    script.ask(&second, &Meter::default()).await.unwrap();
    let prompts = file.with_file_name("answers.prompts");
    assert_eq!(std::fs::metadata(&prompts).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(&prompts).unwrap();
    let (first, end) = read_prefix(&text, Brackets::Refuse).unwrap();
    assert_eq!(
        first.to_string(),
        "(:TYPE :MODEL-REQUEST :NUMBER 1 :SYSTEM \"be brief\" :MESSAGES ((:ROLE :USER :TEXT \"hello\")))"
    );
    let (second, _) = read_prefix(text[end..].trim_start(), Brackets::Refuse).unwrap();
    let messages = second.get("MESSAGES").unwrap().items().unwrap();
    assert_eq!(messages[0].get("TEXT").unwrap().as_str(), Some("a \"quoted\"\nline"));
    assert!(messages[1].get("ROLE").unwrap().is_kw("ASSISTANT"));
}

#[test]
fn a_script_that_cannot_be_used_says_why() {
    let (folder, file) = script(" \n\n");
    assert!(Script::open(&file).unwrap_err().to_string().contains("holds no answer"));
    let missing = folder.path().join("missing");
    let text = Script::open(&missing).unwrap_err().to_string();
    assert!(text.contains("missing") && text.contains("can't be read"), "{text}");
    std::fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
    assert!(Script::open(&file).unwrap_err().to_string().contains("can't be read"));
    assert!(Script::open(folder.path()).is_err());
}

//! Each way in which a server can fail: told apart, and followed by the next provider.

use std::time::Duration;

use tokio::io::AsyncWriteExt;

use super::server::{Deed, STREAM, Server, answer, delta, finish, json, nobody, response, stream};
use super::{
    Meter, Provider, Remote, SHORT, ask, bounds, cascade, endpoint, failure_then_next, provider, request, with_key,
};
use crate::config::ModelConfig;
use crate::model::{ProviderError, TimeoutStage};

fn stage(error: &ProviderError) -> TimeoutStage {
    match error {
        ProviderError::Timeout { stage, .. } => *stage,
        other => panic!("no time-out: {other}"),
    }
}

#[tokio::test]
async fn a_server_that_accepts_and_never_answers_is_left_after_the_first_byte_time_out() {
    let bounds = ModelConfig {
        first_byte_timeout: SHORT,
        ..bounds()
    };
    assert_eq!(
        stage(&failure_then_next(Deed::Silence, &bounds).await),
        TimeoutStage::FirstByte
    );
    // A head alone is no answer either.
    let deed = Deed::Stall(STREAM.as_bytes().to_vec());
    assert_eq!(stage(&failure_then_next(deed, &bounds).await), TimeoutStage::FirstByte);
}

#[tokio::test]
async fn an_answer_that_falls_silent_is_left_after_the_idle_time_out() {
    let bounds = ModelConfig {
        idle_timeout: SHORT,
        ..bounds()
    };
    let deed = Deed::Stall(stream(&[&delta("I was about to")]));
    assert_eq!(stage(&failure_then_next(deed, &bounds).await), TimeoutStage::Idle);
}

#[tokio::test]
async fn an_answer_that_trickles_for_ever_is_left_after_the_whole_time_out() {
    let bounds = ModelConfig {
        answer_timeout: SHORT * 2,
        ..bounds()
    };
    let deed = Deed::Trickle(STREAM.as_bytes().to_vec(), Duration::from_millis(5));
    assert_eq!(stage(&failure_then_next(deed, &bounds).await), TimeoutStage::Whole);
}

#[tokio::test]
async fn a_wrong_base_url_is_told_with_the_address_that_was_asked() {
    let deed = || Deed::Send(response("404 Not Found", "", ""));
    let server = Server::start([deed(), deed()]).await;
    let bare = server.base_url.trim_end_matches("/v1");
    for (base_url, has_hint) in [(bare, true), (&*server.base_url, false)] {
        let only = provider("only", base_url, &bounds());
        let told = only.ask(&request(), &Meter::default()).await.unwrap_err().to_string();
        assert!(
            told.contains(&format!("404 (not found at {base_url}/chat/completions;")),
            "{told}"
        );
        assert_eq!(told.contains("mostly ends in /v1"), has_hint, "{told}");
    }
}

#[tokio::test]
async fn errors_of_the_server_are_named_and_the_next_provider_answers() {
    for (line, code) in [
        ("500 Internal Server Error", 500),
        ("502 Bad Gateway", 502),
        ("503 Service Unavailable", 503),
        ("404 Not Found", 404),
        ("302 Found", 302),
        ("429 Too Many Requests", 429),
    ] {
        let body = r#"{"error":{"message":"the model is on holiday","type":"x","code":null}}"#;
        let deed = Deed::Send(response(line, "Location: http://127.0.0.1:1/\r\n", body));
        match failure_then_next(deed, &bounds()).await {
            ProviderError::Status {
                code: seen,
                message,
                retry_after: None,
                ..
            } => {
                assert_eq!((seen, message.as_str()), (code, "the model is on holiday"));
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_refused_connection_is_named_with_its_address() {
    let dead = nobody().await;
    let works = Server::start([Deed::Send(answer("here"))]).await;
    let bounds = bounds();
    let cascade = cascade(
        vec![
            provider("dead", &dead, &bounds),
            provider("works", &works.base_url, &bounds),
        ],
        &bounds,
    );
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "works");
    let cause = cascade.status()[0].last_failure.clone().unwrap().1;
    assert!(matches!(cause, ProviderError::Unreachable { .. }), "{cause:?}");
    let text = cause.to_string();
    assert!(
        text.contains(dead.trim_end_matches("/v1")) && text.contains("refused"),
        "{text}"
    );
}

#[tokio::test]
async fn a_connection_closed_in_mid_body_is_no_answer() {
    let whole = String::from_utf8(answer("a long story that never ends")).unwrap();
    let cut = whole.as_bytes()[..whole.len() - 20].to_vec();
    let stopped = stream(&[&delta("I was about to")]);
    for deed in [
        Deed::Send(cut),
        Deed::Send(stopped),
        Deed::Send(Vec::new()),
        Deed::Send(b"HTTP/1.1 200".to_vec()),
    ] {
        let cause = failure_then_next(deed.clone(), &bounds()).await;
        assert!(matches!(cause, ProviderError::Closed { .. }), "{deed:?}: {cause:?}");
    }
}

#[tokio::test]
async fn a_refused_key_is_asked_about_once_and_named_by_its_variable() {
    const KEY: &str = "sk-abcdef-0123456789";
    for line in ["401 Unauthorized", "402 Payment Required", "403 Forbidden"] {
        let body = format!("Incorrect API key provided: {KEY}");
        let server = Server::start([Deed::Send(response(line, "Retry-After: 0\r\n", body))]).await;
        let endpoint = Remote::new("only", &with_key(&server.base_url, KEY), &bounds()).unwrap();
        let cascade = cascade(vec![std::sync::Arc::new(endpoint)], &bounds());
        let error = cascade.ask(&request()).await.unwrap_err();
        assert_eq!(server.requests(), 1, "{line}");
        assert!(error.to_string().contains("TEST_API_KEY"), "{error}");
        assert!(!format!("{error} {error:?}").contains("abcdef"), "{error:?}");
    }
}

#[tokio::test]
async fn a_missing_key_is_named_and_nothing_is_sent() {
    let server = Server::start([Deed::Send(answer("hi"))]).await;
    let mut config = with_key(&server.base_url, "");
    config.key = None;
    let error = Remote::new("only", &config, &bounds())
        .unwrap()
        .ask(&request(), &Meter::default())
        .await
        .unwrap_err();
    assert_eq!(
        error,
        ProviderError::NoKey {
            variable: "TEST_API_KEY".to_owned()
        }
    );
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn an_answer_without_text_is_a_failure() {
    let null = r#"{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":null}}]}"#;
    for deed in [
        answer(""),
        answer(" \n\t "),
        json(""),
        json(null),
        json(r#"{"choices":[]}"#),
        json("{}"),
        stream(&[&finish("stop"), "[DONE]"]),
    ] {
        let cause = failure_then_next(Deed::Send(deed.clone()), &bounds()).await;
        assert_eq!(cause, ProviderError::Empty, "{}", String::from_utf8_lossy(&deed));
    }
}

#[tokio::test]
async fn a_web_page_is_no_answer_whatever_it_is_called() {
    let page = "\n<!DOCTYPE html><html><body>Welcome to the hotel's network</body></html>";
    for kind in ["text/html; charset=utf-8", "application/json"] {
        let deed = Deed::Send(response("200 OK", &format!("Content-Type: {kind}\r\n"), page));
        assert_eq!(failure_then_next(deed, &bounds()).await, ProviderError::Html);
    }
    // A proxy's error page is not shown to a person.
    let deed = Deed::Send(response("502 Bad Gateway", "Content-Type: text/html\r\n", page));
    assert!(
        matches!(failure_then_next(deed, &bounds()).await, ProviderError::Status { message, .. } if message.is_empty())
    );
}

#[tokio::test]
async fn half_a_json_and_another_json_are_told_apart() {
    for (body, words) in [
        (r#"{"choices":[{"message":{"content":"hel"#, "half a JSON"),
        ("choices: none", "no JSON"),
        (r#"{"choices":[{"message":{"content":7}}]}"#, "no chat completion"),
        ("[1,2,3]", "no chat completion"),
        (r#""hello""#, "no chat completion"),
    ] {
        let cause = failure_then_next(Deed::Send(json(body)), &bounds()).await;
        assert!(
            matches!(&cause, ProviderError::NotJson { problem } if problem.contains(words)),
            "{body}: {cause:?}"
        );
    }
    let bad_event = stream(&[&delta("fine"), r#"{"choices":[{"del"#]);
    let cause = failure_then_next(Deed::Send(bad_event), &bounds()).await;
    assert!(matches!(cause, ProviderError::NotJson { .. }), "{cause:?}");
}

#[tokio::test]
async fn an_answer_cut_off_by_the_model_or_its_filter_is_a_failure() {
    for reason in ["length", "content_filter"] {
        let events = stream(&[&delta("(:TYPE :REQ"), &finish(reason), "[DONE]"]);
        let cause = failure_then_next(Deed::Send(events), &bounds()).await;
        assert!(
            matches!(&cause, ProviderError::CutOff { reason: seen } if seen.contains(reason)),
            "{cause:?}"
        );
        let whole = format!(r#"{{"choices":[{{"finish_reason":"{reason}","message":{{"content":"(:TYPE"}}}}]}}"#);
        let cause = failure_then_next(Deed::Send(json(whole)), &bounds()).await;
        assert!(matches!(cause, ProviderError::CutOff { .. }), "{cause:?}");
    }
}

#[tokio::test]
async fn an_answer_without_end_is_left_while_it_is_read() {
    let endless =
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"choices\":[{\"x\":\"";
    for head in [
        endless.as_slice(),
        STREAM.as_bytes(),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
    ] {
        let cause = failure_then_next(Deed::Flood(head.to_vec()), &bounds()).await;
        assert_eq!(cause, ProviderError::TooLarge { limit: 10_000 });
    }
}

#[tokio::test]
async fn the_bound_on_an_answer_is_exact_and_does_not_count_its_wrapping() {
    let fits = "a".repeat(10_000);
    assert_eq!(ask(Deed::Send(answer(&fits)), &bounds()).await.unwrap().text, fits);
    let over = "a".repeat(10_001);
    assert_eq!(
        ask(Deed::Send(answer(&over)), &bounds()).await,
        Err(ProviderError::TooLarge { limit: 10_000 })
    );
    // Word by word, the wrapping is many times the answer.
    let words: Vec<String> = (0..5_000).map(|_| delta("ab")).collect();
    let mut events: Vec<&str> = words.iter().map(String::as_str).collect();
    events.push("[DONE]");
    assert_eq!(
        ask(Deed::Send(stream(&events)), &bounds()).await.unwrap().text.len(),
        10_000
    );
}

#[tokio::test]
async fn an_error_inside_a_success_is_an_error() {
    let deed = Deed::Send(json(r#"{"error":{"message":"upstream is down","code":502}}"#));
    match failure_then_next(deed, &bounds()).await {
        ProviderError::Status { code: 502, message, .. } => assert_eq!(message, "upstream is down"),
        other => panic!("{other:?}"),
    }
    let deed = Deed::Send(stream(&[&delta("half of"), r#"{"error":"the model crashed"}"#]));
    assert!(matches!(
        failure_then_next(deed, &bounds()).await,
        ProviderError::Status { code: 500, .. }
    ));
}

#[tokio::test]
async fn nothing_a_server_says_shows_the_key_or_reaches_the_terminal_raw() {
    const KEY: &str = "sk-abcdef-0123456789";
    let noise = "x".repeat(5_000);
    let bodies = [
        format!("{{\"error\":{{\"message\":\"bad \\u001b[31m key {KEY} {noise}\"}}}}"),
        format!("plain \u{1b}[31m {KEY} \u{202e} {noise}"),
        format!("{{\"error\":\"{KEY}\"}}"),
        format!("{{\"error\":\"ü {0} {0}\"}}", KEY.to_uppercase()),
        format!("\"{KEY} {noise}\""),
        format!("{{\"choices\":\"{KEY} {noise}\"}}"),
    ];
    for (number, body) in bodies.iter().enumerate() {
        for status in ["400 Bad Request", "200 OK", "200 stream"] {
            let deed = match status {
                "200 stream" => Deed::Send(stream(&[body])),
                _ => Deed::Send(response(status, "Content-Type: application/json\r\n", body)),
            };
            let server = Server::start([deed]).await;
            let endpoint = Remote::new("only", &with_key(&server.base_url, KEY), &bounds()).unwrap();
            let error = endpoint.ask(&request(), &Meter::default()).await.unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(!text.to_lowercase().contains("abcdef"), "{number} {status}: {text}");
            assert!(
                !text.contains(['\u{1b}', '\u{202e}']) && text.len() < 2_000,
                "{number} {status}: {text}"
            );
            assert_eq!(
                server.seen()[0].header("authorization"),
                Some(format!("Bearer {KEY}").as_str())
            );
        }
    }
}

#[tokio::test]
async fn a_server_without_tls_behind_https_is_a_failure_and_no_panic() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://{}/v1", listener.local_addr().unwrap());
    let greeting = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    });
    let provider = Remote::new("only", &endpoint(&address), &bounds()).unwrap();
    let error = provider.ask(&request(), &Meter::default()).await.unwrap_err();
    greeting.abort();
    assert!(
        no_tls(&error) || matches!(error, ProviderError::Unreachable { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_server_that_never_takes_up_tls_is_left_after_the_connect_time_out() {
    let server = Server::start([Deed::Silence]).await;
    let address = server.base_url.replace("http://", "https://");
    let bounds = ModelConfig {
        connect_timeout: SHORT,
        ..bounds()
    };
    let provider = Remote::new("only", &endpoint(&address), &bounds).unwrap();
    let error = provider.ask(&request(), &Meter::default()).await.unwrap_err();
    assert!(no_tls(&error) || stage(&error) == TimeoutStage::Connect, "{error:?}");
}

/// On a machine without certificates TLS itself can't be set up, and says so.
fn no_tls(error: &ProviderError) -> bool {
    matches!(error, ProviderError::Misconfigured { problem, .. } if problem.contains("TLS"))
}

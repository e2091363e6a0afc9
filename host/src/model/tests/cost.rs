//! What a question costs is known also where its answer is of no use, and a server is told how long one may become.

use serde_json::{Value, json};

use super::server::{Deed, Server, answer, delta, finish, json as body, response, stream};
use super::{
    Meter, Provider, ProviderError, Remote, SHORT, bounds, cascade, endpoint, metered, provider, request, told,
};
use crate::config::ModelConfig;

const USAGE: &str = r#"{"choices":[],"usage":{"prompt_tokens":500,"completion_tokens":400}}"#;

fn with_usage(usage: &Value) -> Vec<u8> {
    let choices = json!([{"finish_reason": "stop", "message": {"role": "assistant", "content": "12345678"}}]);
    body(json!({"choices": choices, "usage": usage}).to_string())
}

#[tokio::test]
async fn an_answer_that_is_of_no_use_costs_what_the_server_tells_or_what_came() {
    let (outcome, consumed) = metered(
        Deed::Send(stream(&[&delta("12345678"), &finish("length"), USAGE])),
        &bounds(),
    )
    .await;
    assert!(matches!(outcome, Err(ProviderError::CutOff { .. })), "{outcome:?}");
    assert_eq!((told(consumed), consumed.bytes), ((Some(500), Some(400)), 8));

    let (outcome, consumed) = metered(Deed::Send(stream(&[&finish("stop"), USAGE])), &bounds()).await;
    assert_eq!(outcome, Err(ProviderError::Empty));
    assert_eq!(told(consumed), (Some(500), Some(400)));

    let (outcome, consumed) = metered(Deed::Send(stream(&[&delta("1234")])), &bounds()).await;
    assert!(matches!(outcome, Err(ProviderError::Closed { .. })), "{outcome:?}");
    assert_eq!((told(consumed), consumed.bytes), ((None, None), 4));

    let narrow = ModelConfig {
        answer_bytes: 10,
        ..bounds()
    };
    let (outcome, consumed) = metered(Deed::Send(stream(&[&delta("1234"), &delta("1234567")])), &narrow).await;
    assert_eq!(outcome, Err(ProviderError::TooLarge { limit: 10 }));
    assert_eq!(consumed.bytes, 11);
}

#[tokio::test]
async fn whoever_stops_waiting_knows_what_had_come_by_then() {
    let hasty = ModelConfig {
        idle_timeout: SHORT,
        ..bounds()
    };
    let (outcome, consumed) = metered(Deed::Stall(stream(&[&delta("12345678")])), &hasty).await;
    assert!(matches!(outcome, Err(ProviderError::Timeout { .. })), "{outcome:?}");
    assert_eq!(consumed.bytes, 8);
    let hasty = ModelConfig {
        answer_timeout: SHORT,
        ..bounds()
    };
    let (outcome, consumed) = metered(Deed::Stall(stream(&[&delta("12345678"), USAGE])), &hasty).await;
    assert!(matches!(outcome, Err(ProviderError::Timeout { .. })), "{outcome:?}");
    assert_eq!((told(consumed), consumed.bytes), ((Some(500), Some(400)), 8));
}

#[tokio::test]
async fn a_usage_that_is_none_is_not_told_and_throws_no_answer_away() {
    for (usage, known) in [
        (json!({}), (None, None)),
        (json!("free"), (None, None)),
        (Value::Null, (None, None)),
        (json!({"prompt_tokens": -1, "completion_tokens": "3"}), (None, None)),
        (
            json!({"prompt_tokens": 12.0, "completion_tokens": 3.7}),
            (Some(12), Some(3)),
        ),
        (json!({"prompt_tokens": 1e300, "completion_tokens": 3}), (None, Some(3))),
        (json!({"prompt_tokens": 1_u64 << 63}), (Some(1 << 63), None)),
    ] {
        let (outcome, consumed) = metered(Deed::Send(with_usage(&usage)), &bounds()).await;
        assert_eq!(outcome.unwrap().text, "12345678", "{usage}");
        assert_eq!((told(consumed), consumed.bytes), (known, 8), "{usage}");
    }
}

#[tokio::test]
async fn status_counts_what_failed_answers_cost_too() {
    let server = Server::start([
        Deed::Send(stream(&[&delta("x"), &finish("length"), USAGE])),
        Deed::Send(answer("fine")),
    ])
    .await;
    let bounds = bounds();
    let cascade = cascade(vec![provider("only", &server.base_url, &bounds)], &bounds);
    cascade.ask(&request()).await.unwrap_err();
    cascade.ask(&request()).await.unwrap();
    let usage = cascade.status()[0].usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (511, 403));
}

/// Under which names the longest answer was told, request by request.
fn limits(server: &Server) -> Vec<[Option<u64>; 2]> {
    let told =
        |body: &Value| ["max_tokens", "max_completion_tokens"].map(|name| body.get(name).and_then(Value::as_u64));
    server.seen().iter().map(|seen| told(&seen.body)).collect()
}

#[tokio::test]
async fn a_server_is_told_how_long_an_answer_may_become_by_the_name_that_it_takes() {
    let most = Some(bounds().answer_tokens);
    let refusing = |told: Value| Deed::Send(response("400 Bad Request", "", told.to_string()));
    let other_name = || {
        refusing(
            json!({"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
             'max_completion_tokens' instead.", "param": "max_tokens", "code": "unsupported_parameter"}}),
        )
    };
    let no_room = || {
        refusing(
            json!({"object": "error", "message": "This model's maximum context length is 2048 tokens. However, you \
             requested 16400 tokens (16 in the messages, 16384 in the completion).", "code": 400}),
        )
    };
    for (refusals, expected) in [
        (vec![], vec![[most, None], [most, None]]),
        (vec![other_name()], vec![[most, None], [None, most], [None, most]]),
        (
            vec![no_room(), no_room()],
            vec![[most, None], [None, most], [None, None], [None, None]],
        ),
    ] {
        let server = Server::start(
            refusals
                .into_iter()
                .chain([Deed::Send(answer("fine"))])
                .collect::<Vec<_>>(),
        )
        .await;
        let remote = Remote::new("only", &endpoint(&server.base_url), &bounds()).unwrap();
        let meter = Meter::default();
        for _ in 0..2 {
            assert_eq!(remote.ask(&request(), &meter).await.unwrap().text, "fine");
        }
        assert_eq!(limits(&server), expected);
        // What a server can have counted goes by what it was told last.
        let last = expected.last().and_then(|[one, other]| one.or(*other));
        assert_eq!(meter.read().sent.limit, last);
    }
}

#[tokio::test]
async fn an_answer_is_whole_only_where_its_server_says_so_in_a_word_for_that_and_stays_cut() {
    for (reasons, whole) in [
        (&["stop"][..], true),
        (&["STOP"], true),
        (&["tool_calls"], true),
        (&["model_length"], false),
        (&["error"], false),
        (&["insufficient_system_resource"], false),
        (&["length", "stop"], false),
    ] {
        let events: Vec<String> = std::iter::once(delta("half a"))
            .chain(reasons.iter().map(|own| finish(own)))
            .collect();
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let (outcome, _) = metered(Deed::Send(stream(&events)), &bounds()).await;
        match outcome {
            Ok(answer) => assert!(whole && answer.text == "half a", "{reasons:?}"),
            Err(error) => {
                assert!(!whole && error.to_string().contains(reasons[0]), "{reasons:?}: {error}");
            }
        }
    }
}

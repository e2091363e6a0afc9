//! The cascade: waits, order, breakers, bounds, and what is said when nobody answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::server::{Deed, Server, answer, nobody, response};
use super::{BreakerPolicy, Cascade, LONG, Meter, SHORT, bounds, cascade, causes, pace, provider, request};
use crate::config::ModelConfig;
use crate::model::{Asking, ModelRequest, Provider, ProviderError, ProviderState, TimeoutStage};

fn busy(headers: &str) -> Deed {
    Deed::Send(response(
        "429 Too Many Requests",
        headers,
        r#"{"error":{"message":"slow down"}}"#,
    ))
}

#[tokio::test]
async fn a_wait_within_the_cap_is_granted_and_the_same_provider_asked_again() {
    let past = "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    for header in ["Retry-After: 1\r\n", past, "retry-after-ms: 20\r\n"] {
        let first = Server::start([busy(header), Deed::Send(answer("after a pause"))]).await;
        let second = Server::start([Deed::Send(answer("never needed"))]).await;
        let bounds = bounds();
        let providers = vec![
            provider("first", &first.base_url, &bounds),
            provider("second", &second.base_url, &bounds),
        ];
        let answer = cascade(providers, &bounds).ask(&request()).await.unwrap();
        assert_eq!(
            (answer.provider.as_str(), first.requests(), second.requests()),
            ("first", 2, 0),
            "{header}"
        );
    }
}

#[tokio::test]
async fn a_wait_over_the_cap_is_not_waited_for() {
    let future = "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n";
    for header in [
        "Retry-After: 274579000\r\n",
        future,
        "retry-after-ms: 274579000\r\n",
        "Retry-After: 6\r\n",
    ] {
        let first = Server::start([busy(header)]).await;
        let second = Server::start([Deed::Send(answer("at once"))]).await;
        let bounds = bounds();
        let providers = vec![
            provider("first", &first.base_url, &bounds),
            provider("second", &second.base_url, &bounds),
        ];
        let answer = cascade(providers, &bounds).ask(&request()).await.unwrap();
        assert_eq!((answer.provider.as_str(), first.requests()), ("second", 1), "{header}");
    }
}

#[tokio::test]
async fn a_provider_that_asks_to_wait_again_and_again_is_left() {
    let first = Server::start([busy("Retry-After: 0\r\n")]).await;
    let second = Server::start([Deed::Send(answer("second"))]).await;
    let bounds = bounds();
    let providers = vec![
        provider("first", &first.base_url, &bounds),
        provider("second", &second.base_url, &bounds),
    ];
    assert_eq!(
        cascade(providers, &bounds).ask(&request()).await.unwrap().provider,
        "second"
    );
    assert_eq!(first.requests(), 2);
}

#[tokio::test]
async fn when_nobody_answers_every_cause_is_told() {
    let broken = Server::start([Deed::Send(response("500 Internal Server Error", "", "oops"))]).await;
    let empty = Server::start([Deed::Send(answer(""))]).await;
    let dead = nobody().await;
    let bounds = bounds();
    let cascade = cascade(
        vec![
            provider("broken", &broken.base_url, &bounds),
            provider("dead", &dead, &bounds),
            provider("empty", &empty.base_url, &bounds),
        ],
        &bounds,
    );
    let error = cascade.ask(&request()).await.unwrap_err();
    assert_eq!(error.cascade, ["broken", "dead", "empty"]);
    assert_eq!(error.provider.as_deref(), Some("empty"));
    let text = error.to_string();
    assert_eq!(
        text.matches("broken: ").count(),
        1,
        "twice the same is said once: {text}"
    );
    for cause in [
        "(asked 2 times)",
        "broken: the server answered 500",
        "oops",
        "dead: no connection",
        "empty: the answer was empty",
        "doctor",
    ] {
        assert!(text.contains(cause), "`{cause}` is missing in: {text}");
    }
    let status = cascade.status();
    assert!(
        status
            .iter()
            .all(|provider| provider.failures == 2 && provider.last_failure.is_some()),
        "{status:?}"
    );
}

#[tokio::test]
async fn who_gets_no_answer_is_told_that_the_mended_configuration_is_not_in_use_as_long_as_it_is_not() {
    let unused = Arc::new(Mutex::new(Some("line 6 is wrong")));
    let cascade = cascade(vec![provider("dead", &nobody().await, &bounds())], &bounds());
    let why = unused.clone();
    cascade.tell_unused(move || why.lock().unwrap().map(str::to_owned));
    let text = cascade.ask(&request()).await.unwrap_err().to_string();
    assert!(text.contains("\nBesides, line 6 is wrong\n"), "{text}");
    *unused.lock().unwrap() = None;
    let text = cascade.ask(&request()).await.unwrap_err().to_string();
    assert!(!text.contains("Besides"), "{text}");
}

#[tokio::test]
async fn a_cascade_of_nobody_says_what_to_configure() {
    let error = cascade(Vec::new(), &bounds()).ask(&request()).await.unwrap_err();
    assert!(error.to_string().contains("PROVIDER_CASCADE"), "{error}");
}

#[tokio::test]
async fn all_together_take_no_longer_than_the_total_time() {
    let silent = Server::start([Deed::Silence]).await;
    let never = Server::start([Deed::Send(answer("too late"))]).await;
    let bounds = ModelConfig {
        total_timeout: SHORT,
        ..bounds()
    };
    let providers = vec![
        provider("silent", &silent.base_url, &bounds),
        provider("late", &never.base_url, &bounds),
    ];
    let error = cascade(providers, &bounds).ask(&request()).await.unwrap_err();
    assert!(
        matches!(
            error.attempts[0].cause,
            ProviderError::Timeout {
                stage: TimeoutStage::Cascade,
                ..
            }
        ),
        "{:?}",
        causes(&error)
    );
    assert!(
        matches!(error.attempts[1].cause, ProviderError::NotAsked { .. }),
        "{:?}",
        causes(&error)
    );
    assert_eq!((error.provider.as_deref(), never.requests()), (Some("silent"), 0));
}

#[tokio::test]
async fn a_wait_that_would_not_fit_the_total_time_is_not_begun() {
    let first = Server::start([busy("Retry-After: 4\r\n")]).await;
    let second = Server::start([Deed::Send(answer("second"))]).await;
    let bounds = ModelConfig {
        total_timeout: Duration::from_secs(3),
        ..bounds()
    };
    let providers = vec![
        provider("first", &first.base_url, &bounds),
        provider("second", &second.base_url, &bounds),
    ];
    assert_eq!(
        cascade(providers, &bounds).ask(&request()).await.unwrap().provider,
        "second"
    );
}

fn resting(base_urls: [&str; 2], policy: BreakerPolicy) -> Cascade {
    let bounds = bounds();
    let providers = vec![
        provider("first", base_urls[0], &bounds),
        provider("second", base_urls[1], &bounds),
    ];
    Cascade::new(providers, pace(&bounds), policy)
}

#[tokio::test]
async fn a_provider_that_keeps_failing_rests_and_the_fallback_goes_on() {
    let first = Server::start([Deed::Send(response("503 Service Unavailable", "", ""))]).await;
    let second = Server::start([Deed::Send(answer("second"))]).await;
    let cascade = resting(
        [&first.base_url, &second.base_url],
        BreakerPolicy {
            failures: 2,
            rest: LONG,
        },
    );
    for _ in 0..5 {
        assert_eq!(cascade.ask(&request()).await.unwrap().provider, "second");
    }
    assert_eq!(first.requests(), 2);
    assert!(matches!(cascade.status()[0].state, ProviderState::Resting { .. }));
}

#[tokio::test]
async fn after_its_rest_one_probe_brings_a_provider_back() {
    let down = Deed::Send(response("503 Service Unavailable", "", ""));
    let first = Server::start([down.clone(), down, Deed::Send(answer("back"))]).await;
    let second = Server::start([Deed::Send(answer("second"))]).await;
    let policy = BreakerPolicy {
        failures: 2,
        rest: Duration::ZERO,
    };
    let cascade = resting([&first.base_url, &second.base_url], policy);
    for _ in 0..2 {
        assert_eq!(cascade.ask(&request()).await.unwrap().provider, "second");
    }
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "first");
    assert_eq!(cascade.status()[0].state, ProviderState::Ready);
}

#[tokio::test]
async fn while_one_request_probes_the_others_pass_by_and_a_cancelled_probe_leaves_no_mark() {
    let down = Deed::Send(response("503 Service Unavailable", "", ""));
    let first = Server::start([down, Deed::Silence, Deed::Send(answer("back"))]).await;
    let second = Server::start([Deed::Send(answer("second"))]).await;
    let policy = BreakerPolicy {
        failures: 1,
        rest: Duration::ZERO,
    };
    let cascade = Arc::new(resting([&first.base_url, &second.base_url], policy));
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "second");
    let probing = tokio::spawn({
        let cascade = cascade.clone();
        async move { cascade.ask(&request()).await }
    });
    while first.requests() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(cascade.status()[0].state, ProviderState::Probing);
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "second");
    probing.abort();
    assert!(probing.await.unwrap_err().is_cancelled());
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "first");
}

#[tokio::test]
async fn when_all_rest_they_are_asked_all_the_same() {
    let down = Deed::Send(response("503 Service Unavailable", "", ""));
    let first = Server::start([down.clone(), down.clone(), Deed::Send(answer("back"))]).await;
    let second = Server::start([down]).await;
    let cascade = resting(
        [&first.base_url, &second.base_url],
        BreakerPolicy {
            failures: 1,
            rest: LONG,
        },
    );
    cascade.ask(&request()).await.unwrap_err();
    assert_eq!(cascade.ask(&request()).await.unwrap().provider, "first");
    assert_eq!(cascade.status()[0].state, ProviderState::Ready);
}

#[tokio::test]
async fn a_request_that_is_at_fault_itself_puts_nobody_to_rest() {
    let first = Server::start([Deed::Send(response("400 Bad Request", "", "too long a prompt"))]).await;
    let second = Server::start([Deed::Send(answer("second"))]).await;
    let cascade = resting(
        [&first.base_url, &second.base_url],
        BreakerPolicy {
            failures: 1,
            rest: LONG,
        },
    );
    for _ in 0..3 {
        assert_eq!(cascade.ask(&request()).await.unwrap().provider, "second");
    }
    assert_eq!((first.requests(), cascade.status()[0].state), (3, ProviderState::Ready));
}

struct Blank;

impl Provider for Blank {
    fn name(&self) -> &str {
        "blank"
    }

    fn ask<'a>(&'a self, _: &'a ModelRequest, _: &'a Meter) -> Asking<'a> {
        let answer = crate::model::Answer {
            text: " ".to_owned(),
            calls: Vec::new(),
            provider: "blank".to_owned(),
        };
        Box::pin(async move { Ok(answer) })
    }
}

#[tokio::test]
async fn no_provider_gets_away_with_a_blank_answer() {
    let error = cascade(vec![Arc::new(Blank)], &bounds())
        .ask(&request())
        .await
        .unwrap_err();
    assert_eq!(error.attempts[0].cause, ProviderError::Empty);
}

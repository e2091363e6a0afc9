//! What is worth asking again, what is not, and who is asked instead.

use std::sync::Arc;
use std::time::Duration;

use super::server::{Deed, Server, answer, nobody, response};
use super::{LONG, Meter, bounds, cascade, causes, provider, request};
use crate::config::ModelConfig;
use crate::model::{
    Asking, BudgetError, Class, Consumed, Estimate, Hold, ModelRequest, Payer, Provider, ProviderError, Purse,
    TimeoutStage,
};

fn failing(status: &str, headers: &str) -> Deed {
    Deed::Send(response(status, headers, r#"{"error":{"message":"not now"}}"#))
}

#[tokio::test]
async fn when_all_failed_those_are_asked_once_more_whose_reason_may_pass() {
    let busy = Server::start([failing("503 Service Unavailable", ""), Deed::Send(answer("back"))]).await;
    let gone = Server::start([failing("404 Not Found", "")]).await;
    let bounds = bounds();
    let providers = vec![
        provider("gone", &gone.base_url, &bounds),
        provider("busy", &busy.base_url, &bounds),
    ];
    let answer = cascade(providers, &bounds).ask(&request()).await.unwrap();
    assert_eq!(answer.text, "back");
    assert_eq!((gone.requests(), busy.requests()), (1, 2));
}

#[tokio::test]
async fn a_second_round_is_the_last_one() {
    let busy = Server::start([failing("503 Service Unavailable", "")]).await;
    let bounds = bounds();
    let cascade = cascade(vec![provider("busy", &busy.base_url, &bounds)], &bounds);
    let error = cascade.ask(&request()).await.unwrap_err();
    assert_eq!(busy.requests(), 2, "{:?}", causes(&error));
}

#[tokio::test]
async fn who_answers_in_time_spares_the_others_a_second_round() {
    let busy = Server::start([failing("503 Service Unavailable", "")]).await;
    let works = Server::start([Deed::Send(answer("here"))]).await;
    let bounds = bounds();
    let providers = vec![
        provider("busy", &busy.base_url, &bounds),
        provider("works", &works.base_url, &bounds),
    ];
    assert_eq!(cascade(providers, &bounds).ask(&request()).await.unwrap().text, "here");
    assert_eq!(busy.requests(), 1);
}

#[tokio::test]
async fn a_pause_that_would_not_fit_the_total_time_is_not_begun() {
    let busy = Server::start([failing("503 Service Unavailable", "")]).await;
    let bounds = ModelConfig {
        retry_pause: LONG * 2,
        ..bounds()
    };
    let cascade = cascade(vec![provider("busy", &busy.base_url, &bounds)], &bounds);
    cascade.ask(&request()).await.unwrap_err();
    assert_eq!(busy.requests(), 1);
}

#[tokio::test]
async fn what_will_be_the_same_again_is_not_waited_for_whatever_the_server_wishes() {
    for status in [
        "401 Unauthorized",
        "402 Payment Required",
        "403 Forbidden",
        "404 Not Found",
    ] {
        let first = Server::start([failing(status, "Retry-After: 0\r\n"), Deed::Send(answer("never"))]).await;
        let bounds = bounds();
        let cascade = cascade(vec![provider("first", &first.base_url, &bounds)], &bounds);
        cascade.ask(&request()).await.unwrap_err();
        assert_eq!(first.requests(), 1, "{status}");
    }
}

#[tokio::test]
async fn who_wished_for_a_wait_gets_no_second_round_before_it() {
    for wish in ["Retry-After: 274579000\r\n", "Retry-After: 0\r\n"] {
        let first = Server::start([failing("429 Too Many Requests", wish)]).await;
        let bounds = bounds();
        let cascade = cascade(vec![provider("first", &first.base_url, &bounds)], &bounds);
        cascade.ask(&request()).await.unwrap_err();
        let waited = wish.contains(": 0");
        assert_eq!(first.requests(), if waited { 2 } else { 1 }, "{wish}");
    }
}

#[tokio::test]
async fn a_question_that_is_put_twice_counts_once_for_the_breaker() {
    let bounds = bounds();
    let dead = provider("dead", &nobody().await, &bounds);
    let policy = super::BreakerPolicy {
        failures: 2,
        rest: LONG,
    };
    let cascade = crate::model::Cascade::new([dead], super::pace(&bounds), policy);
    cascade.ask(&request()).await.unwrap_err();
    assert_eq!(cascade.status()[0].state, crate::model::ProviderState::Ready);
    cascade.ask(&request()).await.unwrap_err();
    assert!(matches!(
        cascade.status()[0].state,
        crate::model::ProviderState::Resting { .. }
    ));
}

#[tokio::test]
async fn it_is_exhausted_from_a_question_without_an_answer_until_one_is_answered() {
    let deeds = [
        Deed::Send(response("400 Bad Request", "", "too long")),
        failing("404 Not Found", ""),
        failing("404 Not Found", ""),
        Deed::Send(answer("back")),
    ];
    let only = Server::start(deeds).await;
    let bounds = bounds();
    let cascade = cascade(vec![provider("only", &only.base_url, &bounds)], &bounds);
    let mut exhausted = vec![cascade.is_exhausted()];
    for _ in 0..4 {
        let _ = cascade.ask(&request()).await;
        exhausted.push(cascade.is_exhausted());
    }
    assert_eq!(
        exhausted,
        [false, true, true, true, false],
        "who answers no question is not well, whoever is to blame"
    );
}

struct Priced(Arc<dyn Provider>);

impl Provider for Priced {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn model(&self) -> Option<&str> {
        Some("a-model")
    }

    fn ask<'a>(&'a self, request: &'a ModelRequest, meter: &'a Meter) -> Asking<'a> {
        self.0.ask(request, meter)
    }
}

struct Empty;

impl Purse for Empty {
    fn reserve(&self, _: &Payer, _: &Estimate<'_>) -> Result<Hold, BudgetError> {
        Err(BudgetError {
            of: "the day".to_owned(),
            lack: "is used up",
            remaining: "0 tokens".to_owned(),
            requested: "10 tokens".to_owned(),
            remedy: "wait until tomorrow".to_owned(),
        })
    }

    fn settle(&self, _: Hold, _: Consumed) {}

    fn spend(&self, _: Hold, _: Consumed) {}

    fn give_back(&self, _: Hold) {}
}

#[tokio::test]
async fn with_an_empty_purse_nobody_is_asked_who_costs_something_and_each_is_named() {
    let server = Server::start([Deed::Send(answer("one"))]).await;
    let bounds = bounds();
    let priced = |name| -> Arc<dyn Provider> { Arc::new(Priced(provider(name, &server.base_url, &bounds))) };
    let cascade = cascade(vec![priced("first"), priced("second")], &bounds).paid_from(Arc::new(Empty));
    let error = cascade.ask(&request()).await.unwrap_err();
    assert_eq!(causes(&error).len(), 2, "{error}");
    for name in ["first: ", "second: "] {
        let cause = causes(&error)
            .into_iter()
            .find(|cause| cause.starts_with(name))
            .unwrap();
        assert!(cause.contains("wait until tomorrow"), "{cause}");
    }
    assert_eq!(server.requests(), 0);
    assert!(!cascade.is_exhausted(), "no provider has failed");
    assert_eq!(error.provider, None, "nobody was asked last");
    for status in cascade.status() {
        assert_eq!((status.failures, status.passed_over), (0, 1), "{status:?}");
        assert!(status.last_failure.is_none() && !status.is_asked, "{status:?}");
        let why = status.last_passed_over.unwrap().1.to_string();
        assert!(why.contains("wait until tomorrow"), "{why}");
    }
}

#[test]
fn every_failure_has_the_class_of_what_is_worth_doing_about_it() {
    let status = |code: u16| ProviderError::Status {
        code,
        message: String::new(),
        retry_after: Some(Duration::ZERO),
        asked: None,
    };
    let again = [408, 425, 429, 500, 502, 503, 504, 529];
    for code in 300..600 {
        let wanted = if again.contains(&code) {
            Class::Again
        } else {
            Class::Next
        };
        assert_eq!(status(code).class(), wanted, "{code}");
    }
    let late = ProviderError::Timeout {
        stage: TimeoutStage::FirstByte,
        after: LONG,
    };
    assert_eq!(
        late.class(),
        Class::Next,
        "whoever was waited for is not waited for once more"
    );
}

//! Tests of this room against real servers on loopback. None of them looks at a clock: time-outs are short, and what
//! is asserted is who answered and why the others did not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod anthropic;
mod by_hand;
mod cascade;
mod configuration;
mod conversation;
mod cost;
mod failures;
mod pieces;
mod renewal;
mod rounds;
mod schemes;
mod server;
mod tools;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use super::{
    Answer, BreakerPolicy, Cascade, Consumed, LlmError, Message, Meter, ModelRequest, Pace, Provider, ProviderError,
    Remote, Role,
};
use crate::config::{Config, Home, ModelConfig, ProviderConfig, Secret};
use server::{Deed, Server};

/// Longer than loopback ever takes, short enough to wait for.
const SHORT: Duration = Duration::from_millis(300);

/// As good as never, in a test.
const LONG: Duration = Duration::from_secs(60);

fn defaults() -> ModelConfig {
    let folder = || "/nowhere".into();
    Config::defaults(Home {
        config: folder(),
        data: folder(),
        state: folder(),
        skills: folder(),
        workspace: folder(),
        user: None,
    })
    .model
}

/// Bounds so wide that only the one a test narrows can be hit.
fn bounds() -> ModelConfig {
    ModelConfig {
        connect_timeout: LONG,
        first_byte_timeout: LONG,
        idle_timeout: LONG,
        answer_timeout: LONG,
        total_timeout: LONG,
        answer_bytes: 10_000,
        retry_after_cap: Duration::from_secs(5),
        retry_pause: Duration::ZERO,
        ..defaults()
    }
}

fn endpoint(base_url: &str) -> ProviderConfig {
    ProviderConfig {
        base_url: base_url.to_owned(),
        model: "test-model".to_owned(),
        ..ProviderConfig::default()
    }
}

fn with_key(base_url: &str, key: &str) -> ProviderConfig {
    ProviderConfig {
        key_variable: Some("TEST_API_KEY".to_owned()),
        key: Some(Secret(key.to_owned())),
        ..endpoint(base_url)
    }
}

fn provider(name: &str, base_url: &str, bounds: &ModelConfig) -> Arc<dyn Provider> {
    Arc::new(Remote::new(name, &endpoint(base_url), bounds).unwrap())
}

fn cascade(providers: Vec<Arc<dyn Provider>>, bounds: &ModelConfig) -> Cascade {
    let policy = BreakerPolicy {
        failures: 100,
        rest: LONG,
    };
    Cascade::new(providers, pace(bounds), policy)
}

fn pace(bounds: &ModelConfig) -> Pace {
    Pace {
        total_timeout: bounds.total_timeout,
        retry_after_cap: bounds.retry_after_cap,
        retry_pause: bounds.retry_pause,
    }
}

fn request() -> ModelRequest {
    said(Role::User, "hello")
}

fn said(role: Role, text: &str) -> ModelRequest {
    ModelRequest {
        system: "be brief".to_owned(),
        messages: vec![Message {
            role,
            text: text.to_owned(),
        }],
        ..ModelRequest::default()
    }
}

/// Asks a server that does this, and nobody else.
async fn ask(deed: Deed, bounds: &ModelConfig) -> Result<Answer, ProviderError> {
    metered(deed, bounds).await.0
}

/// The same, with what it cost.
async fn metered(deed: Deed, bounds: &ModelConfig) -> (Result<Answer, ProviderError>, Consumed) {
    let server = Server::start([deed]).await;
    let (only, meter) = (provider("only", &server.base_url, bounds), Meter::default());
    (only.ask(&request(), &meter).await, meter.read())
}

/// Tokens of question and answer, as the server told them.
fn told(consumed: Consumed) -> (Option<u64>, Option<u64>) {
    (consumed.input_tokens, consumed.output_tokens)
}

/// Asks a cascade of a server that does this and one that works, and gives the failure of the first.
async fn failure_then_next(deed: Deed, bounds: &ModelConfig) -> ProviderError {
    let first = Server::start([deed]).await;
    let second = Server::start([Deed::Send(server::answer("from the second"))]).await;
    let cascade = cascade(
        vec![
            provider("first", &first.base_url, bounds),
            provider("second", &second.base_url, bounds),
        ],
        bounds,
    );
    let answer = cascade.ask(&request()).await.unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.provider.as_str()),
        ("from the second", "second")
    );
    let status = &cascade.status()[0];
    assert_eq!((status.name.as_str(), status.answers), ("first", 0));
    status.last_failure.clone().unwrap().1
}

fn causes(error: &LlmError) -> Vec<String> {
    error.attempts.iter().map(ToString::to_string).collect()
}

//! Requests to a real server on this machine, as a skill with some grants sends them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod plain;
mod server;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio_util::sync::CancellationToken;

use super::fetch::{Lookup, check_address, next_hop};
use super::request::{Granted, parse_url};
use super::*;
use crate::capability::services::{SecretsForHosts, Services};
use crate::capability::{Rights, Turn};
use crate::config::{Home, Secret, SkillLimits};
use crate::sexp::read;
use crate::signal::{Origin, SessionId};
use server::Server;

const LIMITS: SkillLimits = SkillLimits {
    http_bytes: 1_000,
    http_ms: 20_000,
    ..SkillLimits::DEFAULT
};

/// One secret, for one host.
struct OneSecret;

impl SecretsForHosts for OneSecret {
    fn for_host(&self, name: &str, host: &str) -> Result<Secret, String> {
        match (name, host) {
            ("token", "127.0.0.1") => Ok(Secret("s3cr3t-value".to_owned())),
            ("token", other) => Err(format!("`token` may not go to {other}")),
            _ => Err(format!("there is no secret named `{name}`")),
        }
    }
}

struct Client {
    rights: Rights,
    turn: Arc<Turn>,
}

impl Client {
    fn granting(rights: &[&str]) -> Client {
        let variable = |name: &str| (name == "PASSEPARTOUT_HOME").then(|| "/nowhere".to_owned());
        let services = Services {
            secrets: Box::new(OneSecret),
            ..Services::bare(Home::find(&variable, None).unwrap())
        };
        let session = SessionId::random().unwrap();
        Client {
            rights: Rights::new(rights.iter().map(|right| right.parse().unwrap())),
            turn: Arc::new(Turn::new(session, CancellationToken::new(), Arc::new(services))),
        }
    }

    async fn send(&self, request: Result<Request, Failure>, lookup: Lookup) -> Result<Response, Failure> {
        self.bounded(request, lookup, LIMITS).await
    }

    async fn bounded(
        &self,
        request: Result<Request, Failure>,
        lookup: Lookup,
        limits: SkillLimits,
    ) -> Result<Response, Failure> {
        let (rights, turn) = (self.rights.clone(), self.turn.clone());
        let work = move || {
            let on = OnBehalf {
                skill: "clerk",
                rights: &rights,
                limits: &limits,
                turn: &turn,
            };
            fetch(&request?, &on, lookup)
        };
        tokio::task::spawn_blocking(work).await.unwrap()
    }

    async fn get(&self, url: &str, headers: &[(&str, &str)]) -> Result<Response, Failure> {
        let headers: Vec<Header> = headers
            .iter()
            .map(|(name, value)| Header {
                name: (*name).to_owned(),
                value: (*value).to_owned(),
            })
            .collect();
        self.send(Request::new("get", url, &headers, ""), system_lookup).await
    }
}

fn why<T: std::fmt::Debug>(refused: Result<T, Failure>) -> String {
    refused.unwrap_err().to_string()
}

fn text(response: &Response) -> String {
    String::from_utf8(response.body.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_granted_host_is_fetched_from_within_the_bounds_and_taints_the_turn() {
    let server = Server::start().await;
    let at = |path: &str| format!("http://127.0.0.1:{}{path}", server.port);
    let client = Client::granting(&[&format!("http-private:127.0.0.1:{}", server.port)]);
    assert!(!client.turn.has_read_outside());
    let response = client.get(&at("/nothing"), &[("X-Own", "yes")]).await.unwrap();
    assert_eq!((response.status, text(&response).as_str()), (404, "nothing"));
    assert_eq!(response.url, at("/nothing"));
    assert!(client.turn.has_read_outside());
    let asked = server.asked().remove(0).to_lowercase();
    assert!(
        asked.contains("x-own: yes") && asked.contains("accept-encoding: identity"),
        "{asked}"
    );

    let response = client.get(&at("/long"), &[]).await.unwrap();
    assert_eq!((response.body.len(), response.truncated), (1_000, true));
    let response = client.get(&at("/packed"), &[]).await.unwrap();
    assert_eq!(text(&response), "not unpacked");
    client.get(&at("/nothing"), &[]).await.unwrap();
    assert!(!server.asked().last().unwrap().to_lowercase().contains("cookie"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_grant_covers_is_not_reached_and_the_command_that_would_grant_it_is_told() {
    let server = Server::start().await;
    let port = server.port;
    let client = Client::granting(&[
        "http:example.org",
        &format!("http:127.0.0.1:{port}"),
        &format!("http:localhost:{port}"),
    ]);
    for (url, part) in [
        ("https://example.com/".to_owned(), "skill grant clerk http:example.com"),
        (
            "https://example.org:8443/".to_owned(),
            "skill grant clerk http:example.org:8443",
        ),
        ("http://example.org/".to_owned(), "over https only"),
        (
            "http://127.0.0.1:1/".to_owned(),
            "skill grant clerk http-private:127.0.0.1:1",
        ),
        ("https://[::1]/".to_owned(), "skill grant clerk 'http-private:[::1]'"),
        (
            "https://localhost:2/".to_owned(),
            "skill grant clerk http-private:localhost:2",
        ),
        (format!("https://127.0.0.1:{port}/"), "grant http-private:127.0.0.1"),
        (format!("https://localhost:{port}/"), "grant http-private:localhost"),
        (format!("http://127.0.0.1:{port}/"), "over https only"),
    ] {
        let error = why(client.get(&url, &[]).await);
        assert!(error.starts_with("rejected") && error.contains(part), "{url}: {error}");
    }
    assert!(server.asked().is_empty() && !client.turn.has_read_outside());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_spelling_of_a_private_address_is_the_same_address() {
    let server = Server::start().await;
    let port = server.port;
    let client = Client::granting(&["http:*", &format!("http:*:{port}")]);
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "LOCALHOST",
        "0.0.0.0",
        "[::]",
        "169.254.169.254",
        "[fe80::1]",
        "10.0.0.1",
        "100.64.0.1",
    ] {
        let error = why(client.get(&format!("https://{host}:{port}/"), &[]).await);
        assert!(error.starts_with("rejected"), "{host}: {error}");
    }
    for url in [
        "https://user@example.org/",
        "https://a:b@example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "x",
    ] {
        assert!(client.get(url, &[]).await.is_err(), "{url}");
    }
    assert!(server.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_connection_goes_to_the_address_that_was_checked() {
    let server = Server::start().await;
    let port = server.port;
    // The name means another place to everybody else.
    fn lookup(
        host: String,
        port: u16,
    ) -> std::pin::Pin<Box<dyn Future<Output = std::io::Result<Vec<SocketAddr>>> + Send>> {
        Box::pin(async move {
            let both = [
                SocketAddr::from(([1, 1, 1, 1], port)),
                SocketAddr::from(([127, 0, 0, 1], port)),
            ];
            Ok(if host == "mixed.example" {
                both.to_vec()
            } else {
                both[1..].to_vec()
            })
        })
    }
    let client = Client::granting(&[
        &format!("http-private:inside.example:{port}"),
        &format!("http:*:{port}"),
    ]);
    let get = |url: String| Request::new("GET", &url, &[], "");
    let response = client
        .send(get(format!("http://inside.example:{port}/echo")), lookup)
        .await
        .unwrap();
    assert!(text(&response).contains(&format!("host: inside.example:{port}")));
    // One private address among public ones is enough to refuse a name.
    let error = why(client.send(get(format!("https://mixed.example:{port}/")), lookup).await);
    assert!(error.contains("127.0.0.1, an address of this machine"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_followed_on_the_same_host_only_and_end() {
    let server = Server::start().await;
    let port = server.port;
    let at = |path: &str| format!("http://127.0.0.1:{port}{path}");
    // Also where the grants reach further.
    let rights = [
        format!("http-private:127.0.0.1:{port}"),
        format!("http-private:localhost:{port}"),
        "http-private:*".to_owned(),
        "vault:token".to_owned(),
    ];
    let client = Client::granting(&rights.each_ref().map(String::as_str));
    let response = client.get(&at("/on"), &[("X-Key", "{vault:token}")]).await.unwrap();
    assert_eq!((response.status, response.url.clone()), (200, at("/echo")));
    assert!(text(&response).contains("x-key: [secret]"), "{}", text(&response));
    assert!(why(client.get(&at("/round"), &[]).await).contains("more than 5 times"));
    let before = server.asked().len();
    for (path, status, leads) in [
        ("/elsewhere", 307, format!("http://localhost:{port}/echo")),
        ("/metadata", 302, "http://169.254.169.254/latest".to_owned()),
        ("/file", 302, "file:///etc/passwd".to_owned()),
    ] {
        let response = client.get(&at(path), &[]).await.unwrap();
        let location = response.headers.iter().find(|header| header.name == "location");
        assert_eq!((response.status, response.url), (status, at(path)));
        assert_eq!(
            location.map(|header| header.value.as_str()),
            Some(leads.as_str()),
            "{path}"
        );
    }
    // Nobody but whom was asked for.
    let asked = server.asked().split_off(before);
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|request| !request.contains("/echo")), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_put_in_for_its_host_and_hidden_where_it_comes_back() {
    let server = Server::start().await;
    let port = server.port;
    let at = format!("http://127.0.0.1:{port}/echo");
    let headers = [("Authorization", "Bearer {vault:token}")];
    let client = Client::granting(&[&format!("http-private:127.0.0.1:{port}"), "vault:token"]);
    let response = client.get(&at, &headers).await.unwrap();
    assert!(server.asked()[0].contains("Bearer s3cr3t-value"));
    assert!(text(&response).contains("Bearer [secret]"), "{}", text(&response));

    let without = Client::granting(&[&format!("http-private:127.0.0.1:{port}")]);
    let error = why(without.get(&at, &headers).await);
    assert!(error.contains("skill grant clerk vault:token"), "{error}");
    let other = Client::granting(&[&format!("http-private:localhost:{port}"), "vault:token", "vault:none"]);
    let error = why(other.get(&format!("http://localhost:{port}/echo"), &headers).await);
    assert!(error.contains("may not go to localhost"), "{error}");
    let error = why(other
        .get(&format!("http://localhost:{port}/echo"), &[("A", "{vault:none}")])
        .await);
    assert!(error.contains("no secret named `none`"), "{error}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_an_action_is_sent_as_it_stands_there() {
    let server = Server::start().await;
    let client = Client::granting(&[&format!("http-private:127.0.0.1:{}", server.port)]);
    let payload = format!(
        r#"(:METHOD "post" :URL "http://127.0.0.1:{}/echo" :HEADERS ("x-own" "a b") :BODY "text")"#,
        server.port
    );
    let action = Action::close("HTTP", Origin::Skill("clerk".to_owned()), read(&payload).unwrap());
    let response = client.send(request_of(&action), system_lookup).await.unwrap();
    let echoed = text(&response);
    assert!(
        echoed.starts_with("POST /echo") && echoed.contains("x-own: a b") && echoed.ends_with("\r\n\r\ntext"),
        "{echoed}"
    );
    // A redirect of what changes something is for the skill to judge.
    let payload = format!(r#"(:METHOD "POST" :URL "http://127.0.0.1:{}/on")"#, server.port);
    let action = Action::close("HTTP", Origin::Skill("clerk".to_owned()), read(&payload).unwrap());
    let response = client.send(request_of(&action), system_lookup).await.unwrap();
    assert_eq!(response.status, 302);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_is_left_in_time_and_at_once_when_the_turn_is_stopped() {
    let server = Server::start().await;
    let url = format!("http://127.0.0.1:{}/hang", server.port);
    let client = Client::granting(&[&format!("http-private:127.0.0.1:{}", server.port)]);
    let limits = SkillLimits { http_ms: 200, ..LIMITS };
    let error = why(client
        .bounded(Request::new("GET", &url, &[], ""), system_lookup, limits)
        .await);
    assert!(
        error.contains("did not answer") && error.contains("limits.clerk.http_seconds"),
        "{error}"
    );

    let limits = SkillLimits {
        http_ms: 600_000,
        ..LIMITS
    };
    let turn = client.turn.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        turn.cancel().cancel();
    });
    let error = why(client
        .bounded(Request::new("GET", &url, &[], ""), system_lookup, limits)
        .await);
    assert!(error.contains("cancelled"), "{error}");
}

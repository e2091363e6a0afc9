//! Requests to a real server on this machine, as a skill with some grants sends them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::fetch::{Lookup, check_address, next_hop};
use super::request::{Granted, parse_url};
use super::*;
use crate::capability::services::{SecretsForHosts, Services};
use crate::capability::{Rights, Turn};
use crate::config::{Home, Secret, SkillLimits};
use crate::sexp::read;
use crate::signal::{Origin, SessionId};

const LIMITS: SkillLimits = SkillLimits {
    http_bytes: 1_000,
    http_ms: 20_000,
    ..SkillLimits::DEFAULT
};

/// A server that keeps what it is asked, and answers by the path. `PORT` in an answer is its own.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let kept = kept.clone();
                tokio::spawn(async move {
                    let mut text = String::new();
                    let mut part = [0; 4096];
                    while !whole(&text) {
                        match stream.read(&mut part).await {
                            Ok(read) if read > 0 => text.push_str(&String::from_utf8_lossy(&part[..read])),
                            _ => return,
                        }
                    }
                    let answer = answer(&text).replace("PORT", &port.to_string());
                    kept.lock().unwrap().push(text);
                    if answer == "hang" {
                        std::future::pending::<()>().await;
                    }
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        Server { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// Whether the request has come to its end.
fn whole(text: &str) -> bool {
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

fn answer(request: &str) -> String {
    let path = request.split(' ').nth(1).unwrap();
    let answer = |status: &str, headers: &str, body: &str| {
        format!(
            "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
    };
    match path {
        "/long" => answer("200 OK", "", &"x".repeat(5_000)),
        "/echo" => answer("200 OK", "", request),
        "/hang" => "hang".to_owned(),
        "/packed" => answer(
            "200 OK",
            "content-encoding: gzip\r\nset-cookie: a=b\r\n",
            "not unpacked",
        ),
        "/round" => answer("302 Found", "location: /round\r\n", ""),
        "/on" => answer("302 Found", "location: /echo\r\n", ""),
        "/elsewhere" => answer("307 Temporary Redirect", "location: http://localhost:PORT/echo\r\n", ""),
        "/metadata" => answer("302 Found", "location: http://169.254.169.254/latest\r\n", ""),
        "/file" => answer("302 Found", "location: file:///etc/passwd\r\n", ""),
        _ => answer("404 Not Found", "", "nothing"),
    }
}

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

#[test]
fn what_an_address_may_be_depends_on_what_was_granted() {
    let check = |url: &str, address: &str, granted| {
        let url = parse_url(url).unwrap();
        let literal = url.domain().is_none();
        check_address(&url, format!("{address}:443").parse().unwrap(), granted, literal).is_ok()
    };
    assert!(check("https://a.example/", "1.1.1.1", Granted::Public));
    assert!(check("http://a.example/", "10.1.1.1", Granted::Private));
    assert!(check("https://a.example/", "1.1.1.1", Granted::Private));
    // Without encryption only where nobody listens in between.
    assert!(!check("http://a.example/", "1.1.1.1", Granted::Private));
    assert!(!check("https://a.example/", "10.1.1.1", Granted::Public));
    // A name can be made to lead to the metadata of a cloud; an address is meant.
    assert!(!check("http://a.example/", "169.254.169.254", Granted::Private));
    assert!(check("http://169.254.169.254/", "169.254.169.254", Granted::Private));
    assert!(!check("https://a.example/", "224.0.0.1", Granted::Private));
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_checked_like_the_first_request_and_end() {
    let server = Server::start().await;
    let port = server.port;
    let at = |path: &str| format!("http://127.0.0.1:{port}{path}");
    let own = format!("http-private:127.0.0.1:{port}");
    let client = Client::granting(&[&own, "vault:token"]);
    let response = client.get(&at("/on"), &[]).await.unwrap();
    assert_eq!((response.status, response.url), (200, at("/echo")));
    for (path, part) in [
        ("/round", "more than 5 times"),
        ("/elsewhere", "skill grant clerk http:localhost"),
        ("/metadata", "skill grant clerk http:169.254.169.254"),
        ("/file", "neither http nor https"),
    ] {
        let error = why(client.get(&at(path), &[]).await);
        assert!(error.contains(part), "{path}: {error}");
    }
    // What belongs to one host does not go on to another.
    let client = Client::granting(&[&own, &format!("http-private:localhost:{port}"), "vault:token"]);
    let headers = [
        ("Authorization", "Basic abc"),
        ("X-Key", "{vault:token}"),
        ("X-Plain", "stays"),
    ];
    let response = client.get(&at("/elsewhere"), &headers).await.unwrap();
    let echoed = text(&response);
    assert!(echoed.contains("x-plain: stays"), "{echoed}");
    assert!(
        !echoed.contains("x-key") && !echoed.contains("authorization"),
        "{echoed}"
    );
}

#[test]
fn no_redirect_leads_to_a_weaker_scheme() {
    let from = Url::parse("https://example.org/a/b").unwrap();
    let next =
        |location: &'static str| next_hop(&from, &HeaderValue::from_static(location)).map(|url| url.to_string());
    assert_eq!(next("../c").unwrap(), "https://example.org/c");
    assert_eq!(next("//other.example/x").unwrap(), "https://other.example/x");
    assert!(why(next("http://example.org/")).contains("without encryption"));
    assert!(why(next("https://a:b@example.org/")).contains("password"));
    assert!(next("javascript:1").is_err());
    let plain = Url::parse("http://10.0.0.1/").unwrap();
    assert!(next_hop(&plain, &HeaderValue::from_static("https://example.org/")).is_ok());
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

#[test]
fn what_is_proposed_is_the_request_that_is_sent() {
    let header = Header {
        name: "X-Own".to_owned(),
        value: "{vault:token}".to_owned(),
    };
    let request = Request::new("put", "HTTPS://Example.org", &[header], "b").unwrap();
    let payload = request.payload();
    assert_eq!(
        payload.to_string(),
        r#"(:ACTION :SEND :METHOD "PUT" :URL "https://example.org/" :HEADERS ("x-own" "{vault:token}") :BODY "b")"#
    );
    let again = Request::from_form(&payload).unwrap();
    assert_eq!(again.payload(), payload);
    let pairs = read(r#"(:URL "https://a.example" :HEADERS ((:ACCEPT "x") ("b" "y")))"#).unwrap();
    let names: Vec<String> = Request::from_form(&pairs)
        .unwrap()
        .headers
        .iter()
        .map(|(name, _)| name.to_string())
        .collect();
    assert_eq!(names, ["accept", "b"]);
}

#[test]
fn malformed_requests_are_refused_by_name() {
    for (form, part) in [
        ("()", ":URL"),
        (r#"(:URL 7)"#, ":URL"),
        (r#"(:URL "https://a.example" :METHOD "CONNECT")"#, "no method"),
        (r#"(:URL "https://a.example" :HEADERS "x")"#, ":HEADERS"),
        (r#"(:URL "https://a.example" :HEADERS ("a"))"#, ":HEADERS"),
        (
            r#"(:URL "https://a.example" :HEADERS ("host" "b.example"))"#,
            "set by the host",
        ),
        (
            r#"(:URL "https://a.example" :HEADERS ("proxy-authorization" "x"))"#,
            "set by the host",
        ),
        (
            r#"(:URL "https://a.example" :HEADERS ("a b" "x"))"#,
            "no name of a header",
        ),
        (
            "(:URL \"https://a.example\" :HEADERS (\"a\" \"x\ry\"))",
            "control character",
        ),
        (r#"(:URL "https://a.example" :BODY (1))"#, ":BODY"),
        (r#"(:URL "mailto:a@example.org")"#, "neither http nor https"),
    ] {
        let error = why(Request::from_form(&read(form).unwrap()));
        assert!(error.contains(part), "{form}: {error}");
    }
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

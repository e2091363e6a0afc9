//! http:// where https:// is meant, the other way round, and neither: told in plain words, with what to write instead.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::server::{Deed, Server, response};
use super::{Meter, ProviderError, Remote, bounds, endpoint, provider, request};

/// What who asks such a server over TLS hears: it reads something, sends `answer` and hangs up.
async fn over_tls(answer: &'static [u8]) -> ProviderError {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("https://{}/v1", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(answer).await;
        }
    });
    let asked = provider("plain", &base_url, &bounds())
        .ask(&request(), &Meter::default())
        .await;
    server.abort();
    asked.unwrap_err()
}

#[tokio::test]
async fn https_towards_a_server_without_tls_says_so_and_names_http() {
    for answer in [
        &b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"[..],
        b"<!DOCTYPE HTML>",
    ] {
        let error = over_tls(answer).await;
        let text = error.to_string();
        assert!(
            text.starts_with("the server at https://127.0.0.1:") && text.contains("does not speak TLS; try http://"),
            "{text}"
        );
        assert!(!text.contains("InvalidContentType"), "{text}");
        assert!(error.costs_nothing() && error.blames_provider());
    }
    // One that says nothing may be one.
    let text = over_tls(b"").await.to_string();
    assert!(
        text.contains("hung up while TLS was set up; if it speaks none, try http://"),
        "{text}"
    );
}

#[tokio::test]
async fn http_towards_a_server_with_tls_says_so_and_names_https() {
    let said = [
        "<html><h1>400 Bad Request</h1>\n<center>The plain HTTP request was sent to HTTPS port</center></html>",
        "Client sent an HTTP request to an HTTPS server.\n",
        "<p>Reason: You're speaking plain HTTP to an\nSSL-enabled server port.</p>",
    ];
    for body in said {
        let server = Server::start([Deed::Send(response("400 Bad Request", "", body))]).await;
        let asked = provider("tls", &server.base_url, &bounds())
            .ask(&request(), &Meter::default())
            .await;
        let text = asked.unwrap_err().to_string();
        assert!(text.contains("speaks TLS only; write https://"), "{text}");
    }
    // Another 400 is what it says.
    let server = Server::start([Deed::Send(response("400 Bad Request", "", "no such model"))]).await;
    let asked = provider("other", &server.base_url, &bounds())
        .ask(&request(), &Meter::default())
        .await;
    assert!(
        asked
            .unwrap_err()
            .to_string()
            .contains("400 (bad request): no such model")
    );
    // An alert of TLS is no answer of HTTP.
    let server = Server::start([Deed::Send(vec![0x15, 3, 1, 0, 2, 2, 70])]).await;
    let asked = provider("alert", &server.base_url, &bounds())
        .ask(&request(), &Meter::default())
        .await;
    let text = asked.unwrap_err().to_string();
    assert!(text.contains("is no HTTP; if it speaks TLS, write https://"), "{text}");
}

#[test]
fn an_address_without_a_scheme_is_told_that_it_has_none() {
    let problem = |base_url: &str| match Remote::new("mine", &endpoint(base_url), &bounds()) {
        Err(error) => error.to_string(),
        Ok(_) => String::new(),
    };
    for base_url in [
        "127.0.0.1:8080/v1",
        "localhost:8080/v1",
        "models.example.org/v1",
        "//models.example.org/v1",
        "/v1",
    ] {
        let text = problem(base_url);
        assert!(
            text.starts_with("`base_url` has no http:// or https:// in front; "),
            "{base_url}: {text}"
        );
    }
    assert!(problem(" ").starts_with("`base_url` is missing or empty; "));
    assert!(problem("ftp://models.example.org").contains("begins with neither http:// nor https://"));
    assert!(problem("http://models.example.org:99999/v1").contains("is no address"));
    assert_eq!(problem("HTTP://models.example.org/v1"), "");
}

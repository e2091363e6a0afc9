//! A real server on this machine, which answers by the path.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that keeps what it is asked, and answers by the path. `PORT` in an answer is its own.
pub(super) struct Server {
    pub(super) port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) async fn start() -> Server {
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

    pub(super) fn asked(&self) -> Vec<String> {
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

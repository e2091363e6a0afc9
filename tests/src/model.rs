//! A model behind a real HTTP server that the test holds in its hands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::daemon::PATIENCE;

/// A model that holds its first answer until the test lets it go.
pub struct HeldModel {
    /// The port of its server on loopback.
    pub port: u16,
    asked: Receiver<()>,
    go: Sender<()>,
}

impl HeldModel {
    /// Starts its server.
    pub fn start() -> HeldModel {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tell, asked) = channel();
        let (go, wait) = channel::<()>();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                if read_request(&stream).is_none() {
                    continue;
                }
                // Only the first: once nobody listens or sends any more, there is nothing to wait for.
                let _ = tell.send(());
                let _ = wait.recv();
                let body = r#"{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}]}"#;
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        HeldModel { port, asked, go }
    }

    /// Waits until the model has been asked.
    pub fn asked(&self) {
        self.asked.recv_timeout(PATIENCE).expect("the model is asked");
    }

    /// Lets it answer from now on.
    pub fn answer(&self) {
        for _ in 0..20 {
            self.go.send(()).unwrap();
        }
    }
}

/// Reads one whole request.
fn read_request(stream: &TcpStream) -> Option<Vec<u8>> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(body)
}

//! Pages on loopback, for whoever fetches them: one at a time, which the test can change.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A server that answers everything with the same page.
pub struct Pages {
    /// Where it listens.
    pub port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    kind: String,
    body: Vec<u8>,
    /// Where it redirects to, if it does.
    leads: Option<String>,
    asked: usize,
}

impl Pages {
    /// Starts it, with an empty page.
    pub fn start() -> Pages {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let (mut asked, mut part) = (Vec::new(), [0; 1024]);
                while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read(&mut part) {
                        Ok(count) if count > 0 => asked.extend_from_slice(&part[..count]),
                        _ => break,
                    }
                }
                let mut state = shared.lock().unwrap();
                state.asked += 1;
                // A client that has had enough closes.
                let status = match &state.leads {
                    Some(leads) => format!("302 Found\r\nLocation: {leads}"),
                    None => "200 OK".to_owned(),
                };
                let _ = write!(
                    stream,
                    "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    state.kind,
                    state.body.len(),
                );
                let _ = stream.write_all(&state.body);
            }
        });
        Pages { port, state }
    }

    /// Has this page from now on.
    pub fn serve(&self, kind: &str, body: &str) {
        self.serve_bytes(kind, body.as_bytes());
    }

    /// The same with a page that may be no text.
    pub fn serve_bytes(&self, kind: &str, body: &[u8]) {
        let mut state = self.state.lock().unwrap();
        (state.kind, state.body) = (kind.to_owned(), body.to_vec());
    }

    /// Redirects to there from now on.
    pub fn redirect(&self, leads: &str) {
        self.state.lock().unwrap().leads = Some(leads.to_owned());
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.state.lock().unwrap().asked
    }
}

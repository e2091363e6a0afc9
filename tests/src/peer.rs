//! A client that writes frames by hand.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use passepartout_host::sexp::{Form, Limits, read_with};

use crate::daemon::PATIENCE;

/// One connection.
pub struct Peer {
    stream: Stream,
    requests: u32,
    session: Option<String>,
}

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Peer {
    /// A connection to a Unix socket.
    pub fn unix(path: &Path) -> Peer {
        let stream = UnixStream::connect(path).expect("connect to the socket");
        stream.set_read_timeout(Some(PATIENCE)).expect("set a time-out");
        Peer {
            stream: Stream::Unix(stream),
            requests: 0,
            session: None,
        }
    }

    /// A connection to a TCP port on loopback. The greeting has not been read.
    pub fn tcp(port: u16) -> Peer {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("connect to the port");
        stream.set_read_timeout(Some(PATIENCE)).expect("set a time-out");
        Peer {
            stream: Stream::Tcp(stream),
            requests: 0,
            session: None,
        }
    }

    /// Writes bytes as they are. A peer that has been dropped may fail to: that is for the test to see when it reads.
    pub fn write(&mut self, bytes: &[u8]) {
        let _ = match &mut self.stream {
            Stream::Unix(stream) => stream.write_all(bytes),
            Stream::Tcp(stream) => stream.write_all(bytes),
        };
    }

    /// Says that nothing more will be written.
    pub fn finish_writing(&mut self) {
        let _ = match &mut self.stream {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Write),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Write),
        };
    }

    /// Sends one form in a frame.
    pub fn send(&mut self, form: &str) {
        self.write(format!("{:06X}{form}", form.len()).as_bytes());
    }

    /// Says something as the user, and returns the request id.
    pub fn say(&mut self, text: &str) -> String {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        self.event(&format!("(:SENSOR :USER-INPUT :TEXT \"{text}\")"))
    }

    /// Sends an event with this payload, and returns the request id.
    pub fn event(&mut self, payload: &str) -> String {
        self.envelope("EVENT", &format!(":PAYLOAD {payload}"))
    }

    /// Sends a request with this body, and returns the request id.
    pub fn request(&mut self, body: &str) -> String {
        self.envelope("REQUEST", body)
    }

    fn envelope(&mut self, kind: &str, body: &str) -> String {
        self.requests += 1;
        let id = format!("r{}", self.requests);
        let session = self
            .session
            .as_ref()
            .map(|id| format!(" :SESSION-ID \"{id}\""))
            .unwrap_or_default();
        self.send(&format!(
            "(:TYPE :{kind} :META (:SOURCE :TUI :REQUEST-ID \"{id}\"{session}) {body})"
        ));
        id
    }

    /// Joins the session `id` with the next thing that is sent.
    pub fn join(&mut self, id: &str) {
        self.session = Some(id.to_owned());
    }

    /// The next frame.
    #[expect(clippy::should_implement_trait, reason = "a peer is no iterator: it also writes")]
    pub fn next(&mut self) -> Form {
        self.try_next()
            .expect("the daemon closed the connection instead of answering")
    }

    /// The next frame, or nothing when the daemon has closed the connection.
    pub fn try_next(&mut self) -> Option<Form> {
        let text = self.next_text()?;
        Some(read_with(&text, Limits::STORED).unwrap_or_else(|error| panic!("{error} in a frame:\n{text}")))
    }

    /// The text of the next frame, or nothing when the daemon has closed the connection.
    pub fn next_text(&mut self) -> Option<String> {
        let mut prefix = [0; 6];
        self.read(&mut prefix)?;
        let length = std::str::from_utf8(&prefix)
            .ok()
            .and_then(|digits| usize::from_str_radix(digits, 16).ok());
        let mut body = vec![0; length.unwrap_or_else(|| panic!("no prefix of a frame: {prefix:?}"))];
        self.read(&mut body)?;
        Some(String::from_utf8(body).expect("frames are UTF-8"))
    }

    /// Every frame up to and with the end of the turn that `request` started; an error that refuses it ends it too.
    pub fn turn(&mut self, request: &str) -> Turn {
        let mut frames = Vec::new();
        loop {
            let frame = self.next();
            if self.session.is_none() {
                self.session = frame.text_at("meta.session-id").map(str::to_owned);
            }
            let own = frame.text_at("meta.request-id") == Some(request);
            let is = |action: &str| frame.at("payload.action").is_some_and(|own| own.is_kw(action));
            let refused = is("ERROR") && !frame.at("payload.turn").is_some_and(Form::is_true);
            let (end, answer) = (
                is("CYCLE-END"),
                frame.get("TYPE").is_some_and(|kind| kind.is_kw("RESPONSE")),
            );
            frames.push(frame);
            if own && (end || refused || answer) {
                return Turn { frames };
            }
        }
    }

    /// Says something and returns the whole turn.
    pub fn ask(&mut self, text: &str) -> Turn {
        let request = self.say(text);
        self.turn(&request)
    }

    /// Asks the daemon itself, and returns the payload of the answer (or of the error).
    pub fn admin(&mut self, payload: &str) -> Form {
        let request = self.request(&format!(":PAYLOAD {payload}"));
        let turn = self.turn(&request);
        turn.frames
            .last()
            .and_then(|frame| frame.get("PAYLOAD"))
            .cloned()
            .expect("an answer has a payload")
    }

    /// The session, once a frame has named it.
    pub fn session(&self) -> &str {
        self.session
            .as_deref()
            .expect("the session is known after the first turn")
    }

    /// Sets how long a read waits.
    pub fn set_patience(&mut self, patience: Duration) {
        let _ = match &mut self.stream {
            Stream::Unix(stream) => stream.set_read_timeout(Some(patience)),
            Stream::Tcp(stream) => stream.set_read_timeout(Some(patience)),
        };
    }

    /// Fills `buffer`; nothing when the connection ended first.
    fn read(&mut self, buffer: &mut [u8]) -> Option<()> {
        let read = match &mut self.stream {
            Stream::Unix(stream) => stream.read_exact(buffer),
            Stream::Tcp(stream) => stream.read_exact(buffer),
        };
        match read {
            Ok(()) => Some(()),
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
                ) =>
            {
                panic!("no frame came in time")
            }
            Err(_) => None,
        }
    }
}

/// The frames of one turn.
#[derive(Debug)]
pub struct Turn {
    /// All of them, in order.
    pub frames: Vec<Form>,
}

impl Turn {
    /// The payloads of the frames with this action.
    pub fn all(&self, action: &str) -> Vec<&Form> {
        let payloads = self.frames.iter().filter_map(|frame| frame.get("PAYLOAD"));
        payloads
            .filter(|payload| payload.get("ACTION").is_some_and(|own| own.is_kw(action)))
            .collect()
    }

    /// The texts of the replies.
    pub fn replies(&self) -> Vec<&str> {
        self.all("MESSAGE")
            .into_iter()
            .filter_map(|payload| payload.text_at("text"))
            .collect()
    }

    /// The only reply.
    pub fn reply(&self) -> &str {
        match self.replies()[..] {
            [only] => only,
            _ => panic!("not exactly one reply: {self:#?}"),
        }
    }

    /// How the turn ended, as an upper-case name; `REFUSED-MESSAGE` for one that was never begun.
    pub fn outcome(&self) -> &str {
        let last = self.frames.last().and_then(|frame| frame.get("PAYLOAD"));
        last.and_then(|payload| payload.get("OUTCOME"))
            .and_then(Form::keyword)
            .unwrap_or("REFUSED-MESSAGE")
    }

    /// The plan that waits, which there must be exactly one of.
    pub fn plan(&self) -> &Form {
        match self.all("PLAN")[..] {
            [only] => only,
            _ => panic!("not exactly one plan: {self:#?}"),
        }
    }

    /// The id of the plan.
    pub fn plan_id(&self) -> &str {
        self.plan().text_at("plan").expect("a plan has an id")
    }

    /// The rejections of the refusal: gate and rule.
    pub fn rejections(&self) -> Vec<(&str, &str)> {
        let refusals = self.all("REFUSAL");
        let items = refusals
            .iter()
            .filter_map(|payload| payload.get("REJECTIONS"))
            .filter_map(Form::items)
            .flatten();
        items
            .map(|form| (form.text_at("gate").unwrap_or(""), form.text_at("rule").unwrap_or("")))
            .collect()
    }

    /// The texts of the errors.
    pub fn errors(&self) -> Vec<&str> {
        self.all("ERROR")
            .into_iter()
            .filter_map(|payload| payload.text_at("text"))
            .collect()
    }
}

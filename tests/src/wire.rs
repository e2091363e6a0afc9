//! What tests about the wire share: the sorts of answers there are, and another client that must not notice anything.

use passepartout_host::sexp::Form;

use crate::daemon::Daemon;
use crate::peer::Peer;

/// The code and the field of the error that this frame is.
pub fn error(frame: &Form) -> (String, String) {
    let action = frame.at("payload.action");
    assert!(
        action.is_some_and(|action| action.is_kw("ERROR")),
        "this is no error: {frame}"
    );
    let text = frame.text_at("payload.text").unwrap_or_default();
    assert!(text.len() > 10, "an error says what was wrong: {frame}");
    let code = frame.at("payload.code").and_then(Form::keyword).unwrap_or_default();
    let field = frame.text_at("payload.field").unwrap_or_default();
    (code.to_owned(), field.to_owned())
}

/// Asserts that `peer` is told `code` and that the connection is closed after it.
pub fn closed_with(peer: &mut Peer, code: &str) {
    assert_eq!(error(&peer.next()).0, code);
    assert_eq!(peer.try_next(), None, "the connection stayed open");
}

/// Asserts that `peer` can still ask for the daemon's health.
pub fn still_usable(peer: &mut Peer) {
    peer.send("(:TYPE :HEALTH-CHECK :META (:REQUEST-ID \"still\"))");
    let answer = peer.next();
    assert!(
        answer.get("TYPE").is_some_and(|kind| kind.is_kw("HEALTH-RESPONSE")),
        "{answer}"
    );
    assert_eq!(answer.text_at("meta.request-id"), Some("still"));
}

/// Another client, whose session has to go on whatever somebody else does.
pub struct Bystander {
    peer: Peer,
    session: Option<String>,
}

impl Bystander {
    /// One that has begun its session.
    pub fn new(daemon: &Daemon<'_>) -> Bystander {
        let mut bystander = Bystander {
            peer: daemon.connect(),
            session: None,
        };
        bystander.goes_on();
        bystander
    }

    /// Asserts that the same connection has a turn in the same session.
    pub fn goes_on(&mut self) {
        let turn = self.peer.ask("/help");
        assert_eq!(turn.outcome(), "ANSWERED");
        assert!(turn.reply().contains("/approve"), "{turn:?}");
        let session = self.peer.session().to_owned();
        assert_eq!(*self.session.get_or_insert(session.clone()), session);
    }

    /// Its connection.
    pub fn peer(&mut self) -> &mut Peer {
        &mut self.peer
    }
}

/// Asserts that the daemon is alive, and that `bystander` has noticed nothing.
pub fn unharmed(daemon: &mut Daemon<'_>, bystander: &mut Bystander) {
    daemon.assert_healthy();
    bystander.goes_on();
}

/// The memory that the daemon holds, in bytes.
pub fn resident(daemon: &Daemon<'_>) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.pid())).expect("the daemon's status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.expect("a resident size") << 10
}

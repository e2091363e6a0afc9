//! One connection, from the greeting to the last byte.
//!
//! Reads frames and hands what they say to the [`Conversation`]. A frame that is
//! only wrong gets an error and the connection stays; bytes that are no frames, a frame that stays unfinished and a
//! proof that fails end it, after an error that says why. What events mean is not known here.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::client_meta::request_id;
use super::conversation::{Admission, Conversation, Next, Shared};
use super::envelope;
use super::frame::{Decoder, LIMIT};
use super::outbox::Outbox;
use super::service::Door;
use crate::sexp::read;

/// Longest frame before the proof, in bytes: health checks and proofs are far shorter, and nobody has to keep more of
/// what a stranger sends.
const UNPROVEN_LIMIT: usize = 4 << 10;

/// How much may wait for a slow reader, in bytes: a few of the longest frames. A client further behind is dropped.
const OUTBOX: usize = 16 << 20;

/// A longer text is read on a thread of its own, so that no other connection waits for it.
const READ_ELSEWHERE: usize = 64 << 10;

/// How long, and how much, a peer's remaining bytes are read after the last frame to it. Closing earlier would make
/// the kernel throw away the error that was just sent.
const LINGER: (Duration, usize) = (Duration::from_secs(1), 1 << 20);

/// Why reading ended.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// The peer closed its side, or the whole connection broke.
    Left,
    /// The peer was told why.
    Closing,
    /// The daemon goes down.
    Stopping,
    /// The peer read too slowly.
    Slow,
}

/// Serves one connection until it ends. Never fails: whatever the peer does ends at most its own connection.
pub(super) async fn serve(
    shared: Arc<Shared>,
    id: u64,
    door: Door,
    mut reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Unpin + Send + 'static,
    stop: CancellationToken,
) {
    let (outbox, queue) = Outbox::new(OUTBOX);
    let mut writing = tokio::spawn(queue.write_to(writer));
    let frame_timeout = shared.frame_timeout;
    let mut conversation = Conversation::new(shared, id, door, outbox.clone());
    conversation.greet();
    let end = read_frames(&mut conversation, &outbox, &mut reader, &stop).await;
    if end == End::Left {
        // Who closes only his own side, as a pipe into a socket does, still gets the answers under way.
        let _ = timeout(frame_timeout, conversation.answered()).await;
    }
    drop(conversation);
    outbox.close();
    if end == End::Slow {
        tracing::warn!(connection = id, "a client that read too slowly was dropped");
    }
    if timeout(frame_timeout, &mut writing).await.is_err() {
        writing.abort();
    } else if end == End::Closing {
        let _ = timeout(LINGER.0, read_away(&mut reader, LINGER.1)).await;
    }
}

async fn read_away(reader: &mut (impl AsyncRead + Unpin), most: usize) {
    let mut chunk = vec![0; 8 << 10];
    let mut seen = 0;
    while seen < most {
        match reader.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(read) => seen += read,
        }
    }
}

/// Reads and handles frames until the connection ends.
async fn read_frames(
    conversation: &mut Conversation,
    outbox: &Outbox,
    reader: &mut (impl AsyncRead + Unpin),
    stop: &CancellationToken,
) -> End {
    let frame_timeout = conversation.frame_timeout();
    let mut decoder = Decoder::new(LIMIT);
    let mut chunk = vec![0; 8 << 10];
    let mut unfinished_until = None;
    loop {
        if outbox.overflow().is_cancelled() {
            return End::Slow;
        }
        decoder.set_limit(if conversation.admission() == Admission::Given {
            LIMIT
        } else {
            UNPROVEN_LIMIT
        });
        match decoder.next_frame() {
            Ok(Some(text)) => {
                unfinished_until = None;
                if handle(conversation, text).await == Next::Close {
                    return End::Closing;
                }
                continue;
            }
            Ok(None) => {}
            Err(error) => {
                conversation.error(None, error.code(), None, &format!("{error}; the connection is closed"));
                return End::Closing;
            }
        }
        unfinished_until = if decoder.is_between_frames() {
            None
        } else {
            unfinished_until.or_else(|| Some(Instant::now() + frame_timeout))
        };
        let proof_by = match conversation.admission() {
            Admission::Given => None,
            Admission::ProofBy(deadline) => Some(deadline),
        };
        let deadline = unfinished_until.into_iter().chain(proof_by).min();
        tokio::select! {
            biased;
            () = stop.cancelled() => return End::Stopping,
            () = outbox.overflow().cancelled() => return End::Slow,
            () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                let what = if unfinished_until.is_some() { "the rest of a frame" } else { "the proof of the token" };
                let seconds = frame_timeout.as_secs_f64();
                let text = format!("{what} did not come within {seconds} seconds; the connection is closed");
                conversation.error(None, "timeout", None, &text);
                return End::Closing;
            }
            read = reader.read(&mut chunk) => match read {
                Ok(0) | Err(_) => return End::Left,
                Ok(read) => decoder.push(&chunk[..read]),
            },
            () = conversation.one_answered() => {}
        }
    }
}

async fn handle(conversation: &mut Conversation, text: String) -> Next {
    let form = if text.len() > READ_ELSEWHERE {
        let read = tokio::task::spawn_blocking(move || read(&text)).await;
        read.map_err(|error| error.to_string())
            .and_then(|form| form.map_err(|error| error.to_string()))
    } else {
        read(&text).map_err(|error| error.to_string())
    };
    let form = match form {
        Ok(form) => form,
        Err(error) => {
            conversation.error(None, "bad-form", None, &format!("the message can't be read: {error}"));
            return Next::Read;
        }
    };
    let id = request_id(&form);
    match envelope::classify(form) {
        Ok(envelope) => conversation.obey(envelope),
        Err(error) => {
            conversation.error(id, error.code(), Some(error.field()), &error.to_string());
            Next::Read
        }
    }
}

//! What waits to be sent to one client: bounded, and never waited for. Whoever reads too slowly is dropped, so that
//! nobody else waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::frame;
use super::parts;
use crate::sexp::Form;
use crate::signal::frames;

/// Frames are gathered into one write up to about this many bytes.
const GATHERED: usize = 64 << 10;

/// The sending end. Clones share the bound.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    sender: UnboundedSender<Outgoing>,
    waiting: Arc<AtomicUsize>,
    bound: usize,
    overflow: CancellationToken,
}

#[derive(Debug)]
enum Outgoing {
    Message(Arc<[u8]>),
    Close,
}

/// The other end, which one task writes out.
pub(super) struct Queue {
    receiver: UnboundedReceiver<Outgoing>,
    waiting: Arc<AtomicUsize>,
    overflow: CancellationToken,
}

impl Outbox {
    /// An outbox in which at most `bound` bytes wait; one message alone may be longer.
    pub(super) fn new(bound: usize) -> (Outbox, Queue) {
        let (sender, receiver) = unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let overflow = CancellationToken::new();
        let queue = Queue {
            receiver,
            waiting: Arc::clone(&waiting),
            overflow: overflow.clone(),
        };
        (
            Outbox {
                sender,
                waiting,
                bound,
                overflow,
            },
            queue,
        )
    }

    /// Queues one message. When the client is too far behind, it is dropped instead.
    pub(super) fn send(&self, message: Arc<[u8]>) {
        let earlier = self.waiting.fetch_add(message.len(), Ordering::Relaxed);
        if earlier > 0 && earlier + message.len() > self.bound {
            self.overflow.cancel();
            return;
        }
        // The receiver is gone only when the connection is, and then nobody misses the message.
        let _ = self.sender.send(Outgoing::Message(message));
    }

    /// Nothing that is queued later is sent.
    pub(super) fn close(&self) {
        let _ = self.sender.send(Outgoing::Close);
    }

    /// Cancelled when the client was too slow.
    pub(super) fn overflow(&self) -> &CancellationToken {
        &self.overflow
    }
}

impl Queue {
    /// Writes what is queued until the outbox is closed, the client is too slow, or writing fails; then shuts the
    /// writing side down.
    pub(super) async fn write_to(mut self, mut writer: impl AsyncWrite + Unpin) {
        let overflow = self.overflow.clone();
        tokio::select! {
            biased;
            () = overflow.cancelled() => {}
            _ = self.write_all(&mut writer) => {
                let _ = writer.shutdown().await;
            }
        }
    }

    async fn write_all(&mut self, writer: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
        let mut gathered = Vec::new();
        while let Some(Outgoing::Message(first)) = self.receiver.recv().await {
            let mut closing = false;
            if first.len() >= GATHERED {
                writer.write_all(&first).await?;
                self.waiting.fetch_sub(first.len(), Ordering::Relaxed);
                continue;
            }
            gathered.clear();
            gathered.extend_from_slice(&first);
            while gathered.len() < GATHERED && !closing {
                match self.receiver.try_recv() {
                    Ok(Outgoing::Message(next)) => gathered.extend_from_slice(&next),
                    Ok(Outgoing::Close) => closing = true,
                    Err(_) => break,
                }
            }
            writer.write_all(&gathered).await?;
            self.waiting.fetch_sub(gathered.len(), Ordering::Relaxed);
            if gathered.capacity() > 2 * GATHERED {
                gathered = Vec::new();
            }
            if closing {
                break;
            }
        }
        Ok(())
    }
}

/// The bytes of `message`, or, where it is too long even in parts, of an error that says so.
pub(super) fn encode(message: &Form) -> Arc<[u8]> {
    let bytes = parts::encode_message(message).unwrap_or_else(|error| {
        let id = message.at("meta.request-id");
        let text = format!("the answer is too long to be sent ({error}); ask for less");
        tracing::warn!(%error, "an answer was too long to be sent");
        // This frame is short by construction, and an empty one sends nothing.
        frame::encode(&frames::error_without_session(id, "answer-too-long", None, &text)).unwrap_or_default()
    });
    bytes.into()
}

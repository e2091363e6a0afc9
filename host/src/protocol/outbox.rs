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
    /// With what it counts for.
    Message(Arc<[u8]>, usize),
    Close,
}

/// The other end, which one task writes out.
pub(super) struct Queue {
    receiver: UnboundedReceiver<Outgoing>,
    waiting: Arc<AtomicUsize>,
    overflow: CancellationToken,
}

impl Outbox {
    /// An outbox in which at most `bound` bytes wait. A message counts for no more than a third of that, however long it is:
    /// whoever asks two things at once is not slow for the length of what is answered.
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
        let weight = self.weigh(&message);
        let earlier = self.waiting.fetch_add(weight, Ordering::Relaxed);
        if earlier + weight > self.bound {
            self.overflow.cancel();
            return;
        }
        // The receiver is gone only when the connection is, and then nobody misses the message.
        let _ = self.sender.send(Outgoing::Message(message, weight));
    }

    fn weigh(&self, message: &[u8]) -> usize {
        message.len().min(self.bound / 3)
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
        while let Some(Outgoing::Message(first, weight)) = self.receiver.recv().await {
            let mut closing = false;
            if first.len() >= GATHERED {
                writer.write_all(&first).await?;
                self.waiting.fetch_sub(weight, Ordering::Relaxed);
                continue;
            }
            let mut weights = weight;
            gathered.clear();
            gathered.extend_from_slice(&first);
            while gathered.len() < GATHERED && !closing {
                match self.receiver.try_recv() {
                    Ok(Outgoing::Message(next, weight)) => {
                        gathered.extend_from_slice(&next);
                        weights += weight;
                    }
                    Ok(Outgoing::Close) => closing = true,
                    Err(_) => break,
                }
            }
            writer.write_all(&gathered).await?;
            self.waiting.fetch_sub(weights, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn message(length: usize) -> Arc<[u8]> {
        vec![b'x'; length].into()
    }

    #[tokio::test]
    async fn long_answers_to_what_was_asked_at_once_are_sent_and_room_is_there_again() {
        let (outbox, queue) = Outbox::new(3_000);
        for length in [100_000, 7, 100_000, 20] {
            outbox.send(message(length));
        }
        outbox.close();
        let mut sent = Vec::new();
        queue.write_to(&mut sent).await;
        assert_eq!(sent.len(), 200_027);
        assert_eq!(outbox.waiting.load(Ordering::Relaxed), 0);
        assert!(!outbox.overflow().is_cancelled());
    }

    #[tokio::test]
    async fn whoever_reads_nothing_is_dropped_however_short_or_long_the_messages_are() {
        for length in [1, 999, 100_000] {
            let (outbox, _queue) = Outbox::new(3_000);
            let mut sent = 0;
            while !outbox.overflow().is_cancelled() {
                outbox.send(message(length));
                sent += 1;
            }
            assert_eq!(sent, 1 + 3_000 / length.min(1_000), "{length}");
        }
    }
}

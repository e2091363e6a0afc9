//! A thread of its own for connections.
//!
//! Below us, interim answers (1xx) are read past within one turn of the scheduler for as long as they come, and nothing
//! there bounds how many. Here that keeps no one else from their turn: whoever waits for the answer does so elsewhere,
//! within a bound that holds, and takes the connection along when they go.

use std::future::Future;
use std::io;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::task::AbortOnDropHandle;

/// Most names that are looked up at once.
const LOOKUPS: usize = 4;

/// The thread. Dropped, it ends, and so do its connections.
pub(crate) struct Apart {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Apart {
    /// Starts it.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn start() -> io::Result<Apart> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .max_blocking_threads(LOOKUPS)
            .thread_name("connections")
            // That nobody waits any more is heard before anything else goes on.
            .global_queue_interval(1)
            .enable_io()
            .enable_time()
            .build()?;
        Ok(Apart {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    /// Runs `future` there. Whoever drops what is returned ends it.
    pub(crate) fn spawn<F>(&self, future: F) -> AbortOnDropHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        AbortOnDropHandle::new(self.handle.spawn(future))
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

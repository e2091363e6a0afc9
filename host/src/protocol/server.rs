//! The two doors: a Unix socket for the operator's own clients, and TCP on loopback.
//!
//! Binds, says where it listens, accepts, and gives each connection a task of its own. An error on accepting is waited
//! out; nothing a peer does ends the loop.

use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection;
use super::conversation::Shared;
use super::daemon_file::{DaemonFile, load_or_create_token, socket_path};
use super::frame;
use super::handshake::Token;
use super::hub::Hub;
use super::service::{Door, Service};
use crate::config::{TcpAuth, WireConfig};
use crate::signal::frames;

/// Ports that are tried after the first.
const MORE_PORTS: u16 = 10;

/// Shortest and longest wait after accepting failed, as it does when there are no more file descriptors.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));

/// Longest path of a Unix socket on Linux, in bytes (108, with the zero at its end).
const SOCKET_PATH: usize = 107;

/// Why the doors can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Another daemon serves this home.
    #[error("a daemon already listens at {}; stop it, or set PASSEPARTOUT_HOME to another folder", path.display())]
    Running {
        /// The socket.
        path: PathBuf,
    },
    /// The state folder lies too deep.
    #[error("the socket's path {} has {} bytes and may have {SOCKET_PATH}; set PASSEPARTOUT_HOME to a shorter one", path.display(), path.as_os_str().len())]
    PathTooLong {
        /// The socket.
        path: PathBuf,
    },
    /// The socket can't be made.
    #[error("can't listen at {}: {source}; check that the folder exists and is yours", path.display())]
    Socket {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// No port is free.
    #[error(
        "all ports from {first} to {last} on 127.0.0.1 are taken; free one, or set another `tcp.port` in config.toml"
    )]
    PortsTaken {
        /// The first that was tried.
        first: u16,
        /// The last.
        last: u16,
    },
    /// TCP does not work.
    #[error("can't listen on 127.0.0.1:{port}: {source}")]
    Port {
        /// The port.
        port: u16,
        /// Why.
        source: io::Error,
    },
    /// The state folder can't be written.
    #[error("can't write to {}: {source}; check that the folder exists and is yours", path.display())]
    State {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Both doors, open. Dropping it closes them and removes the socket and `daemon.json`.
#[derive(Debug)]
pub struct Server {
    unix: UnixListener,
    tcp: TcpListener,
    port: u16,
    token: Token,
    wire: WireConfig,
    default_source: String,
    // Last, so that the socket's file goes when nobody listens any more.
    _traces: Traces,
}

/// What a daemon leaves in its state folder while it runs, removed when this is dropped.
#[derive(Debug)]
struct Traces {
    state: PathBuf,
    inode: u64,
}

impl Server {
    /// Opens both doors in the folder `state`, which exists and is the owner's alone, and then writes where they are.
    /// `default_source` (upper case) is the reply target of clients that name none.
    ///
    /// # Errors
    /// When another daemon is there, every port is taken, or the folder can't be used.
    pub async fn bind(wire: &WireConfig, state: &Path, default_source: &str) -> Result<Server, BindError> {
        let in_state = |source| BindError::State {
            path: state.to_owned(),
            source,
        };
        let (unix, inode) = bind_unix(&socket_path(state)).await?;
        let traces = Traces {
            state: state.to_owned(),
            inode,
        };
        let token = load_or_create_token(state).map_err(in_state)?;
        let tcp = bind_tcp(wire.port).await?;
        let port = tcp
            .local_addr()
            .map_err(|source| BindError::Port {
                port: wire.port,
                source,
            })?
            .port();
        let server = Server {
            unix,
            tcp,
            port,
            token,
            wire: wire.clone(),
            default_source: default_source.to_owned(),
            _traces: traces,
        };
        DaemonFile::of_this_process(port).write(state).map_err(in_state)?;
        tracing::info!(port, socket = %socket_path(state).display(), "listening");
        if wire.tcp_auth == TcpAuth::None {
            tracing::warn!(
                port,
                "tcp.auth is \"none\": every program on this machine can talk to the agent on this port, though not approve"
            );
        }
        Ok(server)
    }

    /// The TCP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Serves until `stop` is cancelled. Then nothing more is read, what is queued for clients is still written, and
    /// this returns once every connection has ended.
    pub async fn serve(self, service: Arc<dyn Service>, hub: Hub, stop: CancellationToken) {
        let all = Arc::new(Semaphore::new(self.wire.connections));
        // However many strangers fill the TCP door, the operator still finds room at his own.
        let tcp = Arc::new(Semaphore::new(self.wire.connections - self.wire.connections / 8));
        let shared = Arc::new(Shared {
            service,
            hub,
            token: self.token.clone(),
            port: self.port,
            tcp_auth: self.wire.tcp_auth,
            frame_timeout: self.wire.frame_timeout,
            default_source: self.default_source.clone(),
        });
        let tasks = TaskTracker::new();
        let mut backoff = BACKOFF.0;
        let mut id = 0;
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                unix = self.unix.accept() => unix.map(|(stream, _)| Stream::Unix(stream)),
                tcp = self.tcp.accept() => tcp.map(|(stream, _)| Stream::Tcp(stream)),
            };
            let stream = match accepted {
                Ok(stream) => stream,
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed; trying again");
                    tokio::select! {
                        () = stop.cancelled() => break,
                        () = tokio::time::sleep(backoff) => {}
                    }
                    backoff = (backoff * 2).min(BACKOFF.1);
                    continue;
                }
            };
            backoff = BACKOFF.0;
            let stranger = match &stream {
                Stream::Unix(stream) => !is_own_user(stream),
                Stream::Tcp(_) => false,
            };
            if stranger {
                stream.turn_away("not-the-owner", "this daemon belongs to another user; ask as that user");
                continue;
            }
            let room = match &stream {
                Stream::Unix(_) => Arc::clone(&all).try_acquire_owned().map(|room| (room, None)),
                Stream::Tcp(_) => Arc::clone(&tcp)
                    .try_acquire_owned()
                    .and_then(|own| Ok((Arc::clone(&all).try_acquire_owned()?, Some(own)))),
            };
            let Ok(room) = room else {
                tracing::warn!("a connection was turned away: there are as many as are allowed");
                stream.turn_away(
                    "busy",
                    "there are as many connections as the daemon allows; close one, or try again",
                );
                continue;
            };
            id += 1;
            let (shared, stop) = (Arc::clone(&shared), stop.clone());
            tasks.spawn(async move {
                let _room = room;
                match stream {
                    Stream::Unix(stream) => {
                        let (reader, writer) = stream.into_split();
                        connection::serve(shared, id, Door::Unix, reader, writer, stop).await;
                    }
                    Stream::Tcp(stream) => {
                        // Frames are small and answers awaited; if this fails they are only slower.
                        let _ = stream.set_nodelay(true);
                        let (reader, writer) = stream.into_split();
                        connection::serve(shared, id, Door::Tcp { proven: false }, reader, writer, stop).await;
                    }
                }
            });
        }
        tasks.close();
        tasks.wait().await;
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        let path = socket_path(&self.state);
        if std::fs::symlink_metadata(&path).is_ok_and(|about| about.ino() == self.inode) {
            let _ = std::fs::remove_file(&path);
        }
        DaemonFile::remove(&self.state);
    }
}

enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Stream {
    /// Says why it is closed, without waiting for anything.
    fn turn_away(self, code: &str, text: &str) {
        let frame = frame::encode(&frames::error_without_session(None, code, None, text)).unwrap_or_default();
        // A fresh connection's buffer is empty, so this fits; and if not, the peer still sees it closed.
        let _ = match &self {
            Stream::Unix(stream) => stream.try_write(&frame),
            Stream::Tcp(stream) => stream.try_write(&frame),
        };
    }
}

fn is_own_user(stream: &UnixStream) -> bool {
    stream
        .peer_cred()
        .is_ok_and(|peer| peer.uid() == rustix::process::geteuid().as_raw())
}

/// A listening socket of mode 0600 at `path`, and its inode. One that a killed daemon left is replaced.
async fn bind_unix(path: &Path) -> Result<(UnixListener, u64), BindError> {
    if UnixStream::connect(path).await.is_ok() {
        return Err(BindError::Running { path: path.to_owned() });
    }
    // Made beside its place and moved there, so that nobody finds it with another mode.
    let beside = path.with_file_name(format!("socket.{}", std::process::id()));
    if beside.as_os_str().len() > SOCKET_PATH {
        return Err(BindError::PathTooLong { path: beside });
    }
    let _ = std::fs::remove_file(&beside);
    let bound = || {
        let listener = UnixListener::bind(&beside)?;
        std::fs::set_permissions(&beside, std::fs::Permissions::from_mode(0o600))?;
        let inode = std::fs::symlink_metadata(&beside)?.ino();
        std::fs::rename(&beside, path)?;
        Ok((listener, inode))
    };
    bound().map_err(|source| {
        let _ = std::fs::remove_file(&beside);
        BindError::Socket {
            path: path.to_owned(),
            source,
        }
    })
}

/// The first free port of `first` and the ten after it; any, for 0.
async fn bind_tcp(first: u16) -> Result<TcpListener, BindError> {
    let last = if first == 0 {
        0
    } else {
        first.saturating_add(MORE_PORTS)
    };
    for port in first..=last {
        match TcpListener::bind(("127.0.0.1", port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                tracing::info!(port, "the port is taken; trying the next");
            }
            Err(source) => return Err(BindError::Port { port, source }),
        }
    }
    Err(BindError::PortsTaken { first, last })
}

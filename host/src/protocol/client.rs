//! The client's side, for our own commands and tests: finds the daemon, proves the token where it has to, sends forms and
//! gives whole messages back.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::daemon_file::{DaemonFile, socket_path, token_path};
use super::frame::{self, Decoder, FrameError, LIMIT};
use super::handshake::{self, Exchange, Nonce, Role, Token};
use super::parts::{Assembler, PartError};
use crate::sexp::{Form, Limits, ReadError, read_with};
use crate::signal::SessionId;

/// How long the greeting and the proof may take.
const OPENING: Duration = Duration::from_secs(10);

/// Why a client can't go on.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Nobody listens.
    #[error("no daemon listens at {}; start one with `passepartout-host run`", socket.display())]
    NoDaemon {
        /// Where it would.
        socket: PathBuf,
    },
    /// Something can't be read or written.
    #[error("{what}: {source}")]
    Io {
        /// What was tried, with its path or port.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The token's file holds no token.
    #[error("{} holds no token; remove it and start the daemon again", path.display())]
    NoToken {
        /// The file.
        path: PathBuf,
    },
    /// Whoever listens there is not our daemon.
    #[error("what listens on port {port} does not know the token, so it is not your daemon; nothing was sent to it")]
    Impostor {
        /// The port.
        port: u16,
    },
    /// The daemon did not let us in.
    #[error("the daemon refused the connection: {text}")]
    Refused {
        /// What it said.
        text: String,
    },
    /// The daemon went away before it was done.
    #[error("the daemon closed the connection")]
    Closed,
    /// The daemon listens and says nothing.
    #[error("the daemon did not answer within {} seconds", .after.as_secs())]
    Silent {
        /// How long it was waited for.
        after: Duration,
    },
    /// What came, or was to be sent, is no frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// What came is no form.
    #[error("what the daemon sent can't be read: {0}")]
    Form(#[from] ReadError),
    /// Parts that don't fit together.
    #[error(transparent)]
    Part(#[from] PartError),
}

/// Whether there is a process of this number.
fn is_alive(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// A connection to the daemon.
pub struct Client {
    /// Sends.
    pub sender: Sender,
    /// Receives.
    pub receiver: Receiver,
    /// What the daemon said first.
    pub greeting: Form,
    /// The session that the daemon announced after a proof; joined by the first event that names no other.
    pub announced: Option<SessionId>,
}

/// The sending half.
pub struct Sender(Box<dyn AsyncWrite + Send + Unpin>);

/// The receiving half.
pub struct Receiver {
    reader: Box<dyn AsyncRead + Send + Unpin>,
    decoder: Decoder,
    assembler: Assembler,
    chunk: Vec<u8>,
}

impl Client {
    /// Connects to the daemon whose state folder is `state`: by its socket, else by the port in `daemon.json`.
    ///
    /// # Errors
    /// When none is running, or what answers is not it.
    pub async fn connect(state: &Path) -> Result<Client, ClientError> {
        let socket = socket_path(state);
        let source = match UnixStream::connect(&socket).await {
            Ok(stream) => {
                let (reader, writer) = stream.into_split();
                return Client::open(Box::new(reader), Box::new(writer)).await;
            }
            Err(error) => error,
        };
        if !matches!(
            source.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
        ) {
            return Err(ClientError::Io {
                what: format!("can't connect to {}", socket.display()),
                source,
            });
        }
        // One that was killed leaves its file, and another home's daemon may have its port by now.
        let Some(file) = DaemonFile::read(state).ok().flatten().filter(|file| is_alive(file.pid)) else {
            return Err(ClientError::NoDaemon { socket });
        };
        let path = token_path(state);
        let text = std::fs::read_to_string(&path).map_err(|source| ClientError::Io {
            what: format!("can't read {}", path.display()),
            source,
        })?;
        let token = Token::from_hex(&text).ok_or(ClientError::NoToken { path })?;
        match Client::connect_tcp(file.port, &token).await {
            Err(ClientError::Io { source, .. }) if source.kind() == io::ErrorKind::ConnectionRefused => {
                Err(ClientError::NoDaemon { socket })
            }
            other => other,
        }
    }

    /// Connects to the daemon on `port` of this machine; both sides prove that they know `token`.
    ///
    /// # Errors
    /// When nobody listens, or what answers can't prove it.
    pub async fn connect_tcp(port: u16, token: &Token) -> Result<Client, ClientError> {
        let stream = TcpStream::connect(("127.0.0.1", port))
            .await
            .map_err(|source| ClientError::Io {
                what: format!("can't connect to 127.0.0.1:{port}"),
                source,
            })?;
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        let mut client = Client::open(Box::new(reader), Box::new(writer)).await?;
        let proving = timeout(OPENING, client.prove(port, token)).await;
        client.announced = Some(proving.map_err(|_| ClientError::Silent { after: OPENING })??);
        Ok(client)
    }

    async fn open(
        reader: Box<dyn AsyncRead + Send + Unpin>,
        writer: Box<dyn AsyncWrite + Send + Unpin>,
    ) -> Result<Client, ClientError> {
        let decoder = Decoder::new(LIMIT);
        let mut receiver = Receiver {
            reader,
            decoder,
            assembler: Assembler::default(),
            chunk: vec![0; 16 << 10],
        };
        let greeting = timeout(OPENING, receiver.expect("HANDSHAKE"))
            .await
            .map_err(|_| ClientError::Silent { after: OPENING })??;
        Ok(Client {
            sender: Sender(writer),
            receiver,
            greeting,
            announced: None,
        })
    }

    async fn prove(&mut self, port: u16, token: &Token) -> Result<SessionId, ClientError> {
        let client = Nonce::random().map_err(|error| ClientError::Io {
            what: "no random numbers".to_owned(),
            source: io::Error::other(error),
        })?;
        self.sender.send(&handshake::hello(client)).await?;
        let proof = self.receiver.expect("PROOF").await?;
        let server = proof
            .text_at("payload.nonce")
            .and_then(Nonce::from_hex)
            .ok_or(ClientError::Impostor { port })?;
        let exchange = Exchange { port, client, server };
        if !exchange.check(token, Role::Server, proof.text_at("payload.mac").unwrap_or_default()) {
            return Err(ClientError::Impostor { port });
        }
        self.sender
            .send(&handshake::client_proof(exchange.proof(token, Role::Client)))
            .await?;
        let ready = self.receiver.expect("READY").await?;
        let session = ready.text_at("payload.session-id").and_then(|id| id.parse().ok());
        session.ok_or(ClientError::Impostor { port })
    }

    /// Sends a form.
    ///
    /// # Errors
    /// When it is longer than a frame, or the daemon is gone.
    pub async fn send(&mut self, form: &Form) -> Result<(), ClientError> {
        self.sender.send(form).await
    }

    /// The next message, whole; `None` once the daemon has closed the connection. Nothing is lost when the future is
    /// dropped before it is done.
    ///
    /// # Errors
    /// When what comes is no message.
    pub async fn next(&mut self) -> Result<Option<Form>, ClientError> {
        self.receiver.next().await
    }
}

impl Sender {
    /// Sends a form.
    ///
    /// # Errors
    /// When it is longer than a frame, or the daemon is gone.
    pub async fn send(&mut self, form: &Form) -> Result<(), ClientError> {
        let bytes = frame::encode(form)?;
        let sent = self.0.write_all(&bytes).await;
        sent.map_err(|source| ClientError::Io {
            what: "can't send to the daemon".to_owned(),
            source,
        })
    }
}

impl Receiver {
    /// The next message, whole; `None` once the daemon has closed the connection between two frames. Nothing is lost
    /// when the future is dropped before it is done.
    ///
    /// # Errors
    /// When what comes is no message, or the connection ends inside a frame.
    pub async fn next(&mut self) -> Result<Option<Form>, ClientError> {
        loop {
            while let Some(text) = self.decoder.next_frame()? {
                // The daemon may wrap what a client sent, so it may go a little beyond a client's own bounds.
                if let Some(message) = self.assembler.take(read_with(&text, Limits::STORED)?)? {
                    return Ok(Some(message));
                }
            }
            match self.reader.read(&mut self.chunk).await {
                Ok(0) if self.decoder.is_between_frames() => return Ok(None),
                Ok(0) => return Err(ClientError::Closed),
                Ok(read) => self.decoder.push(&self.chunk[..read]),
                Err(source) => {
                    return Err(ClientError::Io {
                        what: "the connection to the daemon broke".to_owned(),
                        source,
                    });
                }
            }
        }
    }

    /// The next message, which has to have this `:ACTION`.
    async fn expect(&mut self, action: &str) -> Result<Form, ClientError> {
        let message = self.next().await?.ok_or(ClientError::Closed)?;
        if message.at("payload.action").is_some_and(|own| own.is_kw(action)) {
            return Ok(message);
        }
        let text = message
            .text_at("payload.text")
            .map_or_else(|| message.shortened(200), str::to_owned);
        Err(ClientError::Refused { text })
    }
}

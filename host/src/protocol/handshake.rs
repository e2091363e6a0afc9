//! The proof with which both sides of a TCP connection show that they know the secret in `state/token`.
//!
//! Each sends an HMAC-SHA256, keyed with the 32 bytes of the token, over these parts in this order, each with its
//! length in front (4 bytes, big-endian): `passepartout-1`; the role of the side that proves, `server` or `client`; the
//! port in decimal digits, the one this side dialled or bound; the client's nonce; the server's nonce (16 bytes each).
//! The role keeps a proof from being sent back to its maker, the port from being passed on to another daemon, the
//! nonces from being used again. The secret itself never travels. Sockets are not known here.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;

use crate::plist;
use crate::sexp::{Form, kw};
use crate::signal::SessionId;

const DOMAIN: &[u8] = b"passepartout-1";

/// The shared secret. Its `Debug` prints stars.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    /// A new random token.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn random() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes))
    }

    /// The token that its file's text, 64 hexadecimal digits, is.
    pub fn from_hex(text: &str) -> Option<Token> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text.trim_ascii(), &mut bytes).ok()?;
        Some(Token(bytes))
    }

    /// The text of its file.
    pub fn to_hex(&self) -> String {
        hex::encode(self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}

/// A number used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce([u8; 16]);

impl Nonce {
    /// A new random nonce.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn random() -> Result<Nonce, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Nonce(bytes))
    }

    /// The nonce that 32 hexadecimal digits are.
    pub fn from_hex(text: &str) -> Option<Nonce> {
        let mut bytes = [0; 16];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Nonce(bytes))
    }

    /// 32 hexadecimal digits.
    pub fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

/// Which side proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The daemon.
    Server,
    /// Who connected to it.
    Client,
}

impl Role {
    fn name(self) -> &'static [u8] {
        match self {
            Role::Server => b"server",
            Role::Client => b"client",
        }
    }
}

/// What both sides know of one connection once the nonces have gone to and fro.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The port this side dialled or bound.
    pub port: u16,
    /// The client's nonce.
    pub client: Nonce,
    /// The server's nonce.
    pub server: Nonce,
}

impl Exchange {
    /// The proof of `role`, in hexadecimal.
    pub fn proof(&self, token: &Token, role: Role) -> String {
        hex::encode(self.mac(token, role).finalize().into_bytes())
    }

    /// Whether `proof` is the proof of `role`. Takes the same time wherever it differs.
    pub fn check(&self, token: &Token, role: Role, proof: &str) -> bool {
        let mut bytes = [0; 32];
        hex::decode_to_slice(proof, &mut bytes).is_ok() && self.mac(token, role).verify_slice(&bytes).is_ok()
    }

    fn mac(&self, token: &Token, role: Role) -> Hmac<Sha256> {
        let mut mac = keyed(token);
        let port = self.port.to_string();
        for part in [DOMAIN, role.name(), port.as_bytes(), &self.client.0, &self.server.0] {
            mac.update(&(part.len() as u32).to_be_bytes());
            mac.update(part);
        }
        mac
    }
}

fn keyed(token: &Token) -> Hmac<Sha256> {
    // A key shorter than the hash's block of 64 bytes is filled up with zeros: that is HMAC's own rule, and saves the
    // fallible constructor.
    let mut block = [0; 64];
    block[..token.0.len()].copy_from_slice(&token.0);
    Hmac::<Sha256>::new(&block.into())
}

/// What the client begins with.
pub fn hello(nonce: Nonce) -> Form {
    event(plist!("ACTION" => kw("HELLO"), "NONCE" => nonce.to_hex()))
}

/// What the server answers.
pub fn server_proof(nonce: Nonce, mac: String) -> Form {
    event(plist!("ACTION" => kw("PROOF"), "NONCE" => nonce.to_hex(), "MAC" => mac))
}

/// What the client sends once it has checked the server's proof.
pub fn client_proof(mac: String) -> Form {
    event(plist!("ACTION" => kw("PROOF"), "MAC" => mac))
}

/// What the server sends once it has checked the client's. The session is the client's unless it joins another.
pub fn ready(session: SessionId) -> Form {
    event(plist!("ACTION" => kw("READY"), "SESSION-ID" => session.to_string()))
}

fn event(payload: Form) -> Form {
    plist!("TYPE" => kw("EVENT"), "PAYLOAD" => payload)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]

    use super::*;

    fn token(byte: u8) -> Token {
        Token([byte; 32])
    }

    fn exchange() -> Exchange {
        Exchange {
            port: 9105,
            client: Nonce([1; 16]),
            server: Nonce([2; 16]),
        }
    }

    #[test]
    fn the_proof_is_the_one_that_another_implementation_computes() {
        // python3: hmac.new(bytes([7]*32), b"".join(len(p).to_bytes(4, "big") + p for p in
        //   [b"passepartout-1", b"client", b"9105", bytes([1]*16), bytes([2]*16)]), "sha256").hexdigest()
        let expected = "05599c5ffc53f3e9fc32e2a76ff4e0c682bdccd85865e4274b7bcf624298b306";
        assert_eq!(exchange().proof(&token(7), Role::Client), expected);
    }

    #[test]
    fn a_proof_is_good_for_its_token_role_port_and_nonces_only() {
        let proof = exchange().proof(&token(7), Role::Client);
        assert!(exchange().check(&token(7), Role::Client, &proof));
        assert!(exchange().check(&token(7), Role::Client, &proof.to_uppercase()));
        assert!(!exchange().check(&token(8), Role::Client, &proof));
        assert!(!exchange().check(&token(7), Role::Server, &proof));
        assert!(
            !Exchange {
                port: 9106,
                ..exchange()
            }
            .check(&token(7), Role::Client, &proof)
        );
        assert!(
            !Exchange {
                client: Nonce([3; 16]),
                ..exchange()
            }
            .check(&token(7), Role::Client, &proof)
        );
        assert!(
            !Exchange {
                server: Nonce([3; 16]),
                ..exchange()
            }
            .check(&token(7), Role::Client, &proof)
        );
        let swapped = Exchange {
            client: Nonce([2; 16]),
            server: Nonce([1; 16]),
            ..exchange()
        };
        assert!(!swapped.check(&token(7), Role::Client, &proof));
    }

    #[test]
    fn what_is_no_proof_is_none() {
        let proof = exchange().proof(&token(7), Role::Client);
        for bad in ["", "zz", &proof[2..], &format!("{proof}00")] {
            assert!(!exchange().check(&token(7), Role::Client, bad), "{bad}");
        }
    }

    #[test]
    fn a_token_comes_back_from_its_file_and_is_never_shown() {
        let token = Token::random().unwrap();
        assert_eq!(Token::from_hex(&format!("{}\n", token.to_hex())), Some(token.clone()));
        assert_eq!(Token::from_hex(""), None);
        assert!(!format!("{token:?}").contains(&token.to_hex()));
    }
}

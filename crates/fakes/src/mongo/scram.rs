//! Server side of SCRAM-SHA-256 for one user.

use super::contents::{PASSWORD, USER};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

const SALT: &[u8] = b"a salt of the fake";
const ITERATIONS: u32 = 4096;
const SERVER_NONCE: &str = "c3RhbmQtaW4";

/// An exchange after the client's first message.
pub struct Exchange {
    client_first: String,
    server_first: String,
    nonce: String,
    is_user: bool,
}

impl Exchange {
    /// From `n,,n=user,r=nonce`.
    pub fn start(payload: &str) -> Option<Self> {
        let client_first = payload.strip_prefix("n,,")?;
        let (user, nonce) = client_first.strip_prefix("n=")?.split_once(",r=")?;
        let nonce = format!("{nonce}{SERVER_NONCE}");
        let server_first = format!("r={nonce},s={},i={ITERATIONS}", STANDARD.encode(SALT));
        Some(Self { client_first: client_first.to_owned(), server_first, nonce, is_user: user == USER })
    }

    pub fn server_first(&self) -> &str {
        &self.server_first
    }

    /// The server's last message for `c=biws,r=nonce,p=proof`; `None` if the proof is wrong.
    pub fn finish(&self, payload: &str) -> Option<String> {
        let (without_proof, proof) = payload.rsplit_once(",p=")?;
        if without_proof != format!("c=biws,r={}", self.nonce) {
            return None;
        }
        let salted = salted(PASSWORD.as_bytes());
        let stored = Sha256::digest(mac(&salted, b"Client Key"));
        let said = format!("{},{},{without_proof}", self.client_first, self.server_first);
        let signature = mac(&stored, said.as_bytes());
        let proof = STANDARD.decode(proof).ok().filter(|proof| proof.len() == signature.len())?;
        let client_key: Vec<u8> = proof.iter().zip(&signature).map(|(one, other)| one ^ other).collect();
        let server_signature = mac(&mac(&salted, b"Server Key"), said.as_bytes());
        let is_right = self.is_user && Sha256::digest(&client_key) == stored;
        is_right.then(|| format!("v={}", STANDARD.encode(server_signature)))
    }
}

/// PBKDF2 for one block.
fn salted(password: &[u8]) -> Vec<u8> {
    let mut round = mac(password, &[SALT, &[0, 0, 0, 1]].concat());
    let mut sum = round.clone();
    for _ in 1..ITERATIONS {
        round = mac(password, &round);
        sum.iter_mut().zip(&round).for_each(|(sum, byte)| *sum ^= byte);
    }
    sum
}

fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

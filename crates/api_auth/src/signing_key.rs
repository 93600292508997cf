//! Signs RS256 tokens with a private key from the configuration.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domain::secret::Secret;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use syntax::error::SyntaxError;
use tokio::io::AsyncReadExt;

/// Largest key file.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// The DER header of a public RSA key: the algorithm identifier.
const RSA_ENCRYPTION: [u8; 15] =
    [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

pub struct SigningKey(RsaKeyPair);

impl SigningKey {
    /// Parses a PEM key. Error messages contain no part of the key.
    pub fn read(pem: &str) -> Result<Self, SyntaxError> {
        // In a single-line field, line ends are often written as \n.
        let pem = pem.replace("\\n", "\n");
        let inside = |name: &str| {
            let (_, rest) = pem.split_once(&format!("-----BEGIN {name}-----"))?;
            let (text, _) = rest.split_once(&format!("-----END {name}-----"))?;
            STANDARD.decode(text.split_whitespace().collect::<String>()).ok()
        };
        if pem.contains("ENCRYPTED") {
            return Err("The private key is encrypted with a passphrase; use one that is not.".into());
        }
        let key = match (inside("PRIVATE KEY"), inside("RSA PRIVATE KEY")) {
            (Some(der), _) => RsaKeyPair::from_pkcs8(&der),
            (None, Some(der)) => RsaKeyPair::from_der(&der),
            (None, None) => {
                return Err("The private key is not in PEM form (-----BEGIN PRIVATE KEY-----).".into());
            }
        };
        key.map(Self).map_err(|error| {
            // The type of the cause is no error type without the standard library's feature.
            let cause = SyntaxError::new(error.to_string());
            SyntaxError::new("The private key is not an RSA key of 2048 bits or more.").caused_by(cause)
        })
    }

    /// The base64 SHA-256 fingerprint of the public key.
    pub fn fingerprint(&self) -> String {
        let mut bits = vec![0];
        bits.extend(self.0.public().as_ref());
        let mut inside = RSA_ENCRYPTION.to_vec();
        inside.extend(tagged(0x03, &bits));
        STANDARD.encode(Sha256::digest(tagged(0x30, &inside)))
    }

    pub fn token(&self, key_id: Option<&str>, claims: &Value) -> Result<Secret, SyntaxError> {
        let mut head = json!({"alg": "RS256", "typ": "JWT"});
        if let Some(key_id) = key_id {
            head["kid"] = key_id.into();
        }
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&head), part(claims));
        let mut signature = vec![0; self.0.public().modulus_len()];
        let outcome = self.0.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature);
        // The cause says nothing: its only value is "unspecified".
        outcome.map_err(|_| SyntaxError::new("The private key cannot sign."))?;
        Ok(Secret::new(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }
}

/// Reads a key file. Neither its content nor the cause of a failure is reported.
pub async fn file(path: &str) -> Result<Secret, SyntaxError> {
    let unreadable = || SyntaxError::new("The key file cannot be read.");
    let opened = tokio::fs::File::open(path).await.map_err(|_| unreadable())?;
    let mut text = String::new();
    let read = opened.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).await;
    match read {
        Ok(bytes) if bytes as u64 <= FILE_BYTES_MAX => Ok(Secret::new(text)),
        _ => Err(unreadable()),
    }
}

/// A DER element: tag, length, content.
fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let length: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
    let mut out = vec![tag];
    match length.as_slice() {
        [] => out.push(0),
        [short] if *short < 0x80 => out.push(*short),
        long => {
            out.push(0x80 | u8::try_from(long.len()).unwrap_or_default());
            out.extend(long);
        }
    }
    out.extend(content);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::keys;

    #[test]
    fn a_token_is_signed_with_the_key() {
        for pem in [keys::PRIVATE_PEM.to_owned(), keys::PRIVATE_PEM.replace('\n', "\\n")] {
            let key = SigningKey::read(&pem).expect("a key");
            assert_eq!(key.fingerprint(), keys::FINGERPRINT);
            let token = key.token(Some("k1"), &json!({"iss": "me"})).expect("a token");
            let (head, claims) = keys::verified(token.expose()).expect("a good signature");
            assert_eq!(head, json!({"alg": "RS256", "typ": "JWT", "kid": "k1"}));
            assert_eq!(claims, json!({"iss": "me"}));
        }
        let other = SigningKey::read(keys::OTHER_PRIVATE_PEM).expect("a key in its older form");
        let token = other.token(None, &json!({})).expect("a token");
        assert_eq!(keys::verified(token.expose()), None, "of another key");
    }

    #[test]
    fn a_wrong_key_is_told_without_it() {
        let table = [
            ("", "PEM"),
            ("hushhush", "PEM"),
            ("-----BEGIN PRIVATE KEY-----\nhushhush\n-----END PRIVATE KEY-----", "RSA"),
            ("-----BEGIN PRIVATE KEY-----\nhush!\n-----END PRIVATE KEY-----", "PEM"),
            (
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nhush\n-----END ENCRYPTED PRIVATE KEY-----",
                "passphrase",
            ),
        ];
        for (pem, want) in table {
            let vendor_message = SigningKey::read(pem).err().expect("a mistake");
            assert!(
                vendor_message.message().contains(want) && !vendor_message.message().contains("hush"),
                "{vendor_message}"
            );
        }
    }

    #[tokio::test]
    async fn only_a_small_file_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for (bytes, is_read) in [(FILE_BYTES_MAX, true), (FILE_BYTES_MAX + 1, false)] {
            let path = folder.path().join("key.pem");
            std::fs::write(&path, "x".repeat(usize::try_from(bytes).expect("small"))).expect("a file");
            assert_eq!(file(&path.to_string_lossy()).await.is_ok(), is_read, "{bytes}");
        }
        assert!(file("/nowhere/key.pem").await.is_err());
    }
}

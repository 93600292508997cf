//! Signed tokens (RS256) made with a private key that the administrator gave.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use domain::contracts::{ConnectorError, ConnectorErrorKind};
use domain::secret::Secret;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::AsyncReadExt;

/// A file of keys is small; more than this is something else.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// The head of a public RSA key in the form that is hashed for its fingerprint: the name of the algorithm.
const RSA_ENCRYPTION: [u8; 15] =
    [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

pub struct SigningKey(RsaKeyPair);

impl SigningKey {
    /// A key in PEM form. A mistake is told without any part of the key.
    pub fn read(pem: &str) -> Result<Self, String> {
        // In a field of one line its line ends are often written as \n.
        let pem = pem.replace("\\n", "\n");
        let inside = |name: &str| {
            let (_, rest) = pem.split_once(&format!("-----BEGIN {name}-----"))?;
            let (text, _) = rest.split_once(&format!("-----END {name}-----"))?;
            STANDARD.decode(text.split_whitespace().collect::<String>()).ok()
        };
        if pem.contains("ENCRYPTED") {
            return Err("The private key is locked with a passphrase; give one that is not.".to_owned());
        }
        let key = match (inside("PRIVATE KEY"), inside("RSA PRIVATE KEY")) {
            (Some(der), _) => RsaKeyPair::from_pkcs8(&der),
            (None, Some(der)) => RsaKeyPair::from_der(&der),
            (None, None) => {
                return Err("The private key is not in PEM form (-----BEGIN PRIVATE KEY-----).".to_owned());
            }
        };
        let wrong = |_| "The private key is not an RSA key of 2048 bits or more.".to_owned();
        key.map(Self).map_err(wrong)
    }

    /// The hash of the public key, as `openssl … | sha256` gives it, in base64.
    pub fn fingerprint(&self) -> String {
        let mut bits = vec![0];
        bits.extend(self.0.public().as_ref());
        let mut inside = RSA_ENCRYPTION.to_vec();
        inside.extend(tagged(0x03, &bits));
        STANDARD.encode(Sha256::digest(tagged(0x30, &inside)))
    }

    pub fn token(&self, key_id: Option<&str>, claims: &Value) -> Result<Secret, ConnectorError> {
        let mut head = json!({"alg": "RS256", "typ": "JWT"});
        if let Some(key_id) = key_id {
            head["kid"] = key_id.into();
        }
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&head), part(claims));
        let mut signature = vec![0; self.0.public().modulus_len()];
        let outcome = self.0.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature);
        outcome.map_err(|_| {
            ConnectorError::new(ConnectorErrorKind::ConfigInvalid, "the private key cannot sign")
        })?;
        Ok(Secret::new(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }
}

/// A file with a key. Neither its content nor the reason why it cannot be read is told.
pub async fn file(path: &str) -> Result<Secret, ConnectorError> {
    let unreadable = || {
        ConnectorError::new(ConnectorErrorKind::ConfigInvalid, "the key file in credentials cannot be read")
    };
    let opened = tokio::fs::File::open(path).await.map_err(|_| unreadable())?;
    let mut text = String::new();
    let read = opened.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).await;
    match read {
        Ok(bytes) if bytes as u64 <= FILE_BYTES_MAX => Ok(Secret::new(text)),
        _ => Err(unreadable()),
    }
}

/// One element of DER: tag, length, content.
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
    use testkit::vendors::keys;

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
            let told = SigningKey::read(pem).err().expect("a mistake");
            assert!(told.contains(want) && !told.contains("hush"), "{told}");
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

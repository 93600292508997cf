//! Credentials at rest: sealed and opened here only.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use domain::contracts::StoreError;
use domain::secret::Secret;
use sha2::{Digest, Sha256};
use std::fmt;

/// Keeps this use of the secret apart from every other use of the same text.
const KEY_PURPOSE: &[u8] = b"tributary: credentials at rest, v1\0";
/// Says how the text was sealed, so that another way can be added later.
const FORM: &str = "v1:";
const NONCE_BYTES: usize = 24;

/// The key that seals credentials. It prints as `***`.
#[derive(Clone)]
pub struct SealKey([u8; 32]);

impl SealKey {
    /// The key of a secret text; the same text always gives the same key.
    pub fn from_secret(secret: &Secret) -> Self {
        Self(Sha256::new().chain_update(KEY_PURPOSE).chain_update(secret.expose()).finalize().into())
    }

    /// A key that nobody else has and nobody can make again.
    pub fn generate() -> Self {
        Self(rand::random())
    }

    /// Tells whether two keys are the same, and nothing else about them.
    pub fn fingerprint(&self) -> String {
        let hash =
            Sha256::new().chain_update(b"tributary: fingerprint, v1\0").chain_update(self.0).finalize();
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The key of the audit log's hashes: another than this one, so that neither tells of the other.
    pub(crate) fn for_audit(&self) -> [u8; 32] {
        Sha256::new().chain_update(b"tributary: audit chain, v1\0").chain_update(self.0).finalize().into()
    }

    /// Seals a text for one record; it opens for that record only. An empty text stays empty.
    pub(crate) fn seal(&self, text: &str, record: &str) -> Result<String, StoreError> {
        if text.is_empty() {
            return Ok(String::new());
        }
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let sealed = self
            .cipher()
            .encrypt(&XNonce::from(nonce), Payload { msg: text.as_bytes(), aad: record.as_bytes() })
            .map_err(|_| StoreError::Failed(format!("the secret of {record} could not be sealed")))?;
        Ok(format!("{FORM}{}", STANDARD.encode([nonce.as_slice(), &sealed].concat())))
    }

    /// Opens what [`SealKey::seal`] made for the same record.
    pub(crate) fn open(&self, sealed: &str, record: &str) -> Result<Secret, StoreError> {
        if sealed.is_empty() {
            return Ok(Secret::default());
        }
        let unreadable = || StoreError::Failed(format!("the sealed secret of {record} is not readable"));
        let bytes = sealed.strip_prefix(FORM).and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.ok_or_else(unreadable)?;
        let (nonce, body) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or_else(unreadable)?;
        let opened = self
            .cipher()
            .decrypt(&XNonce::from(*nonce), Payload { msg: body, aad: record.as_bytes() })
            .map_err(|_| does_not_fit(record))?;
        String::from_utf8(opened).map(Secret::new).map_err(|_| unreadable())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.0.into())
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

fn does_not_fit(record: &str) -> StoreError {
    StoreError::Failed(format!(
        "the secret of {record} cannot be opened: the key does not fit (SVC_SECRET_KEY or the key file is not \
         the one it was sealed with), or the record was changed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> SealKey {
        SealKey::from_secret(&Secret::new(text))
    }

    #[test]
    fn opens_what_it_sealed() {
        for text in ["", "key=abc", "umlaut=ä,emoji=🗝", &"long".repeat(1000)] {
            let sealed = key("k").seal(text, "provider:1").unwrap();
            assert_eq!(key("k").open(&sealed, "provider:1").unwrap().expose(), text);
            assert!(text.is_empty() || !sealed.contains(text));
        }
    }

    #[test]
    fn two_seals_of_one_text_differ() {
        let key = SealKey::generate();
        assert_ne!(key.seal("same", "provider:1").unwrap(), key.seal("same", "provider:1").unwrap());
    }

    #[test]
    fn refuses_another_key_another_record_and_a_changed_text() {
        let sealed = key("k").seal("key=abc", "provider:1").unwrap();
        let mut changed = STANDARD.decode(&sealed[FORM.len()..]).unwrap();
        changed[NONCE_BYTES] ^= 1;
        let changed = format!("{FORM}{}", STANDARD.encode(changed));
        let cases = [
            (key("other"), sealed.as_str(), "provider:1", "the key does not fit"),
            (key("k"), sealed.as_str(), "provider:2", "the key does not fit"),
            (key("k"), changed.as_str(), "provider:1", "the key does not fit"),
            (key("k"), "v1:AAAA", "provider:1", "not readable"),
            (key("k"), "v9:AAAA", "provider:1", "not readable"),
            (key("k"), "key=abc", "provider:1", "not readable"),
        ];
        for (key, text, record, reason) in cases {
            let error = key.open(text, record).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
            assert!(!error.contains("abc"), "{error}");
        }
    }

    #[test]
    fn does_not_show_itself() {
        assert_eq!(format!("{:?}", SealKey::generate()), "***");
    }
}

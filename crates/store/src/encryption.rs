//! Encryption of credentials at rest.

use crate::error::JsonError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use domain::ports::StoreError;
use domain::secret::Secret;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// Separates this use of the secret from every other use of the same text.
const KEY_PURPOSE: &[u8] = b"tributary: credentials at rest, v1\0";
/// Format prefix, so that other formats can be added later.
const FORM: &str = "v1:";
const NONCE_BYTES: usize = 24;

/// One key.
#[derive(Clone, PartialEq, Eq)]
struct Key([u8; 32]);

impl Key {
    fn of(secret: &Secret) -> Self {
        Self(Sha256::new().chain_update(KEY_PURPOSE).chain_update(secret.expose()).finalize().into())
    }

    fn fingerprint(&self) -> String {
        let hash =
            Sha256::new().chain_update(b"tributary: fingerprint, v1\0").chain_update(self.0).finalize();
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    fn for_audit(&self) -> [u8; 32] {
        Sha256::new().chain_update(b"tributary: audit chain, v1\0").chain_update(self.0).finalize().into()
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.0.into())
    }
}

/// Reloads the keys, for a process that runs while they are replaced.
pub trait KeySource: Send + Sync {
    /// The keys, the current one first; None if they have not changed since the last call.
    fn changed(&self) -> Option<Vec<Secret>>;
}

/// The keys of the credentials: the current one encrypts, and all of them decrypt. Prints as `***`.
#[derive(Clone)]
pub struct EncryptionKey {
    /// The current one first; never empty.
    keys: Arc<RwLock<Vec<Key>>>,
    source: Option<Arc<dyn KeySource>>,
}

impl EncryptionKey {
    /// Derives a key from a secret text; the same text always gives the same key.
    pub fn from_secret(secret: &Secret) -> Self {
        Self::from_secrets(secret, &[])
    }

    /// The current key, and others for decryption only.
    pub fn from_secrets(current: &Secret, others: &[Secret]) -> Self {
        let keys = std::iter::once(current).chain(others).map(Key::of).collect();
        Self { keys: Arc::new(RwLock::new(keys)), source: None }
    }

    /// Reloads the keys from this source when they change.
    pub fn with_source(self, source: Arc<dyn KeySource>) -> Self {
        Self { source: Some(source), ..self }
    }

    /// A random key.
    pub fn generate() -> Self {
        Self { keys: Arc::new(RwLock::new(vec![Key(rand::random())])), source: None }
    }

    /// Identifies the current key without revealing it.
    pub fn fingerprint(&self) -> String {
        self.current().fingerprint()
    }

    /// Whether a key with this fingerprint is among them.
    pub fn has(&self, fingerprint: &str) -> bool {
        self.all().iter().any(|key| key.fingerprint() == fingerprint)
    }

    /// Derived keys for the hashes of the audit log, the current one first; they reveal nothing about the encryption
    /// keys.
    pub(crate) fn for_audit(&self) -> Vec<[u8; 32]> {
        self.all().iter().map(Key::for_audit).collect()
    }

    /// Encrypts a text for one record; it can be decrypted for that record only. An empty text stays empty.
    pub(crate) fn seal(&self, text: &str, record: &str) -> Result<String, StoreError> {
        if text.is_empty() {
            return Ok(String::new());
        }
        self.refresh();
        let nonce: [u8; NONCE_BYTES] = rand::random();
        let sealed = self
            .current()
            .cipher()
            .encrypt(&XNonce::from(nonce), Payload { msg: text.as_bytes(), aad: record.as_bytes() })
            .map_err(|_| StoreError::failed(format!("the secret of {record} could not be sealed")))?;
        Ok(format!("{FORM}{}", STANDARD.encode([nonce.as_slice(), &sealed].concat())))
    }

    /// Decrypts a text of [`EncryptionKey::seal`] for the same record, with any of the keys.
    pub(crate) fn open(&self, sealed: &str, record: &str) -> Result<Secret, StoreError> {
        if sealed.is_empty() {
            return Ok(Secret::default());
        }
        match open_with(&self.all(), sealed, record) {
            Err(OpenError::Key) if self.refresh() => open_with(&self.all(), sealed, record),
            opened => opened,
        }
        .map_err(|error| error.of(record))
    }

    /// Whether the text was encrypted with the current key, or is empty.
    pub(crate) fn is_current(&self, sealed: &str, record: &str) -> bool {
        sealed.is_empty() || open_with(&[self.current()], sealed, record).is_ok()
    }

    /// Reloads the keys; true if they changed.
    pub(crate) fn refresh(&self) -> bool {
        let Some(secrets) = self.source.as_ref().and_then(|source| source.changed()) else { return false };
        let keys: Vec<Key> = secrets.iter().map(Key::of).collect();
        let is_new = !keys.is_empty() && keys != self.all();
        if is_new {
            *self.keys.write().unwrap_or_else(PoisonError::into_inner) = keys;
        }
        is_new
    }

    fn all(&self) -> Vec<Key> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn current(&self) -> Key {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)[0].clone()
    }
}

enum OpenError {
    Unreadable,
    Key,
}

impl OpenError {
    fn of(self, record: &str) -> StoreError {
        match self {
            Self::Unreadable => StoreError::failed(format!("the sealed secret of {record} is not readable")),
            Self::Key => does_not_fit(record),
        }
    }
}

/// The authentication tag shows which key fits.
fn open_with(keys: &[Key], sealed: &str, record: &str) -> Result<Secret, OpenError> {
    let bytes = sealed.strip_prefix(FORM).and_then(|text| STANDARD.decode(text).ok());
    let bytes = bytes.ok_or(OpenError::Unreadable)?;
    let (nonce, body) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(OpenError::Unreadable)?;
    let open = |key: &Key| {
        let payload = Payload { msg: body, aad: record.as_bytes() };
        key.cipher().decrypt(&XNonce::from(*nonce), payload).ok()
    };
    let opened = keys.iter().find_map(open).ok_or(OpenError::Key)?;
    String::from_utf8(opened).map(Secret::new).map_err(|_| OpenError::Unreadable)
}

impl fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

pub(crate) fn does_not_fit(record: &str) -> StoreError {
    StoreError::failed(format!(
        "the secret of {record} cannot be opened: the key does not fit (SVC_SECRET_KEY or the key file is not \
         the one it was sealed with), or the record was changed"
    ))
}

/// A part that can be decrypted, but not parsed. The error of the parser would repeat secrets.
pub(crate) fn unreadable_part(record: &str, error: &serde_json::Error) -> StoreError {
    StoreError::failed(format!("the sealed part of {record} is not readable")).caused_by(JsonError::of(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> EncryptionKey {
        EncryptionKey::from_secret(&Secret::new(text))
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
        let key = EncryptionKey::generate();
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
    fn an_older_key_opens_and_seals_nothing() {
        let old = key("old").seal("key=abc", "provider:1").unwrap();
        let both = EncryptionKey::from_secrets(&Secret::new("new"), &[Secret::new("old")]);
        assert_eq!(both.open(&old, "provider:1").unwrap().expose(), "key=abc");
        assert!(!both.is_current(&old, "provider:1") && both.is_current("", "provider:1"));
        let new = both.seal("key=abc", "provider:1").unwrap();
        assert!(both.is_current(&new, "provider:1") && key("new").open(&new, "provider:1").is_ok());
        assert!(key("old").open(&new, "provider:1").is_err());
        assert!(both.has(&key("old").fingerprint()) && both.fingerprint() == key("new").fingerprint());
    }

    #[test]
    fn keys_that_change_are_read_again() {
        struct Source(std::sync::Mutex<Option<Vec<Secret>>>);
        impl KeySource for Source {
            fn changed(&self) -> Option<Vec<Secret>> {
                self.0.lock().unwrap().take()
            }
        }
        let source = Arc::new(Source(std::sync::Mutex::new(None)));
        let running = key("old").with_source(source.clone());
        let change =
            |keys: &[&str]| *source.0.lock().unwrap() = Some(keys.iter().copied().map(Secret::new).collect());
        let sealed = key("new").seal("key=abc", "provider:1").unwrap();
        assert!(running.open(&sealed, "provider:1").is_err());
        change(&["new", "old"]);
        assert_eq!(running.clone().open(&sealed, "provider:1").unwrap().expose(), "key=abc");
        change(&["newest", "new"]);
        let sealed = running.seal("key=abc", "provider:1").unwrap();
        assert!(
            key("newest").open(&sealed, "provider:1").is_ok(),
            "a change is seen before something is sealed"
        );
        change(&[]);
        assert!(running.seal("key=abc", "provider:1").is_ok());
    }

    #[test]
    fn does_not_show_itself() {
        assert_eq!(format!("{:?}", EncryptionKey::generate()), "***");
    }
}

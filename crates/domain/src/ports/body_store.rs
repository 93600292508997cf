//! Storage of the texts of cached documents.

use super::Cause;
use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// Key of a body: `<first two characters of its hash>/<hash>.zst`. Equal texts have the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BodyKey(String);

const HASH_CHARS: usize = 64;

impl BodyKey {
    /// Key of the text with this hash: 64 lower-case hexadecimal digits.
    pub fn of_hash(content_hash: &str) -> Option<Self> {
        let is_hash = content_hash.len() == HASH_CHARS
            && content_hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then(|| Self(format!("{}/{content_hash}.zst", &content_hash[..2])))
    }

    /// None if the text is not a valid key.
    pub fn parse(text: &str) -> Option<Self> {
        let hash = text.get(3..)?.strip_suffix(".zst")?;
        Self::of_hash(hash).filter(|key| key.0 == text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    #[error("the text is larger than the limit of {0} MB; raise SVC_STORAGE_MAX_BODY_MB")]
    TooLarge(u32),
    #[error("the text storage cannot be reached: {message}")]
    Unreachable { message: String, source: Option<Cause> },
    /// For example a folder without write permission, a missing bucket, or a rejected key.
    #[error("the text storage rejected the request: {message}")]
    Refused { message: String, source: Option<Cause> },
    #[error("the stored text is damaged")]
    Damaged,
}

impl BodyError {
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::Unreachable { message: message.into(), source: None }
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), source: None }
    }

    /// Keeps the error behind a failure; the other errors have none.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Unreachable { source, .. } | Self::Refused { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }
}

/// Stores bodies and returns them unchanged; they are compressed (zstd) at rest. `get` of a missing body returns None;
/// `put` of an existing body and `delete` of a missing one succeed.
#[async_trait]
pub trait BodyStore: Send + Sync {
    /// Returns the compressed size in bytes. Once it has returned, the body survives a crash.
    async fn put(&self, key: &BodyKey, body: Bytes) -> Result<u64, BodyError>;
    async fn get(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError>;
    async fn delete(&self, key: &BodyKey) -> Result<(), BodyError>;
    /// At most `limit` keys greater than `after`, in order.
    async fn keys(&self, after: Option<&BodyKey>, limit: usize) -> Result<Vec<BodyKey>, BodyError>;
    /// Creates what is needed before the first body: the folder or the bucket. Succeeds if it exists.
    async fn prepare(&self) -> Result<(), BodyError>;
    /// An error if bodies cannot be read, or would not be stored.
    async fn check(&self) -> Result<(), BodyError> {
        self.keys(None, 1).await.map(drop)
    }
    /// Declares that the bodies of the records are here, regardless of an earlier declaration; for repair. Does nothing
    /// where every process reaches the same bodies anyway.
    async fn adopt(&self) -> Result<(), BodyError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::chain;
    use std::error::Error;
    use std::io;
    use std::mem::discriminant;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let table = [
            (
                BodyError::TooLarge(7),
                "the text is larger than the limit of 7 MB; raise SVC_STORAGE_MAX_BODY_MB",
                false,
            ),
            (BodyError::unreachable("no answer"), "the text storage cannot be reached: no answer", true),
            (BodyError::refused("no key"), "the text storage rejected the request: no key", true),
            (BodyError::Damaged, "the stored text is damaged", false),
        ];
        for (error, text, has_cause) in table {
            let caused = error.clone().caused_by(io::Error::other("timed out"));
            assert_eq!((caused.to_string().as_str(), discriminant(&caused)), (text, discriminant(&error)));
            assert_eq!(caused.source().is_some_and(|cause| cause.is::<io::Error>()), has_cause);
            assert_eq!(chain(&caused).ends_with(": timed out"), has_cause);
        }
    }

    #[test]
    fn a_key_is_made_from_a_hash_only() {
        let hash = "0f".repeat(32);
        let key = BodyKey::of_hash(&hash).expect("a key");
        assert_eq!(key.as_str(), format!("0f/{hash}.zst"));
        assert_eq!(BodyKey::parse(key.as_str()), Some(key));
        for bad in ["", "0f", "../../etc/passwd", &"0F".repeat(32), &"0f".repeat(33)] {
            assert_eq!(BodyKey::of_hash(bad), None, "{bad}");
            assert_eq!(BodyKey::parse(bad), None, "{bad}");
        }
        assert_eq!(BodyKey::parse(&format!("ff/{hash}.zst")), None);
    }
}

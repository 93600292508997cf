//! BodyStore: the full texts of cached documents.

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// Where a body lies: `<first two of its hash>/<hash>.zst`. Equal texts have one place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BodyKey(String);

const HASH_CHARS: usize = 64;

impl BodyKey {
    /// Of the text with this hash: 64 digits in hexadecimal.
    pub fn of_hash(content_hash: &str) -> Option<Self> {
        let is_hash = content_hash.len() == HASH_CHARS
            && content_hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then(|| Self(format!("{}/{content_hash}.zst", &content_hash[..2])))
    }

    /// None for what is no key of ours.
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
    #[error("the storage of texts cannot be reached: {0}")]
    Unreachable(String),
    /// Such as a folder that may not be written, a bucket that is not there, or a key that is not accepted.
    #[error("the storage of texts refuses: {0}")]
    Refused(String),
    #[error("the stored text is damaged")]
    Damaged,
}

/// Bodies go in and come out as they are; the store packs them (zstd). `get` of what is not there is None; `put` of what is
/// there and `delete` of what is not are fine.
#[async_trait]
pub trait BodyStore: Send + Sync {
    /// Returns how many bytes it takes, packed. After it returns, the body survives a crash.
    async fn put(&self, key: &BodyKey, body: Bytes) -> Result<u64, BodyError>;
    async fn get(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError>;
    async fn delete(&self, key: &BodyKey) -> Result<(), BodyError>;
    /// The keys above `after` in their order, at most `limit`.
    async fn keys(&self, after: Option<&BodyKey>, limit: usize) -> Result<Vec<BodyKey>, BodyError>;
    /// Makes what must be there before the first body: the folder or the bucket. Fine when it is there.
    async fn prepare(&self) -> Result<(), BodyError>;
    /// From now on the texts of the records are here, whatever was said before: for who repairs. Nothing to do where every
    /// process reaches the same bodies anyway.
    async fn adopt(&self) -> Result<(), BodyError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

//! NewsRelay: what the processes of one installation tell each other while it is new.

use async_trait::async_trait;

/// The longest letter of any relay, in bytes.
pub const LETTER_BYTES_MAX: usize = 512 * 1024;

#[derive(Debug, Clone, thiserror::Error)]
#[error("the relay is not reachable: {0}")]
pub struct RelayError(pub String);

/// Carries letters between processes, at most once: a letter may be lost, so nothing may depend on one. Letters stay
/// among the processes of the installation, as its tasks and records do.
#[async_trait]
pub trait NewsRelay: Send + Sync {
    /// The name of this process: letters and digits, made at random.
    fn here(&self) -> &str;
    /// The longest letter that it takes now, in bytes; never above [`LETTER_BYTES_MAX`].
    fn letter_bytes_max(&self) -> usize;
    /// Sends a letter to one process by its name, or to all, this one too.
    async fn send(&self, to: Option<&str>, letter: &str) -> Result<(), RelayError>;
    /// The next letter to this process or to all. Begins to listen when it is first called; one caller at a time.
    async fn hear(&self) -> Result<String, RelayError>;
}

//! Where a caller came in: over HTTP, or by standard input and output.

use async_trait::async_trait;
use domain::user::Principal;

/// What a tool is about to do that people may do only so often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Costly {
    Search,
    Answer,
    Chat,
}

/// One caller's way in. Sentences of refusals are for the caller's eyes.
#[async_trait]
pub trait Door: Send + Sync {
    /// Who asks, as it is known now: what was revoked meanwhile is refused.
    async fn principal(&self) -> Result<Principal, String>;
    /// Counts it, or refuses it.
    fn take(&self, what: Costly) -> Result<(), String>;
}

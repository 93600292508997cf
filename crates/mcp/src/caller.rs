//! The caller of a request, over HTTP or stdio.

use async_trait::async_trait;
use domain::user::Principal;

/// Kinds of rate-limited work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaClass {
    Search,
    Answer,
    Chat,
}

/// Identity and quotas of a caller. Error messages are shown to the caller.
#[async_trait]
pub trait CallerContext: Send + Sync {
    /// The current principal; an error if its access was revoked.
    async fn principal(&self) -> Result<Principal, String>;
    /// Charges the quota, or returns an error if it is exhausted.
    fn charge(&self, class: QuotaClass) -> Result<(), String>;
}

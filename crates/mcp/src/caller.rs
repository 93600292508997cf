//! The caller of a request, over HTTP or stdio.

use async_trait::async_trait;
use domain::ports::PortError;
use domain::user::Principal;

/// Kinds of rate-limited work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaClass {
    Search,
    Answer,
    Chat,
}

/// Why a caller is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallerErrorKind {
    /// The token or the user does not exist any more.
    Revoked,
    /// The user cannot be looked up at the moment.
    Unavailable,
    /// The quota is exhausted.
    Throttled,
}

/// An error whose message is shown to the caller.
pub type CallerError = PortError<CallerErrorKind>;

/// Identity and quotas of a caller.
#[async_trait]
pub trait CallerContext: Send + Sync {
    /// The current principal; an error if its access was revoked.
    async fn principal(&self) -> Result<Principal, CallerError>;
    /// Charges the quota, or returns an error if it is exhausted.
    fn charge(&self, class: QuotaClass) -> Result<(), CallerError>;
}

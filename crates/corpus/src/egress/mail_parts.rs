//! The dependencies of mailboxes.

use domain::ports::{ExtractText, Fetch, SourceTokens};
use domain::secret::Secret;
use std::sync::Arc;

/// Dependencies for reading mailboxes.
#[derive(Clone)]
pub struct MailParts {
    pub fetch: Arc<dyn Fetch>,
    /// Reads attachments.
    pub extract: Arc<dyn ExtractText>,
    pub tokens: Arc<dyn SourceTokens>,
    /// Key of the hashes of message ids.
    pub key: Secret,
}

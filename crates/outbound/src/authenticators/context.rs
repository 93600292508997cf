//! Dependencies that the modules of OAuth share. Each of them adds its requests to the context.

use super::discovery::DiscoveryCache;
use domain::ports::{Clock, Fetch, Store};
use std::sync::Arc;

/// Shared dependencies.
pub(super) struct OAuthContext {
    pub(super) store: Arc<dyn Store>,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) discovery: DiscoveryCache,
    /// Default audience of API tokens.
    pub(super) api_audience: String,
}

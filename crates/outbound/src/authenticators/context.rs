//! Dependencies that the modules of OAuth share. Each of them adds its requests to the context.

use super::discovery::DiscoveryCache;
use domain::ports::{AuthenticatorStore, Clock, ConnectionStore, Fetch};
use std::sync::Arc;

/// Authenticators and the connections of users to them.
pub trait OAuthStore: AuthenticatorStore + ConnectionStore {}

impl<T: ?Sized + AuthenticatorStore + ConnectionStore> OAuthStore for T {}

/// Shared dependencies.
pub(super) struct OAuthContext {
    pub(super) store: Arc<dyn OAuthStore>,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) discovery: DiscoveryCache,
    /// Default audience of API tokens.
    pub(super) api_audience: String,
}

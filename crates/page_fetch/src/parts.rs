//! Dependencies of page fetching.

use domain::ports::{ExtractText, Fetch, PluginRegistry, SourceTokens};
use domain::settings::PluginSettings;
use std::sync::Arc;

/// Dependencies of page fetching.
#[derive(Clone)]
pub struct PageFetchParts {
    pub fetch: Arc<dyn Fetch>,
    pub extract: Arc<dyn ExtractText>,
    pub tokens: Arc<dyn SourceTokens>,
    /// For connectors that always need an authenticator.
    pub plugins: PluginRegistry,
    pub settings: Arc<PluginSettings>,
}

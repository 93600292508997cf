//! Toolbox: what a plug-in is given, and nothing more.

use super::{Clock, Dial, ExtractText, Fetch, Nothing};
use crate::settings::Settings;
use std::sync::Arc;

#[derive(Clone)]
pub struct Toolbox {
    pub fetch: Arc<dyn Fetch>,
    pub dial: Arc<dyn Dial>,
    pub extract: Arc<dyn ExtractText>,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}

impl Toolbox {
    /// With a way out over HTTP; the other tools are not there.
    pub fn new(fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>, settings: Arc<Settings>) -> Self {
        Self { fetch, dial: Arc::new(Nothing), extract: Arc::new(Nothing), clock, settings }
    }
}

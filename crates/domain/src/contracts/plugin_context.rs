//! PluginContext: what a plug-in is given, and nothing more.

use super::{Clock, Corpus, Dial, ExtractText, Fetch, Nothing, ReaderModels, Writers};
use crate::settings::Settings;
use std::sync::Arc;

#[derive(Clone)]
pub struct PluginContext {
    pub fetch: Arc<dyn Fetch>,
    pub dial: Arc<dyn Dial>,
    pub extract: Arc<dyn ExtractText>,
    pub readers: Arc<dyn ReaderModels>,
    pub writers: Arc<dyn Writers>,
    /// The semantic cache, as far as the license opens it.
    pub corpus: Arc<dyn Corpus>,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}

impl PluginContext {
    /// With a way out over HTTP; the other tools are not there.
    pub fn new(fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>, settings: Arc<Settings>) -> Self {
        let nothing = Arc::new(Nothing);
        Self {
            fetch,
            dial: nothing.clone(),
            extract: nothing.clone(),
            readers: nothing.clone(),
            writers: nothing.clone(),
            corpus: nothing,
            clock,
            settings,
        }
    }
}

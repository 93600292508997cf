//! Registry of task handlers by task name.

use domain::ports::TaskHandler;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Default)]
pub struct Registry {
    handlers: BTreeMap<&'static str, Arc<dyn TaskHandler>>,
}

impl Registry {
    pub fn register(mut self, handler: Arc<dyn TaskHandler>) -> Self {
        self.handlers.insert(handler.name(), handler);
        self
    }

    pub fn handler(&self, name: &str) -> Option<&Arc<dyn TaskHandler>> {
        self.handlers.get(name)
    }
}

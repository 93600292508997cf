//! The semantic cache: its dependencies, and its state in this process. Its methods are in the modules of their
//! topics.

use crate::cache_parts::CacheParts;
use crate::counters::Counters;
use crate::versions::ProfileCache;

pub struct SemanticCache {
    pub(crate) parts: CacheParts,
    pub(crate) counters: Counters,
    pub(crate) profiles: ProfileCache,
}

impl SemanticCache {
    pub fn new(parts: CacheParts) -> Self {
        Self { parts, counters: Counters::default(), profiles: ProfileCache::default() }
    }
}

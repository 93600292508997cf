//! Mixer: puts saved results in order.

use crate::result::{ResultItem, ResultSet};
use crate::search::Search;

/// What a mixer may know.
#[derive(Debug, Clone, Copy)]
pub struct MixContext<'a> {
    pub search: &'a Search,
    /// Results on one page.
    pub page_size: usize,
    /// By relevancy, the version that counts takes the best place of its versions, and what is pinned comes first.
    pub promotes: bool,
}

/// One result, and the set it came from.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub set: &'a ResultSet,
    pub item: &'a ResultItem,
}

/// The order, and what the mixer has to say about it.
#[derive(Debug, Clone, Default)]
pub struct Arrangement<'a> {
    pub order: Vec<Candidate<'a>>,
    pub messages: Vec<String>,
}

/// Puts saved results in order, and may leave some out (the NewItems mixers do). Pure.
/// Ranks, paging, `info` and URLs are not its business.
pub trait Mixer: Send + Sync {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, cx: &MixContext<'_>) -> Arrangement<'a>;
}

/// A row of the mixers' catalogue.
#[derive(Clone, Copy)]
pub struct MixerKind {
    pub name: &'static str,
    pub summary: &'static str,
    pub mixer: &'static dyn Mixer,
}

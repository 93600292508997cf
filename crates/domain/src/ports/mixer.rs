//! Mixers: put saved results in order.

use crate::notice::NoticeKind;
use crate::result::{ResultItem, ResultSet};
use crate::search::Search;

/// Input of a mixer.
#[derive(Debug, Clone, Copy)]
pub struct MixContext<'a> {
    pub search: &'a Search,
    /// Results per page.
    pub page_size: usize,
    /// When ordering by relevancy, the version that counts takes the best rank of its versions, and pinned documents
    /// come first.
    pub promotes: bool,
}

/// A result with its result set.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub set: &'a ResultSet,
    pub item: &'a ResultItem,
}

/// The order, and notices of the mixer about it.
#[derive(Debug, Clone, Default)]
pub struct MixedOrder<'a> {
    pub order: Vec<Candidate<'a>>,
    pub notices: Vec<NoticeKind>,
}

/// Puts saved results in order, and may leave some out (the NewItems mixers do). Pure. Ranks, paging, `info` and URLs
/// are added by the caller.
pub trait Mixer: Send + Sync {
    fn arrange<'a>(&self, candidates: Vec<Candidate<'a>>, cx: &MixContext<'_>) -> MixedOrder<'a>;
}

/// An entry of the mixer registry.
#[derive(Clone, Copy)]
pub struct MixerKind {
    pub name: &'static str,
    pub summary: &'static str,
    /// Orders by date, and leaves out results without one.
    pub by_date: bool,
    /// Orders by relevancy alone, so that a better estimate of it gives a better order.
    pub by_relevancy: bool,
    /// Shows only new results, which are marked as read afterwards.
    pub shows_only_new: bool,
    /// Pages show consecutive results of one provider as a group.
    pub shows_groups: bool,
    /// Pages offer it by a button; the other mixers are in a menu.
    pub is_common: bool,
    pub mixer: &'static dyn Mixer,
}

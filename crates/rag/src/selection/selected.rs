//! What a summary is made from, or why there is nothing.

use super::candidates::ComparedScore;
use domain::ids::ProviderId;
use domain::result::ResultItem;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Selection {
    /// In prompt order.
    pub items: Vec<SelectedItem>,
    /// Notices for the user, including the unknown numbers.
    pub messages: Vec<String>,
    /// The best score that was compared with a threshold, whether it passed or not.
    pub best: Option<ComparedScore>,
    /// Requested numbers that are not results of this search.
    pub unknown: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SelectedItem {
    pub provider: ProviderId,
    pub item: ResultItem,
}

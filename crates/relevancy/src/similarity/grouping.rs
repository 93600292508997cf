//! Groups results that are the same document.

use super::group_index::GroupIndex;
use super::pair_check::{Sameness, may_be_same};
use super::text::Text;

/// Which results are the same document, and the cost of finding out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    /// For each text the best of its group, if that is another one.
    pub best: Vec<Option<usize>>,
    /// Pairs that were checked.
    pub compared: usize,
    /// Index entries that were visited to find those pairs.
    pub looked_at: usize,
}

/// Groups the texts, which are sorted by quality. Each joins the nearest text that is the best of its group and the
/// same document. So all members of a group are similar to its best, and no chain of small differences joins two
/// documents.
pub fn groups(texts: &[Text<'_>], sameness: &Sameness<'_>) -> Groups {
    let mut index = GroupIndex::for_texts(texts.len());
    let mut found = Groups { best: Vec::with_capacity(texts.len()), ..Groups::default() };
    for (place, text) in texts.iter().enumerate() {
        let candidates = index.candidates(text);
        found.compared += candidates.len();
        // Most are rejected at once, so only the others are put in order.
        candidates.retain(|candidate| may_be_same(&texts[candidate.leader()], text));
        candidates.sort_unstable();
        let mut nearest_first = candidates.iter().map(|candidate| candidate.leader());
        let best = nearest_first.find(|leader| sameness.confirms(&texts[*leader], text));
        if best.is_none() {
            index.add(place, text);
        }
        found.best.push(best);
    }
    found.looked_at = index.looked_at();
    found
}

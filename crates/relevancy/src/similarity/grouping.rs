//! Groups results that are the same document.

use super::group_index::GroupIndex;
use super::pair_check::Sameness;
use super::text::Text;

/// Which results are the same document, and the cost of finding out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    /// For each text the best of its group, if that is another one.
    pub best: Vec<Option<usize>>,
    /// Pairs that were checked exactly.
    pub compared: usize,
    /// Index entries that were visited to find those pairs.
    pub looked_at: usize,
}

/// Groups the texts, which are sorted by quality. Each joins the nearest text that is the best of its group and the
/// same document. So all members of a group are similar to its best, and no chain of small differences joins two
/// documents.
pub fn groups(texts: &[Text<'_>], sameness: &Sameness<'_>) -> Groups {
    let mut index = GroupIndex::for_texts(texts.len());
    let mut found = Groups::default();
    for (place, text) in texts.iter().enumerate() {
        let mut best = None;
        for leader in index.candidates(text) {
            found.compared += 1;
            if sameness.holds(&texts[leader], text) {
                best = Some(leader);
                break;
            }
        }
        if best.is_none() {
            index.add(place, text);
        }
        found.best.push(best);
    }
    found.looked_at = index.looked_at();
    found
}

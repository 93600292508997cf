//! Near duplicates in a pool of results: the same document from several sources with small differences.
//!
//! Every result is compared with a few others only: those that share its title, its words, or some of its shingles
//! (`text.rs`). The exact check of a pair is in `pair_check.rs`. The cost is linear in the number of results, also for
//! adversarial pools.

mod group_index;
mod pair_check;
mod text;

pub use group_index::{CANDIDATES_MAX, LEADERS_PER_KEY_MAX, SHARED_KEYS_MIN};
pub use pair_check::Sameness;
pub use text::{SKETCH_KEYS_MAX, Text, WORDS_MAX};

use group_index::GroupIndex;

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

#[cfg(test)]
mod tests;

//! Near duplicates in a pool of results: the same document, given by several sources with small differences.
//!
//! Every result is compared with few others only: with those that share its title, its words, or some of the shingles
//! that stand for it (`text.rs`). The exact check of a pair is in `alike.rs`. The cost grows with the number of results,
//! not with its square, also for pools that were made to be slow.

mod alike;
mod leaders;
mod text;

pub use alike::Sameness;
pub use leaders::{CANDIDATES_MAX, LEADERS_PER_KEY_MAX, SHARED_KEYS_MIN};
pub use text::{SKETCH_KEYS_MAX, Text, WORDS_MAX};

use leaders::Leaders;

/// Which results are the same document, and what it cost to find out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Groups {
    /// For each text the best of its group, if that is another one.
    pub best: Vec<Option<usize>>,
    /// Pairs that were checked exactly.
    pub compared: usize,
    /// Entries of the index that were looked at to find those pairs.
    pub looked_at: usize,
}

/// Groups the texts, which stand in the order of their worth. Each joins the nearest text that is the best of its group
/// and the same document. So all members of a group are alike to its best, and no chain of small differences joins
/// two documents.
pub fn groups(texts: &[Text<'_>], sameness: &Sameness<'_>) -> Groups {
    let mut leaders = Leaders::for_texts(texts.len());
    let mut found = Groups::default();
    for (place, text) in texts.iter().enumerate() {
        let mut best = None;
        for leader in leaders.candidates(text) {
            found.compared += 1;
            if sameness.holds(&texts[leader], text) {
                best = Some(leader);
                break;
            }
        }
        if best.is_none() {
            leaders.add(place, text);
        }
        found.best.push(best);
    }
    found.looked_at = leaders.looked_at();
    found
}

#[cfg(test)]
mod tests;

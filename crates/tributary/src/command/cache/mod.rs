//! Maintenance commands for the semantic cache.

mod dedup;
mod entities;
mod hybrid;
mod init;
mod reindex;
mod reset;

pub use dedup::Dedup;
pub use entities::DropEntities;
pub use hybrid::Upgrade;
pub use init::{InitQdrant, InitStorage};
pub use reindex::Reindex;
pub use reset::Reset;

use crate::terminal;
use std::fmt::Display;

/// Prints progress.
fn progress(done: u64, total: u64) {
    terminal::progress(format!("{done} of {total} documents"));
}

/// Formats a count with its noun: `1 document`, `2 documents`.
pub(in crate::command) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_are_pluralized() {
        for (count, said) in [(0, "0 chunks"), (1, "1 chunk"), (2, "2 chunks")] {
            assert_eq!(counted(count, "chunk"), said);
        }
    }
}

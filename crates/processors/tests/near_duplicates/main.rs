//! Quality of near-duplicate detection: edited copies with other URLs are planted among documents, and the groups that
//! the processor makes are compared with them.
//!
//! Each document gets a copy with a probability of 0.3, edited as `edits` describes. A pair of results in one group is
//! right if both come from the same document, or from two documents with the same alphanumeric characters; every other
//! pair is a false merge, even if a collection itself contains a document twice with small differences.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod documents;
mod edits;
mod groups;

use documents::{Document, collection, families, synthetic};
use edits::{Dice, Vocabulary, copy_of};
use groups::{Pool, grouped};
use std::collections::{BTreeSet, HashSet};

/// The probability that a document gets a copy.
const COPIES_SHARE: f64 = 0.3;
const PRECISION_MIN: f64 = 0.99;
const RECALL_MIN: f64 = 0.95;

/// The totals of this many rounds, each with other copies. Ten rounds are in the slow tier, `./test --all`.
macro_rules! rounds {
    ($($name:ident $rounds:literal),*) => {$(
        mod $name {
            #[test]
            fn in_a_synthetic_corpus() {
                super::measure("synthetic", super::synthetic(2_000, &mut super::Dice(1)), false, $rounds);
            }

            #[test]
            fn among_documents_of_one_template() {
                super::measure("templates", super::families(&mut super::Dice(2)), true, $rounds);
            }

            #[test]
            fn in_collections() {
                for name in ["cranfield", "cacm", "cisi", "medline"] {
                    super::measure_collection(name, $rounds);
                }
            }
        }
    )*};
}

rounds!(two_rounds 2, ten_rounds 10);

fn measure_collection(name: &str, rounds: u64) {
    match collection(name) {
        Some(documents) => measure(name, documents, false, rounds),
        None => testkit::skip("near duplicates", &format!("there is no collection {name}")),
    }
}

fn measure(name: &str, documents: Vec<Document>, keeps_numbers: bool, rounds: u64) {
    let mut all = Figures::default();
    for seed in 1..=rounds {
        let mut dice = Dice(seed);
        let pool = planted(&documents, keeps_numbers, &mut dice);
        assert!(pool.planted().len() > documents.len() / 5, "{} copies", pool.planted().len());
        let figures = judged(&pool, &grouped(&pool));
        eprintln!("{name}, seed {seed}: {}", figures.shown());
        all.add(figures);
    }
    eprintln!("{name}, all: {}", all.shown());
    all.false_merges.iter().for_each(|pair| eprintln!("  false: {pair}"));
    assert!(all.precision() >= PRECISION_MIN, "precision {}", all.precision());
    assert!(all.recall() >= RECALL_MIN, "recall {}", all.recall());
}

fn planted(documents: &[Document], keeps_numbers: bool, dice: &mut Dice) -> Pool {
    let mut pool = Pool::of(documents.to_vec(), dice);
    let vocabulary = Vocabulary { words: pool.words(), keeps_numbers };
    for (number, document) in documents.iter().enumerate() {
        // Empty results are never duplicates.
        if document.has_words() && dice.chance(COPIES_SHARE) {
            let copy = copy_of(document, &vocabulary, dice);
            pool.plant(number, copy, dice);
        }
    }
    pool
}

#[derive(Default)]
struct Figures {
    copies: usize,
    /// Copies that are in one group with their documents.
    found: usize,
    /// Pairs in groups.
    pairs: usize,
    wrong: usize,
    /// The documents of the wrong pairs, each pair once.
    false_merges: BTreeSet<String>,
}

impl Figures {
    fn precision(&self) -> f64 {
        1.0 - self.wrong as f64 / self.pairs.max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.found as f64 / self.copies.max(1) as f64
    }

    fn add(&mut self, other: Self) {
        self.copies += other.copies;
        self.found += other.found;
        self.pairs += other.pairs;
        self.wrong += other.wrong;
        self.false_merges.extend(other.false_merges);
    }

    fn shown(&self) -> String {
        let Self { copies, found, pairs, wrong, false_merges } = self;
        format!(
            "{found} of {copies} copies found, {wrong} of {pairs} pairs are false merges (of {} documents): precision \
             {:.4}, recall {:.4}",
            false_merges.len(),
            self.precision(),
            self.recall()
        )
    }
}

fn judged(pool: &Pool, groups: &[Vec<usize>]) -> Figures {
    let mut together: HashSet<(usize, usize)> = HashSet::new();
    for group in groups {
        for (place, a) in group.iter().enumerate() {
            together.extend(group[place + 1..].iter().map(|b| (*a.min(b), *a.max(b))));
        }
    }
    let wrong: Vec<(usize, usize)> =
        together.iter().copied().filter(|(a, b)| !pool.same_document(*a, *b)).collect();
    let copies = pool.planted();
    Figures {
        copies: copies.len(),
        found: copies.iter().filter(|pair| together.contains(pair)).count(),
        pairs: together.len(),
        wrong: wrong.len(),
        false_merges: wrong.iter().map(|(a, b)| pool.shown(*a, *b)).collect(),
    }
}

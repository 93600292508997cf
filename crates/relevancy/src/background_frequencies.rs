//! Document frequencies of English words. In a pool of results every text has the query's words, so frequencies within
//! the pool alone would make just those words worthless.

use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::LazyLock;

static COUNTED: LazyLock<Counted> =
    LazyLock::new(|| Counted::read(include_str!("../data/background-df.tsv")));

/// Assumed frequency of words that are not in the table.
const UNSEEN: u32 = 4;

struct Counted {
    documents: u32,
    with: HashMap<&'static str, u32, FixedState>,
}

impl Counted {
    /// The first line has the number of texts, each other line a stem and its document frequency.
    fn read(lines: &'static str) -> Self {
        let mut rows = lines.lines().filter_map(|line| {
            let (stem, count) = line.split_once('\t')?;
            Some((stem, count.parse().ok()?))
        });
        let documents = rows.next().map_or(0, |(_, documents)| documents);
        Self { documents, with: rows.collect() }
    }
}

/// Inverse document frequency of an English stem, as in BM25, never below 0.
pub fn idf(stem: &str) -> f64 {
    let documents = f64::from(COUNTED.documents);
    let with = f64::from(COUNTED.with.get(stem).copied().unwrap_or(UNSEEN));
    (1.0 + (documents - with + 0.5) / (with + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_tell_more() {
        let [the, river, gauge, unseen] = ["the", "river", "gaug", "qqxzy"].map(idf);
        assert!(
            the < 0.3 && the < river && river < gauge && gauge < unseen,
            "{the} {river} {gauge} {unseen}"
        );
        assert_eq!(COUNTED.documents, 300_000);
        assert_eq!(COUNTED.with.len(), 40_981);
    }
}

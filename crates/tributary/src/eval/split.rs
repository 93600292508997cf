//! Distribution of the documents over the sources.

use crate::eval::rng::Rng;
use crate::eval::topical;
use serde::Serialize;

/// How documents are distributed over sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Randomly, in equal parts.
    Random,
    /// By topic.
    Topical,
    /// Randomly; the second source is half as large as the first, the third a third as large.
    Zipf,
}

impl Split {
    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Topical => "topical",
            Self::Zipf => "zipf",
        }
    }

    /// The source of each document. Every source gets at least one; there must be at least as many texts as sources.
    pub fn homes(self, texts: &[String], sources: usize, seed: u64) -> Vec<usize> {
        let mut rng = Rng::new(seed, "split");
        match self {
            Self::Random => deal(texts.len(), &equal_sizes(texts.len(), sources), &mut rng),
            Self::Zipf => deal(texts.len(), &zipf_sizes(texts.len(), sources), &mut rng),
            Self::Topical => topical::clusters(&topical::points(texts), sources, &mut rng),
        }
    }
}

fn deal(documents: usize, sizes: &[usize], rng: &mut Rng) -> Vec<usize> {
    let mut homes = vec![0; documents];
    let order = rng.shuffled(documents);
    let mut left = order.as_slice();
    for (source, size) in sizes.iter().enumerate() {
        let (own, rest) = left.split_at((*size).min(left.len()));
        own.iter().for_each(|document| homes[*document] = source);
        left = rest;
    }
    homes
}

fn equal_sizes(documents: usize, sources: usize) -> Vec<usize> {
    (0..sources).map(|source| documents / sources + usize::from(source < documents % sources)).collect()
}

/// One document each, and the rest in proportions of 1, 1/2, 1/3, …
fn zipf_sizes(documents: usize, sources: usize) -> Vec<usize> {
    let shared = documents.saturating_sub(sources) as f64;
    let whole: f64 = (1..=sources).map(|rank| 1.0 / rank as f64).sum();
    let mut sizes: Vec<usize> =
        (1..=sources).map(|rank| 1 + (shared / rank as f64 / whole).floor() as usize).collect();
    let missing = documents.saturating_sub(sizes.iter().sum());
    sizes.iter_mut().take(missing).for_each(|size| *size += 1);
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(count: usize) -> Vec<String> {
        let topics =
            ["tea leaves and hot water", "the engine of a racing car", "rivers and floods in spring"];
        (0..count).map(|number| format!("{} {number}", topics[number % topics.len()])).collect()
    }

    fn sizes(homes: &[usize], sources: usize) -> Vec<usize> {
        (0..sources).map(|source| homes.iter().filter(|home| **home == source).count()).collect()
    }

    #[test]
    fn every_document_has_a_source_and_every_source_a_document() {
        for split in [Split::Random, Split::Topical, Split::Zipf] {
            for (documents, sources) in [(1, 1), (5, 5), (30, 1), (31, 4), (60, 7)] {
                let homes = split.homes(&texts(documents), sources, 1);
                assert_eq!(homes.len(), documents, "{split:?}");
                let sizes = sizes(&homes, sources);
                assert_eq!(sizes.iter().sum::<usize>(), documents, "{split:?} {sizes:?}");
                assert!(sizes.iter().all(|size| *size > 0), "{split:?} {sizes:?}");
            }
        }
    }

    #[test]
    fn sizes_are_as_said() {
        assert_eq!(sizes(&Split::Random.homes(&texts(32), 5, 1), 5), [7, 7, 6, 6, 6]);
        // 3 + 40 in shares of 1, 1/2, 1/3: 21.8, 10.9 and 7.3, and the two left over go to the first ones.
        assert_eq!(sizes(&Split::Zipf.homes(&texts(43), 3, 1), 3), [23, 12, 8]);
    }

    #[test]
    fn topics_stay_together() {
        let homes = Split::Topical.homes(&texts(30), 3, 1);
        for number in 3..30 {
            assert_eq!(homes[number], homes[number % 3], "{homes:?}");
        }
        assert_eq!(sizes(&homes, 3), [10, 10, 10]);
    }

    #[test]
    fn the_same_seed_gives_the_same_split() {
        for split in [Split::Random, Split::Topical, Split::Zipf] {
            let homes = |seed| split.homes(&texts(60), 6, seed);
            assert_eq!(homes(3), homes(3));
            assert_ne!(homes(3), homes(4), "{split:?}");
        }
    }
}

//! The engines of the sources: small full-text indexes that differ in model, score scale and indexed length.

use crate::eval::tokenizer::terms;
use std::collections::HashMap;

/// The ranking model of an engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Model {
    Bm25 {
        k1: f64,
        b: f64,
    },
    /// Cosine between vectors of (1 + ln frequency) × idf.
    TfIdf,
}

/// The score scale of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    AsItIs,
    Thousandfold,
    /// The best result has 100.
    PercentOfBest,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Engine {
    pub model: Model,
    pub scale: Scale,
    /// Maximum number of indexed terms per document.
    pub terms_max: Option<usize>,
}

/// The reference: one index over all documents.
pub const CENTRAL: Engine =
    Engine { model: Model::Bm25 { k1: 1.2, b: 0.75 }, scale: Scale::AsItIs, terms_max: None };

/// Models and scales of unlike sources, in turn.
const UNLIKE: [(Model, Scale); 4] = [
    (Model::Bm25 { k1: 1.2, b: 0.75 }, Scale::AsItIs),
    (Model::Bm25 { k1: 0.9, b: 0.4 }, Scale::Thousandfold),
    (Model::TfIdf, Scale::AsItIs),
    (Model::Bm25 { k1: 2.0, b: 0.9 }, Scale::PercentOfBest),
];
/// Every third unlike source indexes only the beginning of a document.
const BEGINNING_EVERY: usize = 3;
const BEGINNING_TERMS: usize = 30;

impl Engine {
    /// The engine of the source with this number, from 0.
    pub fn of_source(number: usize, is_unlike: bool) -> Self {
        if !is_unlike {
            return CENTRAL;
        }
        let (model, scale) = UNLIKE[number % UNLIKE.len()];
        let reads_beginning = number % BEGINNING_EVERY == BEGINNING_EVERY - 1;
        Self { model, scale, terms_max: reads_beginning.then_some(BEGINNING_TERMS) }
    }
}

/// A hit, by position in the index.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub place: usize,
    pub score: f64,
}

#[derive(Debug)]
pub struct Index {
    engine: Engine,
    postings: HashMap<String, Vec<Posting>>,
    /// The divisor of a document's weights: relative length (BM25) or vector length (TF-IDF).
    lengths: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    place: u32,
    count: u32,
}

impl Index {
    pub fn build<'a>(engine: Engine, texts: impl Iterator<Item = std::borrow::Cow<'a, str>>) -> Self {
        let mut postings: HashMap<String, Vec<Posting>> = HashMap::new();
        let mut lengths = Vec::new();
        for (place, text) in (0_u32..).zip(texts) {
            let mut length = 0;
            for term in terms(&text).take(engine.terms_max.unwrap_or(usize::MAX)) {
                length += 1;
                let list = postings.entry(term).or_default();
                match list.last_mut() {
                    Some(last) if last.place == place => last.count += 1,
                    _ => list.push(Posting { place, count: 1 }),
                }
            }
            lengths.push(f64::from(length));
        }
        let mut index = Self { engine, postings, lengths };
        index.lengths = match engine.model {
            Model::Bm25 { .. } => index.relative_lengths(),
            Model::TfIdf => index.vector_lengths(),
        };
        index
    }

    /// At most `hits_max` documents, best first; ties in index order.
    pub fn search(&self, query: &str, hits_max: usize) -> Vec<Hit> {
        let mut scores: HashMap<u32, f64> = HashMap::new();
        for (term, asked) in counted(query) {
            let Some(list) = self.postings.get(&term) else { continue };
            for posting in list {
                *scores.entry(posting.place).or_default() += self.weight(list.len(), asked, *posting);
            }
        }
        let mut hits: Vec<Hit> =
            scores.into_iter().map(|(place, score)| Hit { place: place as usize, score }).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
        hits.truncate(hits_max);
        self.rescale(&mut hits);
        hits
    }

    fn weight(&self, containing: usize, asked: u32, posting: Posting) -> f64 {
        let idf = self.idf(containing);
        let length = self.lengths[posting.place as usize];
        let (asked, count) = (f64::from(asked), f64::from(posting.count));
        match self.engine.model {
            Model::Bm25 { k1, b } => asked * idf * count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * length)),
            Model::TfIdf => (1.0 + asked.ln()) * idf * (1.0 + count.ln()) * idf / length,
        }
    }

    fn idf(&self, containing: usize) -> f64 {
        let (all, containing) = (self.lengths.len() as f64, containing as f64);
        match self.engine.model {
            Model::Bm25 { .. } => (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln(),
            Model::TfIdf => (1.0 + all / containing).ln(),
        }
    }

    fn relative_lengths(&self) -> Vec<f64> {
        let average = self.lengths.iter().sum::<f64>() / self.lengths.len().max(1) as f64;
        self.lengths.iter().map(|length| if average > 0.0 { length / average } else { 1.0 }).collect()
    }

    fn vector_lengths(&self) -> Vec<f64> {
        // Sorted, because sums of floats depend on the order.
        let mut words: Vec<(&String, &Vec<Posting>)> = self.postings.iter().collect();
        words.sort_unstable_by_key(|(word, _)| *word);
        let mut squares = vec![0.0; self.lengths.len()];
        for (_, list) in words {
            let idf = self.idf(list.len());
            for posting in list {
                squares[posting.place as usize] += ((1.0 + f64::from(posting.count).ln()) * idf).powi(2);
            }
        }
        squares.into_iter().map(f64::sqrt).collect()
    }

    fn rescale(&self, hits: &mut [Hit]) {
        let best = hits.first().map_or(1.0, |hit| hit.score);
        for hit in hits {
            hit.score = match self.engine.scale {
                Scale::AsItIs => hit.score,
                Scale::Thousandfold => hit.score * 1000.0,
                Scale::PercentOfBest => hit.score / best * 100.0,
            };
        }
    }
}

/// The distinct terms of a query in order, with their frequency.
fn counted(query: &str) -> Vec<(String, u32)> {
    let mut counts: Vec<(String, u32)> = Vec::new();
    for term in terms(query) {
        match counts.iter_mut().find(|(known, _)| *known == term) {
            Some((_, count)) => *count += 1,
            None => counts.push((term, 1)),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(engine: Engine, texts: &[&str]) -> Index {
        Index::build(engine, texts.iter().map(|text| (*text).into()))
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn bm25_by_hand() {
        // Three documents of 2, 2 and 4 terms: the average is 8/3. `tea` is in two of three: idf = ln(1 + 1.5/2.5).
        let index = index(CENTRAL, &["tea leaves", "coffee beans", "tea tea cup saucer"]);
        let hits = index.search("tea", 10);
        assert_eq!(hits.iter().map(|hit| hit.place).collect::<Vec<_>>(), [2, 0]);
        let idf = 1.6_f64.ln();
        close(hits[0].score, idf * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 1.5)));
        close(hits[1].score, idf * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 0.75)));
        close(index.search("tea tea", 1)[0].score, 2.0 * hits[0].score);
        assert!(index.search("water", 10).is_empty());
    }

    #[test]
    fn cosine_by_hand() {
        let engine = Engine { model: Model::TfIdf, scale: Scale::AsItIs, terms_max: None };
        let index = index(engine, &["tea", "tea milk", "milk"]);
        let hits = index.search("tea", 10);
        let idf = 2.5_f64.ln();
        assert_eq!(hits.iter().map(|hit| hit.place).collect::<Vec<_>>(), [0, 1]);
        close(hits[0].score, idf);
        close(hits[1].score, idf / 2.0_f64.sqrt());
    }

    #[test]
    fn scales_differ_and_orders_do_not() {
        let engine = |scale| Engine { scale, ..CENTRAL };
        let texts = ["tea", "tea and much more about it", "tea tea"];
        let found = |scale| index(engine(scale), &texts).search("tea", 2);
        let plain = found(Scale::AsItIs);
        close(found(Scale::Thousandfold)[1].score, plain[1].score * 1000.0);
        close(found(Scale::PercentOfBest)[0].score, 100.0);
        for scale in [Scale::Thousandfold, Scale::PercentOfBest] {
            assert_eq!(found(scale).iter().map(|hit| hit.place).collect::<Vec<_>>(), [2, 0]);
        }
    }

    #[test]
    fn some_engines_read_the_beginning_only() {
        let long = format!("{} sugar", "tea ".repeat(BEGINNING_TERMS));
        let third = Engine::of_source(2, true);
        assert_eq!(third.terms_max, Some(BEGINNING_TERMS));
        assert!(index(third, &[&long]).search("sugar", 10).is_empty());
        assert_eq!(index(CENTRAL, &[&long]).search("sugar", 10).len(), 1);
    }

    #[test]
    fn unlike_sources_take_turns() {
        assert!((0..12).all(|number| Engine::of_source(number, false) == CENTRAL));
        let engines: Vec<Engine> = (0..12).map(|number| Engine::of_source(number, true)).collect();
        let beginnings = engines.iter().filter(|engine| engine.terms_max.is_some()).count();
        assert_eq!(beginnings, 4);
        // Four models, each with and without the beginning only.
        let others = |number: usize| engines[..number].iter().all(|known| *known != engines[number]);
        assert_eq!((0..12).filter(|number| others(*number)).count(), 8);
        assert!(index(CENTRAL, &[]).search("tea", 1).is_empty());
    }
}

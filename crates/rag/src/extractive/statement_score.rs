//! Scores the sentences of the sources for a query of a few words: those that have its words and its meaning.

use super::candidate::Candidate;
use relevancy::embedder::{Embedding, embed};
use relevancy::{Language, Query};
use std::collections::BTreeMap;

const COVERAGE_WEIGHT: f64 = 0.6;
const MEANING_WEIGHT: f64 = 0.35;
const PLACE_WEIGHT: f64 = 0.05;
/// Minimum score of a sentence with query terms.
const SCORE_MIN: f64 = 0.35;
/// Minimum similarity of a sentence without query terms.
const LIKENESS_MIN: f64 = 0.55;
/// Thresholds for a sentence whose title matches the query: share of query terms including those of the title, and
/// similarity if it has no term of its own.
const TITLED_SHARE_MIN: f64 = 0.66;
const TITLED_LIKENESS_MIN: f64 = 0.2;
/// Weight of a query term in the title, relative to one in the sentence.
const TITLE_WEIGHT: f64 = 0.5;

/// The relevant sentences with their scores. A source whose title matches the query contributes its best sentence even
/// if none is relevant by itself.
pub(super) fn score_statements<'c, 'a>(
    language: Language,
    query: &str,
    candidates: &'c [Candidate<'a>],
) -> Vec<(f64, &'c Candidate<'a>)> {
    let judge = Judge::of(language, query, candidates);
    let mut near = Vec::new();
    for source in candidates.chunk_by(|one, next| one.n == next.n) {
        let before = near.len();
        near.extend(source.iter().filter_map(|one| Some((judge.near(one)?, one))));
        if near.len() == before {
            let titled = source.iter().filter_map(|one| Some((judge.near_by_title(one)?, one)));
            // The first of equals wins.
            near.extend(titled.rev().max_by(|one, other| one.0.total_cmp(&other.0)));
        }
    }
    near
}

/// Scores sentences by the terms of a query.
struct Judge {
    asked: Embedding,
    /// Weight of each term; rare terms weigh more.
    weights: BTreeMap<String, f64>,
    /// Sum of all weights.
    all: f64,
}

impl Judge {
    fn of(language: Language, query: &str, candidates: &[Candidate<'_>]) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        // Terms without any match count as well.
        let asked = Query::parse_in(language, query).terms.into_iter().map(|term| term.word);
        let titles = candidates.iter().flat_map(|one| &one.titled.terms).cloned();
        asked.chain(titles).for_each(|term| {
            counts.entry(term).or_default();
        });
        for term in candidates.iter().flat_map(|one| &one.terms) {
            *counts.entry(term.clone()).or_default() += 1;
        }
        let idf = |count: usize| (1.0 + candidates.len() as f64 / (1.0 + count as f64)).ln();
        let weights: BTreeMap<String, f64> =
            counts.into_iter().map(|(term, count)| (term, idf(count))).collect();
        let all = weights.values().sum();
        Self { asked: embed(query), weights, all }
    }

    /// The score of a sentence that is relevant by itself.
    fn near(&self, one: &Candidate<'_>) -> Option<f64> {
        let (coverage, likeness) = (self.share(one.terms.iter()), self.likeness(one));
        let score = score(coverage, likeness, one);
        let is_near = (coverage > 0.0 && score >= SCORE_MIN) || likeness >= LIKENESS_MIN;
        is_near.then_some(score)
    }

    /// The score of a sentence that is relevant because of its title.
    fn near_by_title(&self, one: &Candidate<'_>) -> Option<f64> {
        let likeness = self.likeness(one);
        let is_near = one.titled.is_about_the_query()
            && one.titled.share_with(&one.terms) >= TITLED_SHARE_MIN
            && (!one.terms.is_empty() || likeness >= TITLED_LIKENESS_MIN);
        let above = self.share(one.titled.terms.difference(&one.terms));
        let coverage = self.share(one.terms.iter()) + TITLE_WEIGHT * above;
        is_near.then(|| score(coverage, likeness, one))
    }

    /// The weighted share of the query that these terms cover.
    fn share<'t>(&self, terms: impl Iterator<Item = &'t String>) -> f64 {
        let found: f64 = terms.filter_map(|term| self.weights.get(term)).sum();
        if self.all > 0.0 { found / self.all } else { 0.0 }
    }

    fn likeness(&self, one: &Candidate<'_>) -> f64 {
        f64::from(self.asked.cosine(&one.embedding)).max(0.0)
    }
}

fn score(coverage: f64, likeness: f64, one: &Candidate<'_>) -> f64 {
    let place = 1.0 / (1.0 + one.place as f64 / 10.0);
    COVERAGE_WEIGHT * coverage + MEANING_WEIGHT * likeness + PLACE_WEIGHT * place
}

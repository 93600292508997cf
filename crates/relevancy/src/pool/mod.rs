//! Scores all results of a search together.

use crate::bm25::PoolStatistics;
use crate::confidence::{Confidence, Evidence};
use crate::config::ScoringConfig;
use crate::embedder::{Embedding, embed};
use crate::exact::{self, ExactMatch};
use crate::explain::{self, ResultNotes, TextEvidence, Weighing};
use crate::external_embedding::{ExternalEmbedding, ExternalEmbeddings};
use crate::hits::Hits;
use crate::neighbor_support;
use crate::prepare::{prepare_again, text_of};
use crate::proximity::nearness;
use crate::query::Query;
use crate::query_forms::QueryForms;
use crate::score::{Adjusts, NEGATED_SCORE, length_adjust, median, median_of_distinct, rank_adjust};
use crate::targets::{MatchTargets, rounded};
use domain::explain::{Field, PerField};
use domain::result::ResultItem;
use std::sync::Arc;

/// The results of one provider, and its query.
pub struct ProviderResults<'a> {
    pub query: Arc<Query>,
    pub items: Vec<&'a mut ResultItem>,
}

/// Sets `swirl_score`, `swirl_confidence_score` and `explain` of every result. Returns the number of scored results:
/// one with a negated word ranks below all others and is not counted.
///
/// Providers with the same query are scored together. One with another query, such as the words of its own tag, is
/// scored by itself, because it cannot lack what it was not asked for. Only the median lengths are over all results.
pub fn score(provider_results: Vec<ProviderResults<'_>>, config: &ScoringConfig) -> usize {
    score_all(provider_results, Vec::new(), config)
}

/// Like [`score`], but with an external embedding model: its embeddings, one set per provider, determine the similarity
/// of the results to the query and to each other. The words are scored as usual.
pub fn score_by(
    external_embeddings: Vec<ExternalEmbeddings>,
    provider_results: Vec<ProviderResults<'_>>,
    config: &ScoringConfig,
) -> usize {
    score_all(provider_results, external_embeddings, config)
}

fn score_all(
    provider_results: Vec<ProviderResults<'_>>,
    external_embeddings: Vec<ExternalEmbeddings>,
    config: &ScoringConfig,
) -> usize {
    let by_other = !external_embeddings.is_empty();
    let mut external_embeddings = external_embeddings.into_iter();
    let lengths = provider_results.iter().filter(|results| !results.items.is_empty());
    let mut lengths: Vec<u32> =
        lengths.map(|results| u32::try_from(results.query.words.len()).unwrap_or(u32::MAX)).collect();
    lengths.sort_unstable();
    let words_median = median(&lengths);
    let mut pools: Vec<Pool<'_>> = Vec::new();
    for ProviderResults { query, mut items } in provider_results {
        read_unread(&query, &mut items, config);
        let query_length = length_adjust(words_median, query.length as f64);
        let mut other = external_embeddings.next().unwrap_or_default();
        other.items.resize(if by_other { items.len() } else { 0 }, None);
        let mut external =
            other.items.into_iter().map(|vector| ExternalSimilarity::of(other.query.as_ref(), vector));
        let entries = items.into_iter().map(|item| Entry { item, query_length, external: external.next() });
        match pools.iter_mut().find(|pool| pool.query.asks_the_same(&query)) {
            Some(pool) => pool.entries.extend(entries),
            None => pools.push(Pool { entries: entries.collect(), query }),
        }
    }
    let result_notes: Vec<Vec<ResultNotes>> = pools.iter_mut().map(Pool::result_notes).collect();
    let medians = Field::ALL.map(|field| {
        let all = result_notes.iter().flatten();
        median_of_distinct(all.map(|result_notes| result_notes.hits.fields[field as usize].length).collect())
    });
    let scored = pools
        .iter_mut()
        .zip(result_notes)
        .map(|(pool, result_notes)| pool.score(result_notes, config, medians));
    scored.sum()
}

/// Like [`score`], for the results of one query.
pub fn score_pool(query: &Query, config: &ScoringConfig, items: &mut [&mut ResultItem]) -> usize {
    let items = items.iter_mut().map(|item| &mut **item).collect();
    score(vec![ProviderResults { query: Arc::new(query.clone()), items }], config)
}

/// Reads the results of one provider that have no notes, or were changed since. The forms of the query are prepared once,
/// and in the same order as when the results arrived.
fn read_unread(query: &Query, items: &mut [&mut ResultItem], config: &ScoringConfig) {
    let is_unread = |item: &ResultItem| item.explain.as_ref().is_none_or(|explain| explain.notes.is_none());
    if !items.iter().any(|item| is_unread(item)) {
        return;
    }
    let mut forms = QueryForms::of(query);
    for item in items {
        let query = forms.for_result(item);
        if is_unread(item) {
            prepare_again(query, &MatchTargets::of(query, config), item);
        }
    }
}

struct Entry<'a> {
    item: &'a mut ResultItem,
    /// The adjustment for its own provider's query.
    query_length: f64,
    /// From an external embedding model.
    external: Option<ExternalSimilarity>,
}

/// The similarity of a result according to an external model.
struct ExternalSimilarity {
    cosine: f64,
    vector: Option<ExternalEmbedding>,
}

impl ExternalSimilarity {
    fn of(query: Option<&ExternalEmbedding>, vector: Option<ExternalEmbedding>) -> Self {
        let alike = query.zip(vector.as_ref()).map_or(0.0, |(query, vector)| query.cosine(vector));
        Self { cosine: rounded(f64::from(alike.max(0.0))), vector }
    }
}

/// Results that are scored together.
struct Pool<'a> {
    query: Arc<Query>,
    entries: Vec<Entry<'a>>,
}

impl Pool<'_> {
    /// Takes the notes of every result.
    fn result_notes(&mut self) -> Vec<ResultNotes> {
        let mut all = Vec::with_capacity(self.entries.len());
        for Entry { item, .. } in &mut self.entries {
            let explain = item.explain.get_or_insert_default();
            let mut result_notes = explain::take_prepared(explain).unwrap_or_default();
            if explain.is_file_system {
                let tells = |field: Field| explain.similarities[field as usize].is_some();
                let body_only = !tells(Field::Title) && tells(Field::Body);
                result_notes.hits.fields[Field::Body as usize].weighs_as_title = body_only;
            }
            all.push(result_notes);
        }
        all
    }

    fn score(
        &mut self,
        result_notes: Vec<ResultNotes>,
        config: &ScoringConfig,
        medians: PerField<f64>,
    ) -> usize {
        let (pool, readings): (Vec<Hits>, Vec<TextEvidence>) =
            result_notes.into_iter().map(|result_notes| (result_notes.hits, result_notes.reading)).unzip();
        let statistics = PoolStatistics::of(&self.query, config.weights, &pool);
        let mut evidence: Vec<Option<Evidence>> = Vec::with_capacity(pool.len());
        for ((entry, hits), mut reading) in self.entries.iter().zip(&pool).zip(readings) {
            if let Some(external) = &entry.external {
                reading.cosine = external.cosine;
            }
            let rank = entry.item.searchprovider_rank;
            let is_wanted = hits.negated.is_none();
            evidence.push(is_wanted.then(|| evidence_of(&self.query, &statistics, hits, reading, rank)));
        }
        self.add_neighbor_support(&mut evidence);
        let confidences = self.confidences(&pool, &evidence);
        let mut scored = 0;
        let evidence = evidence.into_iter().zip(confidences);
        for ((entry, hits), (evidence, confidence)) in self.entries.iter_mut().zip(pool).zip(evidence) {
            let (Some(evidence), Some(confidence)) = (evidence, confidence) else {
                entry.item.swirl_score = NEGATED_SCORE;
                entry.item.swirl_confidence_score = 0.0;
                entry.item.explain = Some(Box::new(explain::negated(hits)));
                continue;
            };
            let weighing = weighing(entry, &hits, config, medians);
            let explain = entry.item.explain.get_or_insert_default();
            let points = explain::complete(explain, hits, weighing);
            explain::add_confidence(explain, &evidence, &confidence);
            entry.item.swirl_score = points.total();
            entry.item.swirl_confidence_score = confidence.total();
            scored += 1;
        }
        scored
    }

    /// The confidence in each result; `None` for unwanted ones.
    fn confidences(&self, pool: &[Hits], evidence: &[Option<Evidence>]) -> Vec<Option<Confidence>> {
        let has_stopwords_only = self.query.only_stopwords && !self.query.terms.is_empty();
        let of = if has_stopwords_only { Confidence::of_stopwords } else { Confidence::of };
        let exact_match = ExactMatch::of(&self.query);
        let of_each = self.entries.iter().zip(pool).zip(evidence).map(|((entry, hits), evidence)| {
            (evidence.as_ref().map(of), exact_match.is_met(&entry.item.title, hits))
        });
        let mut confidences: Vec<(Option<Confidence>, bool)> = of_each.collect();
        exact::raise(&mut confidences);
        confidences.into_iter().map(|(confidence, _)| confidence).collect()
    }

    /// All results of a pool were embedded by the same model.
    fn add_neighbor_support(&mut self, evidence: &mut [Option<Evidence>]) {
        if self.entries.iter().any(|entry| entry.external.is_some()) {
            let vector = |entry: &mut Entry<'_>| entry.external.as_mut()?.vector.take();
            let vectors: Vec<Option<ExternalEmbedding>> = self.entries.iter_mut().map(vector).collect();
            return neighbor_support::add(evidence, &vectors);
        }
        let vectors: Vec<Option<Embedding>> = self.entries.iter().map(|entry| vector(entry.item)).collect();
        neighbor_support::add(evidence, &vectors);
    }
}

/// The embedding of a result's text; computed again if it was not saved.
fn vector(item: &ResultItem) -> Option<Embedding> {
    let known = item.embedding.as_deref().and_then(Embedding::of_slice);
    let vector = known.unwrap_or_else(|| embed(&text_of(item)));
    (!vector.is_zero()).then_some(vector)
}

fn weighing(
    entry: &Entry<'_>,
    hits: &Hits,
    config: &ScoringConfig,
    medians: PerField<f64>,
) -> PerField<Weighing> {
    let rank = rank_adjust(entry.item.searchprovider_rank);
    Field::ALL.map(|field| {
        let in_field = &hits.fields[field as usize];
        let weighs_as = if in_field.weighs_as_title { Field::Title } else { field };
        let result_length = length_adjust(medians[field as usize], f64::from(in_field.length));
        let adjusts = Adjusts { result_length, query_length: entry.query_length, rank };
        Weighing { weight: config.weights[weighs_as as usize], adjusts }
    })
}

fn evidence_of(
    query: &Query,
    statistics: &PoolStatistics,
    hits: &Hits,
    reading: TextEvidence,
    source_rank: u32,
) -> Evidence {
    let coverage = statistics.coverage(hits);
    let by_field = Field::ALL.map(|field| nearness(query, &hits.fields[field as usize], hits.stopword_terms));
    // A single-word query has no proximity: its word alone is everything.
    let proximity = match by_field {
        [Some(title), Some(body), Some(author)] => title.max(body).max(author),
        _ => coverage,
    };
    let filled = statistics.filled(hits);
    Evidence {
        bm25_pool: filled.by_pool,
        bm25_background: filled.by_background,
        cosine: reading.cosine,
        coverage,
        proximity,
        company: 0.0,
        source_rank,
        repetition: reading.repetition,
    }
}

#[cfg(test)]
mod tests;

//! The candidates by provider, with their scores and overrides.

use super::rules::SelectionRules;
use domain::ids::ProviderId;
use domain::rag::{InclusionField, RagOverrides};
use domain::result::{ResultItem, ResultSet};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Threshold of `swirl_score` for results without a confidence.
pub(super) const SCORE_WITHOUT_CONFIDENCE: f64 = 50.0;

/// A candidate result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub provider: ProviderId,
    pub item: &'a ResultItem,
    /// The field by which its provider's results are selected.
    pub field: InclusionField,
    /// The score that is compared, and the threshold of its provider.
    pub compared: ComparedScore,
    /// How likely it contains an answer, if that was estimated.
    pub answerability: Option<f64>,
    /// It passed the threshold of its provider or was requested.
    pub passes: bool,
}

impl Candidate<'_> {
    pub fn has_confidence(&self) -> bool {
        has_confidence(self.item)
    }
}

/// What is compared with a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScoreKind {
    Field(InclusionField),
    Answerability,
}

/// Where a threshold is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThresholdOrigin {
    Settings,
    Provider,
    /// That of `swirl_score`, for results without a confidence.
    BuiltIn,
}

/// A score that was compared with a threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ComparedScore {
    pub score: f64,
    pub kind: ScoreKind,
    pub confidence: f64,
    pub threshold: f64,
    pub origin: ThresholdOrigin,
}

/// The candidates of one provider in its own order.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub candidates: Vec<Candidate<'a>>,
    /// Maximum number of them.
    pub max: usize,
}

/// The candidates of all providers, ordered by provider id.
#[derive(Debug)]
pub(super) struct Pool<'a> {
    pub sources: Vec<Source<'a>>,
    /// [`SelectionRules::by_answerability`].
    pub by_answerability: bool,
}

impl<'a> Pool<'a> {
    pub fn of(
        sets: &'a [ResultSet],
        overrides: &BTreeMap<ProviderId, RagOverrides>,
        rules: &SelectionRules,
    ) -> Self {
        let mut sets: Vec<&ResultSet> =
            sets.iter().filter(|set| !rules.generated.contains(&set.provider)).collect();
        sets.sort_by_key(|set| set.provider);
        let mut seen = BTreeSet::new();
        let mut source = |set: &'a ResultSet| {
            let overrides_used = overrides.get(&set.provider).copied().unwrap_or_default();
            let max = overrides_used.max_to_consider.map_or(usize::MAX, |max| max as usize);
            let field = overrides_used.field.unwrap_or(rules.field);
            let (threshold, origin) = match overrides_used.threshold {
                Some(own) => (own, ThresholdOrigin::Provider),
                None => (rules.threshold, ThresholdOrigin::Settings),
            };
            let limit = Limit { field, threshold, origin };
            // Unsaved results have the id 0.
            let is_new = |item: &&ResultItem| item.swirl_id.0 == 0 || seen.insert(item.swirl_id);
            let items = set.items.iter().filter(|item| !is_written(item)).filter(is_new);
            let mut candidates: Vec<_> =
                items.map(|item| candidate(set.provider, item, &limit, rules)).collect();
            candidates.sort_by_key(|one| (one.item.searchprovider_rank, one.item.swirl_id));
            Source { candidates, max }
        };
        let sources = sets.into_iter().map(&mut source).collect();
        Self { sources, by_answerability: rules.by_answerability }
    }

    pub fn all(&self) -> impl Iterator<Item = &Candidate<'a>> {
        self.sources.iter().flat_map(|source| &source.candidates)
    }

    /// The best score that was compared with a threshold. Confidences and scores are not comparable; confidences, and
    /// what depends on them, take precedence.
    pub fn best(&self) -> Option<ComparedScore> {
        let rank = |one: &ComparedScore| one.kind != ScoreKind::Field(InclusionField::Score);
        let order =
            |a: &ComparedScore, b: &ComparedScore| rank(a).cmp(&rank(b)).then(a.score.total_cmp(&b.score));
        self.all().map(|one| one.compared).filter(|one| one.score.is_finite()).max_by(order)
    }

    /// Keeps only the elected version of each document.
    pub fn without_alternates(&mut self) {
        for source in &mut self.sources {
            source.candidates.retain(|one| !one.item.is_alternate());
        }
    }

    /// Keeps the best of the results with the same URL and title, in case the pipeline did not deduplicate them.
    pub fn once_each(&mut self) {
        let mut best: HashMap<(&str, &str), &Candidate<'_>> = HashMap::new();
        let mut worse: BTreeSet<(ProviderId, u32, i64)> = BTreeSet::new();
        let name = |one: &Candidate<'_>| (one.provider, one.item.searchprovider_rank, one.item.swirl_id.0);
        for one in self.sources.iter().flat_map(|source| &source.candidates) {
            if one.item.url.is_empty() {
                continue;
            }
            let known = best.entry((&one.item.url, &one.item.title)).or_insert(one);
            if name(known) == name(one) {
                continue;
            }
            let loser = if better(one.item, known.item) { std::mem::replace(known, one) } else { one };
            worse.insert(name(loser));
        }
        for source in &mut self.sources {
            source.candidates.retain(|one| !worse.contains(&name(one)));
        }
    }

    /// Keeps exactly these results, whatever their scores and number per provider.
    pub fn only(&mut self, ids: &BTreeSet<i64>) {
        for source in &mut self.sources {
            source.candidates.retain(|one| ids.contains(&one.item.swirl_id.0));
            source.candidates.iter_mut().for_each(|one| one.passes = true);
            source.max = usize::MAX;
        }
    }
}

/// What the results of a provider are compared with.
struct Limit {
    field: InclusionField,
    threshold: f64,
    origin: ThresholdOrigin,
}

fn candidate<'a>(
    provider: ProviderId,
    item: &'a ResultItem,
    limit: &Limit,
    rules: &SelectionRules,
) -> Candidate<'a> {
    let Limit { field, threshold, origin } = *limit;
    let answerability = rules.answerability.get(&item.swirl_id).copied();
    let by_field = |field: InclusionField| (field.of(item), ScoreKind::Field(field));
    let (field, (score, kind), threshold, origin) = match (field, answerability) {
        (InclusionField::Confidence, _) if !has_confidence(item) => {
            let field = InclusionField::Score;
            (field, by_field(field), SCORE_WITHOUT_CONFIDENCE, ThresholdOrigin::BuiltIn)
        }
        (InclusionField::Confidence, Some(answerability)) if origin == ThresholdOrigin::Settings => {
            (field, (answerability, ScoreKind::Answerability), threshold, origin)
        }
        _ => (field, by_field(field), threshold, origin),
    };
    let confidence = item.swirl_confidence_score;
    let compared = ComparedScore { score, kind, confidence, threshold, origin };
    Candidate { provider, item, field, compared, answerability, passes: score > threshold }
}

/// Results without ranking have the confidence 0.
fn has_confidence(item: &ResultItem) -> bool {
    item.swirl_confidence_score > 0.0
}

fn is_written(item: &ResultItem) -> bool {
    item.result_block.is_some() || item.additional_content.is_some()
}

fn better(one: &ResultItem, other: &ResultItem) -> bool {
    let order = one
        .swirl_confidence_score
        .total_cmp(&other.swirl_confidence_score)
        .then(one.swirl_score.total_cmp(&other.swirl_score));
    order == Ordering::Greater
}

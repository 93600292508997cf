//! Versions of documents among the results of a search, and which version counts.
//!
//! | Module | Contents |
//! |---|---|
//! | `are_versions` | decides whether two documents are versions of each other |
//! | `identity` | what identifies a document |
//! | `text_profile`, `profile_cache` | what a text says about the identity, computed once |
//! | `centroids` | centroids of documents, and how similar two are |
//! | `clusters` | groups of versions |
//! | `pinned` | the pin that applies to a topic and a person |
//! | `election_inputs` | what the records say about candidates |
//! | `election` | which version counts, by its factors |
//! | `version_status` | the status of each version after the decision |

mod are_versions;
mod centroids;
mod clusters;
pub(crate) mod election;
mod election_inputs;
#[cfg(test)]
pub(crate) mod fixtures;
mod identity;
mod pinned;
mod profile_cache;
mod text_profile;
mod version_status;

pub(crate) use centroids::{cosine, mean};
pub(crate) use pinned::pinned;
pub(crate) use profile_cache::ProfileCache;

use crate::{CacheParts, permissions};
use are_versions::Comparable;
use clusters::clusters;
use domain::corpus::{
    AclToken, CANDIDATES_MAX, DecidedBy, NewRun, Pin, Signal, Thresholds, VersionStatus, Visibility, Weights,
};
use domain::ids::{RunId, SignalId};
use domain::ports::{CorpusError, CorpusErrorKind, StoreError, VersionQuery};
use election::{Election, candidates, exact, run_election};
use election_inputs::ElectionInputs;
use std::collections::BTreeMap;
use syntax::dates;
use version_status::{Decision, alone, statuses};

/// By document id.
type VersionStatuses = BTreeMap<SignalId, VersionStatus>;

/// Empty while the license does not include the cache.
pub async fn versions(
    parts: &CacheParts,
    profiles: &ProfileCache,
    asked: VersionQuery<'_>,
) -> Result<VersionStatuses, CorpusError> {
    let found = found(parts, profiles, asked).await;
    found.map_err(|error| {
        let message = format!("versions in the cache cannot be looked for: {error}");
        CorpusError::new(CorpusErrorKind::Unavailable, message).caused_by(error)
    })
}

async fn found(
    parts: &CacheParts,
    profiles: &ProfileCache,
    asked: VersionQuery<'_>,
) -> Result<VersionStatuses, StoreError> {
    if asked.candidates.is_empty() || !parts.license.opens_cache() {
        return Ok(VersionStatuses::new());
    }
    let tokens = permissions::tokens_of(parts, asked.asker).await?;
    let documents = documents(parts, &tokens, asked.candidates).await?;
    let pin = pinned(parts, &tokens, asked.topic).await?.map(|(pin, _)| pin);
    let groups = grouped(parts, profiles, &documents).await?;
    let ids: Vec<SignalId> = documents.iter().map(|(signal, _)| signal.signal_id).collect();
    let has_versions = groups.iter().any(|group| group.len() > 1);
    let elects = parts.settings.canonical_auto_elect_enabled || asked.on_request;
    let inputs = if has_versions && elects {
        Some(ElectionInputs::load(parts, asked.topic.key(), &ids).await?)
    } else {
        None
    };
    let mut statuses = VersionStatuses::new();
    for group in groups {
        let versions: Vec<(&Signal, f64)> = group.iter().map(|index| &documents[*index]).map(both).collect();
        match versions.as_slice() {
            [] => {}
            [(only, _)] => {
                let own = pin.as_ref().filter(|pin| pin.signal_id == only.signal_id);
                let status = alone(own.is_some(), own.and_then(|pin| pin.run_id));
                statuses.insert(only.signal_id, status);
            }
            several => {
                statuses.extend(decide(parts, &asked, several, pin.as_ref(), inputs.as_ref()).await?);
            }
        }
    }
    Ok(statuses)
}

/// The documents that the person may see, in the given order, each once.
async fn documents(
    parts: &CacheParts,
    tokens: &[AclToken],
    candidates: &[(SignalId, f64)],
) -> Result<Vec<(Signal, f64)>, StoreError> {
    let wanted = &candidates[..candidates.len().min(CANDIDATES_MAX)];
    let ids: Vec<SignalId> = wanted.iter().map(|(id, _)| *id).collect();
    let seen = parts.store.signals(&ids, Visibility::To(tokens)).await?;
    let mut seen: BTreeMap<SignalId, Signal> = seen.into_iter().map(|one| (one.signal_id, one)).collect();
    let document = |(id, best): &(SignalId, f64)| Some((seen.remove(id)?, *best));
    Ok(wanted.iter().filter_map(document).collect())
}

async fn grouped(
    parts: &CacheParts,
    profiles: &ProfileCache,
    documents: &[(Signal, f64)],
) -> Result<Vec<Vec<usize>>, StoreError> {
    let mut texts = Vec::with_capacity(documents.len());
    for (signal, _) in documents {
        texts.push(profiles.get(parts, signal).await?);
    }
    let comparable = documents.iter().zip(&texts).map(|((signal, _), text)| Comparable::of(signal, text));
    let comparable: Vec<Comparable<'_>> = comparable.collect();
    Ok(clusters(&comparable, parts.settings.version_similarity_threshold.0))
}

/// A pin on one of the versions decides; else an election does, if enabled.
async fn decide(
    parts: &CacheParts,
    asked: &VersionQuery<'_>,
    versions: &[(&Signal, f64)],
    pin: Option<&Pin>,
    inputs: Option<&ElectionInputs>,
) -> Result<Vec<(SignalId, VersionStatus)>, StoreError> {
    let mut order: Vec<&Signal> = by_relevance(versions);
    let (mut decision, mut run_id) = (None, None);
    let pin = pin.filter(|pin| order.iter().any(|one| one.signal_id == pin.signal_id));
    if let Some(pin) = pin {
        order.sort_by_key(|one| one.signal_id != pin.signal_id);
        run_id = pin.run_id;
        decision = Some(Decision { by: DecidedBy::Pin, winner: pin.signal_id, ineligible: Vec::new() });
    } else if let Some(inputs) = inputs {
        let (weights, thresholds) = rules(parts);
        let facts: Vec<_> = versions.iter().map(|(signal, best)| inputs.facts(signal, *best)).collect();
        let election = run_election(candidates(&facts, parts.clock.now()), &weights, &thresholds);
        let rank =
            |one: &&Signal| election.members.iter().position(|member| member.signal_id == one.signal_id);
        order.sort_by_key(rank);
        if let Some(winner) = election.winner {
            let not_elected = election.members.iter().filter(|member| !member.eligible);
            let ineligible = not_elected.map(|member| member.signal_id).collect();
            if asked.records {
                run_id = Some(write(parts, asked, election, winner, weights, thresholds).await?);
            }
            // An undecided election does not change what is shown.
            decision = parts.settings.canonical_auto_elect_enabled.then_some(Decision {
                by: DecidedBy::Election,
                winner,
                ineligible,
            });
        }
    }
    Ok(statuses(&order, decision.as_ref(), run_id))
}

async fn write(
    parts: &CacheParts,
    asked: &VersionQuery<'_>,
    election: Election,
    winner: SignalId,
    weights: Weights,
    thresholds: Thresholds,
) -> Result<RunId, StoreError> {
    let run = NewRun {
        query: asked.topic.query.to_owned(),
        scope: asked.topic.scope(),
        cluster_key: election.members.iter().map(|member| member.signal_id).min().unwrap_or(winner),
        auto: parts.settings.canonical_auto_elect_enabled,
        winner_signal_id: winner,
        margin: election.margin,
        members: election.members,
        weights,
        thresholds,
        search_id: asked.search,
        search_owner: asked.asker,
    };
    Ok(parts.store.record_run(run, parts.clock.now()).await?.run_id)
}

fn rules(parts: &CacheParts) -> (Weights, Thresholds) {
    let thresholds = Thresholds {
        relevance_min: parts.settings.canonical_query_relevance_min.0,
        relevance_ratio: parts.settings.canonical_query_relevance_ratio.0,
    };
    exact(&parts.settings.canonical_weights, &thresholds)
}

/// Most relevant first; then newer, then lower id.
fn by_relevance<'a>(versions: &[(&'a Signal, f64)]) -> Vec<&'a Signal> {
    let dated = |signal: &Signal| dates::instant(&dates::normalize_date(&signal.date_published));
    let mut order = versions.to_vec();
    order.sort_by(|(one, best), (other, others_best)| {
        let by_date = || dated(other).cmp(&dated(one));
        others_best.total_cmp(best).then_with(by_date).then_with(|| one.signal_id.cmp(&other.signal_id))
    });
    order.into_iter().map(|(signal, _)| signal).collect()
}

fn both((signal, best): &(Signal, f64)) -> (&Signal, f64) {
    (signal, *best)
}

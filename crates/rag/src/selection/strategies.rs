//! The four strategies that distribute the results of a summary over their providers.

use super::candidates::{Candidate, Pool, Source};
use chrono::{DateTime, NaiveDateTime};
use domain::ids::ProviderId;
use domain::rag::{InclusionField, Strategy};
use std::collections::BTreeMap;

/// At most `max` candidates in prompt order.
pub(super) fn pick(mut pool: Pool<'_>, strategy: Strategy, max: usize) -> Vec<Candidate<'_>> {
    if matches!(strategy, Strategy::Sorted | Strategy::RoundRobinThreshold) {
        for source in &mut pool.sources {
            source.candidates.retain(|one| one.passes);
        }
    }
    match strategy {
        Strategy::Sorted => sorted(&pool, max),
        Strategy::Distributed => distributed(&pool, max),
        Strategy::RoundRobin | Strategy::RoundRobinThreshold => round_robin(&pool, max),
    }
}

/// Best first, whatever the provider.
fn sorted<'a>(pool: &Pool<'a>, max: usize) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'a>> = pool.all().copied().collect();
    let field = compared(&all);
    let by_answerability = pool.by_answerability && field == InclusionField::Confidence;
    let answerability = |one: &Candidate<'_>| {
        if by_answerability { one.answerability.unwrap_or(f64::NEG_INFINITY) } else { 0.0 }
    };
    all.sort_by(|a, b| {
        let published = |one: &Candidate<'_>| published(&one.item.date_published);
        answerability(b)
            .total_cmp(&answerability(a))
            .then(field.of(b.item).total_cmp(&field.of(a.item)))
            .then(published(b).cmp(&published(a)))
            .then(a.item.searchprovider_rank.cmp(&b.item.searchprovider_rank))
            .then(a.item.swirl_id.cmp(&b.item.swirl_id))
    });
    let mut left: BTreeMap<ProviderId, usize> = BTreeMap::new();
    for source in &pool.sources {
        if let Some(one) = source.candidates.first() {
            left.insert(one.provider, source.max);
        }
    }
    let has_capacity = |one: &Candidate<'_>| {
        let Some(left) = left.get_mut(&one.provider) else { return false };
        let had = *left > 0;
        *left = left.saturating_sub(1);
        had
    };
    all.into_iter().filter(has_capacity).take(max).collect()
}

/// The field that all candidates can be compared by.
fn compared(all: &[Candidate<'_>]) -> InclusionField {
    let is_one = |field: InclusionField| all.iter().all(|one| one.field == field);
    let is_confidence = is_one(InclusionField::Confidence) || all.iter().all(Candidate::has_confidence);
    if is_confidence && !is_one(InclusionField::Score) {
        InclusionField::Confidence
    } else {
        InclusionField::Score
    }
}

/// Seconds and nanoseconds since 1970; None, the smallest value, if the date is unknown.
fn published(date: &str) -> Option<(i64, u32)> {
    let of = |time: NaiveDateTime| (time.and_utc().timestamp(), time.and_utc().timestamp_subsec_nanos());
    let date = date.trim();
    if let Ok(time) = DateTime::parse_from_str(date, "%Y-%m-%d %H:%M:%S%.f%:z") {
        return Some(of(time.naive_utc()));
    }
    NaiveDateTime::parse_from_str(date, "%Y-%m-%d %H:%M:%S%.f").ok().map(of)
}

/// An equal share of each provider in its own order, then one more of each in turn; grouped by provider.
fn distributed<'a>(pool: &Pool<'a>, max: usize) -> Vec<Candidate<'a>> {
    let sources: Vec<&Source<'a>> = filled(pool).collect();
    let share = (max / sources.len().max(1)).max(1);
    let mut left = max;
    let mut taken: Vec<usize> = Vec::new();
    for source in &sources {
        let own = space(source).min(share).min(left);
        left -= own;
        taken.push(own);
    }
    while left > 0 {
        let before = left;
        for (source, taken) in sources.iter().zip(&mut taken) {
            if left > 0 && *taken < space(source) {
                *taken += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    let each = sources.iter().zip(taken);
    each.flat_map(|(source, taken)| source.candidates.iter().take(taken).copied()).collect()
}

/// One of each provider in turn, in its own order.
fn round_robin<'a>(pool: &Pool<'a>, max: usize) -> Vec<Candidate<'a>> {
    let sources: Vec<&Source<'a>> = filled(pool).collect();
    let rounds = sources.iter().map(|source| space(source)).max().unwrap_or_default();
    let turns = (0..rounds).flat_map(|round| sources.iter().map(move |source| (source, round)));
    let in_turn = turns.filter(|(source, round)| *round < space(source));
    in_turn.filter_map(|(source, round)| source.candidates.get(round)).take(max).copied().collect()
}

fn filled<'p, 'a>(pool: &'p Pool<'a>) -> impl Iterator<Item = &'p Source<'a>> {
    pool.sources.iter().filter(|source| space(source) > 0)
}

fn space(source: &Source<'_>) -> usize {
    source.candidates.len().min(source.max)
}

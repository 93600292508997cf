//! Stacks: the best few of each provider in turn, round after round.

use super::order;
use domain::contracts::{Arrangement, Candidate};
use domain::ids::ProviderId;

/// Takes `each` results from every provider in each round. The providers come in the order of their best results,
/// and each gives its own results by relevancy.
pub fn stacked(mut candidates: Vec<Candidate<'_>>, each: usize) -> Arrangement<'_> {
    let each = each.max(1);
    order::by_relevancy(&mut candidates);
    let mut stacks: Vec<(ProviderId, Vec<Candidate<'_>>)> = Vec::new();
    // The best result of all comes first, so a provider is met at its best result.
    for candidate in &candidates {
        match stacks.iter_mut().find(|(provider, _)| *provider == candidate.set.provider) {
            Some((_, stack)) => stack.push(*candidate),
            None => stacks.push((candidate.set.provider, vec![*candidate])),
        }
    }
    let mut order = Vec::with_capacity(candidates.len());
    for round in 0..candidates.len().div_ceil(each) {
        if order.len() == candidates.len() {
            break;
        }
        for (_, stack) in &stacks {
            order.extend(stack.iter().skip(round * each).take(each));
        }
    }
    Arrangement { order, messages: Vec::new() }
}

/// How many providers gave something.
pub fn providers(candidates: &[Candidate<'_>]) -> usize {
    let mut ids: Vec<ProviderId> = candidates.iter().map(|candidate| candidate.set.provider).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

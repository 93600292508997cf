//! Stacks: the best few results of each provider in turn, round after round.

use super::order;
use domain::ids::ProviderId;
use domain::ports::{Candidate, MixedOrder};

/// Takes `each` results from every provider per round. Providers are ordered by their best result, and each contributes
/// its own results by relevancy.
pub fn stacked(mut candidates: Vec<Candidate<'_>>, each: usize) -> MixedOrder<'_> {
    let each = each.max(1);
    order::by_relevancy(&mut candidates);
    let mut stacks: Vec<(ProviderId, Vec<Candidate<'_>>)> = Vec::new();
    // The best result overall comes first, so each provider is seen at its best result first.
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
    MixedOrder { order, notices: Vec::new() }
}

/// The number of providers with results.
pub fn providers(candidates: &[Candidate<'_>]) -> usize {
    let mut ids: Vec<ProviderId> = candidates.iter().map(|candidate| candidate.set.provider).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.len()
}

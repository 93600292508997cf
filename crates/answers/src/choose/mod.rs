//! Which results an answer is made from: who may be used (`candidates.rs`), and how they are spread over their sources
//! (`strategies.rs`).

mod candidates;
mod strategies;
#[cfg(test)]
mod tests;

use candidates::Pool;
use domain::ids::{ProviderId, ResultId};
use domain::rag::{InclusionField, RagOverrides, Strategy};
use domain::result::{ResultItem, ResultSet};
use std::collections::{BTreeMap, BTreeSet};

/// How results are chosen where their provider says nothing else.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Rules {
    pub field: InclusionField,
    pub threshold: f64,
    pub strategy: Strategy,
    pub max: usize,
    /// Providers whose results were written by a model. They are never sources.
    pub generated: BTreeSet<ProviderId>,
    /// The search's own mixed list, best first: wanted numbers of which none is a `swirl_id` are ranks in it.
    pub order: Vec<ResultId>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Chosen {
    /// In the order of the prompt.
    pub items: Vec<ChosenItem>,
    /// What the user should know of the choice. Names the unknown numbers, too.
    pub messages: Vec<String>,
    /// The best score that was held against a threshold, whether it passed or not.
    pub best: Option<f64>,
    /// Wanted numbers that are no results of this search.
    pub unknown: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChosenItem {
    pub provider: ProviderId,
    pub item: ResultItem,
}

/// Chooses among the results of a search. `wanted` empty: all that pass the threshold, where the strategy asks for it, and
/// of several versions of a document the one that counts; else these results alone, whatever their score.
pub(crate) fn choose(
    sets: &[ResultSet],
    overrides: &BTreeMap<ProviderId, RagOverrides>,
    rules: &Rules,
    wanted: &[i64],
) -> Chosen {
    let mut chosen = Chosen::default();
    let said: Vec<&RagOverrides> = sets.iter().filter_map(|set| overrides.get(&set.provider)).collect();
    let strategy = strategy(&said, rules.strategy, &mut chosen.messages);
    let max = match (sets, said.as_slice()) {
        ([_], [one]) => one.max_to_consider.map_or(rules.max, |max| max as usize),
        _ => rules.max,
    };
    let mut pool = Pool::of(sets, overrides, rules);
    if wanted.is_empty() {
        pool.without_alternates();
    }
    chosen.best = pool.best();
    if wanted.is_empty() {
        pool.once_each();
    } else {
        select(&mut pool, sets, rules, wanted, &mut chosen);
    }
    let picked = strategies::pick(pool, strategy, max);
    chosen.items =
        picked.into_iter().map(|one| ChosenItem { provider: one.provider, item: one.item.clone() }).collect();
    chosen
}

/// The strategy that all providers which name one agree on, else the one of the settings.
fn strategy(said: &[&RagOverrides], usual: Strategy, messages: &mut Vec<String>) -> Strategy {
    let mut named: Vec<Strategy> = Vec::new();
    for strategy in said.iter().filter_map(|one| one.strategy) {
        if !named.contains(&strategy) {
            named.push(strategy);
        }
    }
    match named.as_slice() {
        [] => usual,
        [one] => *one,
        many => {
            let names: Vec<&str> = many.iter().map(|one| one.as_str()).collect();
            messages.push(format!(
                "The providers of this search name different strategies for AI summaries ({}); {} is used.",
                names.join(", "),
                usual.as_str()
            ));
            usual
        }
    }
}

/// Leaves what was asked for by number.
fn select(pool: &mut Pool<'_>, sets: &[ResultSet], rules: &Rules, wanted: &[i64], chosen: &mut Chosen) {
    let known: BTreeSet<i64> = sets.iter().flat_map(|set| &set.items).map(|item| item.swirl_id.0).collect();
    let are_ids = wanted.iter().any(|number| known.contains(number));
    let id_of = |number: i64| match are_ids {
        true => known.contains(&number).then_some(number),
        false => {
            let place = usize::try_from(number).ok()?.checked_sub(1)?;
            rules.order.get(place).map(|id| id.0).filter(|id| known.contains(id))
        }
    };
    let mut ids = BTreeSet::new();
    for number in wanted {
        match id_of(*number) {
            Some(id) => drop(ids.insert(id)),
            None if chosen.unknown.contains(number) => {}
            None => chosen.unknown.push(*number),
        }
    }
    if !chosen.unknown.is_empty() {
        let numbers = listed(&chosen.unknown);
        chosen.messages.push(format!("These numbers name no result of this search: {numbers}."));
    }
    pool.only(&ids);
    let used: BTreeSet<i64> = pool.all().map(|one| one.item.swirl_id.0).collect();
    let written: Vec<i64> = ids.difference(&used).copied().collect();
    if !written.is_empty() {
        let numbers = listed(&written);
        chosen.messages.push(format!("Results that a model wrote are no sources of a summary: {numbers}."));
    }
}

fn listed(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

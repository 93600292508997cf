//! Selects the results of a summary: the candidates, and how they are distributed over their providers.

mod candidates;
mod nothing_relevant;
mod rules;
mod selected;
mod strategies;
#[cfg(test)]
mod tests;

pub(crate) use nothing_relevant::nothing_relevant;
pub(crate) use rules::SelectionRules;
pub(crate) use selected::{SelectedItem, Selection};

use candidates::Pool;
use domain::ids::ProviderId;
use domain::rag::{RagOverrides, Strategy};
use domain::result::ResultSet;
use std::collections::{BTreeMap, BTreeSet};

/// Selects among the results of a search. Without `wanted`, all that pass the threshold, if the strategy uses one, and
/// only the elected version of a document; otherwise exactly these results, whatever their score.
pub(crate) fn select_results(
    sets: &[ResultSet],
    overrides: &BTreeMap<ProviderId, RagOverrides>,
    rules: &SelectionRules,
    wanted: &[i64],
) -> Selection {
    let mut selection = Selection::default();
    let overrides_used: Vec<&RagOverrides> =
        sets.iter().filter_map(|set| overrides.get(&set.provider)).collect();
    let strategy = strategy(&overrides_used, rules.strategy, &mut selection.messages);
    let max = match (sets, overrides_used.as_slice()) {
        ([_], [one]) => one.max_to_consider.map_or(rules.max, |max| max as usize),
        _ => rules.max,
    };
    let mut pool = Pool::of(sets, overrides, rules);
    if wanted.is_empty() {
        pool.without_alternates();
    }
    selection.best = pool.best();
    if wanted.is_empty() {
        pool.once_each();
    } else {
        restrict_to(&mut pool, sets, rules, wanted, &mut selection);
    }
    let picked = strategies::pick(pool, strategy, max);
    selection.items = picked
        .into_iter()
        .map(|one| SelectedItem { provider: one.provider, item: one.item.clone() })
        .collect();
    selection
}

/// The strategy on which all providers that set one agree, else that of the settings.
fn strategy(overrides_used: &[&RagOverrides], usual: Strategy, messages: &mut Vec<String>) -> Strategy {
    let mut named: Vec<Strategy> = Vec::new();
    for strategy in overrides_used.iter().filter_map(|one| one.strategy) {
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

/// Keeps the requested results.
fn restrict_to(
    pool: &mut Pool<'_>,
    sets: &[ResultSet],
    rules: &SelectionRules,
    wanted: &[i64],
    selection: &mut Selection,
) {
    let known: BTreeSet<i64> = sets.iter().flat_map(|set| &set.items).map(|item| item.swirl_id.0).collect();
    let are_ids = wanted.iter().any(|number| known.contains(number));
    let id_of = |number: i64| {
        if are_ids {
            known.contains(&number).then_some(number)
        } else {
            let place = usize::try_from(number).ok()?.checked_sub(1)?;
            rules.order.get(place).map(|id| id.0).filter(|id| known.contains(id))
        }
    };
    let mut ids = BTreeSet::new();
    for number in wanted {
        match id_of(*number) {
            Some(id) => drop(ids.insert(id)),
            None if selection.unknown.contains(number) => {}
            None => selection.unknown.push(*number),
        }
    }
    if !selection.unknown.is_empty() {
        let numbers = listed(&selection.unknown);
        selection.messages.push(format!("These numbers are not results of this search: {numbers}."));
    }
    pool.only(&ids);
    let used: BTreeSet<i64> = pool.all().map(|one| one.item.swirl_id.0).collect();
    let written: Vec<i64> = ids.difference(&used).copied().collect();
    if !written.is_empty() {
        let numbers = listed(&written);
        selection.messages.push(format!("AI-generated results cannot be sources of a summary: {numbers}."));
    }
}

fn listed(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

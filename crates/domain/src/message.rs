//! The lines of `messages`, each written in one place so that they stay alike.

use crate::instant::{self, Instant};

/// The first line of every list of messages.
pub fn banner() -> String {
    format!("{} {}", crate::SERVICE_NAME, crate::VERSION)
}

/// A line with its time in brackets.
pub fn at(time: Instant, line: &str) -> String {
    format!("[{}] {line}", instant::display(time))
}

pub fn retrieved(retrieved: u64, found: u64, provider: &str) -> String {
    format!("Retrieved {retrieved} of {found} results from: {provider}")
}

pub fn rewrote_query(processor: &str, query: &str) -> String {
    format!("{processor} rewrote query to: {query}")
}

pub fn rewrote_provider_query(processor: &str, provider: &str, query: &str) -> String {
    format!("{processor} rewrote {provider}'s query to: {query}")
}

pub fn processor_failed(processor: &str, reason: &str) -> String {
    format!("{processor} failed and was left out: {reason}")
}

/// What a processor did to `count` results; nothing is said of nothing.
pub fn processed(processor: &str, outcome: crate::contracts::Outcome) -> Option<String> {
    match (outcome.grouped, outcome.updated, outcome.deleted) {
        (1, ..) => Some(format!("{processor} grouped 1 duplicate")),
        (grouped, ..) if grouped > 0 => Some(format!("{processor} grouped {grouped} duplicates")),
        (_, _, deleted) if deleted > 0 => Some(format!("{processor} deleted {deleted} results")),
        (_, updated, _) if updated > 0 => Some(format!("{processor} updated {updated} results")),
        _ => None,
    }
}

pub fn provider_failed(provider: &str, reason: &str) -> String {
    format!("Error: {provider}: {reason}")
}

pub fn provider_timed_out(provider: &str, waited_s: f64) -> String {
    format!("Timeout: {provider} did not answer within {waited_s:.1} s; the results are partial")
}

pub fn provider_suspended(provider: &str, seconds: u64) -> String {
    format!("Suspended: {provider} asked for a rest and is not asked for another {seconds} s")
}

pub fn date_sort_requested() -> &'static str {
    "Requested sort_by_date from all providers"
}

pub fn rerun_requested() -> &'static str {
    "Rerun requested"
}

pub fn no_providers() -> &'static str {
    "No SearchProvider was asked: none is active, visible to you and selected. Check searchprovider_list, or \
     activate a provider."
}

pub fn unknown_providers(names: &[String]) -> String {
    format!("No active provider, name or tag matches: {}", names.join(", "))
}

pub fn run_failed() -> &'static str {
    "The search could not be finished. The cause is in the server's log; run it again with rerun."
}

pub fn clamped(field: &str, given: u32, limit: u32) -> String {
    format!("{field} {given} is above the limit; {limit} is used")
}

pub fn results_exhausted(search: crate::ids::SearchId) -> String {
    format!("Results exhausted for {search}")
}

/// Said also when there were none: the reader sees that the list is whole.
pub fn hid_undated(mixer: &str, hidden: usize) -> String {
    format!("{mixer} hid {hidden} results with date_published='{}'", crate::result::DATE_UNKNOWN)
}

pub fn no_new_results(mixer: &str) -> String {
    format!("{mixer} found 0 new results")
}

pub fn hid_old(mixer: &str, hidden: usize) -> String {
    format!("{mixer} hid {hidden} old results")
}

/// The last message of every mixed response.
pub fn ordered_by(mixer: &str) -> String {
    format!("Results ordered by: {mixer}")
}

pub fn unknown_mixer(name: &str, used: &str) -> String {
    let name: String = name.chars().take(100).collect();
    format!("Unknown mixer '{name}'; {used} is used")
}

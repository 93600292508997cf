//! The lines of `messages`, each worded in one place.

use crate::instant::{self, Instant};

/// The first line of all messages.
pub fn banner() -> String {
    format!("{} {}", crate::SERVICE_NAME, crate::VERSION)
}

/// True for the banner of any version: a search keeps that of the version that accepted it.
pub fn is_banner(line: &str) -> bool {
    let version = line.strip_prefix(crate::SERVICE_NAME).and_then(|rest| rest.strip_prefix(' '));
    version.is_some_and(|version| {
        version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(char::is_whitespace)
    })
}

/// Maximum number of lines of a search.
pub const LINES_MAX: usize = 1_000;

/// Drops the oldest lines of a list that is too long, for example after updates. The first one is kept.
pub fn drop_oldest(lines: &mut Vec<String>) {
    let too_many = lines.len().saturating_sub(LINES_MAX);
    if too_many > 0 {
        lines.drain(1..=too_many);
    }
}

/// A line with its time in brackets.
pub fn at(time: Instant, line: &str) -> String {
    format!("[{}] {line}", instant::display(time))
}

pub fn retrieved(retrieved: u64, found: u64, provider: &str) -> String {
    format!("Retrieved {retrieved} of {found} results from: {provider}")
}

/// Results with little text got a part of their page.
pub fn bodies_filled(count: usize, provider: &str) -> String {
    format!("Filled the body of {count} results from their pages from: {provider}")
}

pub fn rewrote_query(processor: &str, query: &str) -> String {
    format!("{processor} rewrote query to: {query}")
}

pub fn rewrote_provider_query(processor: &str, provider: &str, query: &str) -> String {
    format!("{processor} rewrote {provider}'s query to: {query}")
}

pub fn processor_failed(processor: &str, reason: &str) -> String {
    format!("{processor} failed and was skipped: {reason}")
}

/// A query transform skipped the rest of its rules.
pub fn transform_cut(transform: &str) -> String {
    format!(
        "{transform} stopped at a limit: the query would have become too long; the rest of its rules was skipped"
    )
}

/// What a processor changed; None if nothing.
pub fn processed(processor: &str, outcome: crate::ports::Outcome) -> Option<String> {
    match (outcome.grouped, outcome.updated, outcome.deleted) {
        (1, updated, _) if updated > 0 => {
            Some(format!("{processor} updated {updated} results and grouped 1 duplicate"))
        }
        (grouped, updated, _) if grouped > 0 && updated > 0 => {
            Some(format!("{processor} updated {updated} results and grouped {grouped} duplicates"))
        }
        (1, ..) => Some(format!("{processor} grouped 1 duplicate")),
        (grouped, ..) if grouped > 0 => Some(format!("{processor} grouped {grouped} duplicates")),
        (_, _, deleted) if deleted > 0 => Some(format!("{processor} deleted {deleted} results")),
        (_, updated, _) if updated > 0 => Some(format!("{processor} updated {updated} results")),
        _ => None,
    }
}

/// The embedding service did not respond.
pub fn reader_fell_back(processor: &str, reason: &str) -> String {
    format!("{processor} used the built-in reader model: {reason}")
}

pub fn provider_failed(provider: &str, reason: &str) -> String {
    format!("Error: {provider}: {reason}")
}

/// Why results of a provider's later pages are missing.
pub fn later_pages_late() -> &'static str {
    "its later pages did not arrive in time; the earlier results are kept"
}

pub fn provider_timed_out(provider: &str, waited_s: f64) -> String {
    format!("Timeout: {provider} did not answer within {waited_s:.1} s; the results are partial")
}

pub fn no_answer(reason: &str) -> String {
    format!("No AI summary: {reason}")
}

pub fn provider_suspended(provider: &str, reason: &str) -> String {
    format!("Suspended: {provider} was not queried: {reason}")
}

/// Why a source that responded with 429 is not queried.
pub fn resting(seconds: u64) -> String {
    format!("it asked for a pause; it is queried again in {seconds} s")
}

/// Why a source with an open circuit breaker is not queried.
pub fn breaker_open(seconds: u64) -> String {
    format!("it failed several times in a row; it is tried again in {seconds} s")
}

/// Why a source without remaining request budget is not queried.
pub fn budget_used(seconds: u64) -> String {
    format!("its rate_limit is used up; the next request is possible in {seconds} s")
}

/// Why a response was not read: too many others are being read.
pub fn answers_too_large() -> &'static str {
    "this service is reading too many large answers at the moment; search again shortly"
}

/// One response needs more memory than one search may use.
pub fn answer_exceeds_memory(needed_mb: usize, max_mb: usize) -> String {
    format!(
        "the source's answer needs about {needed_mb} MB of memory, and one search may use {max_mb} MB; ask the source for \
         fewer or smaller results, or let an administrator raise SVC_ANSWER_MEMORY_MB"
    )
}

/// The responses of one search together need more memory than it may use.
pub fn search_exceeds_memory(max_mb: usize) -> String {
    format!(
        "the answers of this search need more than the {max_mb} MB of memory that one search may use; ask fewer sources, \
         or let an administrator raise SVC_ANSWER_MEMORY_MB"
    )
}

pub fn retried(attempt: u32, reason: &str) -> String {
    format!("attempt {attempt} failed: {reason}")
}

pub fn date_sort_requested() -> &'static str {
    "Requested sort_by_date from all providers"
}

pub fn rerun_requested() -> &'static str {
    "Rerun requested"
}

pub fn update_requested() -> &'static str {
    "Update requested"
}

/// Results of a provider are ranked last, because they contain what the query excludes.
pub fn holds_excluded(count: usize, provider: &str) -> String {
    format!(
        "Found a word that the query excludes in {count} results from: {provider}; it may not support NOT"
    )
}

/// New results of a provider after an update.
pub fn retrieved_new(count: usize, provider: &str) -> String {
    format!("Retrieved {count} new results from: {provider}")
}

/// An update exceeded the maximum number of results of a provider.
pub fn kept_newest(kept: usize, provider: &str) -> String {
    format!("Kept the newest {kept} results from: {provider}")
}

pub fn marked_read(count: u64) -> String {
    format!("marked {count} results as read")
}

pub fn subscription_without_owner() -> &'static str {
    "Subscriber disabled updates due to permission error"
}

pub fn subscription_failed(status: crate::status::SearchStatus) -> String {
    format!("Subscriber disabled updates due to error {}", status.as_str())
}

pub fn pipeline_unreadable() -> &'static str {
    "The post-result pipeline could not be read; the default processors are used"
}

/// Replaces a reply in a chat.
pub fn no_longer_yours() -> &'static str {
    "This answer is based on a document that you can no longer access."
}

pub fn no_providers() -> &'static str {
    "No SearchProvider was queried: none is active, visible to you and selected. Check searchprovider_list, or \
     activate a provider."
}

pub fn secrets_unreadable() -> &'static str {
    "its credentials cannot be read with the key of this installation; an administrator must enter them again"
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

/// Reported even for none, which shows that the list is complete.
pub fn hid_undated(mixer: &str, hidden: usize) -> String {
    format!("{mixer} hid {hidden} results with date_published='{}'", crate::result::DATE_UNKNOWN)
}

pub fn no_new_results(mixer: &str) -> String {
    format!("{mixer} found 0 new results")
}

pub fn hid_old(mixer: &str, hidden: usize) -> String {
    format!("{mixer} hid {hidden} old results")
}

/// Results that the owner's preferences hide.
pub fn hid_personally(count: usize) -> String {
    match count {
        1 => "Your preferences hid 1 result".to_owned(),
        count => format!("Your preferences hid {count} results"),
    }
}

/// Sources that the owner's preferences exclude.
pub fn blocked_sources(names: &[String]) -> String {
    format!("Not queried because of your preferences: {}", names.join(", "))
}

/// The last message of every mixed response.
pub fn ordered_by(mixer: &str) -> String {
    format!("Results ordered by: {mixer}")
}

pub fn unknown_mixer(name: &str, used: &str) -> String {
    let name: String = name.chars().take(100).collect();
    format!("Unknown mixer '{name}'; {used} is used")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_of_every_version_is_one() {
        for line in [banner().as_str(), "Tributary 0.1.0", "Tributary 10.0.0-rc.1"] {
            assert!(is_banner(line), "{line}");
        }
        for line in ["Tributary", "Tributary demo", "Tributary 1 result", "[2026-01-01] Tributary 0.1.0", ""]
        {
            assert!(!is_banner(line), "{line}");
        }
    }

    #[test]
    fn the_oldest_lines_go_and_the_first_stays() {
        let many = |count: usize| (0..count).map(|number| number.to_string()).collect::<Vec<_>>();
        for (count, second) in [(0, None), (1, None), (LINES_MAX, Some("1")), (LINES_MAX + 2, Some("3"))] {
            let mut lines = many(count);
            drop_oldest(&mut lines);
            assert_eq!(lines.len(), count.min(LINES_MAX));
            assert_eq!(lines.first(), many(count).first());
            assert_eq!(lines.get(1).map(String::as_str), second);
            assert_eq!(lines.last(), many(count).last());
        }
    }
}

//! Why a source, page or document gave nothing: sentences for people, each worded in one place.

/// Why results of a provider's later pages are missing.
pub fn later_pages_late() -> &'static str {
    "its later pages did not arrive in time; the earlier results are kept"
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

/// Why a source that was to be asked after others was not asked.
pub fn no_time_left() -> &'static str {
    "the sources that were asked first have used up the time of the search"
}

/// Why sources are asked after others.
pub fn fewer_results_in_similar_searches() -> &'static str {
    "in your similar searches, other sources had more results on the first page"
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

/// Replaces a reply in a chat.
pub fn no_longer_yours() -> &'static str {
    "This answer is based on a document that you can no longer access."
}

pub fn secrets_unreadable() -> &'static str {
    "its credentials cannot be read with the key of this installation; an administrator must enter them again"
}

//! The failure of a processor: a notice for people, and a log line if something broke.

use super::log_text::without_query;
use domain::notice::NoticeKind;
use domain::ports::{ProcessorError, ProcessorErrorKind, chain};
use domain::search::Search;

/// The record that names a processor, which decides what an unknown name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// The configuration of the provider is not valid: the provider fails.
    Provider,
    /// No provider is to blame: the processor is skipped with a notice.
    Search,
}

/// The processors of a provider, then those of the search.
pub(crate) fn with_owners<'a>(
    of_provider: &'a [String],
    of_search: &'a [String],
) -> impl Iterator<Item = (NamedBy, &'a String)> {
    let of_provider = of_provider.iter().map(|name| (NamedBy::Provider, name));
    of_provider.chain(of_search.iter().map(|name| (NamedBy::Search, name)))
}

/// Nothing has the name, or nothing that the owner of the search may use.
pub(crate) fn unknown_processor() -> ProcessorError {
    ProcessorError::new(ProcessorErrorKind::Unknown, "it no longer exists")
}

/// The notice about a processor that was skipped. The log does not show what was searched for.
pub(crate) fn skipped(name: &str, error: &ProcessorError, search: &Search) -> NoticeKind {
    if error.is_fault() {
        let cause = without_query(&chain(error), &search.spec.query_string);
        tracing::warn!(processor = name, "{name} failed and was skipped: {cause}");
    }
    NoticeKind::processor_failed(name, error.message())
}

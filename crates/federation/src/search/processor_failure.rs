//! The failure of a processor: a notice for people, and a log line if something broke.

use domain::notice::NoticeKind;
use domain::ports::{ProcessorError, ProcessorErrorKind, chain};

/// Nothing has the name, or nothing that the owner of the search may use.
pub(crate) fn unknown_processor() -> ProcessorError {
    ProcessorError::new(ProcessorErrorKind::Unknown, "it no longer exists")
}

/// The notice about a processor that was skipped.
pub(crate) fn skipped(name: &str, error: &ProcessorError) -> NoticeKind {
    if error.is_fault() {
        tracing::warn!(processor = name, "{name} failed and was skipped: {}", chain(error));
    }
    NoticeKind::processor_failed(name, error.message())
}

//! Reads the text of the document behind a result.

use super::{ByteOrigin, Cause};
use crate::ids::{ResultId, SignalId, UserId};
use crate::page_starts::PageStarts;
use crate::provenance::PageTarget;
use crate::provider::SearchProvider;
use crate::result::ResultItem;
use async_trait::async_trait;
use std::time::Duration;

/// Which document to read, and for whom.
#[derive(Debug, Clone, Copy)]
pub struct DocumentRequest<'a> {
    pub target: PageTarget<'a>,
    /// The cached document, for a result from the corpus.
    pub cached: Option<SignalId>,
    /// The id of a saved result; else 0.
    pub result: ResultId,
    /// Whose credentials are used if the provider has an authenticator.
    pub user: UserId,
    /// The user requested this very document: it is fetched whatever the provider's configuration says about fetching
    /// pages.
    pub is_asked_for: bool,
    /// For fetch and extraction together; the provider's `page_fetch_config_json` may shorten it.
    pub time_max: Duration,
}

impl<'a> DocumentRequest<'a> {
    /// The document behind a result of this provider, if the provider allows fetching its pages.
    pub fn of_result(
        provider: &'a SearchProvider,
        item: &'a ResultItem,
        user: UserId,
        time_max: Duration,
    ) -> Self {
        let target = PageTarget::of_result(provider, item);
        // A URL that a user typed is attributed to no provider whose configuration could apply.
        let is_asked_for =
            matches!(target, PageTarget::User(_)) && provider.spec.page_fetch_config_json.parsed().is_enabled;
        let cached = item.cache.as_ref().map(|status| status.signal_id);
        Self { target, cached, result: item.swirl_id, user, is_asked_for, time_max }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageText {
    /// Title in the document; may be empty.
    pub title: String,
    pub text: String,
    /// Where the pages of a PDF begin in the text; empty if unknown.
    pub page_starts: PageStarts,
    /// Without parameters, such as `text/html`.
    pub media_type: String,
    /// Author in the document; may be empty.
    pub author: String,
    /// The source's identifier of this version: ETag, else Last-Modified; may be empty.
    pub version: String,
    /// Size of the file that the text was extracted from; 0: unknown.
    pub file_bytes: u64,
    /// Whether the bytes came from the own origin of the provider that returned the document. Only then is it
    /// attributed to the provider.
    pub origin: ByteOrigin,
    /// The text is the copy in the corpus; the source was not asked.
    pub is_copy: bool,
}

/// A source's response to the question whether a document exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageProbe {
    pub http_status: u16,
    /// As in `PageText`.
    pub version: String,
}

/// Why there is no text. The messages contain no secret and no query part of a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error("the result has no address that can be fetched")]
    NoAddress,
    /// The host name is unknown, the host is on a private network, or it does not respond. A distinction would
    /// reveal internal host names to a user, so the cause is only logged.
    #[error("its address cannot be reached from here")]
    Unreachable,
    /// Response 401 or 403: this user has no access.
    #[error("the source denies you access to this document (HTTP {0})")]
    Denied(u16),
    /// Response 404 or 410.
    #[error("the document no longer exists (HTTP {0})")]
    Gone(u16),
    #[error("{message}")]
    Failed { message: String, source: Option<Cause> },
}

impl PageError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }

    /// Keeps the error behind a failure; the other errors have none.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Failed { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }
}

#[async_trait]
pub trait ReadPages: Send + Sync {
    async fn read(&self, request: &DocumentRequest<'_>) -> Result<PageText, PageError>;
    /// Checks whether the document exists, without fetching it: HEAD, or one byte where HEAD is not allowed. Any status
    /// is a success; an error means that there was no response.
    async fn probe(&self, request: &DocumentRequest<'_>) -> Result<PageProbe, PageError>;
    /// Applies `config.swirl.fetch_url_body` of a provider: bodies with too few words get the best window of their
    /// page. Returns the number of changed bodies; on failure a body is left as it was.
    async fn fill_bodies(
        &self,
        provider: &SearchProvider,
        items: &mut [ResultItem],
        query: &str,
        user: UserId,
        time_max: Duration,
    ) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::chain;
    use std::error::Error;
    use std::io;
    use std::mem::discriminant;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let table = [
            (PageError::NoAddress, "the result has no address that can be fetched", false),
            (PageError::Unreachable, "its address cannot be reached from here", false),
            (PageError::Denied(403), "the source denies you access to this document (HTTP 403)", false),
            (PageError::Gone(410), "the document no longer exists (HTTP 410)", false),
            (PageError::failed("the page has no text"), "the page has no text", true),
        ];
        for (error, text, has_cause) in table {
            let caused = error.clone().caused_by(io::Error::other("timed out"));
            assert_eq!((caused.to_string().as_str(), discriminant(&caused)), (text, discriminant(&error)));
            assert_eq!(caused.source().is_some_and(|cause| cause.is::<io::Error>()), has_cause);
            assert_eq!(chain(&caused).ends_with(": timed out"), has_cause);
        }
    }
}

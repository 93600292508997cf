//! Fetches the texts of the selected results: their pages, or the result text if a page is not available.

use crate::context::RagContext;
use crate::events::{Stage, SummaryEvent};
use crate::in_progress::Generation;
use crate::prompt::SourceText;
use crate::selection::SelectedItem;
use domain::ids::{ProviderId, UserId};
use domain::page_starts::PageStarts;
use domain::ports::{DocumentRequest, PageError, PageText, chain};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::summary::SourceMode;
use futures_util::StreamExt;
use futures_util::stream;
use std::collections::BTreeMap;
use std::time::Duration;
use syntax::highlights;
use syntax::strip_html::{decode_entities, readable};
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

/// Maximum number of concurrent page fetches of one summary.
const PAGES_AT_ONCE_MAX: usize = 10;
/// Time limit for all pages of one summary.
const GROUP_WAIT_MAX: Duration = Duration::from_secs(120);
/// Time reserved for the model. If less than twice as much is left, half of it is reserved.
const KEPT_FOR_MODEL: Duration = Duration::from_secs(5);
/// The type of a source without a page.
const SNIPPET_KIND: &str = "Search Result";

/// The texts in the order of the selection, with warnings for the user.
pub(crate) struct SourceTexts {
    pub sources: Vec<SourceText>,
    pub warnings: Vec<String>,
}

impl RagContext {
    /// Fetches the pages concurrently. Late pages count as failed.
    pub(crate) async fn fetch_texts(
        &self,
        chosen: Vec<SelectedItem>,
        providers: &BTreeMap<ProviderId, SearchProvider>,
        user: UserId,
        generation: &Generation,
        deadline: Instant,
    ) -> SourceTexts {
        let of = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
        generation.emit(SummaryEvent::Stage { stage: Stage::Reading, done: 0, of });
        let wait_until = Instant::now() + group_wait(deadline.saturating_duration_since(Instant::now()));
        let read = |(place, one): (usize, SelectedItem)| async move {
            let page = match providers.get(&one.provider) {
                Some(provider) => self.page(provider, &one.item, user, wait_until).await,
                None => Err(PageError::NoAddress), // the provider is gone; its results are still there
            };
            (place, one.item, page)
        };
        let span = tracing::info_span!("pages", queue = "page_fetch");
        let mut reading = Box::pin(
            stream::iter(chosen.into_iter().enumerate()).map(read).buffer_unordered(PAGES_AT_ONCE_MAX),
        );
        let mut found = Vec::new();
        while let Some(one) = reading.next().instrument(span.clone()).await {
            found.push(one);
            let done = u32::try_from(found.len()).unwrap_or(u32::MAX);
            generation.emit(SummaryEvent::Stage { stage: Stage::Reading, done, of });
        }
        found.sort_by_key(|(place, ..)| *place);
        let falls_back = self.settings.always_fall_back_to_summary;
        let mut source_texts = SourceTexts { sources: Vec::new(), warnings: Vec::new() };
        for (_, item, page) in found {
            source_texts.add(item, page, falls_back);
        }
        source_texts
    }

    async fn page(
        &self,
        provider: &SearchProvider,
        item: &ResultItem,
        user: UserId,
        wait_until: Instant,
    ) -> Result<PageText, PageError> {
        // The page fetcher limits the time of a single page.
        let time_max = wait_until.saturating_duration_since(Instant::now());
        let wanted = DocumentRequest::of_result(provider, item, user, time_max);
        let read = timeout_at(wait_until, self.pages.read(&wanted)).await;
        read.unwrap_or_else(|late| Err(PageError::failed("its page timed out").caused_by(late)))
    }
}

impl SourceTexts {
    fn add(&mut self, item: ResultItem, page: Result<PageText, PageError>, falls_back: bool) {
        match page {
            Ok(page) if !page.text.trim().is_empty() => {
                let (kind, mode) = (kind_of(&page.media_type), mode_of(&page));
                let PageText { text, page_starts, .. } = page;
                self.sources.push(SourceText { item, text, page_starts, kind, mode });
            }
            // A result without a page is represented by its text; a page that could not be fetched is not.
            Err(PageError::NoAddress) => self.add_snippet(item),
            other if falls_back => {
                if let Err(error) = other {
                    tracing::debug!(%error, "a page is replaced by its result: {}", chain(&error));
                }
                self.add_snippet(item);
            }
            other => {
                let why =
                    other.err().map_or_else(|| "its page has no text".to_owned(), |error| error.to_string());
                self.warnings.push(left_out(&item, &why));
            }
        }
    }

    fn add_snippet(&mut self, item: ResultItem) {
        if item.body.trim().is_empty() {
            self.warnings.push(left_out(&item, "it has no text"));
            return;
        }
        let text = decode_entities(&readable(&item.body));
        self.sources.push(SourceText {
            item,
            text,
            page_starts: PageStarts::default(),
            kind: SNIPPET_KIND.to_owned(),
            mode: SourceMode::Snippet,
        });
    }
}

fn left_out(item: &ResultItem, why: &str) -> String {
    format!("'{}' was left out: {why}.", highlights::plain(&item.title))
}

/// Time limit for all pages, given the time that is left.
fn group_wait(left: Duration) -> Duration {
    GROUP_WAIT_MAX.min(left.saturating_sub(KEPT_FOR_MODEL).max(left / 2))
}

/// The origin of a fetched text.
pub(crate) fn mode_of(page: &PageText) -> SourceMode {
    if page.is_copy { SourceMode::Cache } else { SourceMode::Page }
}

/// The document type in the prompt.
fn kind_of(media_type: &str) -> String {
    let kind = match media_type {
        "" | "text/html" | "application/xhtml+xml" => "Web page",
        "text/plain" | "text/markdown" => "Text",
        "application/pdf" => "PDF",
        "message/rfc822" => "Message",
        other => other,
    };
    kind.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(body: &str) -> ResultItem {
        ResultItem { title: "A river".to_owned(), body: body.to_owned(), ..ResultItem::default() }
    }

    fn page(text: &str) -> Result<PageText, PageError> {
        let media_type = "application/pdf".to_owned();
        Ok(PageText { text: text.to_owned(), media_type, ..PageText::default() })
    }

    fn copy(text: &str) -> Result<PageText, PageError> {
        page(text).map(|page| PageText { is_copy: true, ..page })
    }

    #[test]
    fn a_page_or_the_result_itself() {
        let failed = || Err(PageError::failed("404"));
        let table = [
            (page("long text"), "short", true, Some((SourceMode::Page, "long text", "PDF"))),
            (copy("long text"), "short", true, Some((SourceMode::Cache, "long text", "PDF"))),
            (page(" "), "short", true, Some((SourceMode::Snippet, "short", SNIPPET_KIND))),
            (failed(), "short", true, Some((SourceMode::Snippet, "short", SNIPPET_KIND))),
            (failed(), "short", false, None),
            (page(" "), "short", false, None),
            (Err(PageError::NoAddress), "short", false, Some((SourceMode::Snippet, "short", SNIPPET_KIND))),
            (failed(), " ", true, None),
            (failed(), "a <em>b</em> &lt;c>", true, Some((SourceMode::Snippet, "a b <c>", SNIPPET_KIND))),
        ];
        for (page, body, falls_back, expected) in table {
            let mut source_texts = SourceTexts { sources: Vec::new(), warnings: Vec::new() };
            source_texts.add(item(body), page.clone(), falls_back);
            let found = source_texts.sources.first();
            let found = found.map(|one| (one.mode, one.text.as_str(), one.kind.as_str()));
            assert_eq!(found, expected, "{page:?} {falls_back}");
            assert_eq!(source_texts.warnings.is_empty(), expected.is_some(), "what is left out is named");
        }
    }

    #[test]
    fn the_model_keeps_its_time() {
        for (left, wait) in [(60, 55), (300, 120), (10, 5), (4, 2), (0, 0)] {
            assert_eq!(group_wait(Duration::from_secs(left)), Duration::from_secs(wait), "{left}");
        }
    }
}

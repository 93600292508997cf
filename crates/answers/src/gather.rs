//! The texts of the chosen results: their pages, and where a page does not come, the result's own text.

use crate::answers::Desk;
use crate::board::Making;
use crate::choose::ChosenItem;
use crate::events::{AnswerEvent, Stage};
use crate::prompt::SourceText;
use domain::answer::SourceMode;
use domain::contracts::{PageError, PageText, PageWanted};
use domain::ids::{ProviderId, UserId};
use domain::notation::marks;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use futures_util::StreamExt;
use futures_util::stream;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

/// Pages of one answer that are fetched at once.
const PAGES_AT_ONCE_MAX: usize = 10;
/// Longest wait for all pages of one answer.
const GROUP_WAIT_MAX: Duration = Duration::from_secs(120);
/// What is kept of the time for the model. Where there is less than twice as much, half of it is kept.
const KEPT_FOR_MODEL: Duration = Duration::from_secs(5);
/// The kind of a source whose page was not read.
const SNIPPET_KIND: &str = "Search Result";

/// The sources' texts in the order of the choice, and what the user should know.
pub(crate) struct Gathered {
    pub sources: Vec<SourceText>,
    pub warnings: Vec<String>,
}

impl Desk {
    /// Reads the pages side by side. Pages that are late count as failed: the answer does not wait for them.
    pub(crate) async fn gather(
        &self,
        chosen: Vec<ChosenItem>,
        providers: &BTreeMap<ProviderId, SearchProvider>,
        (user, making): (UserId, &Making),
        deadline: Instant,
    ) -> Gathered {
        let of = u32::try_from(chosen.len()).unwrap_or(u32::MAX);
        making.tell(AnswerEvent::Stage { stage: Stage::Reading, done: 0, of });
        let wait_until = Instant::now() + group_wait(deadline.saturating_duration_since(Instant::now()));
        let read = |(place, one): (usize, ChosenItem)| async move {
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
            making.tell(AnswerEvent::Stage { stage: Stage::Reading, done, of });
        }
        found.sort_by_key(|(place, ..)| *place);
        let falls_back = self.context.settings.always_fall_back_to_summary;
        let mut gathered = Gathered { sources: Vec::new(), warnings: Vec::new() };
        for (_, item, page) in found {
            gathered.add(item, page, falls_back);
        }
        gathered
    }

    async fn page(
        &self,
        provider: &SearchProvider,
        item: &ResultItem,
        user: UserId,
        wait_until: Instant,
    ) -> Result<PageText, PageError> {
        // The time of a single page is a matter of its provider, and of who reads it.
        let time_max = wait_until.saturating_duration_since(Instant::now());
        let wanted = PageWanted::of_result(provider, item, user, time_max);
        let late = || PageError::Failed("its page did not come in time".to_owned());
        timeout_at(wait_until, self.pages.read(&wanted)).await.unwrap_or_else(|_| Err(late()))
    }
}

impl Gathered {
    fn add(&mut self, item: ResultItem, page: Result<PageText, PageError>, falls_back: bool) {
        match page {
            Ok(page) if !page.text.trim().is_empty() => {
                let (kind, mode) = (kind_of(&page.media_type), mode_of(&page));
                self.sources.push(SourceText { item, text: page.text, kind, mode });
            }
            // A result without a page is its text; a page that should be there and is not is another matter.
            Err(PageError::NoAddress) => self.add_snippet(item),
            other if falls_back => {
                if let Err(error) = other {
                    tracing::debug!(%error, "a page is replaced by its result: {error}");
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
            self.warnings.push(left_out(&item, "there is no text of it"));
            return;
        }
        let text = marks::plain(&item.body);
        self.sources.push(SourceText {
            item,
            text,
            kind: SNIPPET_KIND.to_owned(),
            mode: SourceMode::Snippet,
        });
    }
}

fn left_out(item: &ResultItem, why: &str) -> String {
    format!("'{}' was left out: {why}.", marks::plain(&item.title))
}

/// How long all pages may take together when this much time is left.
fn group_wait(left: Duration) -> Duration {
    GROUP_WAIT_MAX.min(left.saturating_sub(KEPT_FOR_MODEL).max(left / 2))
}

/// Where a text that was read came from.
pub(crate) fn mode_of(page: &PageText) -> SourceMode {
    if page.is_copy { SourceMode::Cache } else { SourceMode::Page }
}

/// The document type as the prompt names it.
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
        let failed = || Err(PageError::Failed("404".to_owned()));
        let table = [
            (page("long text"), "short", true, Some((SourceMode::Page, "long text", "PDF"))),
            (copy("long text"), "short", true, Some((SourceMode::Cache, "long text", "PDF"))),
            (page(" "), "short", true, Some((SourceMode::Snippet, "short", SNIPPET_KIND))),
            (failed(), "short", true, Some((SourceMode::Snippet, "short", SNIPPET_KIND))),
            (failed(), "short", false, None),
            (page(" "), "short", false, None),
            (Err(PageError::NoAddress), "short", false, Some((SourceMode::Snippet, "short", SNIPPET_KIND))),
            (failed(), " ", true, None),
        ];
        for (page, body, falls_back, expected) in table {
            let mut gathered = Gathered { sources: Vec::new(), warnings: Vec::new() };
            gathered.add(item(body), page.clone(), falls_back);
            let found = gathered.sources.first();
            let found = found.map(|one| (one.mode, one.text.as_str(), one.kind.as_str()));
            assert_eq!(found, expected, "{page:?} {falls_back}");
            assert_eq!(gathered.warnings.is_empty(), expected.is_some(), "what is left out is named");
        }
    }

    #[test]
    fn the_model_keeps_its_time() {
        for (left, wait) in [(60, 55), (300, 120), (10, 5), (4, 2), (0, 0)] {
            assert_eq!(group_wait(Duration::from_secs(left)), Duration::from_secs(wait), "{left}");
        }
    }
}

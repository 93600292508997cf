//! Whether a page is still there: HEAD, and where HEAD brings no good news a GET of one byte. Of no answer more than its
//! head is read.

use crate::{PageFetchParts, address, page, request};
use domain::contracts::{HttpMethod, HttpRequest, HttpResponse, PageError, PageProbe, PageWanted};
use domain::page_fetch::PageFetchConfig;
use tokio::time::Instant;

/// Answers to HEAD that may mean the method and not the page: many sources know GET alone, or have signed nothing else.
/// A person's right and a document's life do not depend on such an answer.
const TOLD_OF_HEAD: [u16; 7] = [400, 401, 403, 404, 405, 410, 501];
/// A page of no bytes has no first one.
const NO_SUCH_RANGE: u16 = 416;
const FIRST_BYTE: &str = "bytes=0-0";

pub async fn probe(
    parts: &PageFetchParts,
    config: &PageFetchConfig,
    wanted: &PageWanted<'_>,
) -> Result<PageProbe, PageError> {
    let asking = Asking { parts, config, wanted, started: Instant::now() };
    let mut answer = asking.ask(HttpMethod::Head, None).await?;
    if TOLD_OF_HEAD.contains(&answer.status) {
        answer = asking.ask(HttpMethod::Get, Some(FIRST_BYTE)).await?;
    }
    if answer.status == NO_SUCH_RANGE {
        answer = asking.ask(HttpMethod::Get, None).await?;
    }
    Ok(PageProbe { http_status: answer.status, version: page::version(&answer) })
}

/// One question in up to three forms, in one time.
struct Asking<'a> {
    parts: &'a PageFetchParts,
    config: &'a PageFetchConfig,
    wanted: &'a PageWanted<'a>,
    started: Instant,
}

impl Asking<'_> {
    async fn ask(&self, method: HttpMethod, range: Option<&str>) -> Result<HttpResponse, PageError> {
        let PageWanted { target, user, time_max, .. } = *self.wanted;
        let url = address::of(target, self.config)?;
        let asked = request::get(self.parts, target, self.config, user, url).await?;
        let mut headers = asked.headers;
        headers.extend(range.map(|range| ("Range".to_owned(), range.to_owned())));
        let time_max = time_max.saturating_sub(self.started.elapsed());
        let request = HttpRequest { method, headers, time_max, ..asked };
        // A source that does not know ranges would send the whole page; dropping the stream hangs up.
        let answer = self.parts.fetch.stream(&request).await;
        let answer = answer.map_err(page::shown)?;
        Ok(HttpResponse { status: answer.status, headers: answer.headers, body: Default::default() })
    }
}

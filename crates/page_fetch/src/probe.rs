//! Checks whether a page still exists: HEAD, and if that fails a GET of one byte. Bodies are not read.

use crate::{PageFetchParts, address, failure, page_text, request};
use domain::page_fetch::PageFetchConfig;
use domain::ports::{DocumentRequest, HttpMethod, HttpRequest, HttpResponse, PageError, PageProbe};
use tokio::time::Instant;

/// Responses to HEAD that may refer to the method and not the page: many sources support or sign only GET. Access and
/// liveness do not depend on such a response.
const TOLD_OF_HEAD: [u16; 7] = [400, 401, 403, 404, 405, 410, 501];
/// An empty page has no first byte.
const NO_SUCH_RANGE: u16 = 416;
const FIRST_BYTE: &str = "bytes=0-0";

pub async fn probe(
    parts: &PageFetchParts,
    config: &PageFetchConfig,
    wanted: &DocumentRequest<'_>,
) -> Result<PageProbe, PageError> {
    let asking = Asking { parts, config, wanted, started: Instant::now() };
    let mut answer = asking.ask(HttpMethod::Head, None).await?;
    if TOLD_OF_HEAD.contains(&answer.status) {
        answer = asking.ask(HttpMethod::Get, Some(FIRST_BYTE)).await?;
    }
    if answer.status == NO_SUCH_RANGE {
        answer = asking.ask(HttpMethod::Get, None).await?;
    }
    Ok(PageProbe { http_status: answer.status, version: page_text::version(&answer) })
}

/// Up to three attempts within one time limit.
struct Asking<'a> {
    parts: &'a PageFetchParts,
    config: &'a PageFetchConfig,
    wanted: &'a DocumentRequest<'a>,
    started: Instant,
}

impl Asking<'_> {
    async fn ask(&self, method: HttpMethod, range: Option<&str>) -> Result<HttpResponse, PageError> {
        let DocumentRequest { target, user, time_max, .. } = *self.wanted;
        let url = address::of(target, self.config)?;
        let asked = request::get(self.parts, target, self.config, user, url).await?;
        let mut headers = asked.headers;
        headers.extend(range.map(|range| ("Range".to_owned(), range.to_owned())));
        let time_max = time_max.saturating_sub(self.started.elapsed());
        let request = HttpRequest { method, headers, time_max, ..asked };
        // A source without range support would send the whole page; dropping the stream closes the connection.
        let answer = self.parts.fetch.stream(&request).await;
        let answer = answer.map_err(failure::to_page_error)?;
        Ok(HttpResponse { status: answer.status, headers: answer.headers, body: Default::default() })
    }
}

//! One page: where it is, the fetch, its text, and the service that is asked when the fetch fails.

use crate::{PageFetchParts, address, diffbot, media_type, request};
use domain::contracts::{
    ByteOrigin, FetchError, FileToRead, HttpRequest, HttpResponse, PageError, PageText, PageWanted,
};
use domain::known_secrets::KnownSecrets;
use domain::page_fetch::{MediaTypeLookup, PageFetchConfig};
use domain::provenance::{PageTarget, SourcePage};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use url::Url;

/// Longest name of a version.
const VERSION_CHARS_MAX: usize = 200;

/// Fetching one page.
pub struct Errand<'e> {
    pub parts: &'e PageFetchParts,
    pub config: &'e PageFetchConfig,
    pub wanted: &'e PageWanted<'e>,
    /// The time for a page of a host for which the provider says none.
    pub usual: Duration,
}

/// Why there is no text.
pub struct Miss {
    pub error: PageError,
    /// Another service could not do better, or must not be told of the address.
    pub is_last: bool,
}

impl Miss {
    pub fn last(why: impl Into<String>) -> Self {
        Self { error: PageError::Failed(why.into()), is_last: true }
    }

    fn maybe(why: impl Into<String>) -> Self {
        Self { error: PageError::Failed(why.into()), is_last: false }
    }
}

impl From<PageError> for Miss {
    fn from(error: PageError) -> Self {
        Self { error, is_last: true }
    }
}

impl From<FetchError> for Miss {
    fn from(error: FetchError) -> Self {
        let is_last = matches!(error, FetchError::Refused(_) | FetchError::Invalid(_));
        Self { error: shown(error), is_last }
    }
}

/// What users read of a failed request. What it was that did not let a host be reached is for the log.
pub fn shown(error: FetchError) -> PageError {
    match error {
        FetchError::Refused(_) | FetchError::UnknownHost(_) | FetchError::Connect(..) => {
            tracing::info!("a page was not fetched: {error}");
            PageError::Unreachable
        }
        other => PageError::Failed(other.to_string()),
    }
}

impl Errand<'_> {
    pub async fn run(&self) -> Result<PageText, PageError> {
        let started = Instant::now();
        let url = address::of(self.wanted.target, self.config)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let time = self.config.timeout_for(&host).unwrap_or(self.usual).min(self.wanted.time_max);
        let plain = timeout(time, self.plain(url.clone())).await;
        let miss = match plain {
            Ok(Ok(page)) => return Ok(self.masked(page)),
            Ok(Err(miss)) => miss,
            Err(_) => Miss::maybe(format!("{host} did not answer in time")),
        };
        // What only the provider's own origin knows is nothing for others.
        let is_for_others = |page: &SourcePage<'_>| request::own_origin(*page, self.config, &url).is_none();
        let service = self.source().filter(is_for_others).and(self.config.diffbot.as_ref());
        let Some(service) = service.filter(|_| !miss.is_last) else {
            return Err(miss.error);
        };
        let time = self.wanted.time_max.saturating_sub(started.elapsed()).min(self.usual);
        diffbot::read(self.parts, service, &url, time)
            .await
            .map(|page| self.masked(page))
            .map_err(|second| PageError::Failed(format!("{}; {second}", miss.error)))
    }

    /// The page, where its provider named it.
    fn source(&self) -> Option<SourcePage<'_>> {
        match self.wanted.target {
            PageTarget::Source(page) => Some(page),
            PageTarget::Account(_) | PageTarget::User(_) => None,
        }
    }

    /// Where the media type is asked for before the page is fetched.
    fn lookup(&self) -> Option<(&MediaTypeLookup, SourcePage<'_>)> {
        self.config.media_type_lookup.as_ref().zip(self.source())
    }

    /// Where the page came from, seen from its provider: a request for a page of others has an origin of its own, too.
    fn of_provider(&self, answer: ByteOrigin) -> ByteOrigin {
        match self.source() {
            Some(page) if page.is_of_own_origin() => answer,
            Some(_) | None => ByteOrigin::Other,
        }
    }

    /// The page without the secrets of its provider, as the provider's results are shown.
    fn masked(&self, mut page: PageText) -> PageText {
        let provider = match self.wanted.target {
            PageTarget::Source(page) => Some(page.provider()),
            PageTarget::Account(page) => Some(page.provider()),
            PageTarget::User(_) => None,
        };
        if let Some(provider) = provider {
            mask_page(&mut page, &KnownSecrets::of(provider));
        }
        page
    }

    /// One answer; any status but 200 is a failure.
    pub async fn get(&self, url: Url) -> Result<HttpResponse, Miss> {
        let request = self.request(url).await?;
        self.send(&request).await.map(|(answer, _)| answer)
    }

    async fn request(&self, url: Url) -> Result<HttpRequest, Miss> {
        let PageWanted { target, user, .. } = *self.wanted;
        let mut request = request::get(self.parts, target, self.config, user, url).await?;
        request.time_max = self.wanted.time_max;
        Ok(request)
    }

    async fn send(&self, request: &HttpRequest) -> Result<(HttpResponse, ByteOrigin), Miss> {
        let host = request.url.host_str().unwrap_or_default();
        let (answer, origin) = self.parts.fetch.fetch_with_origin(request).await?;
        match answer.status {
            200 => Ok((answer, origin)),
            status @ (401 | 403) => Err(Miss { error: PageError::Denied(status), is_last: false }),
            status @ (404 | 410) => Err(Miss { error: PageError::Gone(status), is_last: false }),
            status => Err(Miss::maybe(format!("{host} answered with the status {status}"))),
        }
    }

    async fn plain(&self, url: Url) -> Result<PageText, Miss> {
        if let Some((lookup, page)) = self.lookup() {
            let found = media_type::look_up(self, lookup, page.item()).await?;
            if !media_type::is_wanted(&self.config.media_types, &found) {
                return Err(media_type::unwanted(&found));
            }
        }
        let name = url.path_segments().and_then(Iterator::last).unwrap_or_default().to_owned();
        let request = self.request(url).await?;
        let (answer, origin) = self.send(&request).await?;
        let media_type = media_type::of(&answer);
        // Whoever was asked for the type before has said it already, and more truly.
        if self.lookup().is_none() && !media_type::is_wanted(&self.config.media_types, &media_type) {
            return Err(media_type::unwanted(&media_type));
        }
        let said = answer.header("content-type").map(str::to_owned);
        let version = version(&answer);
        let file_bytes = u64::try_from(answer.body.len()).unwrap_or(u64::MAX);
        let file = FileToRead { media_type: said, name, bytes: answer.body };
        let read = self.parts.extract.extract(file).await.map_err(|error| Miss::maybe(error.to_string()))?;
        if read.text.trim().is_empty() {
            return Err(Miss::maybe("the page has no text"));
        }
        let mut page = PageText {
            title: read.title,
            text: read.text,
            media_type,
            author: read.author,
            version,
            file_bytes,
            origin: self.of_provider(origin),
            is_copy: false,
        };
        mask_page(&mut page, &KnownSecrets::of_request(&request));
        Ok(page)
    }
}

/// Masks what a site repeats of the secrets that it was sent.
pub fn mask_page(page: &mut PageText, secrets: &KnownSecrets) {
    for text in [&mut page.title, &mut page.text, &mut page.author, &mut page.version] {
        secrets.mask_in_place(text);
    }
}

/// What the source calls the version of what it answers.
pub fn version(answer: &HttpResponse) -> String {
    let said = answer.header("etag").or_else(|| answer.header("last-modified"));
    said.unwrap_or_default().trim().chars().take(VERSION_CHARS_MAX).collect()
}

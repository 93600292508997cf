//! Fetches one page and extracts its text, with a fallback service.

use crate::failure::FetchFailure;
use crate::page_text::{mask_page, version};
use crate::{PageFetchParts, address, diffbot, media_type, request};
use domain::bounded_json::parse_answer;
use domain::known_secrets::KnownSecrets;
use domain::page_fetch::{MediaTypeLookup, PageFetchConfig};
use domain::ports::{
    ByteOrigin, DocumentRequest, FileToRead, HttpRequest, HttpResponse, PageError, PageText,
};
use domain::provenance::{PageTarget, SourceItem, SourcePage};
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use url::Url;

/// A request for one page.
pub struct PageRequest<'e> {
    pub parts: &'e PageFetchParts,
    pub config: &'e PageFetchConfig,
    pub wanted: &'e DocumentRequest<'e>,
    /// Time limit for hosts without their own in the provider's configuration.
    pub usual: Duration,
}

impl PageRequest<'_> {
    pub async fn run(&self) -> Result<PageText, PageError> {
        let started = Instant::now();
        let url = address::of(self.wanted.target, self.config)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let time = self.config.timeout_for(&host).unwrap_or(self.usual).min(self.wanted.time_max);
        let plain = timeout(time, self.plain(url.clone())).await;
        let failure = match plain {
            Ok(Ok(page)) => return Ok(self.masked(page)),
            Ok(Err(failure)) => failure,
            Err(late) => FetchFailure::maybe(format!("{host} did not answer in time")).caused_by(late),
        };
        // Content of the provider's own origin is not for third parties.
        let is_for_others = |page: &SourcePage<'_>| request::own_origin(*page, self.config, &url).is_none();
        let service = self.source().filter(is_for_others).and(self.config.diffbot.as_ref());
        let Some(service) = service.filter(|_| !failure.is_last) else {
            return Err(failure.error);
        };
        let time = self.wanted.time_max.saturating_sub(started.elapsed()).min(self.usual);
        diffbot::read(self.parts, service, &url, time).await.map(|page| self.masked(page)).map_err(|second| {
            PageError::failed(format!("{}; {second}", failure.error)).caused_by(failure.error)
        })
    }

    /// The page, if its provider returned it.
    fn source(&self) -> Option<SourcePage<'_>> {
        match self.wanted.target {
            PageTarget::Source(page) => Some(page),
            PageTarget::Account(_) | PageTarget::User(_) => None,
        }
    }

    /// The media type lookup before the fetch, if configured.
    fn lookup(&self) -> Option<(&MediaTypeLookup, SourcePage<'_>)> {
        self.config.media_type_lookup.as_ref().zip(self.source())
    }

    /// The origin of the bytes from the provider's point of view: a page elsewhere also has an origin of its own.
    fn of_provider(&self, answer: ByteOrigin) -> ByteOrigin {
        match self.source() {
            Some(page) if page.is_of_own_origin() => answer,
            Some(_) | None => ByteOrigin::Other,
        }
    }

    /// Masks the secrets of the provider, as in its results.
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

    /// A GET request; any status but 200 is a failure.
    async fn get(&self, url: Url) -> Result<HttpResponse, FetchFailure> {
        let request = self.request(url).await?;
        self.send(&request).await.map(|(answer, _)| answer)
    }

    /// The media type as the provider's lookup reports it.
    async fn look_up_media_type(
        &self,
        lookup: &MediaTypeLookup,
        item: SourceItem<'_>,
    ) -> Result<String, FetchFailure> {
        let address = address::filled(&lookup.url, item).and_then(|text| address::parse(&text));
        let address =
            address.ok_or_else(|| FetchFailure::last("the media type lookup has no valid address"))?;
        let answer = self.get(address).await?;
        let value = parse_answer(&answer.body).map_err(|error| {
            FetchFailure::last("the response of the media type lookup is not JSON").caused_by(error)
        })?;
        let path = lookup
            .path
            .parsed()
            .map_err(|error| FetchFailure::last(error.message()).caused_by(error.clone()))?;
        let found = path.find(&value).into_iter().find_map(Value::as_str).map(media_type::bare);
        found.ok_or_else(|| {
            FetchFailure::last("the response of the media type lookup does not contain the type")
        })
    }

    async fn request(&self, url: Url) -> Result<HttpRequest, FetchFailure> {
        let DocumentRequest { target, user, .. } = *self.wanted;
        let mut request = request::get(self.parts, target, self.config, user, url).await?;
        request.time_max = self.wanted.time_max;
        Ok(request)
    }

    async fn send(&self, request: &HttpRequest) -> Result<(HttpResponse, ByteOrigin), FetchFailure> {
        let host = request.url.host_str().unwrap_or_default();
        let (answer, origin) = self.parts.fetch.fetch_with_origin(request).await?;
        match answer.status {
            200 => Ok((answer, origin)),
            status @ (401 | 403) => Err(FetchFailure { error: PageError::Denied(status), is_last: false }),
            status @ (404 | 410) => Err(FetchFailure { error: PageError::Gone(status), is_last: false }),
            status => Err(FetchFailure::maybe(format!("{host} answered with the status {status}"))),
        }
    }

    async fn plain(&self, url: Url) -> Result<PageText, FetchFailure> {
        if let Some((lookup, page)) = self.lookup() {
            let found = self.look_up_media_type(lookup, page.item()).await?;
            if !media_type::is_wanted(&self.config.media_types, &found) {
                return Err(media_type::unwanted(&found));
            }
        }
        let name = url.path_segments().and_then(Iterator::last).unwrap_or_default().to_owned();
        let request = self.request(url).await?;
        let (answer, origin) = self.send(&request).await?;
        let media_type = media_type::of(&answer);
        // The lookup has already reported the type, more reliably.
        if self.lookup().is_none() && !media_type::is_wanted(&self.config.media_types, &media_type) {
            return Err(media_type::unwanted(&media_type));
        }
        let said = answer.header("content-type").map(str::to_owned);
        let version = version(&answer);
        let file_bytes = u64::try_from(answer.body.len()).unwrap_or(u64::MAX);
        let file = FileToRead { media_type: said, name, bytes: answer.body };
        let read = self
            .parts
            .extract
            .extract(file)
            .await
            .map_err(|error| FetchFailure::maybe(error.to_string()).caused_by(error))?;
        if read.text.trim().is_empty() {
            return Err(FetchFailure::maybe("the page has no text"));
        }
        let mut page = PageText {
            title: read.title,
            text: read.text,
            page_starts: read.page_starts,
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

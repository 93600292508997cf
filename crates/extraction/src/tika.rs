//! Apache Tika as a fallback: a server that reads formats without a reader here, such as legacy office formats and
//! scanned text.

use crate::limits::{Limits, TIKA_TIME_MAX};
use crate::plain_text;
use crate::text_builder::{Abort, Deadline, TextBuilder};
use async_trait::async_trait;
use domain::ports::{
    ExtractError, ExtractText, ExtractedText, Fetch, FetchError, FileToRead, HttpMethod, HttpRequest, Origin,
};
use std::sync::Arc;
use url::Url;

/// File names worth trying; the server knows many more.
const ENDINGS: &[&str] = &[
    "doc", "dot", "xls", "xlt", "ppt", "pps", "pot", "rtf", "epub", "msg", "pub", "vsd", "vsdx", "wpd",
    "pages", "numbers", "key", "odg", "fb2", "chm", "djvu", "tif", "tiff", "png", "jpg", "jpeg", "gif",
    "webp", "bmp",
];

/// The server's URL is invalid.
#[derive(Debug, thiserror::Error)]
#[error("'{address}' is not an address such as http://127.0.0.1:9998")]
pub struct TikaAddressError {
    address: String,
    source: Option<url::ParseError>,
}

/// Uses the built-in readers, and the server for other formats.
pub struct WithTika {
    own: Arc<dyn ExtractText>,
    fetch: Arc<dyn Fetch>,
    url: Url,
    origin: Origin,
    limits: Limits,
}

impl WithTika {
    /// `address` is the server's base URL; files are sent to `<address>/tika`.
    pub fn new(
        own: Arc<dyn ExtractText>,
        fetch: Arc<dyn Fetch>,
        address: &str,
        limits: Limits,
    ) -> Result<Self, TikaAddressError> {
        let wrong = || TikaAddressError { address: address.to_owned(), source: None };
        let mut url = Url::parse(address.trim())
            .map_err(|error| TikaAddressError { source: Some(error), ..wrong() })?;
        if !matches!(url.scheme(), "http" | "https") || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong());
        }
        url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty().push("tika");
        // Set by the operator.
        let origin = Origin::trusted(&url).ok_or_else(wrong)?;
        Ok(Self { own, fetch, url, origin, limits })
    }

    fn request(&self, file: FileToRead) -> HttpRequest {
        let mut headers = vec![("Accept".to_owned(), "text/plain".to_owned())];
        let media_type = file.media_type.filter(|text| !text.is_empty() && text.bytes().all(is_plain));
        headers.extend(media_type.map(|text| ("Content-Type".to_owned(), text)));
        if !file.name.is_empty() && file.name.bytes().all(is_plain) {
            let named = format!("attachment; filename=\"{}\"", file.name);
            headers.push(("Content-Disposition".to_owned(), named));
        }
        HttpRequest {
            method: HttpMethod::Put,
            url: self.url.clone(),
            headers,
            secret_headers: Vec::new(),
            body: Some(file.bytes),
            origin: self.origin.clone(),
            secrets: Vec::new(),
            time_max: TIKA_TIME_MAX,
            tls: None,
        }
    }

    async fn ask(&self, file: FileToRead, kind: String) -> Result<ExtractedText, ExtractError> {
        let answer = self.fetch.fetch(&self.request(file)).await.map_err(|error| match error {
            FetchError::Timeout { .. } => ExtractError::Timeout,
            FetchError::TooLarge { bytes_max, .. } => ExtractError::TooLarge(bytes_max),
            other => ExtractError::Service(other.to_string()),
        })?;
        match answer.status {
            200 => self.cut(&plain_text::decode(&answer.body, Some("utf-8"))),
            // No text.
            204 => Ok(ExtractedText::default()),
            415 => Err(ExtractError::Unsupported(kind)),
            422 => Err(ExtractError::Damaged("its reader failed, or it is protected".to_owned())),
            status => Err(ExtractError::Service(format!("it answered with the status {status}"))),
        }
    }

    fn cut(&self, text: &str) -> Result<ExtractedText, ExtractError> {
        let mut builder = TextBuilder::new(&self.limits, Deadline::of(self.limits.time));
        match plain_text::read_lines(text, &mut builder) {
            Ok(()) => Ok(builder.finish()),
            Err(Abort::Full) => Ok(builder.finish_cut()),
            Err(Abort::Failed(error)) => Err(error),
        }
    }
}

#[async_trait]
impl ExtractText for WithTika {
    fn knows(&self, name: &str) -> bool {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        self.own.knows(name) || ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
    }

    async fn extract(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        // Copies the name; the bytes are shared.
        match self.own.extract(file.clone()).await {
            Err(ExtractError::Unsupported(kind)) => self.ask(file, kind).await,
            read => read,
        }
    }
}

/// Characters allowed in a quoted header value.
fn is_plain(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\'
}

//! HTTP client port: the only access to the network over HTTP.

use super::Cause;
use crate::secret::Secret;
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    Get,
    Head,
    Post,
    Put,
    Delete,
}

impl HttpMethod {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

/// Host and port of the configured destination of a request.
///
/// Credentials are sent only there, and only this origin may be a private address without being in
/// `SVC_OUTBOUND_ALLOW`, because an administrator saved it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub scheme: String,
    pub host: String,
    pub port: u16,
    /// Saved by an administrator: it may be a loopback or private address.
    pub is_trusted: bool,
}

impl Origin {
    /// The origin of a URL that an administrator saved, if it has a host and a known port.
    pub fn trusted(url: &Url) -> Option<Self> {
        Some(Self { is_trusted: true, ..Self::untrusted(url)? })
    }

    /// The origin of a URL from elsewhere, if it has a host and a known port.
    pub fn untrusted(url: &Url) -> Option<Self> {
        Some(Self {
            scheme: url.scheme().to_owned(),
            host: url.host_str()?.to_ascii_lowercase(),
            port: url.port_or_known_default()?,
            is_trusted: false,
        })
    }

    /// The origin of a URL, if it has a host and a known port.
    pub fn of(url: &Url, is_trusted: bool) -> Option<Self> {
        if is_trusted { Self::trusted(url) } else { Self::untrusted(url) }
    }

    /// The trusted origin of a template, if the template itself contains it and no value can change it.
    pub fn named_by(template: &str) -> Option<Self> {
        let literal = template.split('{').next().unwrap_or_default();
        let authority = literal.split_once("://")?.1;
        let is_closed = authority.contains(['/', '?', '#']) || literal.len() == template.len();
        let url = Url::parse(literal).ok().filter(|_| is_closed)?;
        Self::trusted(&url).filter(|_| matches!(url.scheme(), "http" | "https"))
    }

    /// Whether this is the origin of a URL.
    pub fn is_of(&self, url: &Url) -> bool {
        let is_host = |host: &str| host.bytes().map(|byte| byte.to_ascii_lowercase()).eq(self.host.bytes());
        url.scheme() == self.scheme
            && url.host_str().is_some_and(is_host)
            && url.port_or_known_default() == Some(self.port)
    }
}

/// How the certificate of the request's own origin is verified; other origins are verified as usual.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TlsOptions {
    /// False: any certificate is accepted.
    pub verify: bool,
    /// Authorities to trust instead of those of the system, as a PEM file.
    pub ca_file: Option<PathBuf>,
}

/// A request. Its `Debug` output contains no secret, body or header.
#[derive(Clone)]
pub struct HttpRequest {
    pub method: HttpMethod,
    pub url: Url,
    /// Sent with every hop.
    pub headers: Vec<(String, String)>,
    /// Sent to `origin` only; dropped if a redirect leads elsewhere.
    pub secret_headers: Vec<(String, Secret)>,
    pub body: Option<Bytes>,
    pub origin: Origin,
    /// Values that are masked in logs and responses wherever they occur in the URL or the body.
    pub secrets: Vec<Secret>,
    /// Time limit of the whole exchange, redirects and body included; the client's own limits apply as well.
    pub time_max: Duration,
    /// None: the certificate must be valid for an authority that the system trusts.
    pub tls: Option<TlsOptions>,
}

impl HttpRequest {
    /// The URL with every secret value masked, for `query_to_provider`, logs and dry runs.
    pub fn shown_url(&self) -> String {
        self.mask(self.url.as_str())
    }

    /// A text of this request with every secret value masked.
    pub fn mask(&self, text: &str) -> String {
        let mut shown = text.to_owned();
        for secret in self.secrets.iter().filter(|secret| !secret.is_empty()) {
            shown = shown.replace(secret.expose(), crate::secret::MASK);
            let form: String = url::form_urlencoded::byte_serialize(secret.expose().as_bytes()).collect();
            shown = shown.replace(&form, crate::secret::MASK);
            shown = shown.replace(&form.replace('+', "%20"), crate::secret::MASK);
        }
        shown
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method.as_str(), self.shown_url())
    }
}

#[derive(Debug, Clone)]
pub struct HttpResponse {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl HttpResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Origin of the bytes of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ByteOrigin {
    /// The own origin: no redirect led to another one.
    Own,
    /// Another origin, or an unknown one.
    #[default]
    Other,
}

/// Why there is no response. Messages contain no secret and no query part of a URL; neither do the causes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("the address {place} is not allowed; an administrator can allow it with SVC_OUTBOUND_ALLOW")]
    Refused { place: String },
    #[error("the host {host} cannot be found")]
    UnknownHost { host: String },
    #[error("no connection to {host}: {reason}")]
    Connect { host: String, reason: String, source: Option<Cause> },
    #[error("no secure connection to {host}: {reason}")]
    Tls { host: String, reason: String, source: Option<Cause> },
    #[error("{host} did not answer in time")]
    Timeout { host: String },
    #[error("the answer of {host} is larger than the limit of {bytes_max} bytes")]
    TooLarge { host: String, bytes_max: u64 },
    #[error("{host} redirected more than {max} times")]
    Redirects { host: String, max: usize },
    #[error("the answer of {host} broke off or could not be read: {reason}")]
    Broken { host: String, reason: String, source: Option<Cause> },
    #[error("the request is not valid: {reason}")]
    Invalid { reason: String, source: Option<Cause> },
    #[error("this service is reading too many large answers at the moment; try again shortly")]
    Busy,
    #[error(
        "the answer is larger than the {} MB that one search may hold of it; ask the source for fewer or smaller \
         results, or let an administrator raise SVC_ANSWER_MEMORY_MB", .bytes_max.div_ceil(1024 * 1024)
    )]
    MemoryExceeded { bytes_max: u64 },
}

impl FetchError {
    pub fn broken(host: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Broken { host: host.into(), reason: reason.into(), source: None }
    }

    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid { reason: reason.into(), source: None }
    }

    /// The error behind the reason.
    pub fn cause(&self) -> Option<&Cause> {
        match self {
            Self::Connect { source, .. }
            | Self::Tls { source, .. }
            | Self::Broken { source, .. }
            | Self::Invalid { source, .. } => source.as_ref(),
            Self::Refused { .. }
            | Self::UnknownHost { .. }
            | Self::Timeout { .. }
            | Self::TooLarge { .. }
            | Self::Redirects { .. }
            | Self::Busy
            | Self::MemoryExceeded { .. } => None,
        }
    }

    /// Keeps the error behind a reason; the errors without a reason have none.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Connect { source, .. }
        | Self::Tls { source, .. }
        | Self::Broken { source, .. }
        | Self::Invalid { source, .. } = &mut self
        {
            *source = Some(cause.into());
        }
        self
    }
}

/// Memory for the bodies of responses while they are read and held.
#[async_trait]
pub trait BodyMemory: Send + Sync {
    /// Reserves this many more bytes for a body that then has `body_bytes`; waits a few seconds at most until they are
    /// free.
    async fn reserve(&self, bytes: u64, body_bytes: u64) -> Result<Box<dyn BodyReservation>, FetchError>;
}

/// Reserved memory. Dropping it returns the memory.
pub trait BodyReservation: Send + Sync {
    /// Returns this many bytes.
    fn shrink_by(&mut self, bytes: u64);
}

/// A response that is read while it arrives. Dropping it ends the exchange.
pub struct HttpStream {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Never more bytes in total than the client's limit.
    pub body: BoxStream<'static, Result<Bytes, FetchError>>,
}

/// Sends requests, within limits. The test double replays given responses.
#[async_trait]
pub trait Fetch: Send + Sync {
    /// Reads the whole response.
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError>;
    /// Reads the whole response, and reports whether it came from the request's own origin. The default implementation
    /// does not know.
    async fn fetch_with_origin(
        &self,
        request: &HttpRequest,
    ) -> Result<(HttpResponse, ByteOrigin), FetchError> {
        Ok((self.fetch(request).await?, ByteOrigin::Other))
    }
    /// Reads the whole response; a large body reserves its bytes in `memory` while it is read and until it is dropped.
    /// The default implementation reserves nothing.
    async fn fetch_into(
        &self,
        request: &HttpRequest,
        _memory: &dyn BodyMemory,
    ) -> Result<HttpResponse, FetchError> {
        self.fetch(request).await
    }
    /// Returns when the head has arrived; `time_max` applies until the last byte, in place of the client's own limit
    /// for one response. The default implementation returns the whole body as one chunk.
    async fn stream(&self, request: &HttpRequest) -> Result<HttpStream, FetchError> {
        let HttpResponse { status, headers, body } = self.fetch(request).await?;
        Ok(HttpStream { status, headers, body: Box::pin(futures_util::stream::iter([Ok(body)])) })
    }
}

/// Address check for drivers with their own protocol: they call it before they open a connection.
#[async_trait]
pub trait AddressResolver: Send + Sync {
    /// The permitted addresses of an origin; an error if there is none.
    async fn admit(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError>;
}

#[cfg(test)]
#[path = "fetch_tests.rs"]
mod tests;

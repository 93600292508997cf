//! An authorized request to a mailbox.

use super::mailbox::Mailbox;
use super::message::SentMessage;
use axum::extract::{FromRequestParts, OriginalUri, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Response};

pub struct MailRequest {
    pub mailbox: Mailbox,
    pub headers: HeaderMap,
    /// The parameters.
    pub given: Vec<(String, String)>,
    /// The full path.
    pub path: String,
}

/// Why a request was rejected.
pub struct Refused(StatusCode, Option<u32>);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let wait = self.1.map(|seconds| (HeaderName::from_static("retry-after"), seconds.to_string()));
        (self.0, AppendHeaders(wait)).into_response()
    }
}

impl FromRequestParts<Mailbox> for MailRequest {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, mailbox: &Mailbox) -> Result<Self, Refused> {
        mailbox.admit(parts).map_err(|(status, wait)| Refused(status, wait))?;
        let bad = |_| Refused(StatusCode::BAD_REQUEST, None);
        let Query(given) = Query::from_request_parts(parts, mailbox).await.map_err(bad)?;
        // Below the base of the service the path of the request is shortened.
        let whole = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |uri| &uri.0);
        let path = whole.path().to_owned();
        Ok(Self { mailbox: mailbox.clone(), headers: parts.headers.clone(), given, path })
    }
}

impl MailRequest {
    pub fn value(&self, name: &str) -> Option<&str> {
        self.given.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// `None` for anything but a number.
    pub fn number(&self, name: &str, usual: usize) -> Option<usize> {
        self.value(name).map_or(Some(usual), |text| text.parse().ok())
    }

    /// Whether every parameter is one of these.
    pub fn gives_only(&self, known: &[&str]) -> bool {
        self.given.iter().all(|(name, _)| known.contains(&name.as_str()))
    }

    /// A file of a message, by their numbers.
    pub fn file(
        &self,
        message: Option<usize>,
        file: Option<usize>,
    ) -> Option<(String, String, bytes::Bytes)> {
        let (_, SentMessage { files, .. }) = self.mailbox.message(message?)?;
        files.get(file?).cloned()
    }
}

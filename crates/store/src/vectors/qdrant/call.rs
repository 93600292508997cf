//! Requests to the server, and their errors.

use super::config::QdrantConfig;
use bytes::{Bytes, BytesMut};
use domain::bounded_json::{ANSWER_VALUES_MAX, parse_answer, parse_as};
use domain::ports::{Fetch, FetchError, HttpMethod, HttpRequest, Origin, VectorError};
use domain::secret::{self, Secret};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Time limit of a query.
const READ_MAX: Duration = Duration::from_secs(10);
/// Time limit of a change, which the server confirms when it is done.
const WRITE_MAX: Duration = Duration::from_secs(60);
/// Longest part of a server message that is passed on, in characters.
const SENTENCE_MAX: usize = 200;
const NAME_MAX: usize = 255;

pub(super) struct Server {
    fetch: Arc<dyn Fetch>,
    /// The URL of the collection.
    collection: Url,
    origin: Origin,
    api_key: Secret,
}

/// An unsuccessful response.
#[derive(Debug)]
pub(super) enum Refusal {
    /// There is no such collection.
    Missing,
    /// The server refused the request.
    Wrong {
        status: u16,
        told: String,
    },
    Failed(VectorError),
}

impl From<Refusal> for VectorError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Missing => Self::refused("the collection is not there"),
            Refusal::Wrong { status, told } => Self::refused(format!("HTTP {status} {told}").trim_end()),
            Refusal::Failed(error) => error,
        }
    }
}

#[derive(Deserialize)]
struct Success<T> {
    result: T,
}

impl Server {
    pub(super) fn new(config: QdrantConfig) -> Result<Self, VectorError> {
        let QdrantConfig { fetch, url, api_key, collection } = config;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if collection.is_empty() || collection.len() > NAME_MAX || !collection.chars().all(is_name) {
            return Err(VectorError::refused(format!("'{collection}' is no name of a collection")));
        }
        // It may contain a misplaced password.
        let wrong = || {
            let shown = if url.contains('@') { "SVC_QDRANT_URL" } else { &url };
            VectorError::refused(format!(
                "'{shown}' is no address such as http://localhost:6333 (SVC_QDRANT_URL)"
            ))
        };
        let mut address = Url::parse(url.trim()).map_err(|error| wrong().caused_by(error))?;
        let has_more = address.query().is_some() || address.fragment().is_some();
        let has_login = !address.username().is_empty() || address.password().is_some();
        if !matches!(address.scheme(), "http" | "https") || has_more || has_login {
            return Err(wrong());
        }
        // Set by the operator: it may be a private address.
        let origin = Origin::trusted(&address).ok_or_else(wrong)?;
        let path = format!("{}/collections/{collection}", address.path().trim_end_matches('/'));
        address.set_path(&path);
        Ok(Self { fetch, collection: address, origin, api_key })
    }

    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        method: HttpMethod,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<T, Refusal> {
        let request = self.request(method, path, body, READ_MAX)?;
        self.exchange(&request).await
    }

    /// Returns when the change is visible to every query.
    pub(super) async fn write(
        &self,
        method: HttpMethod,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<(), Refusal> {
        let mut request = self.request(method, path, body, WRITE_MAX)?;
        // Collections are changed synchronously; points only on request.
        if !path.is_empty() {
            request.url.set_query(Some("wait=true"));
        }
        self.exchange::<Value>(&request).await.map(|_| ())
    }

    fn request(
        &self,
        method: HttpMethod,
        path: &str,
        body: Option<&impl Serialize>,
        time_max: Duration,
    ) -> Result<HttpRequest, Refusal> {
        let unwritable = |error: serde_json::Error| {
            Refusal::Failed(VectorError::refused(error.to_string()).caused_by(error))
        };
        let body = body.map(serde_json::to_vec).transpose().map_err(unwritable)?;
        let mut url = self.collection.clone();
        url.set_path(&format!("{}{path}", self.collection.path()));
        let json = || ("content-type".to_owned(), "application/json".to_owned());
        let key = (!self.api_key.is_empty()).then(|| ("api-key".to_owned(), self.api_key.clone()));
        Ok(HttpRequest {
            method,
            url,
            headers: body.iter().map(|_| json()).collect(),
            secret_headers: key.into_iter().collect(),
            body: body.map(Bytes::from),
            origin: self.origin.clone(),
            secrets: vec![self.api_key.clone()],
            time_max,
            tls: None,
        })
    }

    async fn exchange<T: DeserializeOwned>(&self, request: &HttpRequest) -> Result<T, Refusal> {
        let (status, body) = self.send(request).await.map_err(failure)?;
        if status == 200 {
            let read = parse_as::<Success<T>>(&body, ANSWER_VALUES_MAX);
            // The error of the parser may repeat values.
            return read.map(|success| success.result).map_err(|_| strange(status));
        }
        let told = sentence(&body);
        Err(match (status, told) {
            (404, Some(_)) => Refusal::Missing,
            (401 | 403, _) => Refusal::Failed(VectorError::refused(format!(
                "the key is not accepted (HTTP {status}); see SVC_QDRANT_API_KEY"
            ))),
            (429 | 500.., told) => {
                let told = format!("it answered with HTTP {status} {}", told.unwrap_or_default());
                Refusal::Failed(VectorError::unreachable(told.trim_end().to_owned()))
            }
            (400..=499, Some(told)) => Refusal::Wrong { status, told },
            _ => strange(status),
        })
    }

    /// A stream uses the time limit of the request; a fetch would use that of a search.
    async fn send(&self, request: &HttpRequest) -> Result<(u16, Bytes), FetchError> {
        let mut stream = self.fetch.stream(request).await?;
        let mut body = BytesMut::new();
        while let Some(piece) = stream.body.next().await {
            body.extend_from_slice(&piece?);
        }
        Ok((stream.status, body.freeze()))
    }
}

/// The server's message without the values that it repeats.
fn sentence(body: &[u8]) -> Option<String> {
    let body = parse_answer(body).ok()?;
    let told = body["status"]["error"].as_str()?;
    Some(secret::without_value(told).chars().take(SENTENCE_MAX).collect())
}

fn strange(status: u16) -> Refusal {
    let told = format!("it does not answer as Qdrant does (HTTP {status}); see SVC_QDRANT_URL");
    Refusal::Failed(VectorError::unreachable(told))
}

fn failure(error: FetchError) -> Refusal {
    Refusal::Failed(match error {
        FetchError::Refused { .. } | FetchError::Invalid { .. } => {
            VectorError::refused(error.to_string()).caused_by(error)
        }
        other => VectorError::unreachable(other.to_string()).caused_by(other),
    })
}

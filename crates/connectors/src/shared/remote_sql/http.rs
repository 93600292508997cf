//! One HTTP request to a database API and its JSON response.

use super::base_url::BaseUrl;
use crate::shared::response;
use bytes::Bytes;
use domain::bounded_json::parse_answer;
use domain::ports::{
    ConnectorError, ConnectorErrorKind, HttpMethod, HttpRequest, HttpResponse, Origin, PluginContext,
    TlsOptions,
};
use domain::secret::Secret;
use serde_json::Value;
use std::time::Duration;
use url::Url;

const JSON: &str = "application/json";

/// One request.
pub struct Call<'a> {
    pub url: Url,
    /// GET if absent.
    pub body: Option<&'a Value>,
    /// The value of the `Authorization` header.
    pub authorization: Option<&'a Secret>,
    pub headers: Vec<(String, String)>,
    pub time_max: Duration,
}

pub struct Reply {
    pub status: u16,
    /// `Null` if the response is not JSON.
    pub body: Value,
    pub http: HttpResponse,
}

/// The origin that may receive credentials, and its TLS options.
pub struct Target<'a> {
    pub origin: &'a Origin,
    pub tls: Option<&'a TlsOptions>,
}

impl<'a> From<&'a BaseUrl> for Target<'a> {
    fn from(base_url: &'a BaseUrl) -> Self {
        Self { origin: &base_url.origin, tls: base_url.tls.as_ref() }
    }
}

pub async fn send(
    context: &PluginContext,
    target: Target<'_>,
    call: Call<'_>,
) -> Result<Reply, ConnectorError> {
    let request = request(target, call);
    let http = context.fetch.fetch(&request).await?;
    let bytes = http.body.clone();
    let body = response::beside(bytes.len(), move || parse_answer(&bytes)).await?;
    if let (200..=299, Err(error)) = (http.status, &body) {
        let message = format!("the database's answer {error}");
        return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, message));
    }
    Ok(Reply { status: http.status, body: body.unwrap_or_default(), http })
}

fn request(target: Target<'_>, call: Call<'_>) -> HttpRequest {
    let mut headers = call.headers;
    headers.push(("Accept".to_owned(), JSON.to_owned()));
    let (method, body) = match call.body {
        None => (HttpMethod::Get, None),
        Some(value) => {
            headers.push(("Content-Type".to_owned(), JSON.to_owned()));
            (HttpMethod::Post, Some(Bytes::from(value.to_string())))
        }
    };
    let authorization = call.authorization.cloned();
    // A request whose body holds a secret never follows a redirect to another origin; this one may hold one.
    let secrets = vec![authorization.clone().unwrap_or_else(|| Secret::new("-"))];
    HttpRequest {
        method,
        url: call.url,
        headers,
        secret_headers: authorization.map(|value| ("Authorization".to_owned(), value)).into_iter().collect(),
        body,
        origin: target.origin.clone(),
        secrets,
        time_max: call.time_max,
        tls: target.tls.cloned(),
    }
}

//! Provider probe: the requests that a provider would send, and the outcome of a real one.

use crate::inline_secrets;
use crate::known_secrets::KnownSecrets;
use crate::ports::{HttpRequest, RequestDescription};
use crate::result::{ProviderError, ResultItem};
use crate::secret::MASK;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Authentication schemes, which are not secret; what follows them is masked.
const OPEN_SCHEMES: [&str; 5] = ["Basic", "Bearer", "Digest", "Token", "ApiKey"];

/// The requests for a query. Nothing was sent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, utoipa::ToSchema)]
pub struct DryRun {
    /// One for each page.
    pub requests: Vec<DryRequest>,
    /// Why no request can be built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ProviderError>,
}

/// A request for display, with every secret masked.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct DryRequest {
    /// `GET`, `POST`, `SQL` for a statement, `COMMAND` for a query in JSON.
    #[schema(example = "GET")]
    pub method: String,
    /// Its destination.
    pub url: String,
    pub headers: BTreeMap<String, String>,
    /// The JSON body, or the statement with its values.
    pub body: Option<Value>,
}

impl DryRequest {
    /// `place` is the address of a source that is not queried over HTTP.
    pub fn of(description: RequestDescription<'_>, place: &str) -> Self {
        match description {
            RequestDescription::Http(request) => Self {
                method: request.method.as_str().to_owned(),
                url: request.shown_url(),
                headers: shown_headers(request),
                body: request.body.as_deref().map(|body| shown_body(request, body)),
            },
            RequestDescription::Statement { text, values, rows_max } => Self {
                method: "SQL".to_owned(),
                url: place.to_owned(),
                headers: BTreeMap::new(),
                body: Some(json!({"statement": text, "values": values, "rows_max": rows_max})),
            },
            RequestDescription::Command { place, body, .. } => Self {
                method: "COMMAND".to_owned(),
                url: place.to_owned(),
                headers: BTreeMap::new(),
                body: Some(body.into_owned()),
            },
        }
    }
}

impl DryRequest {
    /// Masks the secrets in the provider's fields.
    pub fn masked(mut self, secrets: &KnownSecrets) -> Self {
        self.url = inline_secrets::mask(&secrets.mask(&self.url));
        self.headers.values_mut().for_each(|value| secrets.mask_in_place(value));
        if let Some(body) = &mut self.body {
            secrets.mask_value(body);
        }
        self
    }
}

/// The outcome of one real query; nothing of it was saved.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = ProviderTest)]
pub struct ProviderProbe {
    /// `OK` or `FAIL`.
    #[schema(example = "OK")]
    pub status: &'static str,
    /// Name of the provider.
    pub provider: String,
    pub found: u64,
    pub retrieved: u64,
    /// Seconds.
    pub time: f64,
    /// The first result, mapped.
    pub sample: Option<ResultItem>,
    pub error: Option<ProviderError>,
}

fn shown_headers(request: &HttpRequest) -> BTreeMap<String, String> {
    let open = request.headers.iter().map(|(name, value)| (name.clone(), request.mask(value)));
    let secret = request.secret_headers.iter().map(|(name, value)| (name.clone(), masked(value.expose())));
    open.chain(secret).collect()
}

fn masked(value: &str) -> String {
    match value.split_once(' ') {
        Some((scheme, _)) if OPEN_SCHEMES.iter().any(|open| open.eq_ignore_ascii_case(scheme)) => {
            format!("{scheme} {MASK}")
        }
        _ => MASK.to_owned(),
    }
}

/// Masks a JSON body value by value, because secrets are escaped inside JSON.
fn shown_body(request: &HttpRequest, body: &[u8]) -> Value {
    match serde_json::from_slice(body) {
        Ok(value) => masked_texts(request, value),
        Err(_) => Value::String(request.mask(&String::from_utf8_lossy(body))),
    }
}

fn masked_texts(request: &HttpRequest, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(request.mask(&text)),
        Value::Array(list) => list.into_iter().map(|item| masked_texts(request, item)).collect(),
        Value::Object(object) => {
            let entries = object.into_iter();
            entries.map(|(name, item)| (request.mask(&name), masked_texts(request, item))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{HttpMethod, Origin};
    use crate::secret::Secret;
    use std::time::Duration;
    use url::Url;

    #[test]
    fn a_request_is_shown_without_its_secrets() {
        let url = Url::parse("https://a.example/?key=s%22cret&q=x").expect("a URL");
        let headers = [("Accept", "text/json"), ("User-Agent", "s\"cret agent")];
        let secret = [
            ("Authorization", "Bearer canary"),
            ("X-Key", "canary"),
            ("X-Team", "canary of rivers"),
            ("Proxy-Authorization", "basic canary"),
        ];
        let request = HttpRequest {
            method: HttpMethod::Post,
            origin: Origin::trusted(&url).expect("an origin"),
            url,
            headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            secret_headers: secret.map(|(name, value)| (name.to_owned(), Secret::new(value))).into(),
            body: Some(r#"{"q": ["x s\"cret"], "s\"cret": 1}"#.into()),
            secrets: vec![Secret::new("s\"cret")],
            time_max: Duration::from_secs(1),
            tls: None,
        };
        let shown = DryRequest::of(RequestDescription::Http(&request), "");
        assert_eq!(
            json!(shown),
            json!({
                "method": "POST",
                "url": "https://a.example/?key=••••&q=x",
                "headers": {
                    "Accept": "text/json",
                    "Authorization": "Bearer ••••",
                    "Proxy-Authorization": "basic ••••",
                    "User-Agent": "•••• agent",
                    "X-Key": "••••",
                    "X-Team": "••••",
                },
                "body": {"q": ["x ••••"], "••••": 1},
            })
        );
    }

    #[test]
    fn a_statement_is_shown_with_its_values() {
        let statement = RequestDescription::Statement {
            text: "select * from t where a like ?1 limit 10",
            values: &["%x%".to_owned()],
            rows_max: 10,
        };
        let shown = DryRequest::of(statement, "books.db");
        assert_eq!((shown.method.as_str(), shown.url.as_str()), ("SQL", "books.db"));
        assert_eq!(
            shown.body,
            Some(
                json!({"statement": "select * from t where a like ?1 limit 10", "values": ["%x%"], "rows_max": 10})
            )
        );
    }
}

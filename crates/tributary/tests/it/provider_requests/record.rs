//! A known provider record and its expected request: as it is sent, and as a dry run shows it.

use base64::Engine;
use domain::ports::HttpRequest;
use domain::search::Sort;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use url::Url;

const RECORDS: &str = "../shared/eval/provider-requests.json";
const MASK: &str = "••••";
/// The headers of these records that are not secret; all other values are masked.
const OPEN_HEADERS: [&str; 2] = ["accept", "content-type"];
/// The authorization schemes of these records; they stay readable before a masked value.
const SCHEMES: [&str; 3] = ["Basic", "Bearer", "ApiKey"];

pub struct Record {
    pub name: String,
    pub given: Value,
    /// The record with the placeholders of a sample (`<your-domain>`) filled, because no host has such a name.
    pub filled: Value,
    expect: Value,
}

/// The parts of a request; header names in lower case, an absent body as `null`.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestParts {
    pub method: String,
    pub url: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

impl Record {
    /// All records; `None` if the file is absent.
    pub fn all() -> Option<Vec<Self>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(RECORDS);
        let Ok(text) = std::fs::read_to_string(&path) else {
            testkit::skip("the requests of the ready sources", &format!("there is no {RECORDS}"));
            return None;
        };
        let list: Vec<Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(list.len(), 53);
        let read = |record: Value| Self {
            name: record["provider"]["name"].as_str().unwrap().to_owned(),
            filled: fill(&record["provider"]),
            expect: fill(&record["expect"]),
            given: record["provider"].clone(),
        };
        Some(list.into_iter().map(read).collect())
    }

    pub fn connector(&self) -> &str {
        self.given["connector"].as_str().unwrap()
    }

    pub fn is_over_http(&self) -> bool {
        matches!(self.connector(), "RequestsGet" | "RequestsPost")
    }

    /// The request that is sent to the source.
    pub fn expected(&self, sort: Sort) -> RequestParts {
        let url = if sort == Sort::Date { "url_date_page1" } else { "url_relevancy_page1" };
        let method = self.expect["method"].as_str().unwrap().to_owned();
        let headers = self.expect["headers"].as_object().unwrap().iter();
        let mut headers: BTreeMap<String, String> =
            headers.map(|(name, value)| (name.to_lowercase(), value.as_str().unwrap().to_owned())).collect();
        if method == "POST" {
            // Every POST of these records has a JSON body, and declares it.
            headers.entry("content-type".to_owned()).or_insert_with(|| "application/json".to_owned());
        }
        if let Some((name, value)) = self.credential_header() {
            assert_eq!(headers.insert(name.to_owned(), value), None, "{}", self.name);
        }
        RequestParts {
            method,
            url: Url::parse(self.expect[url].as_str().unwrap()).unwrap().to_string(),
            headers,
            body: self.expect.get("json_body").cloned().unwrap_or_default(),
        }
    }

    /// The request with the secrets of the record masked.
    pub fn expected_shown(&self, sort: Sort) -> RequestParts {
        let mut said = self.expected(sort);
        for (name, value) in &mut said.headers {
            if !OPEN_HEADERS.contains(&name.as_str()) {
                let scheme = value.split_once(' ').map(|(scheme, _)| scheme.to_owned());
                let scheme = scheme.filter(|scheme| SCHEMES.contains(&scheme.as_str()));
                *value = scheme.map_or(MASK.to_owned(), |scheme| format!("{scheme} {MASK}"));
            }
        }
        if let Some(secret) = self.secret_in_url() {
            assert_eq!(said.url.matches(secret).count(), 1, "{}: {}", self.name, said.url);
            said.url = said.url.replace(secret, MASK);
        }
        // Keys in the URL itself.
        said.url = domain::inline_secrets::mask(&said.url);
        said
    }

    fn auth(&self) -> &str {
        self.expect["auth"].as_str().unwrap()
    }

    fn credentials(&self) -> &str {
        self.filled["credentials"].as_str().unwrap_or_default()
    }

    /// The complete header with the credentials.
    fn credential_header(&self) -> Option<(&'static str, String)> {
        let credentials = self.credentials();
        match self.auth() {
            "HTTPBasicAuth" => {
                let login = credentials.strip_prefix("HTTPBasicAuth('").unwrap().strip_suffix("')").unwrap();
                let login = login.replace("','", ":");
                let login = base64::engine::general_purpose::STANDARD.encode(login);
                Some(("authorization", format!("Basic {login}")))
            }
            "Authorization: Bearer" => {
                let token = credentials.strip_prefix("bearer=").unwrap();
                Some(("authorization", format!("Bearer {token}")))
            }
            "X-Api-Key header" => {
                Some(("x-api-key", credentials.strip_prefix("X-Api-Key=").unwrap().to_owned()))
            }
            "bound into template" => None,
            "none" => {
                assert_eq!(credentials, "", "{}", self.name);
                None
            }
            other => panic!("{}: {other}", self.name),
        }
    }

    /// The value that the template takes from the credentials.
    fn secret_in_url(&self) -> Option<&str> {
        (self.auth() == "bound into template").then(|| self.credentials().split_once('=').unwrap().1)
    }
}

impl RequestParts {
    /// The parts of a request as it is sent, with its secrets.
    pub fn to_source(request: &HttpRequest) -> Self {
        let open = request.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone()));
        let secret = request.secret_headers.iter();
        let secret = secret.map(|(name, value)| (name.to_lowercase(), value.expose().to_owned()));
        let body = request.body.as_deref().map(|body| serde_json::from_slice(body).unwrap());
        Self {
            method: request.method.as_str().to_owned(),
            url: request.url.to_string(),
            headers: open.chain(secret).collect(),
            body: body.unwrap_or_default(),
        }
    }

    /// One of the `requests` of a dry run, which has exactly these four fields.
    pub fn shown(request: &Value) -> Self {
        let fields: Vec<&String> = request.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["method", "url", "headers", "body"]);
        let headers = request["headers"].as_object().unwrap().iter();
        Self {
            method: request["method"].as_str().unwrap().to_owned(),
            url: request["url"].as_str().unwrap().to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_lowercase(), value.as_str().unwrap().to_owned()))
                .collect(),
            body: request["body"].clone(),
        }
    }
}

/// `<your-domain>` becomes `your-domain`.
fn fill(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(['<', '>'], "")),
        Value::Array(list) => list.iter().map(fill).collect(),
        Value::Object(object) => object.iter().map(|(name, item)| (name.clone(), fill(item))).collect(),
        other => other.clone(),
    }
}

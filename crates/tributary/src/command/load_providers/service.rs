//! The API of a remote service, as far as loading providers needs it.

use anyhow::{Context, bail, ensure};
use domain::ports::{Fetch, HttpMethod, HttpRequest, HttpResponse, Origin, TlsOptions};
use domain::provider::name_key;
use domain::secret::Secret;
use outbound::{ClientLimits, GuardedClient};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Time limit of one request. The service checks the address of a source, which may take a while.
const REQUEST_MAX: Duration = Duration::from_secs(60);
/// A page of providers has at most 100, each with texts and templates.
const BODY_BYTES_MAX: u64 = 64 * 1024 * 1024;
const PAGE_ITEMS: usize = 100;
/// Maximum number of pages of providers.
const PAGES_MAX: usize = 1000;
/// Maximum length of a text of the service in a message.
const SHOWN_CHARS_MAX: usize = 500;

/// A client of the service, signed in as an administrator.
pub struct RemoteService {
    client: GuardedClient,
    base: Url,
    authorization: Secret,
    tls: Option<TlsOptions>,
}

/// Why the service refused a record: 400, 409, 413 or 422.
#[derive(Debug)]
pub struct Rejection(String);

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Deserialize)]
struct Me {
    username: String,
    is_admin: bool,
}

#[derive(Deserialize)]
struct ProviderPage {
    count: usize,
    results: Vec<KnownProvider>,
}

/// A provider of the service.
#[derive(Deserialize)]
pub struct KnownProvider {
    pub id: i64,
    name: String,
    #[serde(default)]
    pub url: String,
}

/// The format of all errors of the API.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorAnswer {
    detail: String,
    errors: BTreeMap<String, Vec<String>>,
}

impl RemoteService {
    /// Fails unless the credentials are those of an administrator.
    pub async fn connect(url: &Url, authorization: Secret, ca_file: Option<PathBuf>) -> anyhow::Result<Self> {
        let limits = ClientLimits {
            connect: CONNECT_MAX,
            read: REQUEST_MAX,
            body_bytes_max: BODY_BYTES_MAX,
            redirects_max: 0,
            allow: Vec::new(),
        };
        let mut base = url.clone();
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", url.path()));
        }
        let service = Self {
            client: GuardedClient::new(limits)?,
            base: base.join("svc/")?,
            authorization,
            tls: ca_file.map(|file| TlsOptions { verify: true, ca_file: Some(file) }),
        };
        let me: Me = service.get("users/me/").await?;
        ensure!(
            me.is_admin,
            "'{}' is not an administrator of {url}; only administrators may add providers",
            one_line(&me.username)
        );
        Ok(service)
    }

    /// All providers by the keys of their names.
    pub async fn providers(&self) -> anyhow::Result<HashMap<String, KnownProvider>> {
        let mut known = HashMap::new();
        for page in 1..=PAGES_MAX {
            let path = format!("searchproviders/?items={PAGE_ITEMS}&page={page}");
            let ProviderPage { count, results } = self.get(&path).await?;
            let is_empty = results.is_empty();
            known.extend(results.into_iter().map(|one| (name_key(&one.name), one)));
            if is_empty || page * PAGE_ITEMS >= count {
                return Ok(known);
            }
        }
        bail!("{} has more than {} providers", self.base, PAGES_MAX * PAGE_ITEMS)
    }

    pub async fn create(&self, record: &Value) -> anyhow::Result<Result<(), Rejection>> {
        let response = self.send(HttpMethod::Post, "searchproviders/", Some(record)).await?;
        self.accepted(&response, 201)
    }

    /// Masked or empty credentials keep the stored ones.
    pub async fn replace(&self, id: i64, record: &Value) -> anyhow::Result<Result<(), Rejection>> {
        let response = self.send(HttpMethod::Put, &format!("searchproviders/{id}/"), Some(record)).await?;
        self.accepted(&response, 200)
    }

    fn accepted(&self, response: &HttpResponse, expected: u16) -> anyhow::Result<Result<(), Rejection>> {
        match response.status {
            status if status == expected => Ok(Ok(())),
            400 | 404 | 409 | 413 | 422 => Ok(Err(Rejection(reason(response)))),
            _ => Err(self.failure(response)),
        }
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> anyhow::Result<T> {
        let response = self.send(HttpMethod::Get, path, None).await?;
        if response.status != 200 {
            return Err(self.failure(&response));
        }
        serde_json::from_slice(&response.body)
            .ok()
            .with_context(|| format!("{} does not answer like this service; check --url", self.base))
    }

    async fn send(
        &self,
        method: HttpMethod,
        path: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<HttpResponse> {
        let url = self.base.join(path)?;
        let request = HttpRequest {
            method,
            origin: Origin::trusted(&url).context("--url has no port")?,
            url,
            headers: vec![
                ("Accept".to_owned(), "application/json".to_owned()),
                ("Content-Type".to_owned(), "application/json".to_owned()),
            ],
            secret_headers: vec![("Authorization".to_owned(), self.authorization.clone())],
            body: body.map(|body| body.to_string().into_bytes().into()),
            secrets: Vec::new(),
            time_max: REQUEST_MAX,
            tls: self.tls.clone(),
        };
        Ok(self.client.fetch(&request).await?)
    }

    /// An answer that concerns all records.
    fn failure(&self, response: &HttpResponse) -> anyhow::Error {
        let (base, said) = (&self.base, reason(response));
        match response.status {
            401 => anyhow::anyhow!("{base} refused the user name, the password or the token"),
            300..=399 => anyhow::anyhow!("{base} redirects elsewhere; use the address that it redirects to"),
            status => anyhow::anyhow!("{base} returned {status}: {said}"),
        }
    }
}

/// The errors by field, or else the sentence of an error.
fn reason(response: &HttpResponse) -> String {
    let ErrorAnswer { detail, errors } = serde_json::from_slice(&response.body).unwrap_or_default();
    let fields: Vec<String> = errors
        .iter()
        .flat_map(|(field, sentences)| sentences.iter().map(move |sentence| format!("{field}: {sentence}")))
        .collect();
    let said = if fields.is_empty() { detail } else { fields.join(" ") };
    if said.trim().is_empty() { format!("status {}", response.status) } else { one_line(&said) }
}

/// A text of the service in one line, without control characters.
fn one_line(text: &str) -> String {
    let mut chars = text.chars();
    let shown: String =
        chars.by_ref().take(SHOWN_CHARS_MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if chars.next().is_some() { shown + "…" } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(body: &str) -> HttpResponse {
        HttpResponse { status: 400, headers: Vec::new(), body: body.to_owned().into_bytes().into() }
    }

    #[test]
    fn a_reason_names_the_fields() {
        for (body, expected) in [
            (
                r#"{"detail": "d", "errors": {"name": ["A.", "B."], "url": ["C."]}}"#,
                "name: A. name: B. url: C.",
            ),
            (r#"{"detail": "The name is\u001b[2J taken."}"#, "The name is [2J taken."),
            ("<html>", "status 400"),
            ("{}", "status 400"),
        ] {
            assert_eq!(reason(&response(body)), expected);
        }
        let long = reason(&response(&format!(r#"{{"detail": "{}"}}"#, "x".repeat(SHOWN_CHARS_MAX + 1))));
        assert_eq!(long.chars().count(), SHOWN_CHARS_MAX + 1);
        assert!(long.ends_with('…'));
    }
}

//! Service accounts of Google: a token signed with the key of the account is exchanged for an access token.

use crate::access_token::{self, Key, TokenRequest};
use crate::error::AuthError;
use crate::host::is_within;
use crate::signing_key::SigningKey;
use domain::bounded_json::{self, FIELD_VALUES_MAX};
use domain::instant::Instant;
use domain::ports::{Fetch, Origin, TlsOptions};
use domain::secret::Secret;
use serde_json::{Value, json};
use std::time::Duration;
use syntax::error::SyntaxError;
use url::Url;

const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const DOMAIN: &str = "googleapis.com";
/// Lifetime of a signed assertion; Google allows an hour.
const LIFE_S: i64 = 300;

/// The key of a service account. Its access tokens are sent to one API.
pub struct ServiceAccount {
    email: String,
    private_key: SigningKey,
    key_id: Option<String>,
    token_uri: Url,
    project: Option<String>,
    /// The API is also where tokens are requested.
    is_own: bool,
    /// A hash of the key.
    key: Key,
}

impl ServiceAccount {
    /// Reads the JSON text of a key, which must name the token endpoint of Google, if the API is Google's, or one on
    /// the host of the API. Error messages contain no part of the key.
    pub fn read(text: &str, api: &Origin) -> Result<Self, SyntaxError> {
        let json = bounded_json::parse(text.as_bytes(), FIELD_VALUES_MAX)
            .map_err(|_| "The key is not readable as JSON.")?;
        let field = |name: &str| json.get(name).and_then(Value::as_str);
        let needed = |name: &str| field(name).ok_or_else(|| format!("The key has no {name}."));
        let token_uri = token_endpoint(needed("token_uri")?, api)?;
        Ok(Self {
            email: needed("client_email")?.to_owned(),
            private_key: SigningKey::read(needed("private_key")?)?,
            key_id: field("private_key_id").map(str::to_owned),
            is_own: api.is_of(&token_uri),
            token_uri,
            project: field("project_id").map(str::to_owned),
            key: access_token::key(&["service account", text]),
        })
    }

    /// The project of the key.
    pub fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    /// The key of its access tokens for this scope in the cache.
    pub fn token_key(&self, scope: &str) -> Key {
        let mut key = self.key;
        for (byte, of_scope) in key.iter_mut().zip(access_token::key(&[scope])) {
            *byte ^= of_scope;
        }
        key
    }

    /// The `Authorization` header with an access token for this scope, cached or new. `tls` are the options for the
    /// host of the API.
    pub async fn authorization(
        &self,
        fetch: &dyn Fetch,
        now: Instant,
        scope: &str,
        tls: Option<&TlsOptions>,
        time_max: Duration,
    ) -> Result<Secret, AuthError> {
        let key = self.token_key(scope);
        if let Some(cached) = access_token::cached(&key, now) {
            return Ok(cached);
        }
        let claims = json!({
            "iss": self.email,
            "scope": scope,
            "aud": self.token_uri.as_str(),
            "iat": now.timestamp(),
            "exp": now.timestamp() + LIFE_S,
        });
        let assertion = self.private_key.token(self.key_id.as_deref(), &claims)?;
        let origin = Origin::of(&self.token_uri, self.is_own).ok_or("The key's token_uri has no host.");
        let request = TokenRequest {
            url: self.token_uri.clone(),
            origin: origin.map_err(SyntaxError::from)?,
            tls: tls.filter(|_| self.is_own).cloned(),
            form: &[("grant_type", GRANT), ("assertion", assertion.expose())],
            authorization: None,
            time_max,
        };
        access_token::request(fetch, now, key, request).await
    }
}

/// The token endpoint that a key names. It must be Google's own, and then the token goes to Google only, or on the host
/// of the API.
fn token_endpoint(text: &str, api: &Origin) -> Result<Url, SyntaxError> {
    let sentence = || {
        format!(
            "The key's token_uri and the address of the API must both be on {DOMAIN}, or on the same host."
        )
    };
    let url = Url::parse(text).map_err(|error| SyntaxError::new(sentence()).caused_by(error))?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    let is_vendor = |scheme: &str, host: &str| scheme == "https" && is_within(host, DOMAIN);
    let are_vendor =
        is_vendor(url.scheme(), url.host_str().unwrap_or_default()) && is_vendor(&api.scheme, &api.host);
    if is_plain && (are_vendor || api.is_of(&url)) { Ok(url) } else { Err(sentence().into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use domain::ports::{FetchError, HttpRequest, HttpResponse};
    use std::sync::Mutex;
    use testkit::keys;

    fn origin(url: &str) -> Origin {
        Origin::trusted(&url.parse().expect("a URL")).expect("a host")
    }

    fn key(token_uri: &str) -> String {
        json!({"client_email": "a@b", "private_key": keys::PRIVATE_PEM, "private_key_id": "k7", "token_uri": token_uri,
            "project_id": "mill"})
        .to_string()
    }

    #[test]
    fn a_key_is_exchanged_at_its_vendor_only() {
        let (vendor, own) = ("https://bigquery.googleapis.com", "https://bigquery.example:8443");
        let table = [
            (vendor, "https://oauth2.googleapis.com/token", true),
            (own, "https://bigquery.example:8443/token", true),
            (own, "https://oauth2.googleapis.com/token", false),
            (own, "https://bigquery.example/token", false),
            (vendor, "https://bigquery.example:8443/token", false),
            ("http://bigquery.googleapis.com", "https://oauth2.googleapis.com/token", false),
            ("https://bigquery.googleapis.com.evil.example", "https://oauth2.googleapis.com/token", false),
            (vendor, "http://oauth2.googleapis.com/token", false),
            (vendor, "https://evilgoogleapis.com/token", false),
            (vendor, "https://oauth2.googleapis.com.evil.example/token", false),
            (vendor, "https://oauth2.googleapis.com@evil.example/token", false),
            (vendor, "https://x@oauth2.googleapis.com/token", false),
            (vendor, "token", false),
        ];
        for (api, uri, want) in table {
            assert_eq!(ServiceAccount::read(&key(uri), &origin(api)).is_ok(), want, "{api} {uri}");
        }
    }

    #[test]
    fn a_key_that_cannot_be_read_is_not_shown() {
        for text in ["{hush", "{\"token_uri\": \"hush\"}", "{\"private_key\": \"hush\"}", "hush"] {
            let error =
                ServiceAccount::read(text, &origin("https://a.googleapis.com")).err().expect("no key");
            assert!(!error.message().contains("hush"), "{error}");
        }
    }

    /// Gives a token, and keeps the requests.
    #[derive(Default)]
    struct TokenEndpoint(Mutex<Vec<HttpRequest>>);

    #[async_trait]
    impl Fetch for TokenEndpoint {
        async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
            let mut requests = self.0.lock().expect("no panic");
            requests.push(request.clone());
            let body =
                json!({"access_token": format!("t{}", requests.len()), "expires_in": 3600}).to_string();
            Ok(HttpResponse { status: 200, headers: Vec::new(), body: body.into() })
        }
    }

    #[tokio::test]
    async fn a_token_is_requested_once_for_each_scope() {
        let api = "https://one.googleapis.com";
        let account =
            ServiceAccount::read(&key("https://oauth2.googleapis.com/token"), &origin(api)).expect("a key");
        assert_eq!(account.project(), Some("mill"));
        let endpoint = TokenEndpoint::default();
        let now: Instant = "2024-03-05T10:00:00Z".parse().expect("a time");
        let token = async |scope: &str, now: Instant| {
            let tls = TlsOptions { verify: false, ca_file: None };
            let time_max = Duration::from_secs(5);
            let authorization = account.authorization(&endpoint, now, scope, Some(&tls), time_max).await;
            authorization.expect("a token").expose().to_owned()
        };
        assert_eq!(token("scope-1", now).await, "Bearer t1");
        assert_eq!(token("scope-1", now).await, "Bearer t1");
        assert_eq!(token("scope-2", now).await, "Bearer t2");
        let late = now + chrono::TimeDelta::seconds(3_541);
        assert_eq!(token("scope-1", late).await, "Bearer t3", "shortly before its end");
        access_token::forget(&account.token_key("scope-1"));
        assert_eq!(token("scope-1", late).await, "Bearer t4");
        let requests = endpoint.0.lock().expect("no panic");
        assert!(
            requests.iter().all(|request| request.tls.is_none()),
            "the options are for the API's own host"
        );
        let form = String::from_utf8_lossy(requests[0].body.as_deref().expect("a form"));
        let assertion = form.rsplit_once("assertion=").expect("an assertion").1;
        let (head, claims) = keys::verified(assertion).expect("a good signature");
        assert_eq!(head["kid"], "k7");
        assert_eq!((&claims["iss"], &claims["scope"]), (&json!("a@b"), &json!("scope-1")));
        assert_eq!(claims["exp"].as_i64(), Some(now.timestamp() + LIFE_S));
    }
}

//! Authorization for BigQuery: a service account key, exchanged for access tokens, or a fixed token.

use crate::shared::remote_sql::base_url::BaseUrl;
use crate::shared::remote_sql::http::Target;
use crate::shared::remote_sql::signature::{self, SigningKey};
use crate::shared::remote_sql::token_cache::{self, Grant, Key};
use domain::bounded_json::{self, FIELD_VALUES_MAX};
use domain::ports::{ConnectorError, Origin, PluginContext};
use domain::secret::Secret;
use serde_json::{Value, json};
use std::time::Duration;
use syntax::credentials::SourceCredentials;
use syntax::error::SyntaxError;
use url::Url;

const SCOPE: &str = "https://www.googleapis.com/auth/bigquery";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const DOMAIN: &str = "googleapis.com";
/// Lifetime of a signed assertion; Google allows an hour.
const LIFE_S: i64 = 300;
const NEEDED: &str =
    "Use the key of a service account: its JSON text or the path of its file; or bearer=<token>.";

pub enum Access {
    /// The JSON text of a service account key.
    Account(Secret),
    /// The path of a key file.
    File(String),
    Token(Secret),
}

/// The token for one query.
pub struct AccessToken {
    pub authorization: Secret,
    /// The project of the key.
    pub project: Option<String>,
    /// The key in the token cache.
    pub key: Option<Key>,
}

/// A parsed service account key.
struct ServiceAccount {
    email: String,
    private_key: SigningKey,
    key_id: Option<String>,
    token_uri: Url,
    project: Option<String>,
}

impl Access {
    pub fn of(credentials: &SourceCredentials, base_url: &BaseUrl) -> Result<Self, SyntaxError> {
        match credentials {
            SourceCredentials::Bearer { token, .. } => Ok(Self::Token(token.clone())),
            SourceCredentials::Plain(text) if text.expose().starts_with('{') => {
                ServiceAccount::read(text.expose(), base_url)?;
                Ok(Self::Account(text.clone()))
            }
            SourceCredentials::Plain(path) if path.expose().ends_with(".json") => {
                Ok(Self::File(path.expose().to_owned()))
            }
            _ => Err(NEEDED.into()),
        }
    }

    pub async fn access_token(
        &self,
        base_url: &BaseUrl,
        context: &PluginContext,
        time_max: Duration,
    ) -> Result<AccessToken, ConnectorError> {
        let text = match self {
            Self::Token(token) => {
                let authorization = Secret::new(format!("Bearer {}", token.expose()));
                return Ok(AccessToken { authorization, project: None, key: None });
            }
            Self::Account(text) => text.clone(),
            Self::File(path) => signature::file(path).await?,
        };
        let account = ServiceAccount::read(text.expose(), base_url);
        let account = account.map_err(|error| ConnectorError::of_syntax("credentials", error))?;
        let key = token_cache::key(&["big_query", text.expose()]);
        let authorization = match token_cache::cached(&key, context.clock.now()) {
            Some(cached) => cached,
            None => account.token(base_url, context, key, time_max).await?,
        };
        Ok(AccessToken { authorization, project: account.project, key: Some(key) })
    }
}

impl ServiceAccount {
    /// Error messages contain no part of the key.
    fn read(text: &str, base_url: &BaseUrl) -> Result<Self, SyntaxError> {
        let json = bounded_json::parse(text.as_bytes(), FIELD_VALUES_MAX)
            .map_err(|_| "The key is not readable as JSON.")?;
        let field = |name: &str| json.get(name).and_then(Value::as_str);
        let needed = |name: &str| field(name).ok_or_else(|| format!("The key has no {name}. {NEEDED}"));
        Ok(Self {
            email: needed("client_email")?.to_owned(),
            private_key: SigningKey::read(needed("private_key")?)?,
            key_id: field("private_key_id").map(str::to_owned),
            token_uri: token_endpoint(needed("token_uri")?, base_url)?,
            project: field("project_id").map(str::to_owned),
        })
    }

    async fn token(
        &self,
        base_url: &BaseUrl,
        context: &PluginContext,
        key: Key,
        time_max: Duration,
    ) -> Result<Secret, ConnectorError> {
        let now = context.clock.now().timestamp();
        let claims = json!({
            "iss": self.email,
            "scope": SCOPE,
            "aud": self.token_uri.as_str(),
            "iat": now,
            "exp": now + LIFE_S,
        });
        let assertion = self.private_key.token(self.key_id.as_deref(), &claims)?;
        let is_own = base_url.origin.is_of(&self.token_uri);
        let origin = Origin::of(&self.token_uri, is_own)
            .ok_or_else(|| ConnectorError::in_field("credentials", NEEDED))?;
        let grant = Grant {
            url: self.token_uri.clone(),
            target: Target { origin: &origin, tls: base_url.tls.as_ref().filter(|_| is_own) },
            form: &[("grant_type", GRANT), ("assertion", assertion.expose())],
            authorization: None,
        };
        token_cache::request(context, key, grant, time_max).await
    }
}

/// The token endpoint that a key names. It must be Google's own, and then the token goes to Google only, or on the host
/// of `url`.
fn token_endpoint(text: &str, base_url: &BaseUrl) -> Result<Url, SyntaxError> {
    let sentence = || format!("The key's token_uri and url must both be on {DOMAIN}, or on the same host.");
    let url = Url::parse(text).map_err(|error| SyntaxError::new(sentence()).caused_by(error))?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    let is_vendor = |scheme: &str, host: &str| scheme == "https" && BaseUrl::is_within(host, DOMAIN);
    let are_vendor = is_vendor(url.scheme(), url.host_str().unwrap_or_default())
        && is_vendor(&base_url.origin.scheme, base_url.host());
    if is_plain && (are_vendor || base_url.origin.is_of(&url)) { Ok(url) } else { Err(sentence().into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::keys;

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
        for (url, uri, want) in table {
            let base_url = BaseUrl::parse(url).expect("an address");
            let key = json!({"client_email": "a@b", "private_key": keys::PRIVATE_PEM, "token_uri": uri});
            let credentials = SourceCredentials::Plain(Secret::new(key.to_string()));
            assert_eq!(Access::of(&credentials, &base_url).is_ok(), want, "{url} {uri}");
        }
    }

    #[test]
    fn other_forms_are_refused_without_their_secret() {
        let base_url = BaseUrl::parse("https://bigquery.googleapis.com").expect("an address");
        for text in
            ["reader:hush", "{\"private_key\": \"hush\"}", "{hush", "key=hush", "HTTPBasicAuth('u','hush')"]
        {
            let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
            let vendor_message = Access::of(&credentials, &base_url).err().expect(text);
            assert!(!vendor_message.message().contains("hush"), "{vendor_message}");
        }
        for text in ["/etc/keys/reader.json", "bearer=abc"] {
            let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
            assert!(Access::of(&credentials, &base_url).is_ok(), "{text}");
        }
    }
}

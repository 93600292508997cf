//! Who asks BigQuery: a service account, whose key signs the request for an access token, or a token that was given.

use crate::shared::remote_sql::access::{self, Grant, Key};
use crate::shared::remote_sql::exchange::Target;
use crate::shared::remote_sql::signature::{self, SigningKey};
use crate::shared::remote_sql::site::Site;
use crate::shared::remote_sql::wrong;
use domain::bounded_json::{self, FIELD_VALUES_MAX};
use domain::contracts::{ConnectorError, Origin, PluginContext};
use domain::notation::credentials::SourceCredentials;
use domain::secret::Secret;
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

const SCOPE: &str = "https://www.googleapis.com/auth/bigquery";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const DOMAIN: &str = "googleapis.com";
/// How long a signed request is good; the source allows an hour.
const LIFE_S: i64 = 300;
const NEEDED: &str =
    "Use the key of a service account: its JSON text or the path of its file; or bearer=<token>.";

pub enum Access {
    /// The JSON text of a key.
    Account(Secret),
    /// The file with it.
    File(String),
    Token(Secret),
}

/// The token for one question, and where it came from.
pub struct Pass {
    pub authorization: Secret,
    /// The project of the key.
    pub project: Option<String>,
    /// Under which it is kept.
    pub key: Option<Key>,
}

/// A key of a service account, taken apart.
struct ServiceAccount {
    email: String,
    private_key: SigningKey,
    key_id: Option<String>,
    token_uri: Url,
    project: Option<String>,
}

impl Access {
    pub fn of(credentials: &SourceCredentials, site: &Site) -> Result<Self, String> {
        match credentials {
            SourceCredentials::Bearer { token, .. } => Ok(Self::Token(token.clone())),
            SourceCredentials::Plain(text) if text.expose().starts_with('{') => {
                ServiceAccount::read(text.expose(), site)?;
                Ok(Self::Account(text.clone()))
            }
            SourceCredentials::Plain(path) if path.expose().ends_with(".json") => {
                Ok(Self::File(path.expose().to_owned()))
            }
            _ => Err(NEEDED.to_owned()),
        }
    }

    pub async fn pass(
        &self,
        site: &Site,
        context: &PluginContext,
        time_max: Duration,
    ) -> Result<Pass, ConnectorError> {
        let text = match self {
            Self::Token(token) => {
                let authorization = Secret::new(format!("Bearer {}", token.expose()));
                return Ok(Pass { authorization, project: None, key: None });
            }
            Self::Account(text) => text.clone(),
            Self::File(path) => signature::file(path).await?,
        };
        let account = ServiceAccount::read(text.expose(), site);
        let account = account.map_err(|sentence| wrong("credentials", sentence))?;
        let key = access::key(&["big_query", text.expose()]);
        let authorization = match access::held(&key, context.clock.now()) {
            Some(held) => held,
            None => account.token(site, context, key, time_max).await?,
        };
        Ok(Pass { authorization, project: account.project, key: Some(key) })
    }
}

impl ServiceAccount {
    /// A mistake is told without any part of the key.
    fn read(text: &str, site: &Site) -> Result<Self, String> {
        let json = bounded_json::parse(text.as_bytes(), FIELD_VALUES_MAX)
            .map_err(|_| "The key is not readable as JSON.".to_owned())?;
        let field = |name: &str| json.get(name).and_then(Value::as_str);
        let needed = |name: &str| field(name).ok_or_else(|| format!("The key has no {name}. {NEEDED}"));
        Ok(Self {
            email: needed("client_email")?.to_owned(),
            private_key: SigningKey::read(needed("private_key")?)?,
            key_id: field("private_key_id").map(str::to_owned),
            token_uri: token_place(needed("token_uri")?, site)?,
            project: field("project_id").map(str::to_owned),
        })
    }

    async fn token(
        &self,
        site: &Site,
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
        let is_own = site.origin.is_of(&self.token_uri);
        let origin = Origin::of(&self.token_uri, is_own).ok_or_else(|| wrong("credentials", NEEDED))?;
        let grant = Grant {
            url: self.token_uri.clone(),
            target: Target { origin: &origin, tls: site.tls.as_ref().filter(|_| is_own) },
            form: &[("grant_type", GRANT), ("assertion", assertion.expose())],
            authorization: None,
        };
        access::ask(context, key, grant, time_max).await
    }
}

/// A key names where it is exchanged. That is the vendor's own place, and then the token goes to the vendor only;
/// or it is the place in `url`.
fn token_place(text: &str, site: &Site) -> Result<Url, String> {
    let sentence = || format!("The key's token_uri and url must both be places of {DOMAIN}, or of one host.");
    let url = Url::parse(text).map_err(|_| sentence())?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    let is_vendor = |scheme: &str, host: &str| scheme == "https" && Site::is_within(host, DOMAIN);
    let are_vendor = is_vendor(url.scheme(), url.host_str().unwrap_or_default())
        && is_vendor(&site.origin.scheme, site.host());
    if is_plain && (are_vendor || site.origin.is_of(&url)) { Ok(url) } else { Err(sentence()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::vendors::keys;

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
            let site = Site::read(url).expect("an address");
            let key = json!({"client_email": "a@b", "private_key": keys::PRIVATE_PEM, "token_uri": uri});
            let credentials = SourceCredentials::Plain(Secret::new(key.to_string()));
            assert_eq!(Access::of(&credentials, &site).is_ok(), want, "{url} {uri}");
        }
    }

    #[test]
    fn other_forms_are_refused_without_their_secret() {
        let site = Site::read("https://bigquery.googleapis.com").expect("an address");
        for text in
            ["reader:hush", "{\"private_key\": \"hush\"}", "{hush", "key=hush", "HTTPBasicAuth('u','hush')"]
        {
            let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
            let told = Access::of(&credentials, &site).err().expect(text);
            assert!(!told.contains("hush"), "{told}");
        }
        for text in ["/etc/keys/reader.json", "bearer=abc"] {
            let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
            assert!(Access::of(&credentials, &site).is_ok(), "{text}");
        }
    }
}

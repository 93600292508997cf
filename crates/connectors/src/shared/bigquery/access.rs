//! Authorization for BigQuery: a service account key, exchanged for access tokens, or a fixed token.

use crate::shared::remote_sql::base_url::BaseUrl;
use crate::shared::remote_sql::error;
use api_auth::access_token::Key;
use api_auth::service_account::ServiceAccount;
use api_auth::signing_key;
use domain::ports::{ConnectorError, PluginContext};
use domain::secret::Secret;
use std::time::Duration;
use syntax::credentials::SourceCredentials;
use syntax::error::SyntaxError;

const SCOPE: &str = "https://www.googleapis.com/auth/bigquery";
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

impl Access {
    pub fn of(credentials: &SourceCredentials, base_url: &BaseUrl) -> Result<Self, SyntaxError> {
        match credentials {
            SourceCredentials::Bearer { token, .. } => Ok(Self::Token(token.clone())),
            SourceCredentials::Plain(text) if text.expose().starts_with('{') => {
                ServiceAccount::read(text.expose(), &base_url.origin)?;
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
        let wrong = |error| ConnectorError::of_syntax("credentials", error);
        let text = match self {
            Self::Token(token) => {
                let authorization = Secret::new(format!("Bearer {}", token.expose()));
                return Ok(AccessToken { authorization, project: None, key: None });
            }
            Self::Account(text) => text.clone(),
            Self::File(path) => signing_key::file(path).await.map_err(wrong)?,
        };
        let account = ServiceAccount::read(text.expose(), &base_url.origin).map_err(wrong)?;
        let (now, tls) = (context.clock.now(), base_url.tls.as_ref());
        let authorization = account.authorization(&*context.fetch, now, SCOPE, tls, time_max).await;
        Ok(AccessToken {
            authorization: authorization.map_err(|error| error::of_auth(error, now))?,
            project: account.project().map(str::to_owned),
            key: Some(account.token_key(SCOPE)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

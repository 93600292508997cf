//! Authorization for Snowflake: a fixed token, or one signed with the user's private key.

use super::account::Account;
use api_auth::signing_key::{self, SigningKey};
use domain::instant::Instant;
use domain::ports::ConnectorError;
use domain::secret::Secret;
use serde_json::json;
use syntax::credentials::SourceCredentials;
use syntax::error::SyntaxError;

/// Lifetime of a signed token. Snowflake allows an hour; a query takes less.
const LIFE_S: i64 = 300;

pub enum Access {
    /// A programmatic access token or an OAuth token.
    Token(Secret),
    /// The user's private key: PEM text or the path of a file.
    KeyPair { user: String, key: Secret },
}

impl Access {
    pub fn of(credentials: &SourceCredentials, account: &Account) -> Result<Self, SyntaxError> {
        let pair =
            |name: &str| credentials.pairs().iter().find(|(key, _)| key == name).map(|(_, value)| value);
        match credentials {
            SourceCredentials::Bearer { token, .. } => Ok(Self::Token(token.clone())),
            SourceCredentials::Pairs(_) => match (pair("user"), pair("key_pair")) {
                (Some(user), Some(key)) => {
                    if key.expose().contains("-----BEGIN") {
                        SigningKey::read(key.expose())?;
                    } else if !account.is_at_vendor() {
                        // Naming a file does not prove knowledge of the key, so it may sign for Snowflake itself only.
                        return Err("A key file signs for an account of snowflakecomputing.com only.".into());
                    }
                    Ok(Self::KeyPair { user: user.expose().to_uppercase(), key: key.clone() })
                }
                _ => Err("Use key_pair=<file or PEM text>,user=<name>.".into()),
            },
            _ => Err("The SQL API takes no password. Use bearer=<token> with a programmatic access token, or \
                      key_pair=<file or PEM text>,user=<name>; database and warehouse belong in query_mappings."
                .into()),
        }
    }

    /// The value of the `Authorization` header.
    pub async fn authorization(&self, account: &Account, now: Instant) -> Result<Secret, ConnectorError> {
        let token = match self {
            Self::Token(token) => token.clone(),
            Self::KeyPair { user, key } => signed(user, key, account, now).await?,
        };
        Ok(Secret::new(format!("Bearer {}", token.expose())))
    }

    pub fn headers(&self) -> Vec<(String, String)> {
        match self {
            Self::Token(_) => Vec::new(),
            Self::KeyPair { .. } => {
                vec![("X-Snowflake-Authorization-Token-Type".to_owned(), "KEYPAIR_JWT".to_owned())]
            }
        }
    }
}

async fn signed(user: &str, key: &Secret, account: &Account, now: Instant) -> Result<Secret, ConnectorError> {
    let wrong = |error| ConnectorError::of_syntax("credentials", error);
    let is_text = key.expose().contains("-----BEGIN");
    let pem = if is_text { key.clone() } else { signing_key::file(key.expose()).await.map_err(wrong)? };
    let key = SigningKey::read(pem.expose()).map_err(wrong)?;
    let subject = format!("{}.{user}", account.name);
    let issuer = format!("{subject}.SHA256:{}", key.fingerprint());
    let now = now.timestamp();
    key.token(None, &json!({"iss": issuer, "sub": subject, "iat": now, "exp": now + LIFE_S})).map_err(wrong)
}

/// A new request id: a random UUID.
pub fn request_id() -> String {
    let bits: u128 = rand::random();
    // Version 4, variant 1.
    let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::keys;

    #[test]
    fn passwords_are_refused_plainly() {
        let pem = format!("key_pair={},user=reader", keys::PRIVATE_PEM);
        let table = [
            ("bearer=abc", None),
            ("key_pair=/etc/key.pem,user=reader", None),
            (pem.as_str(), None),
            ("key_pair=-----BEGIN PRIVATE KEY-----,user=reader", Some("PEM")),
            ("key_pair=/etc/key.pem", Some("user=")),
            ("reader:hush:rivers:small", Some("no password")),
            ("HTTPBasicAuth('reader','hush')", Some("no password")),
        ];
        for (text, want) in table {
            let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
            let account = Account::read("riverco", None).expect("an account");
            let vendor_message = Access::of(&credentials, &account).err();
            assert_eq!(vendor_message.is_some(), want.is_some(), "{text}");
            assert!(
                vendor_message
                    .is_none_or(|vendor_message| vendor_message.message().contains(want.unwrap_or_default())
                        && !vendor_message.message().contains("hush"))
            );
        }
    }

    #[tokio::test]
    async fn a_key_file_signs_for_the_vendor_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key.p8");
        std::fs::write(&path, keys::PRIVATE_PEM).expect("a file");
        let text = format!("key_pair={},user=reader", path.display());
        let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
        let account = Account::read("riverco.eu-west-1", None).expect("an account");
        let access = Access::of(&credentials, &account).expect("access");
        let now: Instant = "2024-03-05T10:00:00Z".parse().expect("a time");
        let header = access.authorization(&account, now).await.expect("a token");
        let token = header.expose().strip_prefix("Bearer ").expect("a bearer");
        let (_, claims) = keys::verified(token).expect("a good signature");
        let issuer = format!("RIVERCO.READER.SHA256:{}", keys::FINGERPRINT);
        let (start, end) = (now.timestamp(), now.timestamp() + LIFE_S);
        assert_eq!(claims, json!({"iss": issuer, "sub": "RIVERCO.READER", "iat": start, "exp": end}));
        for url in ["https://evil.example", "http://riverco.snowflakecomputing.com"] {
            let elsewhere = Account::read(url, Some("riverco")).expect("an account");
            assert!(Access::of(&credentials, &elsewhere).is_err(), "{url}");
        }
    }

    #[test]
    fn request_ids_are_uuids() {
        let (one, other) = (request_id(), request_id());
        assert_ne!(one, other);
        assert_eq!(one.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert!(
            one[14..].starts_with('4') && ['8', '9', 'a', 'b'].iter().any(|c| one[19..].starts_with(*c)),
            "{one}"
        );
    }
}

//! Credentials of a search engine: a key in the engine's own header, a login, and certificate options.

use crate::shared::http_auth::basic;
use base64::Engine as _;
use domain::ports::{ConnectorError, TlsOptions};
use domain::secret::Secret;
use std::path::PathBuf;
use syntax::credentials::{Login, SourceCredentials};

/// The names under which a key may be given.
const KEY_NAMES: [&str; 4] = ["ApiKey", "api_key", "apikey", "key"];

/// How an engine expects its key.
#[derive(Debug, Clone, Copy)]
pub struct KeyHeader {
    pub name: &'static str,
    /// The prefix of the key.
    pub prefix: &'static str,
    /// The engine has users: `user:password` is a login, and a key with a colon is sent as Base64.
    pub has_users: bool,
}

impl KeyHeader {
    /// The header for the engine's own form of credentials; `None` if standard HTTP authentication carries them.
    pub fn header(
        &self,
        credentials: &SourceCredentials,
    ) -> Result<Option<(&'static str, Secret)>, ConnectorError> {
        match credentials {
            SourceCredentials::Pairs(pairs) => match pairs.as_slice() {
                [(name, key)] if KEY_NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) => {
                    Ok(Some(self.key(key)))
                }
                _ => Err(unknown()),
            },
            SourceCredentials::Plain(text) => match text.expose().split_once(':') {
                Some((user, password)) if self.has_users => {
                    let login = Login { user: user.to_owned(), password: Secret::new(password) };
                    Ok(Some(("Authorization", basic(&login))))
                }
                _ => Ok(Some(self.key(text))),
            },
            _ => Ok(None),
        }
    }

    fn key(&self, key: &Secret) -> (&'static str, Secret) {
        let mut text = key.expose().trim().to_owned();
        if self.has_users && text.contains(':') {
            text = base64::engine::general_purpose::STANDARD.encode(text);
        }
        (self.name, Secret::new(format!("{}{text}", self.prefix)))
    }
}

/// Separates `verify_certs=` and `ca_certs=` from the rest of a comma-separated list.
pub fn part(credentials: &Secret) -> Result<(Option<TlsOptions>, Secret), ConnectorError> {
    let (mut verify, mut ca_file, mut rest) = (true, None, Vec::new());
    for piece in credentials.expose().split(',') {
        match piece.trim().split_once('=') {
            Some(("verify_certs", value)) => {
                verify = match value.trim().to_ascii_lowercase().as_str() {
                    "true" | "1" | "yes" | "y" => true,
                    "false" | "0" | "no" | "n" => false,
                    // A misspelled value must not disable the verification.
                    _ => {
                        return Err(ConnectorError::in_field(
                            "credentials",
                            "verify_certs is true or false.",
                        ));
                    }
                };
            }
            Some(("ca_certs", path)) => {
                let path = path.trim().trim_matches(['\'', '"']);
                ca_file = (!path.is_empty()).then(|| PathBuf::from(path));
            }
            _ => rest.push(piece),
        }
    }
    let trust = (!verify || ca_file.is_some()).then_some(TlsOptions { verify, ca_file });
    Ok((trust, Secret::new(rest.join(",").trim())))
}

fn unknown() -> ConnectorError {
    let sentence = "Use ApiKey=<key>, bearer=<token>, user:password or HTTPBasicAuth('user','password'), \
                    with verify_certs= and ca_certs= beside it.";
    ConnectorError::in_field("credentials", sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ELASTIC: KeyHeader = KeyHeader { name: "Authorization", prefix: "ApiKey ", has_users: true };
    const OTHER: KeyHeader = KeyHeader { name: "X-KEY", prefix: "", has_users: false };

    fn header(key: &KeyHeader, text: &str) -> Option<(&'static str, String)> {
        let (_, rest) = part(&Secret::new(text)).expect("credentials");
        let credentials = SourceCredentials::parse(&rest).expect("credentials");
        let header = key.header(&credentials).expect("a header");
        header.map(|(name, value)| (name, value.expose().to_owned()))
    }

    #[test]
    fn each_form_has_its_header() {
        let table = [
            (&ELASTIC, "u:p,q", Some(("Authorization", "Basic dTpwLHE="))),
            (&ELASTIC, "verify_certs=False, ca_certs=/a.pem,u:p", Some(("Authorization", "Basic dTpw"))),
            (&ELASTIC, "ApiKey=YWJj,verify_certs=true", Some(("Authorization", "ApiKey YWJj"))),
            (&ELASTIC, "ApiKey=id:key", Some(("Authorization", "ApiKey aWQ6a2V5"))),
            (&ELASTIC, "YWJj", Some(("Authorization", "ApiKey YWJj"))),
            (&ELASTIC, "HTTPBasicAuth('u','p'),verify_certs=false", None),
            (&ELASTIC, "bearer=x,ca_certs=/a.pem", None),
            (&ELASTIC, "", None),
            (&OTHER, "key=a:b", Some(("X-KEY", "a:b"))),
            (&OTHER, "a:b", Some(("X-KEY", "a:b"))),
        ];
        for (key, text, want) in table {
            assert_eq!(header(key, text), want.map(|(name, value)| (name, value.to_owned())), "{text}");
        }
    }

    #[test]
    fn trust_is_parted() {
        let table = [
            ("u:p", None),
            ("verify_certs=true,u:p", None),
            ("verify_certs=no,u:p", Some((false, None))),
            ("u:p,ca_certs='/a.pem'", Some((true, Some("/a.pem")))),
        ];
        for (text, want) in table {
            let want = want.map(|(verify, file)| TlsOptions { verify, ca_file: file.map(PathBuf::from) });
            let (trust, rest) = part(&Secret::new(text)).expect("credentials");
            assert_eq!((trust, rest.expose()), (want, "u:p"), "{text}");
        }
        assert!(part(&Secret::new("verify_certs=perhaps,u:p")).is_err());
    }

    #[test]
    fn what_is_unknown_keeps_its_secret() {
        for text in ["login=hush", "key=hush,other=x"] {
            let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
            let error = ELASTIC.header(&credentials).expect_err(text);
            assert!(!error.message.contains("hush"), "{error}");
        }
    }
}

//! Credentials on an HTTP request: which headers carry them, and which texts must not be shown.

use domain::contracts::{ConnectorError, ConnectorErrorKind};
use domain::notation::credentials::{Login, SourceCredentials};
use domain::secret::Secret;
use std::collections::BTreeMap;
use url::Url;

/// Headers that say nothing about who asks; every other one goes to the provider's own origin only.
const OPEN_HEADERS: [&str; 6] =
    ["accept", "accept-language", "accept-encoding", "cache-control", "content-type", "user-agent"];

/// Headers of one request, parted by who may see them.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    pub open: Vec<(String, String)>,
    pub secret: Vec<(String, Secret)>,
}

/// The provider's headers, overridden by the one that carries its credentials.
pub fn headers(given: &BTreeMap<String, String>, credentials: &SourceCredentials) -> Headers {
    let mut headers = Headers::default();
    let carried = credential_header(credentials);
    for (name, value) in given {
        let is_overridden = carried.as_ref().is_some_and(|(carrier, _)| carrier.eq_ignore_ascii_case(name));
        if is_overridden {
            continue;
        }
        if OPEN_HEADERS.iter().any(|open| open.eq_ignore_ascii_case(name)) {
            headers.open.push((name.clone(), value.clone()));
        } else {
            headers.secret.push((name.clone(), Secret::new(value.clone())));
        }
    }
    headers.secret.extend(carried.map(|(name, value)| (name.to_owned(), value)));
    headers
}

/// Every text that must not be seen, also in the form in which a URL writes it.
pub fn secrets(credentials: &SourceCredentials) -> Vec<Secret> {
    let mut secrets = match credentials {
        SourceCredentials::None => Vec::new(),
        SourceCredentials::Basic(login)
        | SourceCredentials::Digest(login)
        | SourceCredentials::Proxy(login) => {
            vec![login.password.clone()]
        }
        SourceCredentials::Bearer { token, .. } => vec![token.clone()],
        SourceCredentials::ApiKeyHeader(key) | SourceCredentials::Plain(key) => vec![key.clone()],
        SourceCredentials::Pairs(pairs) => pairs.iter().map(|(_, value)| value.clone()).collect(),
    };
    let in_urls: Vec<Secret> = secrets.iter().flat_map(as_in_url).collect();
    secrets.extend(in_urls);
    // The longest first, so that no part of it is left when a shorter one is its beginning.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
    secrets.dedup();
    secrets
}

/// Says why these credentials cannot be used over HTTP.
pub fn check(credentials: &SourceCredentials) -> Result<(), &'static str> {
    match credentials {
        SourceCredentials::Digest(_) => Err("HTTPDigestAuth is not supported; use HTTPBasicAuth or bearer=."),
        SourceCredentials::Bearer { verify_certs: false, .. } => {
            Err("verify_certs=false is not supported: certificates are always verified.")
        }
        SourceCredentials::Bearer { ca_certs: Some(_), .. } => {
            Err("ca_certs is not supported; add the certificate to the machine's own store.")
        }
        _ => Ok(()),
    }
}

/// As [`check`], for a provider that was saved all the same.
pub fn require(credentials: &SourceCredentials) -> Result<(), ConnectorError> {
    check(credentials).map_err(|reason| ConnectorError::new(ConnectorErrorKind::ConfigInvalid, reason))
}

fn credential_header(credentials: &SourceCredentials) -> Option<(&'static str, Secret)> {
    match credentials {
        SourceCredentials::Basic(login) => Some(("Authorization", basic(login))),
        SourceCredentials::Proxy(login) => Some(("Proxy-Authorization", basic(login))),
        SourceCredentials::Bearer { token, .. } => {
            Some(("Authorization", Secret::new(format!("Bearer {}", token.expose()))))
        }
        SourceCredentials::ApiKeyHeader(key) => Some(("X-Api-Key", key.clone())),
        _ => None,
    }
}

fn basic(login: &Login) -> Secret {
    use base64::Engine;
    let pair = format!("{}:{}", login.user, login.password.expose());
    Secret::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
}

/// How a secret that was pasted into a URL reads after the URL was parsed.
fn as_in_url(secret: &Secret) -> Vec<Secret> {
    let mut forms = Vec::new();
    for place in ["http://h/?", "http://h/"] {
        let Ok(url) = Url::parse(&format!("{place}{}", secret.expose())) else { continue };
        let form = &url.as_str()[place.len().min(url.as_str().len())..];
        if form != secret.expose() && !form.is_empty() {
            forms.push(Secret::new(form));
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(text: &str) -> SourceCredentials {
        SourceCredentials::parse(&Secret::new(text)).expect("credentials")
    }

    #[test]
    fn each_form_has_its_header() {
        let table = [
            ("HTTPBasicAuth('user','pass')", "Authorization", "Basic dXNlcjpwYXNz"),
            ("HTTProxyAuth('user','pass')", "Proxy-Authorization", "Basic dXNlcjpwYXNz"),
            ("bearer=abc", "Authorization", "Bearer abc"),
            ("X-Api-Key=abc", "X-Api-Key", "abc"),
        ];
        for (text, name, value) in table {
            let headers = headers(&BTreeMap::new(), &credentials(text));
            assert_eq!(headers.secret, [(name.to_owned(), Secret::new(value))], "{text}");
        }
        assert!(headers(&BTreeMap::new(), &credentials("key=abc")).secret.is_empty());
    }

    #[test]
    fn given_headers_are_parted_and_overridden() {
        let given = [("accept", "x/y"), ("X-API-Token", "t"), ("authorization", "old")];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let headers = headers(&given, &credentials("bearer=new"));
        assert_eq!(headers.open, [("accept".to_owned(), "x/y".to_owned())]);
        let names: Vec<&str> = headers.secret.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["X-API-Token", "Authorization"]);
    }

    #[test]
    fn secrets_are_known_as_a_url_writes_them() {
        let all = secrets(&credentials("key=a b'c<"));
        let shown: Vec<&str> = all.iter().map(Secret::expose).collect();
        assert!(shown.contains(&"a b'c<") && shown.contains(&"a%20b%27c%3C"), "{shown:?}");
        assert!(secrets(&credentials("HTTPBasicAuth('u','p')")).contains(&Secret::new("p")));
    }

    #[test]
    fn says_what_it_cannot_do() {
        for text in ["HTTPDigestAuth('u','p')", "bearer=x,verify_certs=false", "bearer=x,ca_certs=/a"] {
            assert!(check(&credentials(text)).is_err(), "{text}");
        }
        assert!(check(&credentials("bearer=x,verify_certs=true")).is_ok());
    }
}

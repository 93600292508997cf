//! Credentials in HTTP requests: the headers that carry them, and the secrets to redact.

use domain::ports::TlsOptions;
use domain::secret::Secret;
use std::collections::BTreeMap;
use std::path::PathBuf;
use syntax::credentials::{Login, SourceCredentials};
use url::Url;

/// Headers that identify nobody; all others go to the provider's own origin only.
const OPEN_HEADERS: [&str; 5] = ["accept", "accept-language", "cache-control", "content-type", "user-agent"];
/// The HTTP client decides which encodings it can read.
const CLIENT_HEADER: &str = "accept-encoding";

/// Headers of a request, separated into public and secret ones.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    pub open: Vec<(String, String)>,
    pub secret: Vec<(String, Secret)>,
}

/// The provider's headers, overridden by the one that carries its credentials.
pub fn headers(given: &BTreeMap<String, String>, credentials: &SourceCredentials) -> Headers {
    let mut headers = Headers::default();
    let carried = credential_header(credentials);
    let carrier = match credentials {
        // The header is built after the challenge of the source.
        SourceCredentials::Digest(_) => Some("Authorization"),
        _ => carried.as_ref().map(|(carrier, _)| *carrier),
    };
    for (name, value) in given {
        let is_overridden = carrier.is_some_and(|carrier| carrier.eq_ignore_ascii_case(name));
        if is_overridden || name.eq_ignore_ascii_case(CLIENT_HEADER) {
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

/// Every secret to redact, also in its URL-encoded form.
pub fn secrets(credentials: &SourceCredentials) -> Vec<Secret> {
    let mut secrets = credentials.secrets();
    let in_urls: Vec<Secret> = secrets.iter().flat_map(as_in_url).collect();
    secrets.extend(in_urls);
    // The longest first, so that no part of one remains when a shorter one is its prefix.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
    secrets.dedup();
    secrets
}

/// The TLS options in the credentials, if any.
pub fn tls(credentials: &SourceCredentials) -> Option<TlsOptions> {
    match credentials {
        SourceCredentials::Bearer { verify_certs, ca_certs, .. } if !verify_certs || ca_certs.is_some() => {
            Some(TlsOptions { verify: *verify_certs, ca_file: ca_certs.as_ref().map(PathBuf::from) })
        }
        _ => None,
    }
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

/// The value of a basic authentication header.
pub fn basic(login: &Login) -> Secret {
    use base64::Engine;
    let pair = format!("{}:{}", login.user, login.password.expose());
    Secret::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
}

/// How a secret in a URL reads after the URL was parsed.
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
        for none_yet in ["key=abc", "HTTPDigestAuth('u','p')"] {
            assert!(headers(&BTreeMap::new(), &credentials(none_yet)).secret.is_empty(), "{none_yet}");
        }
    }

    #[test]
    fn given_headers_are_parted_and_overridden() {
        let given =
            [("accept", "x/y"), ("Accept-Encoding", "br"), ("X-API-Token", "t"), ("authorization", "old")];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let headers = headers(&given, &credentials("bearer=new"));
        assert_eq!(headers.open, [("accept".to_owned(), "x/y".to_owned())]);
        let names: Vec<&str> = headers.secret.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["X-API-Token", "Authorization"]);
        let digest = super::headers(&given, &credentials("HTTPDigestAuth('u','p')"));
        assert_eq!(digest.secret.len(), 1, "the old one is not sent beside the answer to a challenge");
    }

    #[test]
    fn secrets_are_known_as_a_url_writes_them() {
        let all = secrets(&credentials("key=a b'c<"));
        let shown: Vec<&str> = all.iter().map(Secret::expose).collect();
        assert!(shown.contains(&"a b'c<") && shown.contains(&"a%20b%27c%3C"), "{shown:?}");
        assert!(secrets(&credentials("HTTPBasicAuth('u','p')")).contains(&Secret::new("p")));
    }

    #[test]
    fn trust_is_as_the_bearer_says() {
        let table = [
            ("bearer=x", None),
            ("bearer=x,verify_certs=true", None),
            ("bearer=x,verify_certs=false", Some((false, None))),
            ("bearer=x,ca_certs=/a.pem", Some((true, Some("/a.pem")))),
            ("key=x,verify_certs=false", None),
        ];
        for (text, want) in table {
            let want = want.map(|(verify, file)| TlsOptions { verify, ca_file: file.map(PathBuf::from) });
            assert_eq!(tls(&credentials(text)), want, "{text}");
        }
    }
}

//! Replaces the secrets of a request by placeholders.

use crate::fields::identifier_words::{is_listed, words};
use crate::request::curl::Request;
use std::collections::BTreeMap;

/// Credentials and headers with placeholders for secrets.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SecretPlaceholders {
    pub credentials: String,
    pub headers: BTreeMap<String, String>,
    pub remarks: Vec<String>,
}

/// Headers that belong to a client or a session, not to the provider.
const IGNORED_HEADERS: &str = "host content-length connection accept-encoding origin referer dnt pragma cache-control \
    priority te upgrade-insecure-requests x-requested-with content-type if-none-match \
    if-modified-since expect";

/// The headers and credentials of a request, with placeholders for secrets. `parameters` are the names of the secret
/// URL parameters.
pub fn replace_secrets(request: &Request, parameters: &[String]) -> SecretPlaceholders {
    let mut placeholders = SecretPlaceholders::default();
    let pairs: Vec<String> =
        parameters.iter().map(|name| format!("{}={}", credential_name(name), placeholder(name))).collect();
    placeholders.credentials = pairs.join(",");
    if request.user.is_some() {
        placeholders.set_credentials(
            "HTTPBasicAuth('YOUR_USER','YOUR_PASSWORD')",
            "Authorization",
            "Basic YOUR_CREDENTIALS",
        );
    }
    for (name, value) in &request.headers {
        let lower = name.to_ascii_lowercase();
        if is_listed(&lower, IGNORED_HEADERS) || lower.starts_with("sec-") || name.is_empty() {
            continue;
        }
        match lower.as_str() {
            "authorization" => placeholders.add_authorization(value),
            "x-api-key" => placeholders.set_credentials("X-Api-Key=YOUR_KEY", name, "YOUR_KEY"),
            "cookie" => placeholders
                .remarks
                .push("The cookie was ignored: a source should not depend on one.".to_owned()),
            "user-agent" if value.starts_with("Mozilla/") => {}
            _ if is_secret(name) => {
                placeholders.headers.insert(name.clone(), placeholder(name).to_owned());
            }
            _ => {
                placeholders.headers.insert(name.clone(), value.clone());
            }
        }
    }
    placeholders
}

impl SecretPlaceholders {
    fn add_authorization(&mut self, value: &str) {
        let scheme = value.split_whitespace().next().unwrap_or_default();
        match scheme.to_ascii_lowercase().as_str() {
            "bearer" => self.set_credentials("bearer=YOUR_TOKEN", "Authorization", "Bearer YOUR_TOKEN"),
            "basic" => {
                self.set_credentials(
                    "HTTPBasicAuth('YOUR_USER','YOUR_PASSWORD')",
                    "Authorization",
                    "Basic YOUR_CREDENTIALS",
                );
            }
            _ if value.contains(' ') => {
                self.headers.insert("Authorization".to_owned(), format!("{scheme} YOUR_KEY"));
            }
            _ => {
                self.headers.insert("Authorization".to_owned(), "YOUR_KEY".to_owned());
            }
        }
    }

    /// `credentials` has one form; a second secret stays a header.
    fn set_credentials(&mut self, credentials: &str, header: &str, value: &str) {
        if self.credentials.is_empty() {
            self.credentials = credentials.to_owned();
        } else {
            self.headers.insert(header.to_owned(), value.to_owned());
            self.remarks.push(format!(
                "The request has more than one secret; that of {header} is in http_request_headers."
            ));
        }
    }
}

/// True for the name of a parameter or header that contains a secret.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    let whole = words.concat();
    let is_whole = ["key", "token", "auth", "password", "secret", "appid", "apikey", "signature", "sig"]
        .contains(&whole.as_str());
    let ends = ["apikey", "accesskey", "subscriptionkey", "token", "secret", "password", "authkey", "appkey"];
    is_whole || ends.iter().any(|ending| whole.ends_with(ending)) && !whole.starts_with("page")
}

/// The name of a secret parameter in `credentials`.
pub fn credential_name(name: &str) -> String {
    let plain: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).collect();
    // `bearer=` and `X-Api-Key=` are other forms of credentials.
    if plain.is_empty() || ["bearer", "x-api-key"].contains(&plain.to_ascii_lowercase().as_str()) {
        return "key".to_owned();
    }
    plain
}

/// The placeholder of a secret.
fn placeholder(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        name if name.contains("token") => "YOUR_TOKEN",
        name if name.contains("password") || name.contains("secret") => "YOUR_PASSWORD",
        _ => "YOUR_KEY",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::curl::parse;

    #[test]
    fn every_secret_is_replaced() {
        let table = [
            ("-H 'Authorization: Bearer hush'", &[][..], "bearer=YOUR_TOKEN", ""),
            ("-H 'authorization: Basic aHVzaA=='", &[], "HTTPBasicAuth('YOUR_USER','YOUR_PASSWORD')", ""),
            ("-H 'Authorization: ApiKey hush'", &[], "", "Authorization: ApiKey YOUR_KEY"),
            ("-H 'Authorization: hush'", &[], "", "Authorization: YOUR_KEY"),
            ("-u hush:hush", &[], "HTTPBasicAuth('YOUR_USER','YOUR_PASSWORD')", ""),
            ("-H 'X-API-Key: hush'", &[], "X-Api-Key=YOUR_KEY", ""),
            ("-H 'X-Subscription-Token: hush'", &[], "", "X-Subscription-Token: YOUR_TOKEN"),
            ("", &["api_key"], "api_key=YOUR_KEY", ""),
            ("", &["key", "token"], "key=YOUR_KEY,token=YOUR_TOKEN", ""),
            ("-H 'Authorization: Bearer hush'", &["key"], "key=YOUR_KEY", "Authorization: Bearer YOUR_TOKEN"),
            (
                "-b 'sid=hush' -H 'User-Agent: Mozilla/5.0' -H 'sec-ch: 1' -H 'Accept: a/b'",
                &[],
                "",
                "Accept: a/b",
            ),
        ];
        for (options, parameters, credentials, headers) in table {
            let request = parse(&format!("curl {options} https://h.example/"));
            let request = request.unwrap_or_else(|error| panic!("{error}")).expect("a request");
            let names: Vec<String> = parameters.iter().map(|&name| name.to_owned()).collect();
            let placeholders = replace_secrets(&request, &names);
            let shown: Vec<String> =
                placeholders.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            assert_eq!(
                (placeholders.credentials.as_str(), shown.join(", ").as_str()),
                (credentials, headers),
                "{options}"
            );
            assert!(!format!("{placeholders:?}").contains("hush"), "{options}");
        }
    }

    #[test]
    fn secrets_are_recognized_by_name() {
        for name in
            ["key", "apikey", "api-key", "apiKey", "access_token", "X-Auth-Token", "appid", "client_secret"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in ["q", "keyword", "page", "format", "pageToken", "keys_only", "author", "sort"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}

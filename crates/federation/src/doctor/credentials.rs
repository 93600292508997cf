//! Secrets of a pasted request: they are recognised, taken out, and leave a blank to be filled.

use super::request::Request;
use super::words::{is_listed, words};
use std::collections::BTreeMap;

/// What the provider says in place of the secrets.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Blanks {
    pub credentials: String,
    pub headers: BTreeMap<String, String>,
    pub remarks: Vec<String>,
}

/// Headers that belong to one program or one visit, not to the source.
const NOISE: &str = "host content-length connection accept-encoding origin referer dnt pragma cache-control \
    priority te upgrade-insecure-requests x-requested-with content-type if-none-match \
    if-modified-since expect";

/// The kept headers and the credentials of a request, with blanks for the secrets. `parameters` are the names
/// of the secret parameters in the address.
pub fn blanks(request: &Request, parameters: &[String]) -> Blanks {
    let mut blanks = Blanks::default();
    let pairs: Vec<String> = parameters.iter().map(|name| format!("{}={}", key(name), blank(name))).collect();
    blanks.credentials = pairs.join(",");
    if request.user.is_some() {
        blanks.carry("HTTPBasicAuth('YOUR_USER','YOUR_PASSWORD')", "Authorization", "Basic YOUR_CREDENTIALS");
    }
    for (name, value) in &request.headers {
        let lower = name.to_ascii_lowercase();
        if is_listed(&lower, NOISE) || lower.starts_with("sec-") || name.is_empty() {
            continue;
        }
        match lower.as_str() {
            "authorization" => blanks.authorization(value),
            "x-api-key" => blanks.carry("X-Api-Key=YOUR_KEY", name, "YOUR_KEY"),
            "cookie" => {
                blanks.remarks.push("The cookie was left out: a source should not depend on one.".to_owned())
            }
            "user-agent" if value.starts_with("Mozilla/") => {}
            _ if is_secret(name) => {
                blanks.headers.insert(name.clone(), blank(name).to_owned());
            }
            _ => {
                blanks.headers.insert(name.clone(), value.clone());
            }
        }
    }
    blanks
}

impl Blanks {
    fn authorization(&mut self, value: &str) {
        let scheme = value.split_whitespace().next().unwrap_or_default();
        match scheme.to_ascii_lowercase().as_str() {
            "bearer" => self.carry("bearer=YOUR_TOKEN", "Authorization", "Bearer YOUR_TOKEN"),
            "basic" => {
                self.carry(
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

    /// `credentials` takes one form; what comes second stays a header.
    fn carry(&mut self, credentials: &str, header: &str, value: &str) {
        if self.credentials.is_empty() {
            self.credentials = credentials.to_owned();
        } else {
            self.headers.insert(header.to_owned(), value.to_owned());
            self.remarks.push(format!(
                "The request has more than one secret; the one of {header} stands in http_request_headers."
            ));
        }
    }
}

/// True for a parameter or a header that holds a secret, by its name.
pub fn is_secret(name: &str) -> bool {
    let words = words(name);
    let whole = words.concat();
    let is_whole = ["key", "token", "auth", "password", "secret", "appid", "apikey", "signature", "sig"]
        .contains(&whole.as_str());
    let ends = ["apikey", "accesskey", "subscriptionkey", "token", "secret", "password", "authkey", "appkey"];
    is_whole || ends.iter().any(|ending| whole.ends_with(ending)) && !whole.starts_with("page")
}

/// The name of a secret parameter as `credentials` can say it.
pub fn key(name: &str) -> String {
    let plain: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')).collect();
    // `bearer=` and `X-Api-Key=` begin other forms of credentials.
    if plain.is_empty() || ["bearer", "x-api-key"].contains(&plain.to_ascii_lowercase().as_str()) {
        return "key".to_owned();
    }
    plain
}

/// What a person puts in place of a secret.
fn blank(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        name if name.contains("token") => "YOUR_TOKEN",
        name if name.contains("password") || name.contains("secret") => "YOUR_PASSWORD",
        _ => "YOUR_KEY",
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::read;
    use super::*;

    #[test]
    fn every_secret_leaves_a_blank() {
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
            let request = read(&format!("curl {options} https://h.example/"));
            let request = request.unwrap_or_else(|error| panic!("{error}")).expect("a request");
            let names: Vec<String> = parameters.iter().map(|&name| name.to_owned()).collect();
            let blanks = blanks(&request, &names);
            let shown: Vec<String> =
                blanks.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            assert_eq!(
                (blanks.credentials.as_str(), shown.join(", ").as_str()),
                (credentials, headers),
                "{options}"
            );
            assert!(!format!("{blanks:?}").contains("hush"), "{options}");
        }
    }

    #[test]
    fn secrets_are_known_by_name() {
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

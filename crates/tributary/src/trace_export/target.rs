//! Where traces are sent: `SVC_OTLP_ENDPOINT` and `SVC_OTLP_HEADERS`.

use anyhow::{Context, ensure};
use bytes::Bytes;
use domain::known_secrets::KnownSecrets;
use domain::ports::{HttpMethod, HttpRequest, Origin};
use domain::secret::{Secret, has_login};
use domain::settings::Settings;
use std::time::Duration;
use url::Url;

/// Time limit of one request to the collector.
const SEND_TIME_MAX: Duration = Duration::from_secs(10);
/// Most headers that can be set.
const HEADERS_MAX: usize = 20;
/// Headers that frame the message or describe its body. The HTTP client sends its own.
const OWN_HEADERS: [&str; 8] =
    ["connection", "content-length", "content-type", "host", "te", "trailer", "transfer-encoding", "upgrade"];
/// The path of the protocol, for an endpoint without one.
const TRACES_PATH: &str = "/v1/traces";

/// The collector and the headers for it.
#[derive(Clone)]
pub struct ExportTarget {
    url: Url,
    origin: Origin,
    headers: Vec<(String, Secret)>,
}

impl ExportTarget {
    /// None if no endpoint is set.
    pub fn of(settings: &Settings) -> anyhow::Result<Option<Self>> {
        let endpoint = settings.otlp_endpoint.trim();
        if endpoint.is_empty() {
            return Ok(None);
        }
        // The address itself would be repeated by the next error.
        ensure!(!has_login(endpoint), "SVC_OTLP_ENDPOINT: credentials belong in SVC_OTLP_HEADERS");
        ensure!(
            !endpoint.contains(['?', '#']),
            "SVC_OTLP_ENDPOINT: it has a query or a fragment; credentials belong in SVC_OTLP_HEADERS"
        );
        let (url, origin) = parse_endpoint(endpoint).with_context(|| {
            format!("SVC_OTLP_ENDPOINT: '{endpoint}' is not an address such as http://127.0.0.1:4318")
        })?;
        let headers = parse_headers(settings.otlp_headers.expose()).context("SVC_OTLP_HEADERS")?;
        Ok(Some(Self { url, origin, headers }))
    }

    pub fn host(&self) -> &str {
        &self.origin.host
    }

    /// The values of the headers. A repetition of `Bearer abc` may omit the scheme.
    pub fn secrets(&self) -> KnownSecrets {
        let values = self.headers.iter().map(|(_, value)| value.expose());
        KnownSecrets::of_texts(values.flat_map(|value| [value, value.rsplit(' ').next().unwrap_or(value)]))
    }

    pub fn request(&self, body: Bytes) -> HttpRequest {
        HttpRequest {
            method: HttpMethod::Post,
            url: self.url.clone(),
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            secret_headers: self.headers.clone(),
            body: Some(body),
            origin: self.origin.clone(),
            secrets: Vec::new(),
            time_max: SEND_TIME_MAX,
            tls: None,
        }
    }
}

fn parse_endpoint(text: &str) -> anyhow::Result<(Url, Origin)> {
    let mut url = Url::parse(text)?;
    ensure!(matches!(url.scheme(), "http" | "https"), "use http or https");
    if url.path() == "/" {
        url.set_path(TRACES_PATH);
    }
    // Set by the operator.
    let origin = Origin::trusted(&url).context("it has no host")?;
    Ok((url, origin))
}

/// The errors do not repeat the entries, which are secret.
fn parse_headers(text: &str) -> anyhow::Result<Vec<(String, Secret)>> {
    let entries: Vec<&str> = text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
    ensure!(entries.len() <= HEADERS_MAX, "at most {HEADERS_MAX} headers can be set");
    let parse = |(place, entry): (usize, &&str)| -> anyhow::Result<(String, Secret)> {
        let (name, value) =
            entry.split_once('=').with_context(|| format!("entry {} is not name=value", place + 1))?;
        let (name, value) = (name.trim(), value.trim());
        let is_name = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        ensure!(!name.is_empty() && name.chars().all(is_name), "entry {} has no valid name", place + 1);
        let is_own = OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name));
        ensure!(!is_own, "entry {} names a header that the service sets", place + 1);
        let is_value = |c: char| c == ' ' || c.is_ascii_graphic();
        ensure!(value.chars().all(is_value), "the value of entry {} is not plain text", place + 1);
        Ok((name.to_owned(), Secret::new(value)))
    };
    entries.iter().enumerate().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(endpoint: &str, headers: &str) -> anyhow::Result<Option<ExportTarget>> {
        ExportTarget::of(&Settings {
            otlp_endpoint: endpoint.to_owned(),
            otlp_headers: Secret::new(headers),
            ..Settings::default()
        })
    }

    #[test]
    fn the_path_of_the_protocol_is_added_to_an_address_without_one() {
        assert!(target("", "").unwrap().is_none());
        for (endpoint, url) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            (" https://collector.example/ ", "https://collector.example/v1/traces"),
            ("https://collector.example/otlp/v1/traces", "https://collector.example/otlp/v1/traces"),
        ] {
            let request = target(endpoint, "").unwrap().unwrap().request(Bytes::new());
            assert_eq!((request.url.as_str(), request.origin.is_trusted), (url, true));
        }
    }

    #[test]
    fn a_wrong_address_is_named() {
        for wrong in ["collector", "127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://"] {
            let error = target(wrong, "").err().unwrap();
            let text = error.to_string();
            assert!(text.contains("SVC_OTLP_ENDPOINT") && text.contains(wrong), "{text}");
        }
        let error = target("http://user:canary@collector.example", "").err().unwrap();
        assert_eq!(error.to_string(), "SVC_OTLP_ENDPOINT: credentials belong in SVC_OTLP_HEADERS");
        for wrong in ["http://collector.example/?key=canary", "http://collector.example/#canary", "c?canary"]
        {
            let error = target(wrong, "").err().unwrap();
            assert_eq!(
                format!("{error:#}"),
                "SVC_OTLP_ENDPOINT: it has a query or a fragment; credentials belong in SVC_OTLP_HEADERS"
            );
        }
    }

    #[test]
    fn headers_of_the_service_are_refused() {
        for name in OWN_HEADERS.map(str::to_uppercase) {
            let error = target("http://a.example", &format!("a=1,{name}=canary")).err().unwrap();
            assert_eq!(
                format!("{error:#}"),
                "SVC_OTLP_HEADERS: entry 2 names a header that the service sets",
                "{name}"
            );
        }
    }

    #[test]
    fn headers_are_secret() {
        let found =
            target("http://a.example", "Authorization=Basic YTpi=, X-Tenant = one ,").unwrap().unwrap();
        let headers = found.request(Bytes::new()).secret_headers;
        let shown: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
        assert_eq!(shown, [("Authorization", "Basic YTpi="), ("X-Tenant", "one")]);
        assert_eq!(found.secrets().mask("Basic YTpi= or YTpi=?").matches("YTpi").count(), 0);
        let many = "a=b,".repeat(HEADERS_MAX + 1);
        for wrong in ["canary", "a=1,canary", "=canary", "can ary=1", "a=\u{7}canary", many.as_str()] {
            let error = target("http://a.example", wrong).err().unwrap();
            let text = format!("{error:#}");
            assert!(text.starts_with("SVC_OTLP_HEADERS: ") && !text.contains("canary"), "{text}");
        }
    }
}

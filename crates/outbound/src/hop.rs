//! One hop of a request: what is sent, and how a redirect changes it.

use crate::guard::check_form;
use crate::host::host_of;
use bytes::Bytes;
use domain::ports::{FetchError, HttpMethod, HttpRequest};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use url::Url;

/// Headers that callers cannot set, because they frame the message or select the host.
const OWN_HEADERS: &[&str] =
    &["connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"];

/// Headers that always contain credentials.
const CREDENTIAL_HEADERS: &[&str] = &["authorization", "cookie", "proxy-authorization"];

/// The default `User-Agent`.
const OWN_NAME: &str = concat!("Tributary/", env!("CARGO_PKG_VERSION"));

#[derive(Debug)]
pub(crate) struct Hop {
    pub(crate) url: Url,
    pub(crate) method: HttpMethod,
    pub(crate) body: Option<Bytes>,
    /// No hop has left the origin of the request so far. It stays false after returning to the origin, because another
    /// host chose the URL.
    pub(crate) is_own_origin: bool,
}

impl Hop {
    pub(crate) fn first(request: &HttpRequest) -> Self {
        Self {
            url: request.url.clone(),
            method: request.method,
            body: request.body.clone(),
            is_own_origin: request.origin.is_of(&request.url),
        }
    }

    /// The hop after a redirect.
    pub(crate) fn redirected(
        self,
        request: &HttpRequest,
        status: u16,
        location: &str,
    ) -> Result<Self, FetchError> {
        let broken = |reason: &str| FetchError::broken(host_of(&self.url), reason);
        let url = self
            .url
            .join(location)
            .map_err(|error| broken("it redirects to something that is no address").caused_by(error))?;
        check_form(&url).map_err(|reason| broken(&format!("it redirects to a refused address: {reason}")))?;
        let is_own_origin = self.is_own_origin && request.origin.is_of(&url);
        let keeps_body = matches!(status, 307 | 308);
        // A HEAD request stays a HEAD request.
        let keeps_method = keeps_body || self.method == HttpMethod::Head;
        let method = if keeps_method { self.method } else { HttpMethod::Get };
        let body = if keeps_body { self.body } else { None };
        let has_secrets = request.secrets.iter().any(|secret| !secret.is_empty());
        if !is_own_origin && has_secrets && body.is_some() {
            let reason = "it redirects a body that may hold credentials to another place";
            return Err(FetchError::broken(host_of(&self.url), reason));
        }
        Ok(Self { url, method, body, is_own_origin })
    }

    /// The request headers. Credentials are only sent to the origin.
    pub(crate) fn headers(&self, request: &HttpRequest) -> Result<HeaderMap, FetchError> {
        let lost_body = self.body.is_none() && request.body.is_some();
        let mut headers = HeaderMap::new();
        headers.insert(USER_AGENT, HeaderValue::from_static(OWN_NAME));
        for (name, value) in &request.headers {
            let (name, value) = parse_header(name, value)?;
            if name == USER_AGENT {
                // A request may override it.
                headers.remove(USER_AGENT);
                if value.is_empty() {
                    continue;
                }
            }
            let describes_body = name.as_str().starts_with("content-");
            if (lost_body && describes_body) || (!self.is_own_origin && is_credential(request, &name, &value))
            {
                continue;
            }
            headers.append(name, value);
        }
        if self.is_own_origin {
            for (name, value) in &request.secret_headers {
                let (name, mut value) = parse_header(name, value.expose())?;
                value.set_sensitive(true);
                headers.append(name, value);
            }
        }
        Ok(headers)
    }
}

fn parse_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), FetchError> {
    let parsed_name = HeaderName::from_bytes(name.as_bytes())
        .map_err(|error| FetchError::invalid("a header has a name that is not valid").caused_by(error))?;
    if OWN_HEADERS.contains(&parsed_name.as_str()) {
        return Err(FetchError::invalid(format!("the header {parsed_name} cannot be set")));
    }
    match HeaderValue::from_str(value) {
        Ok(parsed_value) => Ok((parsed_name, parsed_value)),
        Err(error) => {
            let reason = format!("the value of the header {parsed_name} is not valid");
            Err(FetchError::invalid(reason).caused_by(error))
        }
    }
}

fn is_credential(request: &HttpRequest, name: &HeaderName, value: &HeaderValue) -> bool {
    let text = String::from_utf8_lossy(value.as_bytes());
    CREDENTIAL_HEADERS.contains(&name.as_str()) || request.mask(&text) != text
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::{Origin, chain};
    use domain::secret::Secret;
    use std::time::Duration;

    fn request(url: &str) -> HttpRequest {
        let url = Url::parse(url).unwrap();
        HttpRequest {
            method: HttpMethod::Post,
            origin: Origin::untrusted(&url).unwrap(),
            url,
            headers: vec![
                ("Accept".to_owned(), "text/xml".to_owned()),
                ("Content-Type".to_owned(), "text/plain".to_owned()),
                ("X-Note".to_owned(), "the key is s3cret".to_owned()),
                ("Cookie".to_owned(), "a=b".to_owned()),
            ],
            secret_headers: vec![("X-Key".to_owned(), Secret::new("s3cret"))],
            body: Some(Bytes::from_static(b"words")),
            secrets: vec![],
            time_max: Duration::from_secs(1),
            tls: None,
        }
    }

    fn names(hop: &Hop, request: &HttpRequest) -> Vec<String> {
        hop.headers(request).unwrap().keys().map(|name| name.to_string()).collect()
    }

    #[test]
    fn a_redirect_changes_method_and_body_by_its_status() {
        let cases = [
            (301, HttpMethod::Get, false),
            (302, HttpMethod::Get, false),
            (303, HttpMethod::Get, false),
            (307, HttpMethod::Post, true),
            (308, HttpMethod::Post, true),
        ];
        for (status, method, has_body) in cases {
            let request = request("http://a.example/x/y");
            let hop = Hop::first(&request).redirected(&request, status, "../z?q=1").unwrap();
            assert_eq!(hop.url.as_str(), "http://a.example/z?q=1");
            assert_eq!((hop.method, hop.body.is_some()), (method, has_body), "{status}");
            assert_eq!(names(&hop, &request).contains(&"content-type".to_owned()), has_body, "{status}");
        }
    }

    #[test]
    fn a_question_for_the_head_stays_one() {
        for status in [301, 302, 303, 307, 308] {
            let mut request = request("http://a.example/");
            (request.method, request.body) = (HttpMethod::Head, None);
            let hop = Hop::first(&request).redirected(&request, status, "/z").unwrap();
            assert_eq!((hop.method, hop.body), (HttpMethod::Head, None), "{status}");
        }
    }

    #[test]
    fn secrets_stay_at_home() {
        let cases = [
            ("https://a.example/other", true),
            ("https://a.example:443/", true),
            ("//A.example/", true),
            ("http://a.example/", false),
            ("https://a.example:444/", false),
            ("https://b.example/", false),
            ("https://a.example.b.example/", false),
            ("https://a.example./", false),
        ];
        for (location, is_own_origin) in cases {
            let mut request = request("https://a.example/");
            request.body = None;
            request.secrets = vec![Secret::new("s3cret")];
            let hop = Hop::first(&request).redirected(&request, 307, location).unwrap();
            for name in ["x-key", "cookie", "x-note"] {
                assert_eq!(
                    names(&hop, &request).contains(&name.to_owned()),
                    is_own_origin,
                    "{location} {name}"
                );
            }
            assert!(names(&hop, &request).contains(&"accept".to_owned()), "{location}");
        }
    }

    #[test]
    fn a_request_has_one_name_or_none() {
        assert!(OWN_NAME.starts_with(domain::SERVICE_NAME) && OWN_NAME.ends_with(domain::VERSION));
        let cases: [(&[&str], Option<&str>); 4] = [
            (&[], Some(OWN_NAME)),
            (&["bot/1"], Some("bot/1")),
            (&[""], None),
            (&["bot/1", "bot/2"], Some("bot/2")),
        ];
        for (given, expected) in cases {
            let mut request = request("https://a.example/");
            request.headers =
                given.iter().map(|name| ("user-agent".to_owned(), (*name).to_owned())).collect();
            let headers = Hop::first(&request).headers(&request).unwrap();
            let sent: Vec<_> = headers.get_all(USER_AGENT).iter().collect();
            assert_eq!(sent, expected.into_iter().collect::<Vec<_>>(), "{given:?}");
        }
    }

    #[test]
    fn a_way_that_comes_back_stays_a_stranger() {
        let request = request("https://a.example/");
        let away = Hop::first(&request).redirected(&request, 302, "https://b.example/").unwrap();
        let back = away.redirected(&request, 302, "https://a.example/").unwrap();
        assert!(!names(&back, &request).contains(&"x-key".to_owned()));

        let mut elsewhere = self::request("https://a.example/");
        elsewhere.url = Url::parse("https://b.example/").unwrap();
        assert!(!names(&Hop::first(&elsewhere), &elsewhere).contains(&"x-key".to_owned()));
    }

    #[test]
    fn a_body_with_secrets_does_not_go_elsewhere() {
        let mut request = request("https://a.example/");
        request.secrets = vec![Secret::new("s3cret")];
        let refused = Hop::first(&request).redirected(&request, 308, "https://b.example/");
        assert!(matches!(refused, Err(FetchError::Broken { host, .. }) if host == "a.example"));
        assert!(Hop::first(&request).redirected(&request, 308, "/b").unwrap().body.is_some());
        assert!(Hop::first(&request).redirected(&request, 303, "https://b.example/").is_ok());
    }

    #[test]
    fn refuses_locations_that_lead_nowhere() {
        for location in ["file:///etc/passwd", "http://user@b.example/", "http://[::1/", "javascript:x"] {
            let request = request("https://a.example/");
            let refused = Hop::first(&request).redirected(&request, 302, location);
            assert!(matches!(refused, Err(FetchError::Broken { .. })), "{location}");
        }
    }

    #[test]
    fn refuses_headers_without_telling_their_values() {
        let cases = [
            ("Host", "b.example", "the header host cannot be set"),
            ("Content-Length", "5", "the header content-length cannot be set"),
            ("a b", "c", "a header has a name that is not valid"),
            ("X-A", "s3cret\r\nX-B: c", "the value of the header x-a is not valid"),
        ];
        for (name, value, expected) in cases {
            let mut request = request("https://a.example/");
            request.headers = vec![(name.to_owned(), value.to_owned())];
            let error = Hop::first(&request).headers(&request).unwrap_err();
            assert_eq!(error.to_string(), FetchError::invalid(expected).to_string());
            assert!(!chain(&error).contains("s3cret"), "{error:?}");
        }
    }
}

//! Sends a request once and explains failures.

use crate::errors::{DiagnosisError, DiagnosisErrorKind, analysis_failed};
use crate::request::curl::{Body, Request};
use crate::request::secrets::is_secret;
use base64::Engine;
use domain::known_secrets::KnownSecrets;
use domain::ports::{Fetch, FetchError, HttpRequest, HttpResponse, Origin, ReadAnswer};
use domain::secret::Secret;
use federation::CpuPool;
use serde_json::Value;
use std::time::Duration;
use url::form_urlencoded;

/// Headers that do not identify the user; all others are sent only to the named host.
const OPEN_HEADERS: [&str; 5] = ["accept", "accept-language", "cache-control", "content-type", "user-agent"];
const ACCEPT: &str = "application/json, application/xml;q=0.9, */*;q=0.5";

/// Parses responses as the connectors do, off the async runtime.
pub struct ResponseParser<'a> {
    pub cpu: &'a CpuPool,
    pub read_answer: ReadAnswer,
}

/// Sends the request and parses the response. The host is trusted like that of a saved provider, because an
/// administrator names it; the limits of the client apply.
pub async fn send(
    request: &Request,
    fetch: &dyn Fetch,
    time_max: Duration,
    parser: ResponseParser<'_>,
) -> Result<Value, DiagnosisError> {
    let built = build(request, time_max)?;
    let host = built.origin.host.clone();
    let response = fetch
        .fetch(&built)
        .await
        .map_err(|error| DiagnosisError::new(DiagnosisErrorKind::Source, advise(&error)).caused_by(error))?;
    check_status(&response, &host)?;
    let kind = response.header("content-type").map(str::to_owned);
    let ResponseParser { cpu, read_answer } = parser;
    let read = cpu.run(move || {
        let kind = response.header("content-type");
        read_answer(kind, &response.body)
    });
    let Some(read) = read.await else { return analysis_failed() };
    let mut sample = read.map_err(|error| {
        let kind = kind.as_deref().filter(|kind| !kind.is_empty()).unwrap_or("an unknown type");
        let sentence = format!("{host} responded with {kind}: {}. Check that this is the URL of the API and not of a web page; some sources need a parameter such as format=json.", error.message);
        DiagnosisError::new(DiagnosisErrorKind::Response, sentence).caused_by(error)
    })?;
    KnownSecrets::of_request(&built).mask_value(&mut sample);
    Ok(sample)
}

fn build(request: &Request, time_max: Duration) -> Result<HttpRequest, DiagnosisError> {
    let origin = Origin::trusted(&request.url)
        .ok_or_else(|| DiagnosisError::new(DiagnosisErrorKind::Request, "The URL has no host."))?;
    let (mut headers, mut secret_headers) = (Vec::new(), Vec::new());
    for (name, value) in &request.headers {
        let lower = name.to_ascii_lowercase();
        match lower.as_str() {
            "host" | "content-length" | "connection" | "accept-encoding" | "cookie" => {}
            _ if OPEN_HEADERS.contains(&lower.as_str()) => headers.push((name.clone(), value.clone())),
            _ => secret_headers.push((name.clone(), Secret::new(value.clone()))),
        }
    }
    if let Some((user, password)) = &request.user {
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}"));
        secret_headers.push(("Authorization".to_owned(), Secret::new(format!("Basic {pair}"))));
    }
    if request.header("accept").is_none() {
        headers.push(("Accept".to_owned(), ACCEPT.to_owned()));
    }
    let body = request.body.as_ref().map(|body| match body {
        Body::Json(value) => ("application/json", value.to_string()),
        Body::Form(pairs) => {
            let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
            ("application/x-www-form-urlencoded", text)
        }
    });
    if let Some((kind, _)) = &body
        && request.header("content-type").is_none()
    {
        headers.push(("Content-Type".to_owned(), (*kind).to_owned()));
    }
    let secrets = request.url.query_pairs().filter(|(name, _)| is_secret(name));
    Ok(HttpRequest {
        method: request.method,
        secrets: secrets.map(|(_, value)| Secret::new(value.into_owned())).collect(),
        url: request.url.clone(),
        headers,
        secret_headers,
        body: body.map(|(_, text)| text.into()),
        origin,
        time_max,
        tls: None,
    })
}

/// The error, and what to do about it.
fn advise(error: &FetchError) -> String {
    let advice = match error {
        FetchError::UnknownHost { .. } => {
            "Check the spelling of the URL, and that this machine can resolve names (DNS)."
        }
        FetchError::Connect { .. } => {
            "Check the port, that the source is running, and that no firewall blocks it."
        }
        FetchError::Tls { .. } => {
            "Check that the source's certificate is valid for this name and that this machine trusts its issuer; the URL of a source without a certificate begins with http://."
        }
        FetchError::Timeout { .. } => {
            "Try again; if it stays slow, request fewer results, or provide a sample response instead."
        }
        FetchError::Refused { .. } => {
            "The source may have redirected there; use the URL that it redirects to."
        }
        FetchError::TooLarge { .. } | FetchError::MemoryExceeded { .. } => "Request fewer results.",
        FetchError::Busy => "Wait a moment and try again.",
        FetchError::Redirects { .. } => "Use the URL that it finally leads to; it may require a sign-in.",
        FetchError::Broken { .. } => "Try again; if it fails again, provide a sample response instead.",
        FetchError::Invalid { .. } => "Check the URL and the headers.",
    };
    let mut sentence = error.to_string();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{sentence}. {advice}")
}

fn check_status(response: &HttpResponse, host: &str) -> Result<(), DiagnosisError> {
    let advice = match response.status {
        200..=299 => return Ok(()),
        401 | 403 => {
            "It requires credentials, or rejects those in the request; add them to the request, for example with -H 'Authorization: Bearer …'."
        }
        404 | 410 => "There is nothing at this path; check it against the source's documentation.",
        405 => "It requires another method; use -X POST or -X GET.",
        400..=428 | 430..=499 => "It does not accept the request; check the parameters.",
        429 => "It limits the rate of requests; wait a while.",
        300..=399 => "It redirects elsewhere; use the URL that it leads to.",
        _ => "The source failed; try again later.",
    };
    let sentence = format!("{host} responded with HTTP {}. {advice}", response.status);
    Err(DiagnosisError::new(DiagnosisErrorKind::Source, sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::curl::parse;

    fn built(text: &str) -> HttpRequest {
        let request = parse(text).unwrap_or_else(|error| panic!("{error}")).expect("a request");
        build(&request, Duration::from_secs(1)).expect("built")
    }

    #[test]
    fn secrets_are_separated() {
        let request = built(
            "curl 'https://h.example/?key=hush&q=a' -H 'X-Token: hush' -H 'Accept: a/b' -u me:hush --json '{\"a\":1}'",
        );
        assert_eq!(format!("{request:?}"), "POST https://h.example/?key=••••&q=a");
        assert!(request.origin.is_trusted && request.origin.host == "h.example");
        let open: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(open, ["Accept", "Content-Type"]);
        let secret: Vec<&str> = request.secret_headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(secret, ["X-Token", "Authorization"]);
        assert_eq!(request.body.as_deref(), Some(&b"{\"a\":1}"[..]));
        let form = built("curl https://h.example/ -d 'q=a b'");
        assert_eq!(form.body.as_deref(), Some(&b"q=a+b"[..]));
    }

    #[test]
    fn every_failure_has_advice() {
        let host = || "h.example".to_owned();
        let table = [
            (FetchError::UnknownHost { host: host() }, "DNS"),
            (
                FetchError::Connect { host: host(), reason: "connection refused".into(), source: None },
                "firewall",
            ),
            (FetchError::Tls { host: host(), reason: "expired".into(), source: None }, "certificate"),
            (FetchError::Timeout { host: host() }, "fewer results"),
            (FetchError::TooLarge { host: host(), bytes_max: 7 }, "fewer results"),
            (FetchError::Redirects { host: host(), max: 5 }, "leads to"),
            (FetchError::broken(host(), "x"), "sample"),
            (FetchError::invalid("x"), "headers"),
            (FetchError::Refused { place: host() }, "redirect"),
        ];
        for (error, part) in table {
            let sentence = advise(&error);
            assert!(sentence.contains(part) && sentence.starts_with(char::is_uppercase), "{sentence}");
        }
        for (status, part) in [
            (401, "credentials"),
            (404, "path"),
            (405, "method"),
            (400, "parameters"),
            (429, "wait"),
            (500, "later"),
            (302, "elsewhere"),
        ] {
            let response = HttpResponse { status, headers: Vec::new(), body: Vec::new().into() };
            let sentence = check_status(&response, "h.example").expect_err("refused").to_string();
            assert!(sentence.contains(part) && sentence.contains(&status.to_string()), "{sentence}");
        }
    }
}

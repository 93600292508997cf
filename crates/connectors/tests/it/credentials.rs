//! Credentials in requests, and the error for a missing session value.

use crate::fixture::{Script, answer, connector, provider, query};
use domain::ports::{ConnectorError, ConnectorErrorKind, HttpResponse, NormalizedPage};
use domain::provider::ProviderSpec;
use std::path::PathBuf;
use std::sync::Arc;

fn spec(credentials: &str) -> ProviderSpec {
    ProviderSpec {
        url: "https://api.example/search".into(),
        query_template: "{url}?q={query_string}".into(),
        response_mappings: "RESULTS=items".into(),
        credentials: credentials.into(),
        ..ProviderSpec::default()
    }
}

fn challenged(challenges: &[&str]) -> HttpResponse {
    let headers = challenges.iter().map(|text| ("www-authenticate".to_owned(), (*text).to_owned()));
    HttpResponse { status: 401, headers: headers.collect(), body: Default::default() }
}

async fn asked(script: &Arc<Script>, spec: ProviderSpec) -> Result<NormalizedPage, ConnectorError> {
    let connector = connector(spec, &script.context());
    connector.prepare(&query("solid state"))?.execute().await?.normalize()
}

/// The `Authorization` headers of each request.
fn authorizations(script: &Script) -> Vec<Vec<String>> {
    let requests = script.asked.lock().expect("a list");
    let of = |headers: &[(String, domain::secret::Secret)]| {
        let named = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("authorization"));
        named.map(|(_, value)| value.expose().to_owned()).collect()
    };
    requests.iter().map(|request| of(&request.secret_headers)).collect()
}

const MD5: &str = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5";
const SHA_256: &str = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256";

#[tokio::test]
async fn digest_answers_a_challenge() {
    for connector in ["RequestsGet", "RequestsPost"] {
        let fine = answer("application/json", r#"{"items": [{"a": 1}]}"#);
        let script = Script::of([challenged(&["Basic realm=\"b\"", MD5, SHA_256]), fine]);
        let spec = ProviderSpec { connector: connector.into(), ..spec("HTTPDigestAuth('ann','hush')") };
        let page = asked(&script, spec).await.expect("a page");
        assert_eq!(page.items.len(), 1);
        let sent = authorizations(&script);
        assert!(sent[0].is_empty(), "nothing is sent before the source has asked");
        assert_eq!(sent[1].len(), 1);
        assert!(sent[1][0].starts_with("Digest username=\"ann\", realm=\"r\""), "{sent:?}");
        assert!(sent[1][0].contains("algorithm=SHA-256") && !sent[1][0].contains("hush"), "{sent:?}");
        assert!(sent[1][0].contains("uri=\"/search?q=solid+state\""), "{sent:?}");
        let requests = script.asked.lock().expect("a list");
        assert!(requests[1].time_max <= requests[0].time_max);
        assert_eq!(requests[0].body, requests[1].body);
    }
}

#[tokio::test]
async fn digest_gives_up_after_one_answer() {
    let script = Script::of([challenged(&[MD5]), challenged(&[MD5]), answer("application/json", "{}")]);
    let error = asked(&script, spec("HTTPDigestAuth('ann','hush')")).await.expect_err("refused");
    assert_eq!((error.kind, authorizations(&script).len()), (ConnectorErrorKind::Denied, 2));
    let script = Script::of([challenged(&["Negotiate"]), answer("application/json", "{}")]);
    let error = asked(&script, spec("HTTPDigestAuth('ann','hush')")).await.expect_err("refused");
    assert_eq!((error.kind, authorizations(&script).len()), (ConnectorErrorKind::Denied, 1));
}

#[tokio::test]
async fn only_a_bearer_speaks_of_certificates() {
    let options = [
        ("bearer=t", None),
        ("bearer=t,verify_certs=false", Some((false, None))),
        (
            "bearer=t,verify_certs=true,ca_certs=/etc/own.pem",
            Some((true, Some(PathBuf::from("/etc/own.pem")))),
        ),
    ];
    for (credentials, want) in options {
        let script = Script::of([answer("application/json", "{}")]);
        asked(&script, spec(credentials)).await.expect("a page");
        let requests = script.asked.lock().expect("a list");
        let tls = requests[0].tls.clone().map(|tls| (tls.verify, tls.ca_file));
        assert_eq!(tls, want, "{credentials}");
        drop(requests);
        assert_eq!(authorizations(&script), [["Bearer t"]]);
    }
}

/// Without a session value, a source that needs one gets no request.
#[test]
fn a_source_that_needs_a_session_is_not_connected() {
    let script = Script::of([]);
    for kind in connectors::CATALOGUE.iter().filter(|kind| kind.name.starts_with("Requests")) {
        let needy =
            ProviderSpec { eval_credentials: "session['token']".into(), ..spec("bearer={credentials}") };
        let provider = provider(needy);
        assert!((kind.check)(&provider).is_empty());
        let error = (kind.build)(&provider, &script.context()).expect_err("no session");
        assert_eq!(error.kind, ConnectorErrorKind::NotConnected);
        assert!(error.message.contains("session"), "{error}");
    }
    let unused = ProviderSpec { eval_credentials: "token".into(), ..spec("key=x") };
    connector(unused, &script.context());
}

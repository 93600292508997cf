//! Cloud services that users connect, against strict fakes: the connector suite, error responses, and that a token is
//! sent to its API only.

mod google;
mod microsoft;
mod ready;
mod storage;
mod tokens;

use crate::fixture::{all_services_at, guarded_context, kind};
use domain::ports::{ConnectorError, ConnectorErrorKind, PluginContext};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use domain::secret::Secret;
use fakes::access_tokens::{NARROW_TOKEN, TOKEN};
use fakes::cloud_state::CloudState;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use testkit::suites::connector::{Literal, Mistake, Subject};

/// All services at one address, with the real HTTP client.
fn context(address: &str) -> PluginContext {
    PluginContext { settings: Arc::new(all_services_at(address)), ..guarded_context() }
}

/// Url and credentials are wrong on purpose: they must not be used.
fn spec(connector: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Mine".into(),
        connector: connector.into(),
        url: "https://evil.example/".into(),
        credentials: "bearer=never-sent-credential".into(),
        ..ProviderSpec::default()
    }
}

fn subject(connector: &str, address: &str, literal: Literal) -> Subject {
    let spec = spec(connector);
    let mistake = |what, token: Option<&str>, kind| Mistake {
        what,
        spec: spec.clone(),
        user_token: token.map(Secret::new),
        kind,
    };
    Subject {
        kind: kind(connector),
        context: context(address),
        mistakes: vec![
            mistake("nothing connected", None, ConnectorErrorKind::NotConnected),
            mistake("an empty token", Some(""), ConnectorErrorKind::NotConnected),
            mistake("a token that ended", Some("ended-token-77"), ConnectorErrorKind::NotConnected),
            mistake("a missing permission", Some(NARROW_TOKEN), ConnectorErrorKind::Denied),
        ],
        spec,
        user_token: Some(Secret::new(TOKEN)),
        reader: None,
        many: "river",
        date: Some(date),
        literal,
    }
}

fn title(item: &Value) -> String {
    item["title"].as_str().expect("a title").to_owned()
}

fn date(item: &Value) -> String {
    item["date_published"].as_str().expect("a date").to_owned()
}

async fn refused(subject: &Subject) -> ConnectorError {
    subject.ask("river", Sort::Relevancy, 5).await.expect_err("a refusal")
}

/// The error responses of every service and the resulting errors.
async fn tells_refusals(subject: &Subject, state: &CloudState) {
    let table = [
        (429, Some(7), ConnectorErrorKind::RateLimited),
        (503, Some(7), ConnectorErrorKind::RateLimited),
        (503, None, ConnectorErrorKind::Unavailable),
        (500, None, ConnectorErrorKind::Unavailable),
        (401, None, ConnectorErrorKind::NotConnected),
    ];
    for (status, rest, kind) in table {
        state.refuse(status, rest);
        let error = refused(subject).await;
        assert_eq!(error.kind, kind, "{status}: {error}");
        assert_eq!(error.retry_after, rest.map(|rest| Duration::from_secs(rest.into())), "{status}");
    }
    let error = refused(&Subject { context: context("http://127.0.0.1:1"), ..like(subject) }).await;
    assert_eq!(error.kind, ConnectorErrorKind::Unavailable, "{error}");
    let error =
        refused(&Subject { context: context(&format!("{}/nowhere", address(subject))), ..like(subject) })
            .await;
    assert_eq!(error.kind, ConnectorErrorKind::PlaceUnknown, "{error}");
    assert!(error.message.contains("_URL"), "{error}");
}

fn address(subject: &Subject) -> &str {
    &subject.context.settings.microsoft_graph_url
}

fn like(subject: &Subject) -> Subject {
    subject_of(subject, subject.spec.clone())
}

/// The subject with another spec and without mistakes.
fn subject_of(subject: &Subject, spec: ProviderSpec) -> Subject {
    Subject {
        kind: subject.kind,
        context: subject.context.clone(),
        spec,
        user_token: subject.user_token.clone(),
        reader: None,
        many: subject.many,
        date: subject.date,
        mistakes: Vec::new(),
        literal: Literal::Found(title),
    }
}

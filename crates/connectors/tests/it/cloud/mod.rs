//! Services that people connect, against strict stand-ins: the whole contract of each connector, refusals, and that
//! a token goes nowhere but to the API.

mod google;
mod microsoft;
mod ready;
mod storage;
mod tokens;

use crate::house::{all_services_at, gate, kind};
use domain::contracts::{ConnectorError, ConnectorErrorKind, Toolbox};
use domain::provider::ProviderDraft;
use domain::search::Sort;
use domain::secret::Secret;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use testkit::suites::connector::{Literal, Mistake, Subject};
use testkit::vendors::callers::{NARROW_TOKEN, TOKEN};
use testkit::vendors::cloud_desk::CloudDesk;

/// All services at one address, by the real gate.
fn toolbox(address: &str) -> Toolbox {
    Toolbox { settings: Arc::new(all_services_at(address)), ..gate() }
}

/// Url and credentials are those of somebody else: they are not read.
fn draft(connector: &str) -> ProviderDraft {
    ProviderDraft {
        name: "Mine".into(),
        connector: connector.into(),
        url: "https://evil.example/".into(),
        credentials: "bearer=never-sent-credential".into(),
        ..ProviderDraft::default()
    }
}

fn subject(connector: &str, address: &str, literal: Literal) -> Subject {
    let draft = draft(connector);
    let mistake = |what, token: Option<&str>, kind| Mistake {
        what,
        draft: draft.clone(),
        user_token: token.map(Secret::new),
        kind,
    };
    Subject {
        kind: kind(connector),
        toolbox: toolbox(address),
        mistakes: vec![
            mistake("nothing connected", None, ConnectorErrorKind::NotConnected),
            mistake("an empty token", Some(""), ConnectorErrorKind::NotConnected),
            mistake("a token that ended", Some("ended-token-77"), ConnectorErrorKind::NotConnected),
            mistake("a missing permission", Some(NARROW_TOKEN), ConnectorErrorKind::Denied),
        ],
        draft,
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

/// What every service may answer, and what is told about it.
async fn tells_refusals(subject: &Subject, desk: &CloudDesk) {
    let table = [
        (429, Some(7), ConnectorErrorKind::RateLimited),
        (503, Some(7), ConnectorErrorKind::RateLimited),
        (503, None, ConnectorErrorKind::Unavailable),
        (500, None, ConnectorErrorKind::Unavailable),
        (401, None, ConnectorErrorKind::NotConnected),
    ];
    for (status, rest, kind) in table {
        desk.refuse(status, rest);
        let error = refused(subject).await;
        assert_eq!(error.kind, kind, "{status}: {error}");
        assert_eq!(error.retry_after, rest.map(|rest| Duration::from_secs(rest.into())), "{status}");
    }
    let error = refused(&Subject { toolbox: toolbox("http://127.0.0.1:1"), ..like(subject) }).await;
    assert_eq!(error.kind, ConnectorErrorKind::Unavailable, "{error}");
    let error =
        refused(&Subject { toolbox: toolbox(&format!("{}/nowhere", address(subject))), ..like(subject) })
            .await;
    assert_eq!(error.kind, ConnectorErrorKind::PlaceUnknown, "{error}");
    assert!(error.message.contains("_URL"), "{error}");
}

fn address(subject: &Subject) -> &str {
    &subject.toolbox.settings.microsoft_graph_url
}

fn like(subject: &Subject) -> Subject {
    subject_of(subject, subject.draft.clone())
}

/// The same with another draft, and without mistakes.
fn subject_of(subject: &Subject, draft: ProviderDraft) -> Subject {
    Subject {
        kind: subject.kind,
        toolbox: subject.toolbox.clone(),
        draft,
        user_token: subject.user_token.clone(),
        reader: None,
        many: subject.many,
        date: subject.date,
        mistakes: Vec::new(),
        literal: Literal::Found(title),
    }
}

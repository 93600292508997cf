//! A token is sent to the configured API only, never to a look-alike host or one named by a response.

use super::{context, kind, spec, subject, title};
use crate::fixture::{Script, answer, provider, query};
use domain::ports::{ConnectorErrorKind, Fetch, PluginContext};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::secret::Secret;
use fakes::box_storage::BoxStorage;
use fakes::microsoft_graph::{Graph, SCOPES};
use outbound::{AllowRule, ClientLimits, GuardedClient};
use std::sync::Arc;
use std::time::Duration;
use syntax::network::Network;
use testkit::suites::connector::Literal;

const CONNECTORS: [&str; 10] = [
    "M365OutlookMessages",
    "M365OutlookCalendar",
    "M365OneDrive",
    "M365SharePointSites",
    "MicrosoftTeams",
    "GoogleDrive",
    "Gmail",
    "GoogleCalendar",
    "BoxStorage",
    "Dropbox",
];

fn connected(connector: &str, token: &str) -> SearchProvider {
    SearchProvider { user_token: Some(Secret::new(token)), ..provider(spec(connector)) }
}

/// Whatever url the provider has, requests go to the vendor's own host with the token in one header.
#[tokio::test]
async fn every_request_goes_to_the_vendor() {
    let hosts = ["graph.microsoft.com", "www.googleapis.com", "api.box.com", "api.dropboxapi.com"];
    for connector in CONNECTORS {
        let script = Script::of((0..3).map(|_| answer("application/json", "{}")));
        let built = (kind(connector).build)(&connected(connector, "canary-token"), &script.context());
        let connector_built = built.expect("a connector");
        let question = connector_built.prepare(&query("river")).expect("a question");
        assert!(
            !question.shown().contains("canary-token") && !question.shown().contains("evil"),
            "{connector}"
        );
        question.execute().await.expect("an answer");
        for sent in script.asked.lock().expect("a list").iter() {
            assert!(hosts.contains(&sent.url.host_str().expect("a host")), "{connector}: {sent:?}");
            assert!(sent.origin.is_of(&sent.url), "{connector}: {sent:?}");
            assert!(sent.headers.iter().all(|(_, value)| !value.contains("canary")), "{connector}");
            let secret: Vec<&str> = sent.secret_headers.iter().map(|(_, value)| value.expose()).collect();
            assert_eq!(secret, ["Bearer canary-token"], "{connector}");
        }
    }
}

#[tokio::test]
async fn a_link_that_leads_elsewhere_is_refused_and_named() {
    let graph = Graph::start().await;
    let subject = subject("M365OutlookMessages", &graph.listener.url, Literal::Found(title));
    for host in ["graph.microsoft.com.evil.test", "evilgraph.microsoft.com"] {
        graph.state.lock().link = Some(format!("https://{host}/v1.0/search/query?$skip=25"));
        let error = subject.ask("river", Sort::Relevancy, 5).await.expect_err(host);
        assert_eq!(error.kind, ConnectorErrorKind::AddressRefused);
        assert!(error.message.contains(host), "{error}");
    }
    graph.state.lock().link = Some(graph.listener.at("/v1.0/search/query?$skip=25"));
    assert!(subject.ask("river", Sort::Relevancy, 5).await.is_ok());
}

/// A client that may reach everything on this machine, so that redirects are followed.
fn open_client(address: &str) -> PluginContext {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(5),
        body_bytes_max: 1024 * 1024,
        redirects_max: 5,
        allow: vec![AllowRule::Network(Network::parse("127.0.0.0/8").expect("a network"))],
    };
    let fetch: Arc<dyn Fetch> = Arc::new(GuardedClient::new(limits).expect("a client"));
    PluginContext { fetch, ..context(address) }
}

#[tokio::test]
async fn a_redirect_takes_no_token_along() {
    let (service, other) = (BoxStorage::start().await, BoxStorage::start().await);
    let mut boxed = subject("BoxStorage", &service.listener.url, Literal::Found(title));
    boxed.context = open_client(&service.listener.url);
    service.state.redirect(&other.listener.at("/2.0/search?query=x&type=file&limit=5&offset=0"));
    let error = boxed.ask("river", Sort::Relevancy, 5).await.expect_err("nobody is known there");
    assert_eq!(error.kind, ConnectorErrorKind::NotConnected, "{error}");
    assert_eq!(other.state.lock().access_tokens.seen(), [""], "it was asked, without a token");
    // A request with a body is not redirected at all.
    let (graph, other) = (Graph::start().await, Graph::start().await);
    let mut mail = subject("M365OutlookMessages", &graph.listener.url, Literal::Found(title));
    mail.context = open_client(&graph.listener.url);
    graph.state.redirect(&other.listener.at("/v1.0/search/query"));
    mail.ask("river", Sort::Relevancy, 5).await.expect_err("no answer");
    assert_eq!((graph.state.requests(), other.state.requests()), (1, 0));
}

/// Two users search at the same time; each request has its user's token.
#[tokio::test]
async fn tokens_are_not_mixed_up() {
    let graph = Graph::start().await;
    graph.state.lock().access_tokens.allow("token-of-ann", &SCOPES);
    graph.state.lock().access_tokens.allow("token-of-bo", &[]);
    let tools = context(&graph.listener.url);
    let ask = |token: &'static str| {
        let connector =
            (kind("M365OneDrive").build)(&connected("M365OneDrive", token), &tools).expect("a connector");
        async move {
            let built = connector.prepare(&query("river")).expect("a question");
            built.execute().await.and_then(|answer| answer.normalize())
        }
    };
    for _ in 0..20 {
        let (ann, bo) = tokio::join!(ask("token-of-ann"), ask("token-of-bo"));
        assert!(ann.is_ok());
        assert_eq!(bo.expect_err("nothing was agreed to").kind, ConnectorErrorKind::Denied);
    }
    let state = graph.state.lock();
    let of_ann = state.access_tokens.seen().iter().filter(|header| *header == "Bearer token-of-ann").count();
    assert_eq!((of_ann, state.access_tokens.seen().len()), (20, 40));
}

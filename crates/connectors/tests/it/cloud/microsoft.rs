//! Microsoft 365 connectors.

use super::{kind, refused, subject, subject_of, tells_refusals, title};
use crate::fixture::provider;
use domain::ports::ConnectorErrorKind;
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::microsoft_graph::Graph;
use serde_json::json;
use testkit::suites::connector::Literal;

const CONNECTORS: [(&str, &str); 5] = [
    ("M365OutlookMessages", "Mail.Read"),
    ("M365OutlookCalendar", "Calendars.Read"),
    ("M365OneDrive", "Files.Read.All"),
    ("M365SharePointSites", "Sites.Read.All"),
    ("MicrosoftTeams", "Chat.Read"),
];

#[tokio::test]
async fn each_kind_keeps_the_contract() {
    let graph = Graph::start().await;
    for (connector, scope) in CONNECTORS {
        let mut subject = subject(connector, &graph.listener.url, Literal::Words(title));
        subject.check().await;
        subject.user_token = subject.mistakes.pop().expect("a mistake").user_token;
        let error = refused(&subject).await;
        assert!(error.message.contains(scope), "{connector}: {error}");
    }
}

#[tokio::test]
async fn refusals_are_told() {
    let graph = Graph::start().await;
    for (connector, _) in CONNECTORS {
        tells_refusals(&subject(connector, &graph.listener.url, Literal::Found(title)), &graph.state).await;
    }
}

#[tokio::test]
async fn words_are_never_operators() {
    let graph = Graph::start().await;
    let subject = subject("M365OneDrive", &graph.listener.url, Literal::Found(title));
    let table = [
        ("NEAR river", "NEAR river"),
        ("from:boss river", "from:boss river"),
        ("river or all", "river or all"),
        // Operators of the query are no words, and a source that cannot negate is asked without what is excluded.
        ("river OR (snow AND ice)", "river snow ice"),
        ("river NOT 3", "river"),
        ("river -3", "river"),
        // Quotes and wildcards are not part of a word.
        ("\"river bed*\" \"", "river bed"),
    ];
    for (text, seen) in table {
        subject.ask(text, Sort::Relevancy, 5).await.expect(text);
        assert_eq!(graph.state.seen()().as_deref(), Some(seen), "{text}");
    }
    let error = subject.ask("\" * -", Sort::Relevancy, 5).await.expect_err("no word");
    assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
}

#[tokio::test]
async fn negation_is_understood_when_the_provider_says_so() {
    let graph = Graph::start().await;
    let subject = subject("M365OutlookMessages", &graph.listener.url, Literal::Found(title));
    let spec = ProviderSpec { query_mappings: "NOT=true".into(), ..subject.spec.clone() };
    let negating = subject_of(&subject, spec);
    let all = subject.ask("river", Sort::Date, 200).await.expect("an answer").items.len();
    for (text, count) in [
        ("river NOT 3 4", all - 2),
        ("river -3 -4", all - 2),
        ("river NOT (3 OR 4 OR 5)", all - 3),
        ("river -\"3 river\"", all),
        ("\"river 3\" OR \"river 4\"", 2),
    ] {
        let some = negating.ask(text, Sort::Date, 200).await.expect("an answer");
        assert_eq!(some.items.len(), count, "{text}");
    }
}

#[tokio::test]
async fn folders_are_left_out_and_pages_are_large() {
    let graph = Graph::start().await;
    let subject = subject("M365OneDrive", &graph.listener.url, Literal::Found(title));
    let before = graph.state.requests();
    let page = subject.ask("river", Sort::Relevancy, 100).await.expect("an answer");
    assert!(page.items.iter().all(|item| item["title"] != "river folder"));
    assert_eq!((page.found, graph.state.requests() - before), (Some(page.items.len() as u64), 1));
    let item = page.items.iter().find(|item| item["title"] == "river 1").expect("a river");
    assert_eq!((&item["author"], &item["size"]), (&json!("Ann Reed"), &json!(10)));
    assert!(item["body"].as_str().expect("a body").starts_with("about "), "{item}");
}

#[tokio::test]
async fn the_provider_may_map_for_itself() {
    let graph = Graph::start().await;
    let subject = subject("M365OutlookMessages", &graph.listener.url, Literal::Found(title));
    let spec = ProviderSpec {
        result_mappings: "title=resource.subject,url=resource.webLink".into(),
        response_mappings: "RESULTS=value[0].hitsContainers[0].hits".into(),
        ..subject.spec.clone()
    };
    let page = subject_of(&subject, spec).ask("river", Sort::Date, 3).await.expect("an answer");
    assert!(page.items[0]["resource"]["subject"].as_str().expect("a subject").starts_with("river"));
}

#[tokio::test]
async fn the_provider_may_bring_its_own_body() {
    let graph = Graph::start().await;
    let subject = subject("M365OneDrive", &graph.listener.url, Literal::Found(title));
    let body = json!({"requests": [{"entityTypes": ["driveItem"], "from": 0, "size": 4,
        "query": {"queryString": "{query_string} AND NOT folder"}}]});
    let spec = ProviderSpec {
        post_query_template: body.as_object().expect("an object").clone(),
        ..subject.spec.clone()
    };
    let own = subject_of(&subject, spec.clone());
    assert_eq!(own.ask("river", Sort::Relevancy, 25).await.expect("an answer").items.len(), 4);
    let built = (kind("M365OneDrive").build)(&provider(spec), &own.context).expect("a connector");
    assert!(!built.capability().page && !built.capability().date_sort);
}

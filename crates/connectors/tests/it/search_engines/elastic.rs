//! Elastic and OpenSearch connectors: the connector suite, credentials, operators and errors.

use super::{is_refused, mistakes, object, pages_and_rests, spec, subject, title};
use domain::ports::ConnectorErrorKind;
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::elastic::{self, Elastic, Flavour};
use fakes::engine_documents::RIVERS;
use serde_json::json;
use testkit::hostile;
use testkit::suites::connector::Literal;

const TEXT_TEMPLATE: &str = "index='{index_name}', query={'query_string': {'query': '{query_string}', \
                             'default_field': '{default_field}', 'default_operator': 'and'}}, size=100";

fn elastic_spec(server: &Elastic) -> ProviderSpec {
    let mappings = "index_name=rivers,default_field=title,sort_by_date=published,NOT=true,NOT_CHAR=-";
    ProviderSpec {
        query_template: TEXT_TEMPLATE.into(),
        ..spec("Elastic", &format!("hosts='{}'", server.listener.url), elastic::CREDENTIALS, mappings)
    }
}

#[tokio::test]
async fn elastic_keeps_the_contract() {
    let server = Elastic::start(Flavour::Elasticsearch).await;
    let spec = elastic_spec(&server);
    let mistakes = mistakes(&spec, "reader:wrong-password");
    let subject = subject(spec, mistakes, Literal::Words(title));
    subject.check().await;
    pages_and_rests(&subject, &server.state).await;
    let page = subject.ask("river 3", Sort::Date, 1).await.expect("an answer");
    assert_eq!(page.items[0]["_id"], "3", "the engine's own members stand beside the fields");
    let last = server.state.last();
    assert_eq!(
        (&last["sort"], &last["track_scores"]),
        (&json!([{"published": {"order": "desc"}}]), &json!(true))
    );
}

#[tokio::test]
async fn open_search_keeps_the_contract() {
    let server = Elastic::start(Flavour::OpenSearch).await;
    let spec = ProviderSpec {
        query_template_json: object(json!({
            "query": {"multi_match": {"query": "{query_string}", "fields": ["{default_field}"], "operator": "and"}},
            "highlight": {"fields": {"title": {}}},
        })),
        ..spec(
            "OpenSearch",
            &server.listener.url,
            elastic::CREDENTIALS,
            "index_name=rivers,default_field=title,sort_by_date=day",
        )
    };
    let mistakes = mistakes(&spec, elastic::API_KEY);
    let subject = subject(spec, mistakes, Literal::Seen(Box::new(server.state.seen())));
    subject.check().await;
    pages_and_rests(&subject, &server.state).await;
    let page = subject.ask("river 3", Sort::Relevancy, 1).await.expect("an answer");
    assert_eq!(page.items[0]["highlight"], json!({"title": ["<em>river 3</em>"]}));
}

#[tokio::test]
async fn elastic_takes_each_form_of_credentials() {
    let server = Elastic::start(Flavour::Elasticsearch).await;
    let table = [
        ("reader:river-password", true),
        ("verify_certs=False,reader:river-password", true),
        ("HTTPBasicAuth('reader','river-password')", true),
        (elastic::API_KEY, true),
        ("ApiKey=cml2ZXItaWQ6cml2ZXItc2VjcmV0,verify_certs=true", true),
        ("cml2ZXItaWQ6cml2ZXItc2VjcmV0", true),
        ("bearer=river-token", false),
    ];
    for (credentials, is_known) in table {
        let spec = ProviderSpec { credentials: credentials.into(), ..elastic_spec(&server) };
        let answer =
            subject(spec, Vec::new(), Literal::Words(title)).ask("river 3", Sort::Relevancy, 1).await;
        assert_eq!(answer.is_ok(), is_known, "{credentials}: {answer:?}");
    }
}

#[tokio::test]
async fn elastic_reads_operators_only_when_told() {
    let server = Elastic::start(Flavour::Elasticsearch).await;
    let plain = elastic_spec(&server);
    let open = ProviderSpec {
        query_mappings: format!("{},OPERATORS=true", plain.query_mappings).into(),
        ..plain.clone()
    };
    let [plain, open] = [plain, open].map(|spec| subject(spec, Vec::new(), Literal::Words(title)));
    // An exclusion in the provider's mappings is one in both.
    for (subject, text, count) in [
        (&plain, "river -3", RIVERS - 1),
        (&plain, "river NOT 3", RIVERS - 1),
        (&open, "river -3", RIVERS - 1),
        (&plain, "river NOT (3 OR 4)", RIVERS - 2),
        (&plain, "\"river 3\" OR \"river 4\"", 2),
        (&plain, "\"3 river\"", 0),
    ] {
        let page = subject.ask(text, Sort::Relevancy, 300).await.expect("an answer");
        assert_eq!(page.items.len(), count, "{text}");
    }
    // The fake obeys operators, so the suite would notice any that reach it.
    let hostile = "x AND title:* OR _exists_:secret";
    for (subject, found) in [(&plain, 1), (&open, RIVERS as u64 + hostile::QUERIES.len() as u64)] {
        let page = subject.ask(hostile, Sort::Relevancy, 10).await.expect("an answer");
        assert_eq!(page.found, Some(found), "{hostile}");
    }
    assert_eq!(plain.ask("river \"", Sort::Relevancy, 1).await.expect("an answer").items.len(), 1);
    let error = open.ask("river \"", Sort::Relevancy, 1).await.expect_err("an open quote");
    assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
    assert!(error.message.contains("Failed to parse query"), "{error}");
}

#[tokio::test]
async fn elastic_tells_what_the_engine_refuses() {
    let server = Elastic::start(Flavour::Elasticsearch).await;
    let table = [
        (json!({}), "index_name=rivers,sort_by_date=no_such", "No mapping found"),
        (json!({}), "index_name=rivers,sort_by_date=title", "Fielddata is disabled"),
        (
            json!({"query": {"no_such": {"query": "{query_string}"}}}),
            "index_name=rivers,sort_by_date=day",
            "unknown query",
        ),
        (
            json!({"query": {"match": {"title": "{query_string}"}}, "other": 1}),
            "index_name=rivers,sort_by_date=day",
            "unknown key",
        ),
    ];
    for (template, mappings, reason) in table {
        let spec = ProviderSpec {
            query_template: String::new(),
            query_template_json: object(template),
            query_mappings: mappings.into(),
            ..elastic_spec(&server)
        };
        let subject = subject(spec, Vec::new(), Literal::Words(title));
        is_refused(&subject, Sort::Date, ConnectorErrorKind::ConfigInvalid, reason).await;
    }
}

/// Mappings that address `_source` get the raw hit.
#[tokio::test]
async fn older_mappings_find_their_fields() {
    let server = Elastic::start(Flavour::Elasticsearch).await;
    let spec =
        ProviderSpec { result_mappings: "title=_source.title,NO_PAYLOAD".into(), ..elastic_spec(&server) };
    let page = subject(spec, Vec::new(), Literal::Words(title))
        .ask("river 3", Sort::Relevancy, 1)
        .await
        .expect("an answer");
    assert_eq!(page.items[0]["_source"]["title"], "river 3");
}

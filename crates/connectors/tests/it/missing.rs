//! Responses that have results and say that a part of the source failed: the results are kept, and the failure is told.

use crate::fixture::{Script, answer, kind, provider, provider_spec, query};
use domain::ports::{ConnectorErrorKind, HttpResponse, NormalizedPage, ProviderQuery};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::secret::Secret;
use serde_json::{Value, json};

/// A provider, the responses of its source, the number of items, and what is missing.
struct Case {
    spec: ProviderSpec,
    answers: Vec<HttpResponse>,
    items: usize,
    missing: Option<(ConnectorErrorKind, &'static str)>,
}

fn json_of(body: &Value) -> HttpResponse {
    answer("application/json", body.to_string())
}

fn failure(status: u16) -> HttpResponse {
    HttpResponse { status, ..answer("application/json", "{}") }
}

async fn page_of(case: &Case) -> NormalizedPage {
    let script = Script::of(case.answers.iter().cloned());
    let provider = SearchProvider { user_token: Some(Secret::new("a-token")), ..provider(case.spec.clone()) };
    let connector = (kind(&case.spec.connector).build)(&provider, &script.context()).expect("a connector");
    let asked = ProviderQuery { results_wanted: 1000, ..query("river") };
    let request = connector.prepare(&asked).expect("a request");
    request.execute().await.expect("a response").normalize().expect("a page")
}

async fn check(cases: impl IntoIterator<Item = Case>) {
    for case in cases {
        let page = page_of(&case).await;
        let name = &case.spec.connector;
        assert_eq!(page.items.len(), case.items, "{name}: {:?}", case.missing);
        let told = page.missing.as_ref().map(|error| error.kind);
        assert_eq!(told, case.missing.map(|(kind, _)| kind), "{name}: {page:?}");
        if let (Some(error), Some((_, text))) = (page.missing, case.missing) {
            assert!(error.message.contains(text), "{name}: {error}");
        }
    }
}

fn one(spec: &ProviderSpec, body: &Value, missing: Option<(ConnectorErrorKind, &'static str)>) -> Case {
    Case { spec: spec.clone(), answers: vec![json_of(body)], items: 1, missing }
}

#[tokio::test]
async fn search_engines_say_what_they_did_not_search() {
    use ConnectorErrorKind::{SourceError, Timeout};
    let hits = json!({"total": {"value": 1}, "hits": [{"_id": "1", "_source": {"title": "river"}}]});
    let failed =
        json!({"total": 5, "successful": 4, "failed": 1, "failures": [{"reason": {"reason": "node left"}}]});
    let mut cases = Vec::new();
    for name in ["Elastic", "OpenSearch"] {
        let spec = provider_spec(name, "https://h", "", "index_name=a");
        let good = json!({"timed_out": false, "_shards": {"total": 5, "failed": 0}, "hits": hits});
        cases.push(one(&spec, &good, None));
        let late = json!({"timed_out": true, "_shards": {"total": 5, "failed": 0}, "hits": hits});
        cases.push(one(&spec, &late, Some((Timeout, "timed out"))));
        let part = json!({"timed_out": false, "_shards": failed, "hits": hits});
        cases.push(one(&spec, &part, Some((SourceError, "1 of 5 shards failed: node left"))));
        let clusters = json!({"_clusters": {"total": 2, "successful": 1, "skipped": 1}, "hits": hits});
        cases.push(one(&spec, &clusters, Some((SourceError, "1 of 2 clusters"))));
    }
    let vespa = provider_spec("Vespa", "https://h", "", "");
    let root = |more: Value| {
        let mut root =
            json!({"children": [{"id": "1", "fields": {"title": "river"}}], "fields": {"totalCount": 1}});
        root.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({"root": root})
    };
    let full = root(json!({"coverage": {"coverage": 100, "full": true}}));
    cases.push(one(&vespa, &full, None));
    let late = root(json!({"coverage": {"coverage": 60, "full": false, "degraded": {"timeout": true}}}));
    cases.push(one(&vespa, &late, Some((Timeout, "only 60 %"))));
    let down = root(json!({"coverage": {"coverage": 60, "full": false}}));
    cases.push(one(&vespa, &down, Some((SourceError, "only 60 %"))));
    let error =
        root(json!({"errors": [{"code": 12, "summary": "Timed out", "message": "Node 3 timed out"}]}));
    cases.push(one(&vespa, &error, Some((Timeout, "Node 3 timed out"))));
    let typesense = provider_spec("Typesense", "https://h", "key=k", "index_name=a,default_field=t");
    for (cutoff, missing) in [(false, None), (true, Some((Timeout, "cut off")))] {
        let result = json!({"found": 1, "search_cutoff": cutoff, "hits": [{"document": {"title": "river"}}]});
        cases.push(one(&typesense, &json!({"results": [result]}), missing));
    }
    check(cases).await;
}

#[tokio::test]
async fn data_beside_errors_is_a_part() {
    let spec = ProviderSpec {
        query_template: "query ($q: String!) { search(query: $q) { nodes { title } } }".into(),
        response_mappings: "RESULTS=data.search.nodes".into(),
        ..provider_spec("GraphQL", "https://h/graphql", "", "query_string=q")
    };
    let data = json!({"search": {"nodes": [{"title": "river"}]}});
    let error = json!({"message": "The wiki did not answer", "path": ["search", "wiki"]});
    check([
        one(&spec, &json!({"data": data}), None),
        one(&spec, &json!({"data": data, "errors": []}), None),
        one(
            &spec,
            &json!({"data": data, "errors": [error]}),
            Some((ConnectorErrorKind::Unavailable, "The wiki did not answer")),
        ),
    ])
    .await;
}

#[tokio::test]
async fn mappings_say_when_a_response_is_a_part() {
    use ConnectorErrorKind::SourceError;
    let spec = |mappings: &str| ProviderSpec {
        query_template: "{url}?q={query_string}".into(),
        response_mappings: mappings.into(),
        ..provider_spec("RequestsGet", "https://h/search", "", "")
    };
    let solr = spec("RESULTS=docs,PARTIAL=head.details,PARTIAL_IF=head.partial=true");
    let head = |partial: bool| json!({"head": {"partial": partial, "details": "Limits exceeded!"}, "docs": [{"a": 1}]});
    let engines = spec("RESULTS=docs,PARTIAL=unresponsive");
    check([
        one(&solr, &head(false), None),
        one(&solr, &head(true), Some((SourceError, "Limits exceeded!"))),
        one(&engines, &json!({"docs": [{"a": 1}], "unresponsive": []}), None),
        one(
            &engines,
            &json!({"docs": [{"a": 1}], "unresponsive": [["wiki", "timeout"]]}),
            Some((SourceError, "wiki")),
        ),
        // Nothing found so far is not nothing to be found.
        Case {
            items: 0,
            ..one(&engines, &json!({"docs": [], "unresponsive": ["wiki"]}), Some((SourceError, "wiki")))
        },
    ])
    .await;
}

/// The pages of these sources follow one another, and a later one fails.
#[tokio::test]
async fn a_failed_later_page_is_told() {
    use ConnectorErrorKind::{RateLimited, Unavailable};
    let events =
        json!({"items": [{"summary": "river", "start": {"date": "2024-03-01"}}], "nextPageToken": "next"});
    let files = json!({"files": [{"name": "river"}], "nextPageToken": "next"});
    let list = json!({"messages": [{"id": "a"}], "nextPageToken": "next"});
    let message = json!({"id": "a", "internalDate": "1709632800000"});
    let matches = json!({"has_more": true, "cursor": "next", "matches": [
        {"metadata": {"metadata": {".tag": "file", "name": "river"}}}]});
    let nodes = json!({"data": {"search": {"nodes": [{"title": "river"}], "next": "c"}}});
    let graphql = ProviderSpec {
        query_template: "query ($q: String!, $after: String) { search(query: $q, after: $after) { nodes { title } next } }"
            .into(),
        response_mappings: "RESULTS=data.search.nodes".into(),
        ..provider_spec(
            "GraphQL",
            "https://h/graphql",
            "",
            "query_string=q,cursor=after,next_cursor=data.search.next",
        )
    };
    let case = |spec: ProviderSpec, answers: &[HttpResponse], missing| Case {
        spec,
        answers: answers.to_vec(),
        items: 1,
        missing: Some((missing, "")),
    };
    let mine = |name: &str| provider_spec(name, "", "", "");
    check([
        case(mine("GoogleCalendar"), &[json_of(&events), failure(503)], Unavailable),
        case(mine("GoogleDrive"), &[json_of(&files), failure(429)], RateLimited),
        case(mine("Gmail"), &[json_of(&list), failure(503), json_of(&message)], Unavailable),
        case(mine("Dropbox"), &[json_of(&matches), failure(500)], Unavailable),
        case(graphql, &[json_of(&nodes), failure(503)], Unavailable),
    ])
    .await;
}

/// Databases behind an HTTP API return long results in parts.
#[tokio::test]
async fn a_failed_part_of_a_result_set_is_told() {
    use ConnectorErrorKind::{SourceError, Unavailable};
    let statement = |connector: &str, url: &str, credentials: &str, mappings: &str| ProviderSpec {
        query_template: "select {fields} from t where a = {query_string}".into(),
        ..provider_spec(connector, url, credentials, &format!("fields=*,{mappings}"))
    };
    let bigquery = statement("BigQuery", "", "bearer=a-token", "project=p");
    let rows = |more: Value| {
        let mut page = json!({
            "jobComplete": true,
            "jobReference": {"jobId": "j", "location": "EU"},
            "schema": {"fields": [{"name": "title", "type": "STRING"}]},
            "rows": [{"f": [{"v": "river"}]}],
        });
        page.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json_of(&page)
    };
    let snowflake =
        statement("Snowflake", "https://a-b.snowflakecomputing.com", "bearer=a-token", "warehouse=w");
    let partitions = json!({
        "statementHandle": "01-a",
        "resultSetMetaData": {
            "rowType": [{"name": "TITLE", "type": "text"}],
            "partitionInfo": [{"rowCount": 1}, {"rowCount": 1}],
        },
        "data": [["river"]],
    });
    let oracle = statement("Oracle", "https://h/ords/rivers", "user:password", "x=y");
    let item = json!({"resultSet": {"metadata": [{"columnName": "TITLE"}], "items": [{"title": "river"}], "hasMore": true}});
    let case = |spec: &ProviderSpec, answers: Vec<HttpResponse>, kind, text| Case {
        spec: spec.clone(),
        answers,
        items: 1,
        missing: Some((kind, text)),
    };
    let warned = rows(json!({"errors": [{"reason": "stopped", "message": "A shard was stopped"}]}));
    check([
        case(&bigquery, vec![warned], SourceError, "A shard was stopped"),
        case(&bigquery, vec![rows(json!({"pageToken": "t"})), failure(503)], Unavailable, ""),
        case(&snowflake, vec![json_of(&partitions), failure(503)], Unavailable, ""),
        case(&oracle, vec![json_of(&json!({"items": [item]})), failure(503)], Unavailable, ""),
    ])
    .await;
}

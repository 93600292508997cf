//! The requests of known provider records, compared with the expected ones.
//!
//! The records are not part of the repository; if they are absent, the tests are skipped.

mod record;

use crate::app_harness::{Answer, AppHarness};
use crate::ready_sources::context;
use domain::ports::{HttpRequest, ProviderQuery, RequestDescription};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Sort;
use domain::settings::Settings;
use record::{Record, RequestParts};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;
use tributary::app::PLUGINS;

const QUERY: &str = "solid state";
const SORTS: [(Sort, &str); 2] = [(Sort::Relevancy, ""), (Sort::Date, "&sort=date")];

/// Connectors that records name and that do not exist; each such record is refused by name.
const CONNECTORS_ABSENT: &[&str] = &[];

/// Records whose request differs from the expected one, with the reason. A record that does not differ must not be
/// listed.
const DIFFERENCES: &[(&str, &str)] = &[];

/// Records that are refused although their connector exists: the field, and a word of the reason.
const REFUSED: &[(&str, &str, &str)] = &[
    ("Company Funding Records - PostgreSQL)", "url", "into credentials"),
    ("Email - Elasticsearch", "credentials", "verify_certs is true or false"),
    ("Free Public DB - Oracle", "query_template", "{fields}"),
    ("Records - Google BigQuery", "credentials", "service account"),
    ("Records - Snowflake", "credentials", "no password"),
    ("Vectors - Qdrant", "url", "not valid"),
];

/// The expected refusal of a record: its name, the field, and a word of the reason.
fn expected_refusal(record: &Record) -> Option<(&str, &'static str, &str)> {
    let connector = record.connector();
    if CONNECTORS_ABSENT.contains(&connector) {
        return Some((connector, "connector", connector));
    }
    REFUSED.iter().copied().find(|(name, ..)| *name == record.name)
}

/// The error names the field, and one of its messages contains the word.
#[track_caller]
fn assert_refused(answer: &Answer, code: (u16, &str), field: &str, word: &str) {
    assert_eq!((answer.status.as_u16(), answer.code()), code, "{answer:?}");
    let sentences = answer.body["errors"][field].as_array();
    let is_named = |sentence: &Value| sentence.as_str().is_some_and(|text| text.contains(word));
    assert!(sentences.is_some_and(|all| all.iter().any(is_named)), "{answer:?}");
}

/// Saves a record unchanged, and then with its placeholders filled. Returns its id.
async fn save(app: &AppHarness, record: &Record) -> i64 {
    let answer = app.admin.post("/svc/searchproviders/", &record.given).await;
    assert_eq!(answer.status, 201, "{}: {answer:?}", record.name);
    let id = answer.body["id"].as_i64().unwrap();
    let answer = app.admin.put(&format!("/svc/searchproviders/{id}/"), &record.filled).await;
    assert_eq!(answer.status, 200, "{}: {answer:?}", record.name);
    id
}

/// The only request of a dry run.
async fn dry_run(app: &AppHarness, record: &Record, id: i64, sort: &str) -> RequestParts {
    let path = format!("/svc/searchproviders/{id}/test/?q=solid+state{sort}&dry_run=true");
    let answer = app.admin.get(&path).await;
    assert_eq!(answer.status, 200, "{}: {answer:?}", record.name);
    assert_eq!(answer.body.as_object().unwrap().len(), 1, "there is no other error: {answer:?}");
    let requests = answer.body["requests"].as_array().unwrap();
    assert_eq!(requests.len(), 1, "{}: {answer:?}", record.name);
    RequestParts::shown(&requests[0])
}

#[tokio::test(flavor = "multi_thread")]
async fn each_record_is_taken_or_refused_with_a_reason() {
    let Some(records) = Record::all() else { return };
    // One of them names an SQLite file beside the program.
    let here = std::env::current_dir().unwrap().display().to_string();
    let app = AppHarness::with(|settings| Settings { sqlite_allow: vec![here], ..settings }).await;
    let (mut rows, mut names, mut refused, mut doubles) = (BTreeSet::new(), BTreeSet::new(), 0, 0);
    for record in &records {
        let answer = app.admin.post("/svc/searchproviders/", &record.given).await;
        if let Some((row, field, word)) = expected_refusal(record) {
            assert_refused(&answer, (400, "invalid"), field, word);
            rows.insert(row);
            refused += 1;
        } else if names.insert(record.name.as_str()) {
            assert_eq!(answer.status, 201, "{}: {answer:?}", record.name);
        } else {
            assert_refused(&answer, (409, "conflict"), "name", "already taken");
            doubles += 1;
        }
    }
    let listed = CONNECTORS_ABSENT.iter().chain(REFUSED.iter().map(|(name, ..)| name)).copied();
    assert_eq!(rows, listed.collect(), "the tables contain a row that no record needs");
    assert_eq!((names.len(), doubles, refused), (38, 8, 7));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_dry_run_shows_the_expected_request() {
    let Some(records) = Record::all() else { return };
    let app = AppHarness::start().await;
    let (mut compared, mut differing) = (0, BTreeSet::new());
    let asked = records.iter().filter(|record| record.is_over_http() && expected_refusal(record).is_none());
    for record in asked {
        let id = save(&app, record).await;
        for (sort, parameter) in SORTS {
            let (shown, expected) = (dry_run(&app, record, id, parameter).await, record.expected_shown(sort));
            if DIFFERENCES.iter().any(|(name, _)| *name == record.name) {
                if shown != expected {
                    differing.insert(record.name.as_str());
                }
            } else {
                assert_eq!(shown, expected, "{} {sort:?}", record.name);
            }
            compared += 1;
        }
        // Some records share a name, and only one provider may have it.
        assert_eq!(app.admin.delete(&format!("/svc/searchproviders/{id}/")).await.status, 204);
    }
    assert_eq!(compared, 70, "35 records, each in both orders");
    let named: BTreeSet<&str> = DIFFERENCES.iter().map(|(name, _)| *name).collect();
    assert_eq!(differing, named, "the table contains a difference that no longer exists");
    app.stop().await;
}

/// A dry run masks the secrets; here each is compared exactly, where its source expects it.
#[test]
fn each_request_carries_its_secrets_to_the_source() {
    let Some(records) = Record::all() else { return };
    let mut with_secret = 0;
    for record in records.iter().filter(|record| record.is_over_http()) {
        for (sort, _) in SORTS {
            let expected = record.expected(sort);
            if !DIFFERENCES.iter().any(|(name, _)| *name == record.name) {
                assert_eq!(
                    RequestParts::to_source(&request(record, sort)),
                    expected,
                    "{} {sort:?}",
                    record.name
                );
            }
            with_secret += usize::from(expected != record.expected_shown(sort));
        }
    }
    assert_eq!(with_secret, 54, "27 records have a secret, each in both orders");
}

fn request(record: &Record, sort: Sort) -> HttpRequest {
    let spec: ProviderSpec = serde_json::from_value(record.filled.clone()).unwrap();
    let provider = SearchProvider::unsaved(spec, Default::default(), Default::default());
    let kind = PLUGINS.connector(&provider.spec.connector).unwrap();
    let connector = (kind.build)(&provider, &context()).unwrap();
    let query = ProviderQuery {
        text: QUERY,
        sort,
        page: 0,
        results_wanted: 10,
        asker: domain::ids::UserId(1),
        topic: domain::corpus::Topic::default(),
        vector: None,
        time_max: Duration::from_secs(1),
    };
    let prepared = connector.prepare(&query).unwrap_or_else(|error| panic!("{}: {error}", record.name));
    match prepared.description() {
        RequestDescription::Http(request) => request.clone(),
        other => panic!("{}: {other:?}", record.name),
    }
}

//! The requests of known provider records, compared with what is expected of them.
//!
//! The records are not part of the repository; where they are absent, the test says so and passes.

use domain::contracts::{HttpMethod, HttpRequest, ProviderQuery, SourceQuery};
use domain::provider::{ProviderDraft, SearchProvider};
use domain::search::Sort;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;
use tributary::wiring::CATALOGUES;
use url::Url;

const RECORDS: &str = "../shared/eval/provider-requests.json";
const QUERY: &str = "solid state";

/// Connectors that records name and that are not there; each such record is refused by its name.
const CONNECTORS_ABSENT: &[&str] = &[
    "BigQuery",
    "Elastic",
    "GenAI",
    "M365OneDrive",
    "M365OutlookCalendar",
    "M365OutlookMessages",
    "M365SharePointSites",
    "MicrosoftTeams",
    "MongoDB",
    "Oracle",
    "PineconeDB",
    "PostgreSQL",
    "QdrantDB",
    "Snowflake",
];

/// Records whose request differs from the expected one, and why. A record that does not differ may not stand here.
const DIFFERENCES: &[(&str, &str)] = &[];

/// Records that are refused although their connector is there: the field, and a word of the reason.
const REFUSED: &[(&str, &str, &str)] = &[];

struct Record {
    name: String,
    given: Value,
    /// The same with the blanks of a sample (`<your-domain>`) filled, because no host has such a name.
    filled: Value,
    expect: Value,
}

fn records() -> Option<Vec<Record>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(RECORDS);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no {RECORDS}");
        return None;
    };
    let list: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(!list.is_empty());
    let read = |record: Value| Record {
        name: record["provider"]["name"].as_str().unwrap().to_owned(),
        filled: fill(&record["provider"]),
        expect: fill(&record["expect"]),
        given: record["provider"].clone(),
    };
    Some(list.into_iter().map(read).collect())
}

/// `<your-domain>` becomes `your-domain`.
fn fill(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(['<', '>'], "")),
        Value::Array(list) => list.iter().map(fill).collect(),
        Value::Object(object) => object.iter().map(|(name, item)| (name.clone(), fill(item))).collect(),
        other => other.clone(),
    }
}

fn provider(record: &Value) -> SearchProvider {
    let draft: ProviderDraft = serde_json::from_value(record.clone()).unwrap();
    SearchProvider::unsaved(draft, Default::default(), Default::default())
}

fn request(record: &Record, sort: Sort) -> HttpRequest {
    let provider = provider(&record.filled);
    let kind = CATALOGUES.connector(&provider.draft.connector).unwrap();
    let connector = (kind.build)(&provider, &house_toolbox()).unwrap();
    let query =
        ProviderQuery { text: QUERY, sort, page: 0, results_wanted: 10, time_max: Duration::from_secs(1) };
    match connector.construct(&query) {
        Ok(SourceQuery::Http(request)) => *request,
        other => panic!("{}: {other:?}", record.name),
    }
}

/// Building a request sends nothing; the gate is never asked.
fn house_toolbox() -> domain::contracts::Toolbox {
    let limits = outbound::GateLimits {
        connect: Duration::from_secs(1),
        read: Duration::from_secs(1),
        body_bytes_max: 1,
        redirects_max: 0,
        allow: Vec::new(),
    };
    domain::contracts::Toolbox {
        fetch: std::sync::Arc::new(outbound::Gate::new(limits).unwrap()),
        clock: std::sync::Arc::new(domain::contracts::SystemClock),
        settings: std::sync::Arc::default(),
    }
}

/// Everything that a request says, in the words of the expectation; names of headers in lower case.
#[derive(Debug, PartialEq)]
struct Said {
    method: String,
    url: String,
    headers: BTreeMap<String, String>,
    auth: &'static str,
    body: Option<Value>,
}

fn said(request: &HttpRequest, credentials: &str) -> Said {
    let open = request.headers.iter().map(|(name, value)| (name.to_lowercase(), value.clone()));
    let secret =
        request.secret_headers.iter().map(|(name, value)| (name.to_lowercase(), value.expose().to_owned()));
    let mut headers: BTreeMap<String, String> = open.chain(secret).collect();
    // The header that carries the credentials is judged by its kind.
    let mut carried = |name: &str, start: &str| {
        let is_there = headers.get(name).is_some_and(|value| value.starts_with(start));
        is_there.then(|| headers.remove(name))
    };
    let auth = match credentials {
        "" => "none",
        text if text.starts_with("HTTPBasicAuth") => {
            carried("authorization", "Basic ").map_or("missing", |_| "HTTPBasicAuth")
        }
        text if text.starts_with("bearer=") => {
            carried("authorization", "Bearer ").map_or("missing", |_| "Authorization: Bearer")
        }
        text if text.starts_with("X-Api-Key=") => {
            carried("x-api-key", "").map_or("missing", |_| "X-Api-Key header")
        }
        _ => "bound into template",
    };
    let body: Option<Value> = request.body.as_deref().map(|body| serde_json::from_slice(body).unwrap());
    if request.method == HttpMethod::Post {
        let content_type = headers.remove("content-type");
        assert_eq!(content_type.as_deref(), Some("application/json"));
    }
    Said { method: request.method.as_str().to_owned(), url: request.url.to_string(), headers, auth, body }
}

fn expected(expect: &Value, url: &str) -> Said {
    let method = expect["method"].as_str().unwrap().to_owned();
    let headers = expect["headers"].as_object().unwrap().iter();
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.as_str().unwrap().to_owned()));
    // Every POST of these records has a JSON body, and its type is checked above.
    let is_told = |name: &str| !(method == "POST" && name == "content-type");
    let known = ["none", "HTTPBasicAuth", "Authorization: Bearer", "X-Api-Key header", "bound into template"];
    Said {
        headers: headers.filter(|(name, _)| is_told(name)).collect(),
        url: Url::parse(expect[url].as_str().unwrap()).unwrap().to_string(),
        auth: known.into_iter().find(|word| expect["auth"] == *word).unwrap(),
        body: expect.get("json_body").cloned(),
        method,
    }
}

fn is_over_http(record: &Record) -> bool {
    matches!(record.given["connector"].as_str(), Some("RequestsGet" | "RequestsPost"))
}

#[test]
fn each_record_builds_the_expected_request() {
    let Some(records) = records() else { return };
    let (mut compared, mut differing) = (0, BTreeSet::new());
    for record in records.iter().filter(|record| is_over_http(record)) {
        for (sort, url) in [(Sort::Relevancy, "url_relevancy_page1"), (Sort::Date, "url_date_page1")] {
            let built = request(record, sort);
            let credentials = record.filled["credentials"].as_str().unwrap_or_default();
            let (said, expected) = (said(&built, credentials), expected(&record.expect, url));
            if DIFFERENCES.iter().any(|(name, _)| *name == record.name) {
                if said != expected {
                    differing.insert(record.name.as_str());
                }
            } else {
                assert_eq!(said, expected, "{} {sort:?}", record.name);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 70, "35 records, each in both orders");
    let named: BTreeSet<&str> = DIFFERENCES.iter().map(|(name, _)| *name).collect();
    assert_eq!(differing, named, "a difference that is no more must not stand in the table");
}

#[test]
fn each_record_is_taken_or_refused_with_a_reason() {
    let Some(records) = records() else { return };
    let (mut absent, mut refused, mut taken) = (BTreeSet::new(), BTreeSet::new(), 0);
    for record in &records {
        let provider = provider(&record.given);
        let errors = CATALOGUES.check_provider(&provider, &BTreeSet::new()).into_map();
        let connector = provider.draft.connector.as_str();
        if CONNECTORS_ABSENT.contains(&connector) {
            assert!(errors["connector"][0].contains(connector), "{}: {errors:?}", record.name);
            absent.insert(connector.to_owned());
        } else if let Some((name, field, word)) = REFUSED.iter().find(|(name, ..)| *name == record.name) {
            assert!(errors[*field].iter().any(|text| text.contains(word)), "{name}: {errors:?}");
            refused.insert(*name);
        } else {
            assert!(errors.is_empty(), "{}: {errors:?}", record.name);
            taken += 1;
        }
    }
    let listed: BTreeSet<String> = CONNECTORS_ABSENT.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(
        absent, listed,
        "a connector that is there, or that no record names, must not stand in the table"
    );
    assert_eq!(refused.len(), REFUSED.len());
    assert!(taken >= 35, "{taken} taken");
}

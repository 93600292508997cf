//! Google discovery documents: Drive, Gmail, Calendar and BigQuery.

use super::{asked, asked_service, is_full, spec, subject};
use crate::fixture::{Script, answer, guarded_context};
use domain::ports::{NormalizedPage, PluginContext};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use fakes::bigquery::BigQuery;
use fakes::descriptions::{self, Description, Recorder};
use fakes::google::Google;
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::clock::FixedClock;

/// Checks every request and response; the requested fields are members of the response type.
async fn check_service(connector: &str, description: &Description, answer_type: &str) {
    let google = Google::start().await;
    let recorder = asked_service(connector, &google.listener.url).await;
    for exchange in recorder.exchanges() {
        description.check(&exchange);
        for (_, mask) in exchange.query.iter().filter(|(name, _)| name == "fields") {
            for pointer in masked(mask) {
                assert!(description.has(answer_type, &pointer), "{answer_type} has no {pointer}");
            }
        }
    }
}

/// The pointers of a field mask such as `a,b(c,d(e))`.
fn masked(mask: &str) -> Vec<String> {
    let (mut pointers, mut places, mut name) = (Vec::new(), Vec::new(), String::new());
    for sign in mask.chars().chain([',']) {
        match sign {
            '(' => places.push(std::mem::take(&mut name)),
            ',' | ')' => {
                if !name.is_empty() {
                    let parts = places.iter().chain([&name]);
                    pointers.push(parts.map(|part| format!("/{part}")).collect());
                }
                name.clear();
                if sign == ')' {
                    places.pop();
                }
            }
            _ => name.push(sign),
        }
    }
    pointers
}

#[test]
fn a_mask_is_read() {
    assert_eq!(masked("a,b(c,d(e,f)),g"), ["/a", "/b/c", "/b/d/e", "/b/d/f", "/g"]);
}

/// The items that a connector builds from responses generated from the description.
async fn read(connector: &str, answers: Vec<Value>) -> NormalizedPage {
    let answers = answers.into_iter().map(|body| answer("application/json", body.to_string()));
    let script = Script::of(answers);
    let spec = spec(connector, "", "", "");
    subject(spec, script.context()).ask("river", Sort::Relevancy, 1).await.expect("an answer")
}

fn last_page(description: &Description, name: &str) -> Value {
    let mut page = description.sample(name);
    assert!(page["nextPageToken"].take().is_string(), "{name} has pages");
    page
}

#[tokio::test]
async fn drive_is_asked_as_google_describes_it() {
    let Some(description) = descriptions::discovery("drive.v3") else { return };
    check_service("GoogleDrive", &description, "FileList").await;
    let page = read("GoogleDrive", vec![last_page(&description, "FileList")]).await;
    let members = ["title", "url", "body", "author", "date_published", "id", "media_type", "created", "size"];
    is_full(&page, &members);
    is_full(&page, &["last_modified_by"]);
}

#[tokio::test]
async fn gmail_is_asked_as_google_describes_it() {
    let Some(description) = descriptions::discovery("gmail.v1") else { return };
    check_service("Gmail", &description, "ListMessagesResponse").await;
    let mut message = description.sample("Message");
    let headers: Vec<Value> = ["Subject", "From", "To"]
        .iter()
        .map(|name| {
            let mut header = description.sample("MessagePartHeader");
            assert!(header["value"].is_string() && message["payload"]["headers"][0] == header);
            header["name"] = json!(name);
            header
        })
        .collect();
    message["payload"]["headers"] = json!(headers);
    let page = read("Gmail", vec![last_page(&description, "ListMessagesResponse"), message]).await;
    is_full(&page, &["title", "url", "body", "author", "date_published", "id", "thread", "to", "labels"]);
    assert_eq!(page.items[0]["title"], "the value");
}

#[tokio::test]
async fn calendar_is_asked_as_google_describes_it() {
    let Some(description) = descriptions::discovery("calendar.v3") else { return };
    check_service("GoogleCalendar", &description, "Events").await;
    let page = read("GoogleCalendar", vec![last_page(&description, "Events")]).await;
    is_full(&page, &["title", "url", "body", "author", "date_published", "id", "end", "location"]);
    assert_eq!(page.items[0]["title"], "the summary");
    assert_eq!(page.items[0]["attendees"], json!(["the displayName"]));
}

#[tokio::test]
async fn big_query_is_asked_as_google_describes_it() {
    let Some(description) = descriptions::discovery("bigquery.v2") else { return };
    let clock = Arc::new(FixedClock::default());
    let source = BigQuery::start(clock.clone()).await;
    let spec = ProviderSpec {
        query_template: "select {fields} from {table} where {a} like '%{query_string}%'".into(),
        ..spec(
            "BigQuery",
            &source.listener.url,
            &source.key(),
            "fields=*,table=river_documents,a=title,sort_by_date=published,dataset=rivers,location=EU,max_bytes=2000000",
        )
    };
    let recorder: Arc<Recorder> = asked(spec, PluginContext { clock, ..guarded_context() }).await;
    let exchanges = recorder.exchanges();
    let (asked, tokens): (Vec<_>, Vec<_>) =
        exchanges.iter().partition(|exchange| exchange.path.starts_with("/bigquery/"));
    // The token endpoint is not part of this API.
    assert_eq!(tokens.len(), 1);
    assert!(asked.iter().any(|exchange| exchange.method == "POST"));
    assert!(asked.iter().any(|exchange| exchange.method == "GET"), "a second page");
    for exchange in asked {
        description.check(exchange);
    }
    for (name, pointer) in [
        ("QueryResponse", "/jobReference/jobId"),
        ("QueryResponse", "/jobReference/location"),
        ("QueryResponse", "/jobComplete"),
        ("QueryResponse", "/pageToken"),
        ("QueryResponse", "/schema/fields/name"),
        ("QueryResponse", "/schema/fields/type"),
        ("QueryResponse", "/schema/fields/mode"),
        ("QueryResponse", "/rows/f/v"),
        ("GetQueryResultsResponse", "/jobComplete"),
        ("GetQueryResultsResponse", "/pageToken"),
        ("GetQueryResultsResponse", "/schema/fields/name"),
        ("GetQueryResultsResponse", "/rows/f/v"),
    ] {
        assert!(description.has(name, pointer), "{name} has no {pointer}");
    }
    assert!(description.route("POST", "/bigquery/v2/projects/p/jobs/j/cancel").is_some());
}

//! Permissions on cached documents by their origin. `docs/permissions.md` contains the table.

use crate::app_harness::Client;
use crate::corpus_permissions::{DOCUMENTS, Fixture, documents_revealed_by, search_cache};
use domain::user::CURATORS;
use serde_json::json;

/// The callers, in the order of the codes.
const PEOPLE: [&str; 6] = [
    "person who added it",
    "group member",
    "other user",
    "curator of the group",
    "other curator",
    "administrator",
];
const OTHER_CURATOR: usize = 4;
const ADMIN: usize = 5;

type Codes = [u16; 6];

/// The call, the origin of the document, and the status codes. A search that finds the document counts as 200, one that
/// does not as 404.
#[rustfmt::skip]
const EXPECTED: &[(&str, &str, Codes)] = &[
    ("find it in a search", "public",   [200, 200, 200, 200, 200, 200]),
    ("find it in a search", "group",    [200, 200, 404, 200, 404, 200]),
    ("find it in a search", "account",  [200, 404, 404, 404, 404, 404]),
    ("find it in a search", "supplied", [200, 404, 404, 404, 404, 404]),
    ("find it in a search", "typed",    [200, 404, 404, 404, 404, 404]),
    ("GET /svc/cache/{id}/", "public",   [200, 200, 200, 200, 200, 200]),
    ("GET /svc/cache/{id}/", "group",    [200, 200, 404, 200, 404, 200]),
    ("GET /svc/cache/{id}/", "account",  [200, 404, 404, 404, 404, 404]),
    ("GET /svc/cache/{id}/", "supplied", [200, 404, 404, 404, 404, 404]),
    ("GET /svc/cache/{id}/", "typed",    [200, 404, 404, 404, 404, 404]),
    ("GET /svc/cache/{id}/diff/{id}/", "public",   [200, 200, 200, 200, 200, 200]),
    ("GET /svc/cache/{id}/diff/{id}/", "group",    [200, 200, 404, 200, 404, 200]),
    ("GET /svc/cache/{id}/diff/{id}/", "account",  [200, 404, 404, 404, 404, 404]),
    ("GET /svc/cache/{id}/diff/{id}/", "supplied", [200, 404, 404, 404, 404, 404]),
    ("GET /svc/cache/{id}/diff/{id}/", "typed",    [200, 404, 404, 404, 404, 404]),
    ("POST /svc/cache/check_liveness/", "public",   [200, 200, 200, 200, 200, 200]),
    ("POST /svc/cache/check_liveness/", "group",    [200, 200, 404, 200, 404, 200]),
    ("POST /svc/cache/check_liveness/", "account",  [200, 404, 404, 404, 404, 404]),
    ("POST /svc/cache/check_liveness/", "supplied", [200, 404, 404, 404, 404, 404]),
    ("POST /svc/cache/check_liveness/", "typed",    [200, 404, 404, 404, 404, 404]),
    ("POST /svc/canonical/pin-for-query/", "public",   [403, 403, 403, 201, 201, 201]),
    ("POST /svc/canonical/pin-for-query/", "group",    [403, 403, 403, 201, 404, 201]),
    ("POST /svc/canonical/pin-for-query/", "account",  [403, 403, 403, 404, 404, 404]),
    ("POST /svc/canonical/pin-for-query/", "supplied", [403, 403, 403, 404, 404, 404]),
    ("POST /svc/canonical/pin-for-query/", "typed",    [403, 403, 403, 404, 404, 404]),
    ("POST /svc/canonical/{id}/unpin/", "public",   [403, 403, 403, 200, 200, 200]),
    ("POST /svc/canonical/{id}/unpin/", "group",    [403, 403, 403, 200, 404, 200]),
    ("POST /svc/canonical/{id}/unpin/", "account",  [403, 403, 403, 404, 404, 404]),
    ("POST /svc/canonical/{id}/unpin/", "supplied", [403, 403, 403, 404, 404, 404]),
    ("POST /svc/canonical/{id}/unpin/", "typed",    [403, 403, 403, 404, 404, 404]),
    ("POST /svc/cache/unindex/", "public",   [200, 403, 403, 403, 403, 200]),
    ("POST /svc/cache/unindex/", "group",    [200, 403, 404, 403, 404, 200]),
    ("POST /svc/cache/unindex/", "account",  [200, 404, 404, 404, 404, 200]),
    ("POST /svc/cache/unindex/", "supplied", [200, 404, 404, 404, 404, 200]),
    ("POST /svc/cache/unindex/", "typed",    [200, 404, 404, 404, 404, 200]),
];

/// The status of one call. Everybody pins for their own query, so that pins do not conflict.
async fn ask(client: &Client, person: usize, what: &str, document: i64) -> u16 {
    let named = json!({"signal_id": document});
    let answer = match what {
        "GET /svc/cache/{id}/" => client.get(&format!("/svc/cache/{document}/")).await,
        "GET /svc/cache/{id}/diff/{id}/" => {
            client.get(&format!("/svc/cache/{document}/diff/{document}/")).await
        }
        "POST /svc/cache/check_liveness/" => client.post("/svc/cache/check_liveness/", &named).await,
        "POST /svc/canonical/pin-for-query/" => {
            let payload =
                json!({"signal_id": document, "query": format!("gauge of {person} and {document}")});
            client.post("/svc/canonical/pin-for-query/", &payload).await
        }
        "POST /svc/canonical/{id}/unpin/" => {
            client.post(&format!("/svc/canonical/{document}/unpin/"), &json!({})).await
        }
        "POST /svc/cache/unindex/" => client.post("/svc/cache/unindex/", &named).await,
        _ => panic!("unknown call: {what}"),
    };
    answer.status.as_u16()
}

/// Makes every call of the table as one person.
async fn walk(fixture: &Fixture, person: usize, client: &Client, mistakes: &mut Vec<String>) {
    let search = search_cache(client).await;
    let page = client.get(&format!("/svc/results/?search_id={search}")).await.body.to_string();
    let found = documents_revealed_by(&page);
    for (what, document, codes) in EXPECTED {
        let signal = fixture.signal(document).0;
        let status = match *what {
            "find it in a search" if found.split(' ').any(|one| one == *document) => 200,
            "find it in a search" => 404,
            what => ask(client, person, what, signal).await,
        };
        if status != codes[person] {
            let who = PEOPLE[person];
            mistakes.push(format!("{who}: {what} of {document}: {status} instead of {}", codes[person]));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_document_for_everybody() {
    let mut mistakes = Vec::new();
    let mut fixture = Fixture::start().await;
    fixture.type_an_address().await;
    let cora = fixture.app.user("cora", &["law", CURATORS]).await;
    let carl = fixture.app.user("carl", &[CURATORS]).await;
    for (person, client) in
        [(1, &fixture.lea), (2, &fixture.ben), (3, &cora), (OTHER_CURATOR, &carl), (0, &fixture.ann)]
    {
        walk(&fixture, person, client, &mut mistakes).await;
    }
    fixture.app.stop().await;
    let mut fixture = Fixture::start().await;
    fixture.type_an_address().await;
    let admin = fixture.app.admin.clone();
    walk(&fixture, ADMIN, &admin, &mut mistakes).await;
    fixture.app.stop().await;
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    assert_eq!(EXPECTED.len() % (DOCUMENTS.len() + 1), 0, "each is asked of every document");
}

const HEAD: &str = "
## Cached documents

Documents by origin: a source for everybody (`public`), a source of a group (`group`), a source that was queried with the \
person's own account (`account`), a text that the person supplied (`supplied`), and a page whose URL the person typed, which is \
fetched without credentials (`typed`). `404` also stands for a search that does not find the document.

";

/// The section of `docs/permissions.md`.
pub fn section() -> String {
    let mut text = HEAD.to_owned();
    text +=
        &format!("| Call | Document | {} |\n|---|---|{}\n", PEOPLE.join(" | "), "---|".repeat(PEOPLE.len()));
    for (what, document, codes) in EXPECTED {
        let call = if what.contains('/') { format!("`{what}`") } else { (*what).to_owned() };
        text += &format!("| {call} | {document} | {} |\n", codes.map(|code| code.to_string()).join(" | "));
    }
    text
}

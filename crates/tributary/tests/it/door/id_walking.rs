//! Somebody counts through all ids: what is somebody else's answers as what never was.

use super::table::{Row, TABLE, Thing};
use super::{Furnished, send};
use crate::app_harness::{Answer, Client};
use serde_json::{Value, json};

/// Every scenario has fewer things of each kind.
const IDS: std::ops::RangeInclusive<i64> = 1..=40;
/// It never was.
const NEVER: &str = "999999";
/// Lists of one's own things, and of what one may see.
const LISTS: [&str; 8] = [
    "/svc/search/",
    "/svc/results/",
    "/svc/chat/",
    "/svc/prompts/",
    "/svc/cache/",
    "/svc/canonical/",
    "/svc/egress/scan/",
    "/svc/egress/events/",
];
/// A word that stands in Ann's things.
const HERS: &str = "river";

/// What is somebody's own. The rest is shared by all, or for administrators.
fn is_private(row: &Row, for_admin: bool) -> bool {
    let is_shared = matches!(
        row.thing,
        Thing::None
            | Thing::Pipeline
            | Thing::Transform
            | Thing::AiProvider
            | Thing::User
            | Thing::Group
            | Thing::Authenticator
            | Thing::Branding
            | Thing::Schedule
            | Thing::Log
            | Thing::ReadySource
            | Thing::Lockout
            | Thing::File
    );
    // The administrator made the source, and so sees its documents.
    let is_administered = for_admin
        && matches!(row.thing, Thing::Token | Thing::Provider | Thing::Run | Thing::OtherRun | Thing::Shared);
    // Deleting every token ends with the one that the reader uses here.
    let ends_the_walk = row.thing == Thing::Token && row.method == "DELETE";
    row.path.contains("{id}") && !is_shared && !is_administered && !ends_the_walk
}

/// The answer without what differs from request to request.
fn told(answer: &Answer) -> (u16, Value) {
    let mut body = answer.body.clone();
    if let Some(object) = body.as_object_mut() {
        object.remove("request_id");
    }
    (answer.status.as_u16(), body)
}

/// The reader's own token, and the prompts that are everybody's.
async fn own(client: &Client) -> Vec<(Thing, i64)> {
    let mut own = Vec::new();
    for (thing, path) in [(Thing::Token, "/svc/tokens/"), (Thing::Prompt, "/svc/prompts/")] {
        let list = client.get(path).await.body;
        own.extend(list.as_array().unwrap().iter().map(|one| (thing, one["id"].as_i64().unwrap())));
    }
    own
}

/// Every method with every id; the owner's things are as they were.
async fn walk(scenario: &Furnished, who: &str, client: &Client, for_admin: bool) {
    let own = own(client).await;
    let mut count = 0;
    for row in TABLE.iter().filter(|row| is_private(row, for_admin)) {
        let fill = |id: &str| row.path.replace("{id}", id).replace("{message}", id).replace("{other}", id);
        let never = send(client, row, &fill(NEVER)).await;
        assert!([403, 404].contains(&never.status.as_u16()), "{who}: {}: {never:?}", row.name());
        for id in IDS {
            let is_the_sources = row.thing == Thing::Signal && id == scenario.decided.shared;
            if own.contains(&(row.thing, id)) || (for_admin && is_the_sources) {
                continue;
            }
            let answer = send(client, row, &fill(&id.to_string())).await;
            assert_eq!(answer.status, never.status, "{who}: {} {id}", row.name());
            if row.is_api() {
                assert_eq!(told(&answer), told(&never), "{who}: {} {id}", row.name());
            }
            count += 1;
        }
    }
    assert!(count > 400, "{who}: {count}");
    for path in LISTS {
        let list = client.get(path).await;
        assert_eq!(list.status, 200, "{who}: {path}: {list:?}");
        assert!(!list.body.to_string().contains(HERS), "{who}: {path}: {}", list.body);
    }
    for row in
        TABLE.iter().filter(|row| row.method == "GET" && std::ptr::eq(scenario.rightful(row), &scenario.ann))
    {
        assert_eq!(scenario.ann.get(&scenario.path(row)).await.status, 200, "{who} has changed {}", row.path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_finds_anything_by_counting() {
    let scenario = Furnished::start().await;
    let source = format!("/svc/searchproviders/{}/", scenario.provider);
    let hidden = scenario.app.admin.patch(&source, &json!({"shared": false, "groups": ["research"]})).await;
    assert_eq!(hidden.status, 200, "{hidden:?}");
    let otto = scenario.app.user("otto", &[]).await;
    walk(&scenario, "another user", &otto, false).await;
    walk(&scenario, "the administrator", &scenario.app.admin, true).await;
    scenario.app.stop().await;
}

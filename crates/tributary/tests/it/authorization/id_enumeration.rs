//! Enumeration of ids: records of other people are indistinguishable from records that do not exist.

use super::table::{Resource, Row, TABLE};
use super::{Scenario, send};
use crate::app_harness::{Answer, Client};
use serde_json::{Value, json};

/// No scenario has more records of a kind.
const IDS: std::ops::RangeInclusive<i64> = 1..=40;
/// An id that does not exist.
const NEVER: &str = "999999";
/// Lists of private and of visible records.
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
/// A word in Ann's records.
const HERS: &str = "river";

/// True for records of one person. The others are shared or for administrators.
fn is_private(row: &Row, for_admin: bool) -> bool {
    let is_shared = matches!(
        row.resource,
        Resource::None
            | Resource::Pipeline
            | Resource::Transform
            | Resource::AiProvider
            | Resource::User
            | Resource::Group
            | Resource::Authenticator
            | Resource::Branding
            | Resource::Schedule
            | Resource::Log
            | Resource::ReadySource
            | Resource::Lockout
    );
    // The administrator created the source and therefore sees its documents.
    let is_administered = for_admin
        && matches!(
            row.resource,
            Resource::Token | Resource::Provider | Resource::Run | Resource::OtherRun | Resource::Shared
        );
    // Deleting every token would also revoke the caller's own.
    let ends_the_walk = row.resource == Resource::Token && row.method == "DELETE";
    row.path.contains("{id}") && !is_shared && !is_administered && !ends_the_walk
}

/// The response without the parts that differ between requests.
fn comparable_response(answer: &Answer) -> (u16, Value) {
    let mut body = answer.body.clone();
    if let Some(object) = body.as_object_mut() {
        object.remove("request_id");
    }
    (answer.status.as_u16(), body)
}

/// The caller's own token, and the shared prompts.
async fn own(client: &Client) -> Vec<(Resource, i64)> {
    let mut own = Vec::new();
    for (resource, path) in [(Resource::Token, "/svc/tokens/"), (Resource::Prompt, "/svc/prompts/")] {
        let list = client.get(path).await.body;
        own.extend(list.as_array().unwrap().iter().map(|one| (resource, one["id"].as_i64().unwrap())));
    }
    own
}

/// Calls every method with every id; the owner's records must not change.
async fn walk(scenario: &Scenario, who: &str, client: &Client, for_admin: bool) {
    let own = own(client).await;
    let mut count = 0;
    for row in TABLE.iter().filter(|row| is_private(row, for_admin)) {
        let fill = |id: &str| row.path.replace("{id}", id).replace("{message}", id).replace("{other}", id);
        let never = send(client, row, &fill(NEVER)).await;
        assert!([403, 404].contains(&never.status.as_u16()), "{who}: {}: {never:?}", row.name());
        for id in IDS {
            let is_the_sources = row.resource == Resource::Signal && id == scenario.decisions.shared;
            if own.contains(&(row.resource, id)) || (for_admin && is_the_sources) {
                continue;
            }
            let answer = send(client, row, &fill(&id.to_string())).await;
            assert_eq!(answer.status, never.status, "{who}: {} {id}", row.name());
            if row.is_api() {
                assert_eq!(
                    comparable_response(&answer),
                    comparable_response(&never),
                    "{who}: {} {id}",
                    row.name()
                );
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
    for row in TABLE
        .iter()
        .filter(|row| row.method == "GET" && std::ptr::eq(scenario.allowed_client(row), &scenario.ann))
    {
        assert_eq!(scenario.ann.get(&scenario.path(row)).await.status, 200, "{who} has changed {}", row.path);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn enumerating_ids_reveals_nothing() {
    let scenario = Scenario::start().await;
    let source = format!("/svc/searchproviders/{}/", scenario.provider);
    let hidden = scenario.app.admin.patch(&source, &json!({"shared": false, "groups": ["research"]})).await;
    assert_eq!(hidden.status, 200, "{hidden:?}");
    let otto = scenario.app.user("otto", &[]).await;
    walk(&scenario, "another user", &otto, false).await;
    walk(&scenario, "the administrator", &scenario.app.admin, true).await;
    scenario.app.stop().await;
}

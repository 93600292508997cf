//! Authenticated callers without permission: 404 where the existence is private, 403 where the permission is missing.

use super::table::{Access, Resource, Row, TABLE};
use super::{Scenario, assert_refused, send};
use serde_json::json;

fn rows_of(resource: Resource) -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(move |row| row.resource == resource)
}

#[tokio::test(flavor = "multi_thread")]
async fn private_records_of_others_do_not_exist() {
    let scenario = Scenario::start().await;
    let otto = scenario.app.user("otto", &["research"]).await;
    for resource in [Resource::Search, Resource::Result, Resource::Token, Resource::Chat, Resource::Prompt] {
        for row in rows_of(resource) {
            let answer = send(&otto, row, &scenario.path(row)).await;
            assert_refused(&answer, 404, "not_found", &row.name());
            if resource != Resource::Token {
                let answer = send(&scenario.app.admin, row, &scenario.path(row)).await;
                assert_refused(&answer, 404, "not_found", &format!("as administrator: {}", row.name()));
            }
        }
        let read = rows_of(resource).find(|row| row.method == "GET").unwrap();
        let kept = scenario.ann.get(&scenario.path(read)).await;
        assert_eq!(kept.status, 200, "{}", read.name());
        assert!(kept.body["title"] != "another title" && kept.body["retention"] != 2, "{}", kept.body);
    }
    for query in ["search_id", "rerun", "update"] {
        let route = if query == "search_id" { "results" } else { "search" };
        for client in [&otto, &scenario.app.admin] {
            let answer = client.get(&format!("/svc/{route}/?{query}={}", scenario.search)).await;
            assert_refused(&answer, 404, "not_found", query);
        }
    }
    assert_eq!(otto.get("/svc/search/").await.body, json!([]));
    assert_eq!(otto.get("/svc/results/").await.body, json!([]));
    assert_eq!(otto.get("/svc/tokens/").await.body.as_array().unwrap().len(), 1, "the one that is used here");
    let page = otto.get(&format!("/?search_id={}", scenario.search)).await;
    assert_eq!(page.status, 404);
    scenario.app.stop().await;
}

/// The response is the same for a search of somebody else and for one that does not exist.
#[tokio::test(flavor = "multi_thread")]
async fn existence_is_not_revealed() {
    let scenario = Scenario::start().await;
    let otto = scenario.app.user("otto", &[]).await;
    for resource in [Resource::Search, Resource::Result, Resource::Token, Resource::Chat, Resource::Prompt] {
        for row in rows_of(resource) {
            let theirs = send(&otto, row, &scenario.path(row)).await;
            let nobodys = send(&otto, row, &row.path.replace("{id}", "999999")).await;
            assert_eq!(theirs.body["detail"], nobodys.body["detail"], "{}", row.name());
        }
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn administration_is_for_administrators() {
    let scenario = Scenario::start().await;
    let mut count = 0;
    for row in TABLE.iter().filter(|row| row.access == Access::Admin) {
        for path in [scenario.path(row), row.path.replace("{id}", "999999")] {
            let answer = send(&scenario.ann, row, &path).await;
            assert_refused(&answer, 403, "permission_denied", &format!("{} {path}", row.method));
        }
        count += 1;
    }
    assert!(count > 20, "{count}: users, groups, and writing of what all use");
    let me = scenario.ann.get("/svc/users/me/").await.body;
    let path = format!("/svc/users/{}/", me["id"]);
    let own = scenario.ann.patch(&path, &json!({"is_admin": true})).await;
    assert_refused(&own, 403, "permission_denied", "nobody makes themselves administrator");
    assert_eq!(scenario.ann.get("/svc/users/me/").await.body["is_admin"], false);
    let names = scenario.app.admin.get("/svc/searchproviders/").await.body;
    assert_eq!(names[0]["name"], "Rivers");
    assert_eq!(names.as_array().unwrap().len(), 1);
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_permissions_end_with_the_next_request() {
    let scenario = Scenario::start().await;
    let admin = &scenario.app.admin;
    let me = scenario.ann.get("/svc/users/me/").await.body;
    let path = format!("/svc/users/{}/", me["id"]);
    for (is_admin, status) in [(true, 200), (false, 403)] {
        assert_eq!(admin.patch(&path, &json!({"is_admin": is_admin})).await.status, 200);
        assert_eq!(scenario.ann.get("/svc/groups/").await.status, status);
    }
    scenario.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_exists_only_for_those_who_may_see_it() {
    let scenario = Scenario::start().await;
    let admin = &scenario.app.admin;
    let path = format!("/svc/searchproviders/{}/", scenario.provider);
    let hidden = admin.patch(&path, &json!({"shared": false, "groups": ["research"]})).await;
    assert_eq!(hidden.status, 200, "{hidden:?}");
    let member = scenario.app.user("mia", &["research"]).await;
    assert_refused(&scenario.ann.get(&path).await, 404, "not_found", "an outsider");
    assert_eq!(scenario.ann.get("/svc/searchproviders/").await.body, json!([]));
    assert_eq!(member.get(&path).await.body["name"], "Rivers");
    assert_eq!(member.get("/svc/searchproviders/").await.body.as_array().unwrap().len(), 1);
    for row in rows_of(Resource::Provider).filter(|row| row.access == Access::Admin) {
        let answer = send(&member, row, &path).await;
        assert_refused(&answer, 403, "permission_denied", &row.name());
    }

    let mia = member.get("/svc/users/me/").await.body;
    let left = admin.patch(&format!("/svc/users/{}/", mia["id"]), &json!({"groups": []})).await;
    assert_eq!(left.status, 200, "{left:?}");
    assert_refused(&member.get(&path).await, 404, "not_found", "a member who has left");
    scenario.app.stop().await;
}

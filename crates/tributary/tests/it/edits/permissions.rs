//! Concurrent edits of permissions and secrets.

use crate::app_harness::AppHarness;
use domain::ids::{ProviderId, UserId};
use domain::ports::{ProviderStore, UserStore};
use serde_json::json;

/// Rounds of concurrent edits.
const ROUNDS: usize = 6;

#[tokio::test(flavor = "multi_thread")]
async fn administrators_who_demote_each_other_leave_one() {
    let app = AppHarness::start().await;
    let store = &app.service.app().store;
    let other = app.user("other", &[]).await;
    let ids: Vec<i64> = [store.user_by_name("admin").await, store.user_by_name("other").await]
        .into_iter()
        .map(|user| user.unwrap().id.0)
        .collect();
    let path = |id: i64| format!("/svc/users/{id}/");
    for round in 0..ROUNDS {
        let promoted = app.admin.patch(&path(ids[1]), &json!({"is_admin": true})).await;
        assert_eq!(promoted.status, 200, "{promoted:?}");
        let demotion = json!({"is_admin": false});
        let (first, second) = (path(ids[0]), path(ids[1]));
        let (one, two) = tokio::join!(other.patch(&first, &demotion), app.admin.patch(&second, &demotion));
        let done = [one.status.as_u16(), two.status.as_u16()];
        assert_eq!(done.iter().filter(|status| **status == 200).count(), 1, "round {round}: {done:?}");
        let mut left = Vec::new();
        for id in &ids {
            left.extend(store.user(UserId(*id)).await.unwrap().is_admin.then_some(*id));
        }
        assert_eq!(left.len(), 1, "round {round}: {done:?}");
        if left[0] != ids[0] {
            let again = other.patch(&path(ids[0]), &json!({"is_admin": true})).await;
            assert_eq!(again.status, 200, "{again:?}");
        }
    }
    app.stop().await;
}

/// Hashing a password takes a while; permissions that an administrator removes meanwhile stay removed.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_does_not_bring_back_rights_that_were_taken_away() {
    let app = AppHarness::start().await;
    let eve = app.user("eve", &["staff"]).await;
    let id = app.service.app().store.user_by_name("eve").await.unwrap().id;
    let path = format!("/svc/users/{id}/");
    let mut current = "password of eve".to_owned();
    for round in 0..3 {
        let given = app.admin.patch(&path, &json!({"is_admin": true, "groups": ["staff"]})).await;
        assert_eq!(given.status, 200, "{given:?}");
        let new = format!("another password {round}");
        let passwords = json!({"current": current, "new": new});
        let taken = json!({"is_admin": false, "groups": []});
        let (changed, demoted) = tokio::join!(eve.post("/svc/users/me/password/", &passwords), async {
            tokio::task::yield_now().await;
            app.admin.patch(&path, &taken).await
        });
        assert_eq!((changed.status.as_u16(), demoted.status.as_u16()), (200, 200), "{changed:?} {demoted:?}");
        let now = app.admin.get(&path).await.body;
        assert_eq!((&now["is_admin"], &now["groups"]), (&json!(false), &json!([])), "round {round}");
        current = new;
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_secret_and_an_edit_beside_it_both_hold() {
    let app = AppHarness::start().await;
    let spec = json!({
        "name": "Rivers", "url": "http://127.0.0.1:1/", "query_template": "{url}?q={query_string}",
        "credentials": "key=0", "response_mappings": "RESULTS=items", "result_mappings": "title=title",
    });
    let made = app.admin.post("/svc/searchproviders/", &spec).await;
    let id = made.body["id"].as_i64().unwrap();
    let path = format!("/svc/searchproviders/{id}/");
    for round in 1..=ROUNDS {
        let secret = json!({"credentials": format!("key={round}")});
        let text = json!({"description": format!("d{round}")});
        // As a form sends it: the masked secret keeps the stored one.
        let masked = json!({"tags": [round.to_string()], "credentials": "key=••••"});
        let edits = tokio::join!(
            app.admin.patch(&path, &secret),
            app.admin.patch(&path, &text),
            app.admin.patch(&path, &masked)
        );
        for edited in [edits.0, edits.1, edits.2] {
            assert_eq!(edited.status, 200, "{edited:?}");
        }
        let stored = app.service.app().store.provider(ProviderId(id)).await.unwrap();
        assert_eq!(stored.credentials.expose(), format!("key={round}"));
        assert_eq!(stored.spec.description, format!("d{round}"));
        assert_eq!(stored.spec.tags, [round.to_string()]);
    }
    app.stop().await;
}

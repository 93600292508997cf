//! Pins over HTTP: created, kept, refused, replaced, removed, and to whom they are visible.

use super::{Fixture, PIN, QUERY, keep_own};
use crate::app_harness::AppHarness;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_pin_is_made_kept_and_replaced() {
    let fixture = Fixture::start().await;
    let Fixture { ann, cora, first, second, .. } = &fixture;
    let made = ann.post(PIN, &json!({"signal_id": first, "query": QUERY})).await;
    assert_eq!(made.status, 201, "{made:?}");
    insta::assert_json_snapshot!(made.body, {
        ".id" => "[id]", ".signal_id" => "[id]", ".url" => "[url]", ".pinned_at" => "[time]",
    }, @r#"
    {
      "id": "[id]",
      "query_key": "master services agreement",
      "query": "Master Services Agreement",
      "scope": "firm",
      "signal_id": "[id]",
      "title": "The first",
      "url": "[url]",
      "pinned_by": "ann",
      "pinned_at": "[time]",
      "via": "manual",
      "run_id": null
    }
    "#);
    assert_eq!((&made.body["signal_id"], fixture.state(*first).await), (&json!(first), json!("pinned")));

    let same = cora.post(PIN, &json!({"signal_id": first, "query": " master  SERVICES agreement "})).await;
    assert_eq!((same.status.as_u16(), &same.body["id"]), (200, &made.body["id"]), "{same:?}");
    assert_eq!(same.body["pinned_by"], "ann", "who came first");

    let other = json!({"signal_id": second, "query": QUERY});
    let taken = cora.post(PIN, &other).await;
    assert_eq!((taken.status.as_u16(), taken.code()), (409, "pin_exists"), "{taken:?}");
    assert_eq!(taken.body["existing_pin"], made.body);
    assert!(taken.body["detail"].as_str().unwrap().contains("force"), "{taken:?}");
    let matter = json!({"signal_id": second, "query": QUERY, "scope": "matter:acme"});
    let apart = cora.post(PIN, &matter).await;
    assert_eq!((apart.status.as_u16(), &apart.body["scope"]), (201, &json!("matter:acme")), "{apart:?}");

    let forced = cora.post(PIN, &json!({"signal_id": second, "query": QUERY, "force": true})).await;
    assert_eq!((forced.status.as_u16(), &forced.body["pinned_by"]), (201, &json!("cora")), "{forced:?}");
    assert_eq!(fixture.state(*first).await, "indexed", "its last pin is gone");
    assert_eq!(fixture.state(*second).await, "pinned");
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pins_go_one_by_one_or_all() {
    let fixture = Fixture::start().await;
    let Fixture { ann, cora, first, second, .. } = &fixture;
    for (query, scope) in [("msa", "firm"), ("msa", "matter:acme"), ("terms", "firm")] {
        let made = ann.post(PIN, &json!({"signal_id": first, "query": query, "scope": scope})).await;
        assert_eq!(made.status, 201, "{made:?}");
    }
    let unpin = format!("/svc/canonical/{first}/unpin/");
    for (wanted, removed, state) in [
        (json!({"query": "other"}), 0, "pinned"),
        (json!({"query": " MSA ", "scope": "acme"}), 1, "pinned"),
        (json!({"scope": "matter:acme"}), 0, "pinned"),
        (json!({"query": "msa"}), 1, "pinned"),
        (json!({}), 1, "indexed"),
        (json!({}), 0, "indexed"),
    ] {
        let gone = cora.post(&unpin, &wanted).await;
        assert_eq!((gone.status.as_u16(), &gone.body), (200, &json!({"removed": removed})), "{wanted}");
        assert_eq!(fixture.state(*first).await, state, "{wanted}");
    }
    for bad in [json!({"query": " "}), json!({"scope": ""}), json!({"scope": "matter:"}), json!({"query": 7})]
    {
        assert_eq!(ann.post(&unpin, &bad).await.status, 400, "{bad}");
    }
    assert_eq!(fixture.ben.post(&unpin, &json!({})).await.status, 403);
    let never = ann.post(&format!("/svc/canonical/{second}/unpin/"), &json!({})).await;
    assert_eq!(never.body, json!({"removed": 0}));

    // A pinned document is not removed without force.
    ann.post(PIN, &json!({"signal_id": first, "query": "msa"})).await;
    let kept = fixture.app.admin.post("/svc/cache/unindex/", &json!({"signal_id": first})).await;
    assert_eq!((kept.status.as_u16(), kept.code()), (409, "conflict"), "{kept:?}");
    let forced = json!({"signal_id": first, "force": true});
    assert_eq!(fixture.app.admin.post("/svc/cache/unindex/", &forced).await.status, 200);
    let pins = ann.get("/svc/canonical/pins/").await.body;
    assert_eq!((&pins["count"], &pins["results"]), (&json!(0), &json!([])));
    fixture.app.stop().await;
}

/// A pin applies to everybody, and reveals no document to people who may not see it.
#[tokio::test(flavor = "multi_thread")]
async fn a_hidden_document_stays_hidden() {
    let fixture = Fixture::start().await;
    let Fixture { ann, ben, cora, own, first, .. } = &fixture;
    let made = ann.post(PIN, &json!({"signal_id": own, "query": QUERY})).await;
    assert_eq!(made.status, 201, "{made:?}");

    let taken = cora.post(PIN, &json!({"signal_id": first, "query": QUERY})).await;
    assert_eq!((taken.status.as_u16(), taken.code()), (409, "pin_exists"), "{taken:?}");
    let existing = &taken.body["existing_pin"];
    for field in ["signal_id", "title", "url", "run_id"] {
        assert_eq!((existing.get(field), field), (Some(&Value::Null), field), "{existing}");
    }
    assert_eq!((&existing["scope"], &existing["pinned_by"]), (&json!("firm"), &json!("ann")));
    let text = taken.body.to_string();
    assert!(!text.contains("own.example") && !text.contains("The own"), "{text}");

    for client in [cora, &fixture.app.admin] {
        let theirs = client.post(PIN, &json!({"signal_id": own, "query": "x"})).await;
        let nobodys = client.post(PIN, &json!({"signal_id": 999_999, "query": "x"})).await;
        assert_eq!((theirs.status.as_u16(), &theirs.body["detail"]), (404, &nobodys.body["detail"]));
        let gone = client.post(&format!("/svc/canonical/{own}/unpin/"), &json!({})).await;
        assert_eq!((gone.status.as_u16(), gone.code()), (404, "not_found"), "{gone:?}");
        for list in ["/svc/canonical/pins/", "/svc/canonical/pins/history/"] {
            let told = client.get(list).await.body;
            assert_eq!((&told["count"], &told["results"]), (&json!(0), &json!([])), "{list}");
        }
    }
    let refused = ben.post(PIN, &json!({"signal_id": first, "query": "x"})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (403, "permission_denied"), "{refused:?}");
    for list in ["/svc/canonical/pins/", "/svc/canonical/pins/history/"] {
        assert_eq!(ben.get(list).await.status, 403, "{list}");
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_and_its_history() {
    let fixture = Fixture::start().await;
    let Fixture { ann, cora, first, second, own, .. } = &fixture;
    for (client, signal, query, force) in [
        (ann, own, "msa", false),
        (cora, first, "terms", false),
        (ann, second, "terms", true),
        (cora, first, "msa", true),
    ] {
        let made = client.post(PIN, &json!({"signal_id": signal, "query": query, "force": force})).await;
        assert_eq!(made.status, 201, "{made:?}");
    }
    cora.post(&format!("/svc/canonical/{second}/unpin/"), &json!({})).await;

    let pins = ann.get("/svc/canonical/pins/").await.body;
    assert_eq!((&pins["count"], &pins["next"]), (&json!(1), &Value::Null), "{pins}");
    assert_eq!(
        (&pins["results"][0]["query"], &pins["results"][0]["signal_id"]),
        (&json!("msa"), &json!(first))
    );
    for (wanted, count) in [
        ("query=MSA", 1),
        ("query=s", 1),
        ("query=terms", 0),
        ("scope=matter:a", 0),
        ("scope=Firm", 1),
        ("signal_id=999", 0),
    ] {
        let found = ann.get(&format!("/svc/canonical/pins/?{wanted}")).await.body;
        assert_eq!(found["count"], count, "{wanted}");
    }

    let history = ann.get("/svc/canonical/pins/history/?items=2&query=").await.body;
    assert_eq!(history["count"], 5, "{history}");
    let next = history["next"].as_str().unwrap();
    assert!(next.ends_with("/svc/canonical/pins/history/?query=&page=2&items=2"), "{next}");
    shown_history(&history["results"]);
    let whole = ann.get("/svc/canonical/pins/history/").await.body;
    assert_eq!(whole["results"][1]["before"], *own);
    // The history does not show Cora that Ann pinned a document of her own, nor which one.
    let told = cora.get("/svc/canonical/pins/history/").await.body;
    assert_eq!((&told["count"], &told["results"][1]["before"]), (&json!(4), &Value::Null), "{told}");
    assert!(!told.to_string().contains("The own"), "{told}");
    for bad in ["page=0", "items=101", "signal_id=x"] {
        assert_eq!(ann.get(&format!("/svc/canonical/pins/?{bad}")).await.status, 400, "{bad}");
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_pinned() {
    let fixture = Fixture::start().await;
    let Fixture { ann, first, .. } = &fixture;
    for (given, status) in [
        (json!({}), 400),
        (json!({"signal_id": first}), 400),
        (json!({"query": "msa"}), 400),
        (json!({"signal_id": first, "query": " "}), 400),
        (json!({"signal_id": "x", "query": "msa"}), 400),
        (json!({"signal_id": first, "query": "x".repeat(2049)}), 400),
        (json!({"signal_id": first, "query": "msa", "scope": "x".repeat(256)}), 400),
        (json!({"signal_id": first, "query": "msa", "force": "yes"}), 400),
        (json!({"signal_id": 999_999, "query": "msa"}), 404),
        (json!({"signal_id": -1, "query": "msa"}), 404),
    ] {
        let refused = ann.post(PIN, &given).await;
        assert_eq!(refused.status.as_u16(), status, "{given}: {refused:?}");
    }
    // Nothing listens there: the document is known, and has no text.
    let payload = json!({"url": "http://127.0.0.1:1/nothing"});
    let known = ann.post("/svc/ingest/", &payload).await.body["signal_id"].clone();
    let refused = ann.post(PIN, &json!({"signal_id": known, "query": "msa"})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (422, "not_indexed"), "{refused:?}");
    fixture.app.stop().await;
}

/// Without a license for the cache nothing can be decided, and existing pins can be listed.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_license() {
    let app = AppHarness::start().await;
    for (path, body) in [
        (PIN, json!({"signal_id": 1, "query": "msa"})),
        ("/svc/canonical/1/unpin/", json!({})),
        ("/svc/canonical/1/approve/", json!({})),
        ("/svc/canonical/1/reject/", json!({"reason": "other"})),
        ("/svc/canonical/elect/", json!({"search_id": 1})),
    ] {
        let refused = app.admin.post(path, &body).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (402, "cache_unlicensed"), "{path}");
    }
    for list in ["/svc/canonical/", "/svc/canonical/pins/", "/svc/canonical/pins/history/"] {
        let told = app.admin.get(list).await;
        let empty = json!({"count": 0, "next": null, "previous": null, "results": []});
        assert_eq!((told.status.as_u16(), &told.body), (200, &empty), "{list}");
    }
    app.stop().await;
}

/// A curator may pin their own document; the group is checked on every request.
#[tokio::test(flavor = "multi_thread")]
async fn curators_are_checked_on_every_request() {
    let fixture = Fixture::start().await;
    let own = keep_own(&fixture.ben, "bens").await;
    let payload = json!({"signal_id": own, "query": "msa"});
    assert_eq!(fixture.ben.post(PIN, &payload).await.status, 403);
    let ben = fixture.ben.get("/svc/users/me/").await.body["id"].clone();
    let path = format!("/svc/users/{ben}/");
    for (groups, status) in [(json!(["curators"]), 201), (json!([]), 403)] {
        let changed = fixture.app.admin.patch(&path, &json!({"groups": groups})).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(fixture.ben.post(PIN, &payload).await.status.as_u16(), status);
    }
    fixture.app.stop().await;
}

#[track_caller]
fn shown_history(lines: &Value) {
    insta::assert_json_snapshot!(lines, {
        "[].id" => "[id]", "[].signal_id" => "[id]", "[].before" => "[id]", "[].url" => "[url]", "[].at" => "[time]",
    }, @r#"
    [
      {
        "id": "[id]",
        "action": "unpinned",
        "query_key": "terms",
        "scope": "firm",
        "signal_id": "[id]",
        "title": "The second",
        "url": "[url]",
        "before": "[id]",
        "by": "cora",
        "at": "[time]",
        "via": "manual",
        "run_id": null
      },
      {
        "id": "[id]",
        "action": "replaced",
        "query_key": "msa",
        "scope": "firm",
        "signal_id": "[id]",
        "title": "The first",
        "url": "[url]",
        "before": "[id]",
        "by": "cora",
        "at": "[time]",
        "via": "manual",
        "run_id": null
      }
    ]
    "#);
}

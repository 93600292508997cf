//! Elections over HTTP: the review queue, one election with its members, approval, rejection, and who sees what.

use super::{Fixture, PIN, QUERY};
use crate::election_fixture::store_election;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn an_election_is_shown_with_all_its_scores() {
    let fixture = Fixture::start().await;
    let Fixture { app, ann, ben, cora, first, second, own, .. } = &fixture;
    let run = store_election(app, "ben", QUERY, &[*first, *second, *own]).await;
    let path = format!("/svc/canonical/{run}/");
    let told = ann.get(&path).await;
    assert_eq!(told.status, 200, "{told:?}");
    let mut head = told.body.clone();
    let members = head.as_object_mut().unwrap().shift_remove("members").unwrap();
    shown_head(&head);
    shown_member(&members[1]);
    // Ben requested it, Cora reviews it; neither sees Ann's own text.
    for (client, may_decide) in [(ben, false), (cora, true)] {
        let told = client.get(&path).await;
        assert_eq!(told.status, 200, "{told:?}");
        assert_eq!(told.body["members"].as_array().unwrap().len(), 2);
        assert_eq!((&told.body["hidden_members"], &told.body["may_decide"]), (&json!(1), &json!(may_decide)));
        assert!(!told.body.to_string().contains("The own"), "{told:?}");
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sees_an_election() {
    let fixture = Fixture::start().await;
    let Fixture { app, ann, ben, cora, first, second, own, .. } = &fixture;
    let dan = app.user("dan", &[]).await;
    let bens = store_election(app, "ben", "of ben", &[*first, *second]).await;
    let hidden = store_election(app, "ann", "of ann", &[*own, *second]).await;
    let lost = store_election(app, "ben", "lost", &[*own, *first]).await;
    for (who, client, seen) in [
        ("ann", ann, vec![lost, hidden, bens]),
        ("ben", ben, vec![bens]),
        ("cora", cora, vec![bens]),
        ("dan", &dan, vec![]),
        ("admin", &app.admin, vec![bens]),
    ] {
        let list = client.get("/svc/canonical/").await.body;
        let rows = list["results"].as_array().unwrap();
        let ids: Vec<i64> = rows.iter().map(|row| row["run_id"].as_i64().unwrap()).collect();
        assert_eq!((&ids, list["count"].as_u64()), (&seen, Some(seen.len() as u64)), "{who}");
        assert!(rows.iter().all(|row| row.get("members").is_none()), "{who}");
        for run in [bens, hidden, lost] {
            let told = client.get(&format!("/svc/canonical/{run}/")).await;
            let expected = if seen.contains(&run) { 200 } else { 404 };
            assert_eq!(told.status, expected, "{who} {run}");
            if expected == 404 {
                let nobodys = client.get("/svc/canonical/999999/").await;
                assert_eq!(told.body["detail"], nobodys.body["detail"], "{who}");
                for (what, body) in [("approve", json!({})), ("reject", json!({"reason": "other"}))] {
                    let path = format!("/svc/canonical/{run}/{what}/");
                    let refused = client.post(&path, &body).await.status.as_u16();
                    assert!([403, 404].contains(&refused), "{who} {what} {run}: {refused}");
                }
            }
        }
    }
    let refused = ben.post(&format!("/svc/canonical/{bens}/approve/"), &json!({})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (403, "permission_denied"), "{refused:?}");
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_is_filtered_and_paged() {
    let fixture = Fixture::start().await;
    let Fixture { app, ann, first, second, .. } = &fixture;
    let mut runs = Vec::new();
    for number in 0..12 {
        runs.push(store_election(app, "ann", &format!("Dam number {number}"), &[*first, *second]).await);
    }
    let rejected = format!("/svc/canonical/{}/reject/", runs[0]);
    assert_eq!(ann.post(&rejected, &json!({"reason": "other"})).await.status, 200);
    let first_page = ann.get("/svc/canonical/").await.body;
    assert_eq!((&first_page["count"], first_page["results"].as_array().unwrap().len()), (&json!(12), 10));
    assert_eq!(first_page["results"][0]["run_id"], runs[11], "the newest first");
    let next = first_page["next"].as_str().unwrap();
    assert!(next.ends_with("/svc/canonical/?page=2&items=10"), "{next}");
    for (wanted, count) in [
        ("status=open", 11),
        ("status=auto_elected", 11),
        ("status=pending", 0),
        ("status=rejected", 1),
        ("query=number+11", 1),
        ("query=NUMBER", 12),
        ("query=weir", 0),
        ("status=open&query=number+0", 0),
    ] {
        let found = ann.get(&format!("/svc/canonical/?{wanted}&items=1")).await.body;
        assert_eq!(found["count"], count, "{wanted}");
    }
    for bad in ["status=lost", "page=0", "items=101", "items=x"] {
        assert_eq!(ann.get(&format!("/svc/canonical/?{bad}")).await.status, 400, "{bad}");
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn approving_pins_the_winner() {
    let fixture = Fixture::start().await;
    let Fixture { app, ann, cora, first, second, .. } = &fixture;
    let run = store_election(app, "ben", QUERY, &[*first, *second]).await;
    let path = format!("/svc/canonical/{run}/approve/");
    let pinned = ann.post(PIN, &json!({"signal_id": second, "query": QUERY})).await;
    assert_eq!(pinned.status, 201, "{pinned:?}");
    let taken = cora.post(&path, &json!({"comment": "Signed."})).await;
    assert_eq!((taken.status.as_u16(), taken.code()), (409, "pin_exists"), "{taken:?}");
    assert_eq!(taken.body["existing_pin"], pinned.body);
    assert_eq!(cora.get(&format!("/svc/canonical/{run}/")).await.body["status"], "auto_elected");

    for bad in [json!({"comment": "x".repeat(2001)}), json!({"comment": 7}), json!({"force": "yes"})] {
        assert_eq!(cora.post(&path, &bad).await.status, 400, "{bad}");
    }
    let approved = cora.post(&path, &json!({"comment": " Signed. ", "force": true})).await;
    assert_eq!(approved.status, 200, "{approved:?}");
    let shown = ["status", "decided_by", "comment", "may_decide"].map(|field| approved.body[field].clone());
    assert_eq!(shown, [json!("approved"), json!("cora"), json!("Signed."), json!(false)]);
    assert!(approved.body["decided_at"].is_string(), "{approved:?}");
    let pins = ann.get("/svc/canonical/pins/").await.body;
    let pin = &pins["results"][0];
    assert_eq!(pins["count"], 1, "{pins}");
    let shown = ["signal_id", "via", "run_id", "pinned_by"].map(|field| pin[field].clone());
    assert_eq!(shown, [json!(first), json!("approval"), json!(run), json!("cora")]);
    assert_eq!(fixture.state(*first).await, "pinned");

    for (what, body) in [("approve", json!({})), ("reject", json!({"reason": "outdated"}))] {
        let again = ann.post(&format!("/svc/canonical/{run}/{what}/"), &body).await;
        assert_eq!((again.status.as_u16(), again.code()), (409, "already_decided"), "{what}: {again:?}");
        assert!(again.body["detail"].as_str().unwrap().contains("approved"), "{again:?}");
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejecting_needs_a_reason_and_is_noted() {
    let fixture = Fixture::start().await;
    let Fixture { app, ann, first, second, .. } = &fixture;
    let run = store_election(app, "ben", QUERY, &[*first, *second]).await;
    let path = format!("/svc/canonical/{run}/reject/");
    for bad in [json!({}), json!({"reason": ""}), json!({"reason": "bad"}), json!({"reason": Value::Null})] {
        let refused = ann.post(&path, &bad).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (400, "invalid"), "{bad}: {refused:?}");
    }
    let rejected =
        ann.post(&path, &json!({"reason": "wrong_version", "comment": "Look at the third."})).await;
    assert_eq!(rejected.status, 200, "{rejected:?}");
    let shown =
        ["status", "decided_by", "reject_reason", "comment"].map(|field| rejected.body[field].clone());
    assert_eq!(shown, [json!("rejected"), json!("ann"), json!("wrong_version"), json!("Look at the third.")]);
    let again = ann.post(&path, &json!({"reason": "other"})).await;
    assert_eq!((again.status.as_u16(), again.code()), (409, "already_decided"), "{again:?}");
    assert_eq!(ann.get("/svc/canonical/pins/").await.body["count"], 0, "nothing is pinned by it");
    fixture.app.stop().await;
}

#[track_caller]
fn shown_head(head: &Value) {
    insta::assert_json_snapshot!(head, {
        ".run_id" => "[id]", ".cluster_key" => "[id]", ".winner_signal_id" => "[id]", ".winner.signal_id" => "[id]",
        ".winner.url" => "[url]", ".created_at" => "[time]",
    }, @r#"
    {
      "run_id": "[id]",
      "query": "Master Services Agreement",
      "query_key": "master services agreement",
      "scope": "firm",
      "cluster_key": "[id]",
      "status": "auto_elected",
      "auto": true,
      "winner_signal_id": "[id]",
      "winner": {
        "signal_id": "[id]",
        "title": "The first",
        "url": "[url]"
      },
      "margin": 0.5,
      "size": 3,
      "weights": {
        "source_authority": 3.0,
        "naming": 2.0,
        "recency": 2.0,
        "format": 1.0,
        "egress_external": 1.5,
        "pin": 5.0,
        "rejection": -4.0
      },
      "gates": {
        "relevance_min": 0.1,
        "relevance_ratio": 0.6
      },
      "created_at": "[time]",
      "decided_by": null,
      "decided_at": null,
      "reject_reason": null,
      "comment": "",
      "search_id": 1,
      "hidden_members": 0,
      "may_decide": true
    }
    "#);
}

#[track_caller]
fn shown_member(member: &Value) {
    insta::assert_json_snapshot!(member, {
        ".signal_id" => "[id]", ".url" => "[url]", ".date" => "[date]",
    }, @r#"
    {
      "signal_id": "[id]",
      "title": "The second",
      "url": "[url]",
      "searchprovider": "Papers",
      "version_label": "",
      "date": "[date]",
      "relevance": 0.8,
      "eligible": true,
      "reasons": [
        "Its name says 'final'."
      ],
      "grounds": [
        {
          "code": "name",
          "stages": [
            "final"
          ],
          "is_numbered_copy": false,
          "version": null
        }
      ],
      "factors": {
        "source_authority": 0.0,
        "naming": 0.75,
        "recency": 0.0,
        "format": 0.0,
        "egress_external": 0.0,
        "pin": 0.0,
        "rejection": 0.0
      },
      "contributions": {
        "source_authority": 0.0,
        "naming": 1.5,
        "recency": 0.0,
        "format": 0.0,
        "egress_external": 0.0,
        "pin": 0.0,
        "rejection": 0.0
      },
      "score": 1.5,
      "rank": 2,
      "role": "alternate",
      "shared_externally": false,
      "liveness": "alive",
      "state": "indexed"
    }
    "#);
}

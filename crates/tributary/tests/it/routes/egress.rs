//! `/svc/egress/…`: scans of a person's own sent mail, and their events.

use crate::app_harness::{Answer, AppHarness, Client, licensed, long_text};
use chrono::{DateTime, Utc};
use domain::authenticator::Tokens;
use domain::corpus::{Channel, MatchMethod, NewEvent, NewScan, ScanCounts, ScanStatus};
use domain::ids::{AuthenticatorId, ScanId, SignalId};
use domain::ports::{AddedEvents, ConnectionStore, EgressStore, ScanEnd, ScanOutcome, UserStore};
use domain::secret::Secret;
use domain::settings::Settings;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const SCAN: &str = "/svc/egress/scan/";
const EVENTS: &str = "/svc/egress/events/";

/// A licensed service with this source as Outlook.
async fn app(source: &Source) -> AppHarness {
    let url = source.url_at("/v1.0").to_string();
    let allow = vec![source.address().to_string()];
    AppHarness::with(|settings| Settings {
        egress_outlook_url: url,
        outbound_allow: allow,
        ..licensed(settings)
    })
    .await
}

/// Creates the authenticator of Outlook, and connects a mailbox of this person.
async fn connect(app: &AppHarness, person: &str) {
    let spec = json!({
        "idp": "microsoft", "name": "Microsoft", "client_id": "c", "auth_uri": "https://h.example/a",
        "token_uri": "https://h.example/t",
    });
    let made = app.admin.post("/svc/authenticators/", &spec).await;
    assert_eq!(made.status, 201, "{made:?}");
    let (id, wired) = (made.body["id"].as_i64().unwrap(), app.service.app());
    let user = wired.store.user_by_name(person).await.unwrap().id;
    let access = Secret::new("a token of the mailbox");
    let tokens = Tokens { access, refresh: Secret::default(), expires: None, scopes: String::new() };
    let account = format!("{person}@firm.example");
    wired.store.connect(user, AuthenticatorId(id), tokens, account, wired.clock.now()).await.unwrap();
}

async fn keep(client: &Client, number: usize) -> i64 {
    let payload = json!({
        "url": format!("https://h.example/{number}"), "title": format!("Agreement {number}"),
        "body": long_text(&format!("agreement {number}")), "wait": true,
    });
    let kept = client.post("/svc/ingest/", &payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    kept.body["signal_id"].as_i64().unwrap()
}

/// Stores a finished scan of this person that found these documents, one on each day.
async fn store_scan(app: &AppHarness, person: &str, found: &[(i64, MatchMethod)]) -> ScanId {
    let wired = app.service.app();
    let (store, now) = (&wired.store, wired.clock.now());
    let user = store.user_by_name(person).await.unwrap().id;
    let wanted = NewScan {
        user,
        channel: Channel::Outlook,
        matter_tag: String::new(),
        date_from: None,
        date_to: None,
    };
    let ScanOutcome::Queued(scan) = store.begin_scan(wanted, now, now).await.unwrap() else {
        panic!("{person} has a scan");
    };
    let sent = |day: usize| format!("2026-03-{:02}T09:15:00Z", day + 1).parse::<DateTime<Utc>>().unwrap();
    let event = |(day, (id, method)): (usize, &(i64, MatchMethod))| NewEvent {
        signal_id: SignalId(*id),
        signal_title: format!("Agreement of day {}", day + 1),
        external_domains: vec!["client.example".to_owned(), "counsel.example".to_owned()],
        sent_at: sent(day),
        method: *method,
        message_key: format!("key {day}"),
    };
    let counts = ScanCounts { messages_seen: 9, messages_external: 4, ..ScanCounts::default() };
    let events = found.iter().enumerate().map(event).collect();
    let AddedEvents { matches, candidates } =
        store.add_events(scan.scan_id, counts, events, now).await.unwrap().expect("a scan");
    let end = ScanEnd {
        status: ScanStatus::Completed,
        counts: ScanCounts { matches, candidates, ..counts },
        error: String::new(),
        truncated: false,
    };
    assert!(store.end_scan(scan.scan_id, end, now).await.unwrap());
    scan.scan_id
}

fn ids(listed: &Value) -> Vec<i64> {
    let rows = listed["results"].as_array().unwrap().iter();
    rows.map(|row| row["event_id"].as_i64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_needs_a_valid_request_and_a_connected_mailbox() {
    let source = Source::start().await;
    let app = app(&source).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    for (given, field) in [
        (json!({"channel": "fax"}), "channel"),
        (json!({"channel": 7}), "channel"),
        (json!({"date_from": "1.2.2026"}), "date_from"),
        (json!({"date_to": "2026-02-30"}), "date_to"),
        (json!({"date_from": "-2026-02-01"}), "date_from"),
        (json!({"date_from": "2026-02-02", "date_to": "2026-02-01"}), "date_to"),
        (json!({"matter_tag": "x".repeat(500)}), "matter_tag"),
        (json!({"matter_tag": "matter:"}), "matter_tag"),
        (json!({"matter_tag": " MATTER: "}), "matter_tag"),
    ] {
        let refused = ann.post(SCAN, &given).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (400, "invalid"), "{given}");
        assert!(refused.body["errors"].get(field).is_some(), "{given}: {refused:?}");
    }
    for given in [json!({}), json!({"channel": "gmail"})] {
        let refused = ann.post(SCAN, &given).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (424, "mailbox_not_connected"), "{refused:?}");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(detail.contains("an administrator must add the authenticator"), "{refused:?}");
    }
    assert_eq!(ann.get("/svc/agent/status/").await.body["features"]["egress"], false);
    connect(&app, "ann").await;
    assert_eq!(ann.get("/svc/agent/status/").await.body["features"]["egress"], true);
    // No source uses it, but everybody may connect it.
    for client in [&ann, &ben] {
        assert_eq!(client.get("/svc/authenticators/").await.body[0]["idp"], "microsoft");
    }
    let refused = ben.post(SCAN, &json!({})).await;
    assert_eq!(refused.status, 424, "the mailbox of somebody else is no mailbox");
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.ends_with("connect microsoft first."), "{refused:?}");
    assert!(source.requests().is_empty(), "no mailbox was asked");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_is_begun_watched_and_cancelled() {
    let source = Source::start().await;
    let later = Duration::from_secs(5);
    source.reply(Behavior::Delay(later, Box::new(Behavior::Json(json!({"value": []})))));
    let app = app(&source).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let nothing = json!({"count": 0, "next": null, "previous": null, "results": []});
    assert_eq!(ann.get(SCAN).await.body, nothing);
    connect(&app, "ann").await;
    let payload = json!({"matter_tag": "matter:smith", "date_from": "2026-01-01", "date_to": "2026-01-31"});
    let begun = ann.post(SCAN, &payload).await;
    assert_eq!(begun.status, 202, "{begun:?}");
    insta::assert_json_snapshot!(begun.body, { ".created_at" => "[time]" }, @r#"
    {
      "scan_id": 1,
      "user": "ann",
      "channel": "outlook",
      "status": "queued",
      "matter_tag": "smith",
      "date_from": "2026-01-01",
      "date_to": "2026-01-31",
      "messages_seen": 0,
      "messages_external": 0,
      "matches": 0,
      "candidates": 0,
      "created_at": "[time]",
      "started_at": null,
      "finished_at": null,
      "error": "",
      "truncated": false
    }
    "#);
    let id = begun.body["scan_id"].as_i64().unwrap();
    let path = format!("{SCAN}{id}/");
    let busy = ann.post(SCAN, &json!({})).await;
    assert_eq!((busy.status.as_u16(), busy.code()), (409, "scan_running"), "{busy:?}");
    assert_eq!((&busy.body["scan"]["scan_id"], &busy.body["scan"]["user"]), (&json!(id), &json!("ann")));
    assert_eq!(ann.get(SCAN).await.body["results"][0]["scan_id"], id);
    for client in [&ben, &app.admin] {
        assert_eq!(client.get(&path).await.status, 404);
        assert_eq!(client.delete(&path).await.status, 404);
        assert_eq!(client.get(SCAN).await.body, nothing);
    }
    for _again in 0..2 {
        assert_eq!(ann.delete(&path).await.status, 204);
        let over = ann.get(&path).await.body;
        assert_eq!((&over["status"], &over["error"]), (&json!("cancelled"), &json!("")), "{over}");
        assert!(over["finished_at"].is_string(), "{over}");
    }
    let next = Answer::of(ann.request(Method::POST, SCAN)).await;
    assert_eq!(next.status, 202, "the next one may begin, and nothing need be said of it: {next:?}");
    assert_eq!(ann.get(&format!("{SCAN}?items=1")).await.body["count"], 2);
    app.stop().await;
}

/// Waits until the scan has ended.
async fn wait_until_ended(client: &Client, id: &Value) -> Value {
    let started = Instant::now();
    loop {
        let scan = client.get(&format!("{SCAN}{id}/")).await.body;
        if !["queued", "running"].contains(&scan["status"].as_str().unwrap()) {
            return scan;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "{scan}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_finds_what_went_outside() {
    let source = Source::start().await;
    let person = |address: &str| json!({"emailAddress": {"name": "Canary", "address": address}});
    let message = |id: &str, to: &str| {
        json!({
            "id": id, "sentDateTime": "2026-03-01T10:00:00Z", "from": person("ann@firm.example"),
            "toRecipients": [person(to)], "hasAttachments": false, "subject": "Canary",
        })
    };
    let sent = [message("m1", "canary@mail.client.example"), message("m2", "ben@firm.example")];
    source.reply_at("/v1.0/me/mailFolders/sentitems/messages", Behavior::Json(json!({"value": sent})));
    let body =
        json!({"contentType": "html", "content": "Canary <a href='https://h.example/0?utm_source=x'>it</a>"});
    source.reply_at("/v1.0/me/messages/m1", Behavior::Json(json!({"id": "m1", "body": body})));
    let app = app(&source).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let document = keep(&ann, 0).await;
    connect(&app, "ann").await;
    for scans in 1..=2 {
        let begun = ann.post(SCAN, &json!({})).await;
        assert_eq!(begun.status, 202, "{begun:?}");
        let scan = wait_until_ended(&ann, &begun.body["scan_id"]).await;
        assert_eq!((&scan["status"], &scan["error"]), (&json!("completed"), &json!("")), "{scan}");
        assert_eq!((&scan["messages_seen"], &scan["messages_external"]), (&json!(2), &json!(1)), "{scan}");
        let events = ann.get(EVENTS).await.body;
        assert_eq!(events["count"], 1, "scan {scans} makes no second event: {events}");
        let event = &events["results"][0];
        assert_eq!((&event["signal_id"], &event["status"]), (&json!(document), &json!("confirmed")));
        assert_eq!((&event["match_method"], &event["confidence"]), (&json!("link_exact"), &json!(1.0)));
        assert_eq!(event["external_domains"], json!(["client.example"]));
        assert!(!events.to_string().contains("anary") && !scan.to_string().contains("anary"), "{events}");
    }
    assert_eq!(ben.get(EVENTS).await.body["count"], 0);
    let asked = source.requests();
    let paths: Vec<&str> = asked.iter().map(|request| request.path.as_str()).collect();
    assert!(
        !paths.iter().any(|path| path.contains("/m2")),
        "mail that stays inside is not opened: {paths:?}"
    );
    app.stop().await;
}

/// Three documents of ann's: the first was certainly sent outside, the others possibly. Returns the documents and the
/// scan.
async fn three_found(app: &AppHarness, ann: &Client) -> (Vec<i64>, i64) {
    let mut documents = Vec::new();
    for number in 0..3 {
        documents.push(keep(ann, number).await);
    }
    let found = [
        (documents[0], MatchMethod::AttachmentHash),
        (documents[1], MatchMethod::FilenameSize),
        (documents[2], MatchMethod::ContentSimilarity),
    ];
    let scan = store_scan(app, "ann", &found).await;
    (documents, scan.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_reveals_little() {
    let app = AppHarness::with(licensed).await;
    let ann = app.user("ann", &[]).await;
    three_found(&app, &ann).await;
    let listed = ann.get(EVENTS).await;
    assert_eq!(listed.header("x-total-count"), "3");
    insta::assert_json_snapshot!(listed.body, @r#"
    {
      "count": 3,
      "next": null,
      "previous": null,
      "results": [
        {
          "event_id": 3,
          "scan_id": 1,
          "signal_id": 3,
          "signal_title": "Agreement of day 3",
          "external_domains": [
            "client.example",
            "counsel.example"
          ],
          "channel": "outlook",
          "sent_at": "2026-03-03T09:15:00Z",
          "match_method": "content_similarity",
          "confidence": 0.7,
          "status": "candidate",
          "decided_at": null
        },
        {
          "event_id": 2,
          "scan_id": 1,
          "signal_id": 2,
          "signal_title": "Agreement of day 2",
          "external_domains": [
            "client.example",
            "counsel.example"
          ],
          "channel": "outlook",
          "sent_at": "2026-03-02T09:15:00Z",
          "match_method": "filename_size",
          "confidence": 0.8,
          "status": "candidate",
          "decided_at": null
        },
        {
          "event_id": 1,
          "scan_id": 1,
          "signal_id": 1,
          "signal_title": "Agreement of day 1",
          "external_domains": [
            "client.example",
            "counsel.example"
          ],
          "channel": "outlook",
          "sent_at": "2026-03-01T09:15:00Z",
          "match_method": "attachment_hash",
          "confidence": 1.0,
          "status": "confirmed",
          "decided_at": null
        }
      ]
    }
    "#);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_found_by_what_they_say() {
    let app = AppHarness::with(licensed).await;
    let ann = app.user("ann", &[]).await;
    let (documents, scan) = three_found(&app, &ann).await;
    let all = ids(&ann.get(EVENTS).await.body);
    for (query, expected) in [
        ("status=candidate".to_owned(), vec![all[0], all[1]]),
        ("status=confirmed".to_owned(), vec![all[2]]),
        ("status=dismissed".to_owned(), vec![]),
        (format!("signal_id={}", documents[1]), vec![all[1]]),
        (format!("scan_id={scan}&status=confirmed"), vec![all[2]]),
        ("scan_id=999999".to_owned(), vec![]),
        ("page=2&items=2".to_owned(), vec![all[2]]),
    ] {
        assert_eq!(ids(&ann.get(&format!("{EVENTS}?{query}")).await.body), expected, "{query}");
    }
    let page = ann.get(&format!("{EVENTS}?status=candidate&items=1")).await.body;
    let next = page["next"].as_str().unwrap();
    assert!(next.ends_with("/svc/egress/events/?status=candidate&page=2&items=1"), "{next}");
    for bad in ["status=lost", "signal_id=x", "page=0", "items=101"] {
        assert_eq!(ann.get(&format!("{EVENTS}?{bad}")).await.status, 400, "{bad}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_for_their_owner() {
    let app = AppHarness::with(licensed).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let (documents, _) = three_found(&app, &ann).await;
    let all = ids(&ann.get(EVENTS).await.body);
    let path = format!("{EVENTS}{}/", all[0]);
    for client in [&ben, &app.admin] {
        assert_eq!(client.get(EVENTS).await.body["count"], 0);
        assert_eq!(client.patch(&path, &json!({"status": "confirmed"})).await.status, 404);
    }
    for bad in [json!({}), json!({"status": "candidate"}), json!({"status": 1}), json!([])] {
        assert_eq!(ann.patch(&path, &bad).await.status, 400, "{bad}");
    }
    for said in ["confirmed", "dismissed", "confirmed"] {
        let event = ann.patch(&path, &json!({"status": said})).await;
        assert_eq!((event.status.as_u16(), &event.body["status"]), (200, &json!(said)), "{event:?}");
        assert_eq!((&event.body["event_id"], event.body["decided_at"].is_string()), (&json!(all[0]), true));
    }
    assert_eq!(ann.patch(&format!("{EVENTS}999999/"), &json!({"status": "confirmed"})).await.status, 404);

    let figures = app.admin.get("/svc/cache/statistics/").await.body;
    assert_eq!(figures["egress"]["events"], json!({"candidate": 1, "confirmed": 2, "dismissed": 0}));
    assert_eq!(figures["egress"]["scans"]["completed"], 1);
    assert!(!figures.to_string().contains("client.example"), "{figures}");
    let metrics = app.admin.get("/metrics/").await.body.as_str().unwrap().to_owned();
    for line in [
        "tributary_egress_scans{status=\"completed\"} 1",
        "tributary_egress_events{status=\"confirmed\"} 2",
        "tributary_egress_events{status=\"dismissed\"} 0",
        "tributary_canonical_runs{status=\"pending\"} 0",
        "tributary_canonical_pins{} 0",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line} is not in {metrics}");
    }

    // The document is removed from the cache; the event keeps its title.
    let unindexed = ann.post("/svc/cache/unindex/", &json!({"signal_id": documents[2]})).await;
    assert_eq!(unindexed.status, 200, "{unindexed:?}");
    let event = &ann.get(EVENTS).await.body["results"][0];
    assert_eq!((&event["signal_id"], &event["signal_title"]), (&Value::Null, &json!("Agreement of day 3")));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_license_only_what_is_there_is_read() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    connect(&app, "ann").await;
    store_scan(&app, "ann", &[]).await;
    let refused = ann.post(SCAN, &json!({})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (402, "cache_unlicensed"), "{refused:?}");
    let refused = ann.patch(&format!("{EVENTS}1/"), &json!({"status": "confirmed"})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (402, "cache_unlicensed"), "{refused:?}");
    assert_eq!(ann.get(SCAN).await.body["count"], 1);
    assert_eq!(ann.get(EVENTS).await.body["count"], 0);
    assert_eq!(ann.get("/svc/agent/status/").await.body["features"]["egress"], false);
    assert_eq!(ann.get("/svc/authenticators/").await.body, json!([]), "nothing needs a mailbox");
    app.stop().await;
}

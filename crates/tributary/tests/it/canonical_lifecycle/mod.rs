//! The life cycle of document versions over HTTP: twelve versions of three documents; explained elections, pins,
//! approval, rejection, and a version that was sent outside.

mod library;
mod sent_outside;

use crate::app_harness::{Answer, Client};
use crate::corpus_lifecycle::cluster_form;
use domain::corpus::Factors;
use domain::settings::Settings;
use library::{CachedResult, Library, titles};
use reqwest::Method;
use serde_json::{Value, json};

const PIN: &str = "/svc/canonical/pin-for-query/";
const AGREEMENT: &str = "master services agreement";
const FINAL: &str = "Master services agreement v4 final";
const PLAN: &str = "flood plan";
const PRICES: &str = "price list";
/// It is rejected for one query, and therefore loses for the others too.
const REJECTED: &str = "Price list v3";
const APPROVED: &str = "Price list v2";

#[track_caller]
fn assert_led_by(rows: &[CachedResult], title: &str, badge: &str, count: usize) {
    let told: Vec<(&str, &str)> = rows.iter().map(|row| (row.title.as_str(), row.badge.as_str())).collect();
    assert_eq!((told[0], told.len()), ((title, badge), count), "{told:?}");
    assert!(rows[1..].iter().all(|row| row.badge == "Alternate"), "{told:?}");
    assert!(rows.iter().all(|row| row.cache["cluster"]["size"] == count), "{rows:?}");
}

fn member<'a>(run: &'a Value, title: &str) -> &'a Value {
    let members = run["members"].as_array().unwrap();
    members.iter().find(|member| member["title"] == title).unwrap_or_else(|| panic!("no {title} in {run}"))
}

/// None of these texts appears in the decisions that this person may read, nor in their results.
async fn assert_not_revealed(client: &Client, query: &str, library: &Library, secrets: &[&str]) {
    let spec = json!({"query_string": query});
    let search = client.search(&spec).await["id"].clone();
    for path in [
        format!("/svc/results/?search_id={search}&facets=true"),
        format!("/svc/results/?search_id={search}&result_mixer=DateMixer"),
        format!("/svc/results/export/?search_id={search}&format=json"),
        format!("/svc/search/{search}/"),
        format!("/?search_id={search}"),
        "/svc/canonical/?items=100".to_owned(),
        "/svc/canonical/pins/?items=100".to_owned(),
        "/svc/canonical/pins/history/?items=100".to_owned(),
        "/svc/cache/?items=100".to_owned(),
        "/review/".to_owned(),
    ] {
        let answer = client.get(&path).await;
        let text = answer.body.to_string();
        for secret in secrets {
            assert!(!text.contains(secret), "{path} tells of {secret}: {text}");
            assert!(!text.contains(&library.url(secret)), "{path} tells where {secret} is: {text}");
        }
    }
}

/// Every score is the sum of its weighted factors, the ranks follow the scores, and every factor has an explanation.
fn assert_explained(run: &Value) {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no number: {value}"));
    let members = run["members"].as_array().unwrap();
    for member in members {
        let mut sum = 0.0;
        for factor in Factors::NAMES {
            let (value, weight) = (number(&member["factors"][factor]), number(&run["weights"][factor]));
            let contribution = number(&member["contributions"][factor]);
            assert!((contribution - value * weight).abs() < 1e-6, "{factor}: {member}");
            assert!((0.0..=1.0).contains(&value), "{factor}: {member}");
            sum += contribution;
        }
        assert!((sum - number(&member["score"])).abs() < 1e-5, "{member}");
        assert!(!member["reasons"].as_array().unwrap().is_empty(), "{member}");
    }
    let eligible: Vec<f64> = members
        .iter()
        .filter(|member| member["eligible"] == true)
        .map(|member| number(&member["score"]))
        .collect();
    assert!(eligible.is_sorted_by(|a, b| a >= b), "{run}");
    assert_eq!(members[0]["signal_id"], run["winner_signal_id"], "{run}");
    if let [first, second, ..] = eligible[..] {
        assert!((number(&run["margin"]) - (first - second)).abs() < 1e-5, "{run}");
    }
}

/// Everybody gets the elections among the versions that they may see, with explanations.
async fn elections(library: &Library) {
    for (client, count) in [(&library.ben, 4), (&library.ann, 5), (&library.cora, 4)] {
        let rows = library.versions(client, AGREEMENT, &[]).await;
        assert_led_by(&rows, FINAL, "Auto-selected", count);
        let run = library.run(client, &rows[0]).await;
        assert_eq!(
            (run["members"].as_array().unwrap().len(), &run["hidden_members"]),
            (count, &json!(0)),
            "{run}"
        );
        assert_eq!(
            (&run["status"], &run["auto"], &run["scope"]),
            (&json!("auto_elected"), &json!(true), &json!("firm"))
        );
        assert_explained(&run);
    }
    // Curators do not see Ann's own version, only that a hidden one exists.
    let rows = library.versions(&library.ann, AGREEMENT, &[]).await;
    let seen = library.run(&library.cora, &rows[0]).await;
    assert_eq!(
        (seen["members"].as_array().unwrap().len(), &seen["hidden_members"]),
        (4, &json!(1)),
        "{seen}"
    );
    assert!(!seen.to_string().contains("Master services agreement v5"), "{seen}");
    let others = library.cleo.get(&format!("/svc/canonical/{}/", rows[0].cache["run_id"])).await;
    assert_eq!(others.status, 404, "neither a curator nor her search: {others:?}");
    let again = library.versions(&library.ann, AGREEMENT, &[]).await;
    assert_eq!(again[0].cache["run_id"], rows[0].cache["run_id"], "the same outcome is one election");
}

/// A pin applies to everybody who may see the document, and does not exist for anybody else.
async fn pin_visibility(library: &Library) {
    let payload = json!({"signal_id": library.signal("Flood plan v3"), "query": "Flood  PLAN"});
    assert_eq!(library.ben.post(PIN, &payload).await.status, 403, "he sees it, and decides nothing");
    assert_eq!(library.carl.post(PIN, &payload).await.status, 404, "he decides, and does not see it");
    let pinned = library.cora.post(PIN, &payload).await;
    assert_eq!((pinned.status.as_u16(), &pinned.body["pinned_by"]), (201, &json!("cora")), "{pinned:?}");
    for client in [&library.ben, &library.cora, &library.app.admin] {
        let rows = library.versions(client, PLAN, &[]).await;
        assert_led_by(&rows, "Flood plan v3", "Pinned", 4);
    }
    for client in [&library.ann, &library.cleo, &library.carl] {
        let rows = library.versions(client, PLAN, &[]).await;
        assert_led_by(&rows, "Flood plan v2", "Auto-selected", 2);
        assert_not_revealed(client, PLAN, library, &["Flood plan v3", "Flood plan v4"]).await;
    }
    let other = json!({"signal_id": library.signal("Flood plan v1"), "query": PLAN});
    let taken = library.carl.post(PIN, &other).await;
    assert_eq!((taken.status.as_u16(), taken.code()), (409, "pin_exists"), "{taken:?}");
    let existing = &taken.body["existing_pin"];
    assert!(existing.is_object() && existing["signal_id"].is_null(), "{taken:?}");
    assert!(!taken.body.to_string().contains("Flood plan v3"), "{taken:?}");
    let elsewhere = library.versions(&library.ben, "the plan for a flood", &[]).await;
    assert_ne!(elsewhere[0].badge, "Pinned", "a pin is of one query");
}

async fn approval(library: &Library) {
    let rows = library.versions(&library.cleo, PRICES, &[]).await;
    assert_led_by(&rows, APPROVED, "Auto-selected", 3);
    let path = format!("/svc/canonical/{}/approve/", rows[0].cache["run_id"]);
    assert_eq!(library.cleo.post(&path, &json!({})).await.status, 403, "her search, and not her decision");
    let approved = library.carl.post(&path, &json!({"comment": "The one in the catalogue."})).await;
    assert_eq!(
        (approved.status.as_u16(), &approved.body["status"]),
        (200, &json!("approved")),
        "{approved:?}"
    );
    assert_eq!((&approved.body["decided_by"], &approved.body["may_decide"]), (&json!("carl"), &json!(false)));
    let again = library.cora.post(&path, &json!({})).await;
    assert_eq!((again.status.as_u16(), again.code()), (409, "already_decided"), "{again:?}");
    let rows = library.versions(&library.ben, PRICES, &[]).await;
    assert_led_by(&rows, APPROVED, "Pinned", 3);
    assert_eq!(rows[0].cache["run_id"], approved.body["run_id"], "{rows:?}");
    let winner = library.signal(APPROVED);
    for title in ["Price list v1", REJECTED] {
        let other = library.cleo.get(&format!("/svc/cache/{}/", library.signal(title))).await;
        assert_eq!(other.body["lineage"]["superseded_by"], winner, "{other:?}");
    }
}

/// A rejected version is penalized in later elections, most of all for the same query.
async fn rejection(library: &Library) {
    let query = "price list of sensors";
    let search = library.search(&library.cleo, query, &[]).await;
    let rows = library.page(&library.cleo, &search).await;
    assert_led_by(&rows, REJECTED, "Auto-selected", 3);
    let before = library.run(&library.cora, &rows[0]).await;
    assert_eq!(member(&before, REJECTED)["factors"]["rejection"], 0.0, "{before}");
    let path = format!("/svc/canonical/{}/reject/", rows[0].cache["run_id"]);
    assert_eq!(library.cora.post(&path, &json!({"reason": "ugly"})).await.status, 400);
    let payload = json!({"reason": "wrong_version", "comment": "The customer has another."});
    let rejected = library.cora.post(&path, &payload).await;
    assert_eq!(
        (rejected.status.as_u16(), &rejected.body["status"]),
        (200, &json!("rejected")),
        "{rejected:?}"
    );
    // The saved result page no longer shows it, until an election is requested again.
    let saved = library.page(&library.cleo, &search).await;
    assert!(
        saved.iter().all(|row| row.badge == "Cached" && row.cache["run_id"].is_null()) && saved.len() == 3,
        "{saved:?}"
    );
    let other = library.cleo.get(&format!("/svc/cache/{}/", library.signal("Price list v1"))).await;
    assert!(other.body["lineage"]["superseded_by"].is_null(), "{other:?}");
    let held = library.cleo.post("/svc/canonical/elect/", &json!({"search_id": search})).await;
    assert_eq!(held.body["results"].as_array().map(Vec::len), Some(1), "{held:?}");
    assert_led_by(&library.page(&library.cleo, &search).await, APPROVED, "Auto-selected", 3);
    let rows = library.versions(&library.cleo, query, &[]).await;
    assert_led_by(&rows, APPROVED, "Auto-selected", 3);
    assert_eq!(rows[0].cache["run_id"], held.body["results"][0]["run_id"], "it is held once");
    let after = library.run(&library.cora, &rows[0]).await;
    assert_explained(&after);
    let penalised = member(&after, REJECTED);
    assert_eq!(
        (&penalised["factors"]["rejection"], &penalised["contributions"]["rejection"]),
        (&json!(1.0), &json!(-4.0))
    );
    assert_ne!(penalised["rank"], 1, "{after}");
    let rows = library.versions(&library.cleo, "sensors in the price list", &[]).await;
    let elsewhere = library.run(&library.cora, &rows[0]).await;
    assert_eq!(member(&elsewhere, REJECTED)["factors"]["rejection"], 0.25, "{elsewhere}");
}

/// Unpinning carries no penalty: the document may win again by its score.
async fn unpinning(library: &Library) {
    let signal = library.signal(FINAL);
    let before = library.search(&library.ben, AGREEMENT, &[]).await;
    let pinned = library.cora.post(PIN, &json!({"signal_id": signal, "query": AGREEMENT})).await;
    assert_eq!(pinned.status, 201, "{pinned:?}");
    let rows = library.page(&library.ben, &before).await;
    assert_led_by(&rows, FINAL, "Pinned", 4);
    assert!(rows.iter().all(|row| row.cache["run_id"].is_null()), "no election is behind it: {rows:?}");
    let path = format!("/svc/cache/{signal}/");
    assert_led_by(&library.versions(&library.ben, AGREEMENT, &[]).await, FINAL, "Pinned", 4);
    assert_eq!(library.ben.get(&path).await.body["state"], "pinned");
    let unpin = format!("/svc/canonical/{signal}/unpin/");
    assert_eq!(library.ben.post(&unpin, &json!({})).await.status, 403);
    let removed = library.carl.post(&unpin, &json!({"query": AGREEMENT})).await;
    assert_eq!((removed.status.as_u16(), &removed.body["removed"]), (200, &json!(1)), "{removed:?}");
    assert_eq!(library.ben.get(&path).await.body["state"], "indexed");
    let rows = library.versions(&library.ben, AGREEMENT, &[]).await;
    assert_led_by(&rows, FINAL, "Auto-selected", 4);
    assert_eq!(member(&library.run(&library.ben, &rows[0]).await, FINAL)["factors"]["rejection"], 0.0);
    let history = library.cora.get(&format!("/svc/canonical/pins/history/?signal_id={signal}")).await.body;
    let told: Vec<(&Value, &Value)> =
        history["results"].as_array().unwrap().iter().map(|line| (&line["action"], &line["by"])).collect();
    let expected = [(&json!("unpinned"), &json!("carl")), (&json!("pinned"), &json!("cora"))];
    assert_eq!(told, expected, "{history}");
}

/// A decision for a matter applies to searches of that matter, and takes precedence over a general one.
async fn matter_decisions(library: &Library) {
    let (second, first) = ("Master services agreement v2", "Master services agreement v1 draft");
    let pin = async |title: &str, scope: &str| {
        let payload = json!({"signal_id": library.signal(title), "query": AGREEMENT, "scope": scope});
        let pinned = library.cora.post(PIN, &payload).await;
        assert_eq!((pinned.status.as_u16(), &pinned.body["scope"]), (201, &json!(scope)), "{pinned:?}");
    };
    pin(second, "matter:acme").await;
    let matter: &[&str] = &["matter:acme"];
    assert_led_by(&library.versions(&library.ben, AGREEMENT, matter).await, second, "Pinned", 4);
    assert_led_by(&library.versions(&library.ben, AGREEMENT, &[]).await, FINAL, "Auto-selected", 4);
    pin(first, "firm").await;
    assert_led_by(&library.versions(&library.ben, AGREEMENT, matter).await, second, "Pinned", 4);
    for tags in [&[][..], &["matter:other"]] {
        assert_led_by(&library.versions(&library.ben, AGREEMENT, tags).await, first, "Pinned", 4);
    }
    for title in [first, second] {
        let path = format!("/svc/canonical/{}/unpin/", library.signal(title));
        // Without a body, all pins of the document are removed.
        let removed = Answer::of(library.cora.request(Method::POST, &path)).await;
        assert_eq!((removed.status.as_u16(), &removed.body["removed"]), (200, &json!(1)), "{removed:?}");
    }
    let rows = library.versions(&library.ben, AGREEMENT, matter).await;
    assert_eq!(
        library.run(&library.ben, &rows[0]).await["scope"],
        "matter:acme",
        "its elections are the matter's, too"
    );
}

async fn run_lifecycle(change: impl FnOnce(Settings) -> Settings) {
    let library = Library::open(change).await;
    elections(&library).await;
    pin_visibility(&library).await;
    rejection(&library).await;
    approval(&library).await;
    unpinning(&library).await;
    matter_decisions(&library).await;
    sent_outside::raises_a_version(&library).await;
    assert_eq!(titles(&library.versions(&library.cleo, PRICES, &[]).await)[0], APPROVED, "decisions stay");
    library.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_one_process() {
    run_lifecycle(|settings| settings).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_one_process_with_hybrid_search() {
    run_lifecycle(|settings| Settings { corpus_hybrid: true, ..settings }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_cluster() {
    let Some((database, change)) = cluster_form("versions in a cluster").await else { return };
    run_lifecycle(change).await;
    database.drop().await;
}

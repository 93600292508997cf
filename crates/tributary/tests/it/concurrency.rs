//! Several writers on one search at the same time. Seeded; a failure prints its seed.

use crate::app_harness::{AppHarness, Client, items};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Row};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};
use tokio::task::JoinSet;

const WRITERS: u64 = 8;
/// Writes per writer. A count and not a duration: a busy machine would write hardly anything in a fixed time.
const WRITES: usize = 24;
/// How long edits and reruns overlap, and the minimum number of edits of each field.
const FOR: Duration = Duration::from_secs(2);
const EDITS_MIN: u32 = 4;

/// A service with two sources that respond after a moment, so that runs overlap.
async fn app() -> (AppHarness, [Source; 2]) {
    let app = AppHarness::start().await;
    let sources = [Source::start().await, Source::start().await];
    for (source, name) in sources.iter().zip(["Rivers", "Lakes"]) {
        source.reply(Behavior::Json(items(name, 3)).delayed(Duration::from_millis(5)));
        app.provider(name, source).await;
    }
    (app, sources)
}

/// Makes one random write. Returns its status.
async fn write(client: &Client, id: i64, dice: &mut StdRng) -> StatusCode {
    let path = format!("/svc/search/{id}/");
    let query = format!("river {}", dice.random_range(0..4));
    let answer = match dice.random_range(0..10) {
        0..3 => client.get(&format!("/svc/search/?rerun={id}")).await,
        3..5 => client.get(&format!("/svc/search/?update={id}")).await,
        5..7 => client.put(&path, &json!({"query_string": query, "tags": ["put"]})).await,
        7..9 => client.patch(&path, &json!({ "query_string": query })).await,
        _ => client.patch(&path, &json!({"retention": dice.random_range(0..4)})).await,
    };
    answer.status
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writers_leave_a_consistent_search_or_none() {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let (app, _sources) = app().await;
    for is_deleted in [false, true] {
        let search = app.admin.search(&json!({"query_string": "river"})).await;
        let id = search["id"].as_i64().unwrap();
        let mut writers = JoinSet::new();
        for number in 0..WRITERS {
            let client = app.admin.clone();
            let mut dice = StdRng::seed_from_u64(seed ^ (number << 1) ^ u64::from(is_deleted));
            writers.spawn(async move {
                let mut done = Vec::new();
                while done.len() < WRITES {
                    let is_last = done.len() >= WRITES / 3 * 2;
                    done.push(if is_deleted && is_last && dice.random_range(0..4) == 0 {
                        client.delete(&format!("/svc/search/{id}/")).await.status
                    } else {
                        write(&client, id, &mut dice).await
                    });
                }
                done
            });
        }
        let done: Vec<StatusCode> = writers.join_all().await.into_iter().flatten().collect();
        let count = |status: u16| done.iter().filter(|one| one.as_u16() == status).count();
        let known = count(200) + count(302) + count(204) + count(404) + count(409);
        assert_eq!(known, done.len(), "seed {seed}: {done:?}");
        assert!(count(200) + count(302) > 20, "seed {seed}: hardly anything was written");
        if is_deleted {
            assert_eq!(count(204), 1, "seed {seed}: it is deleted once");
            assert_deleted(&app, id, seed).await;
        } else {
            assert_consistent(&app, id, seed).await;
        }
    }
    app.stop().await;
}

/// The search has ended, and every provider has one result set, for the stored query.
async fn assert_consistent(app: &AppHarness, id: i64, seed: u64) {
    let search = app.admin.ready(id).await;
    assert!(search["status"].as_str().unwrap().starts_with("FULL_"), "seed {seed}: {search}");
    let mixed = app.admin.get(&format!("/svc/results/?search_id={id}")).await.body;
    for name in ["Rivers", "Lakes"] {
        let info = &mixed["info"][name];
        assert_eq!(info["query_string_to_provider"], search["query_string"], "seed {seed}: {search}");
        assert_eq!(info["retrieved"], 3, "seed {seed}: {info}");
    }
    let results = mixed["results"].as_array().unwrap();
    assert_eq!(results.len(), 6, "seed {seed}: {mixed}");
    let all = app.admin.get("/svc/results/").await.body;
    let own = all.as_array().unwrap().iter().filter(|row| row["search_id"] == id).count();
    assert_eq!(own, 6, "seed {seed}");
    if let Some(rows) = rows(app.folder()).await {
        assert_eq!(rows, Rows { sets: 2, orphans: 0 }, "seed {seed}");
    }
}

async fn assert_deleted(app: &AppHarness, id: i64, seed: u64) {
    // A run in progress must notice by itself that its search is gone.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(app.admin.get(&format!("/svc/search/{id}/")).await.status, 404);
    assert_eq!(app.admin.get(&format!("/svc/results/?search_id={id}")).await.status, 404);
    let all = app.admin.get("/svc/results/").await.body;
    let own = all.as_array().unwrap().iter().filter(|row| row["search_id"] == id).count();
    assert_eq!(own, 0, "seed {seed}: results of a search that is gone");
    if let Some(rows) = rows(app.folder()).await {
        // The search of the first round still exists.
        assert_eq!(rows, Rows { sets: 2, orphans: 0 }, "seed {seed}");
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Rows {
    sets: i64,
    /// Result sets without a search, and ranges without a result set.
    orphans: i64,
}

/// Counts rows in the database file; `None` if the service uses another database.
async fn rows(folder: &Path) -> Option<Rows> {
    let path = folder.join("tributary.db");
    if !path.exists() {
        return None;
    }
    let mut file = SqliteConnectOptions::new().filename(path).read_only(true).connect().await.unwrap();
    const TEXT: &str = "SELECT (SELECT COUNT(*) FROM result_sets), \
        (SELECT COUNT(*) FROM result_sets WHERE search_id NOT IN (SELECT id FROM searches)) \
        + (SELECT COUNT(*) FROM result_ranges WHERE result_set NOT IN (SELECT id FROM result_sets))";
    let row = sqlx::query(TEXT).fetch_one(&mut file).await.unwrap();
    Some(Rows { sets: row.get(0), orphans: row.get(1) })
}

/// The value that the writer of a field writes in this turn.
fn value_of(field: &str, turn: usize) -> Value {
    match field {
        "query_string" => json!(format!("river {turn}")),
        "results_requested" => json!(turn + 11),
        "retention" => json!(turn % 4),
        "result_mixer" => json!(["RelevancyMixer", "RoundRobinMixer", "Stack1Mixer"][turn % 3]),
        _ => json!([turn.to_string()]),
    }
}

/// Each writer changes only its own field. Whatever else happens to the search meanwhile, the last accepted value
/// remains.
#[tokio::test(flavor = "multi_thread")]
async fn no_accepted_edit_is_lost() {
    let (app, _sources) = app().await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let id = search["id"].as_i64().unwrap();
    let path = format!("/svc/search/{id}/");
    let until = Instant::now() + FOR;
    let mut reruns = JoinSet::new();
    for _ in 0..3 {
        let (client, rerun) = (app.admin.clone(), format!("/svc/search/?rerun={id}"));
        reruns.spawn(async move {
            while Instant::now() < until {
                assert_eq!(client.get(&rerun).await.status, 302);
            }
        });
    }
    let mut owners = JoinSet::new();
    for field in ["query_string", "results_requested", "retention", "result_mixer", "tags"] {
        let (client, path) = (app.admin.clone(), path.clone());
        owners.spawn(async move {
            let mut accepted = (Value::Null, 0_u32);
            for turn in 0.. {
                let value = value_of(field, turn);
                let answer = client.patch(&path, &json!({ field: value })).await;
                match answer.status.as_u16() {
                    200 => {
                        assert_eq!(answer.body[field], value, "{field}");
                        accepted = (value, accepted.1 + 1);
                    }
                    status => assert_eq!(status, 409, "{answer:?}"),
                }
                if Instant::now() > until && accepted.1 >= EDITS_MIN {
                    break;
                }
            }
            (field, accepted)
        });
    }
    let accepted = owners.join_all().await;
    reruns.join_all().await;
    let last = app.admin.ready(id).await;
    for (field, (value, count)) in accepted {
        assert!(count >= EDITS_MIN, "{field} was hardly ever written");
        assert_eq!(last[field], value, "the last of {count} edits of {field}");
    }
    assert_consistent(&app, id, 0).await;
    app.stop().await;
}

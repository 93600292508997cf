//! Results and run entries, which SQLite stores compressed: values of earlier versions, damaged values, dumps and sizes.

use super::{config, now};
use domain::ids::{ProviderId, SearchId, SignalId};
use domain::owner_scope::OwnerScope;
use domain::ports::{ResultStore, SearchRunStore, SearchStore, StorageStore, StoreError};
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use domain::search_run::RunEntry;
use serde_json::json;
use sqlx::{Connection, PgConnection, SqliteConnection};
use store::SqlStore;
use testkit::builders::item;
use testkit::suites::store::{finished, new_search, person, set};
use testkit::versions::mark;

const URL: &str = "https://a.example/\"3\"";

/// A finished search with a new result, a cached one, and one whose provider gave [`URL`].
pub struct Stored {
    pub search: Search,
    pub sets: Vec<ResultSet>,
    entries: Vec<RunEntry>,
}

impl Stored {
    /// The results of the first set as they are stored.
    pub fn json_of_first(&self) -> String {
        let mut json = Vec::new();
        ResultItem::push_stored(&self.sets[0].items, &mut json).expect("JSON");
        String::from_utf8(json).expect("UTF-8")
    }
}

pub async fn save(store: &SqlStore, name: &str) -> Stored {
    let owner = person(store, name).await.id;
    let search = new_search(store, owner, "query", 0).await;
    // Long enough to be compressed.
    let body = "The river rose by two metres in a night. ".repeat(3);
    let new = ResultItem { new: Some(1), ..item("new").build() };
    let cached = ResultItem { cache: Some(Box::new(mark(7))), ..item("cached").build() };
    let mut given = ResultItem { url: URL.to_owned(), ..item("given").build() };
    given.mark_as_given(ProviderId(3));
    let sets = [(1, new), (2, cached), (3, given)].map(|(provider, one)| {
        let others = (0..5).map(|number| item(format!("Of {provider}, number {number}")).body(&body).build());
        ResultSet { items: others.chain([one]).collect(), ..set(search.id, provider, &[]) }
    });
    let saved =
        store.finish_run(finished(&search, sets.into())).await.expect("saved").expect("the newest run");
    let entries = store.run_entries(search.id, search.run).await.expect("read").expect("recorded");
    assert_eq!(entries.len(), 18);
    Stored { search: saved.search, sets: saved.sets, entries }
}

/// Everything that reads or searches results finds what was stored.
pub async fn assert_found(store: &SqlStore, stored: &Stored) {
    let (id, owner) = (stored.search.id, stored.search.owner);
    assert_eq!(store.result_sets(id).await.expect("read"), stored.sets);
    let last = stored.sets[2].items.last().expect("a result");
    assert_eq!(&store.result(last.swirl_id).await.expect("read").item, last);
    let page = store.results(OwnerScope::Only(owner), 0, 100).await.expect("a page");
    assert_eq!((page.items.len(), page.total, &page.items[0].item), (18, 18, last));
    assert_eq!(store.run_entries(id, stored.search.run).await.expect("read"), Some(stored.entries.clone()));
    assert_eq!(store.count_new(&[id]).await.expect("counted"), [(id, 1)]);
    let guarded = store.guarded_results(owner, &[], 10).await.expect("found");
    assert_eq!((guarded.len(), guarded[0].place, &*guarded[0].signals), (1, 6, &[SignalId(7)][..]));
    let found = store.unedited_result(owner, ProviderId(3), URL, 10).await.expect("searched").expect("found");
    assert_eq!(&found.item, last);
    let other = store.unedited_result(owner, ProviderId(3), "https://a.example/4", 10).await;
    assert_eq!(other.expect("searched"), None);
}

async fn sqlite(url: &str) -> SqliteConnection {
    SqliteConnection::connect(url).await.expect("the file")
}

/// How many results and run entries of a search are stored as text, and how many compressed.
pub async fn forms(url: &str, search: SearchId) -> (i64, i64) {
    let text = "SELECT COALESCE(SUM(form = 'text'), 0), COALESCE(SUM(form = 'blob'), 0) FROM \
                (SELECT typeof(items) AS form FROM result_sets WHERE search_id = $1 \
                 UNION ALL SELECT typeof(entries) FROM search_runs WHERE search_id = $1)";
    let mut file = sqlite(url).await;
    let forms = sqlx::query_as(text).bind(search.0).fetch_one(&mut file).await.expect("forms");
    file.close().await.expect("closed");
    forms
}

/// Replaces the stored values by the text that earlier versions wrote.
async fn write_as_text(url: &str, stored: &Stored) {
    let mut file = sqlite(url).await;
    for set in &stored.sets {
        sqlx::query("UPDATE result_sets SET items = $3 WHERE search_id = $1 AND provider_id = $2")
            .bind(set.search.0)
            .bind(set.provider.0)
            .bind(serde_json::to_string(&set.items).expect("JSON"))
            .execute(&mut file)
            .await
            .expect("written");
    }
    sqlx::query("UPDATE search_runs SET entries = $2 WHERE search_id = $1")
        .bind(stored.search.id.0)
        .bind(serde_json::to_string(&stored.entries).expect("JSON"))
        .execute(&mut file)
        .await
        .expect("written");
    file.close().await.expect("closed");
}

#[tokio::test]
async fn values_of_earlier_versions_are_read_and_compressed_when_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    let stored = save(&store, "owner").await;
    let id = stored.search.id;
    assert_eq!(forms(&url, id).await, (0, 4));
    assert_found(&store, &stored).await;
    write_as_text(&url, &stored).await;
    assert_eq!(forms(&url, id).await, (4, 0));
    assert_found(&store, &stored).await;
    // Both forms at once, in the lists of one owner.
    assert_eq!(store.mark_all_read(id, now()).await.expect("marked"), 1);
    assert_eq!(forms(&url, id).await, (3, 1), "only what was written has changed its form");
    assert_eq!(store.count_new(&[id]).await.expect("counted"), []);
    assert_eq!(store.guarded_results(stored.search.owner, &[], 10).await.expect("found").len(), 1);
    store.close().await;
}

/// Nodes of an earlier version read what this one writes, while a cluster is upgraded.
#[tokio::test]
async fn postgresql_stores_json() {
    let Some(server) = testkit::postgres::server("results as JSON") else { return };
    testkit::postgres::with_database(&server, |url| async move {
        let store = SqlStore::open(config(&url)).await.expect("opens");
        let stored = save(&store, "owner").await;
        assert_found(&store, &stored).await;
        let mut connection = PgConnection::connect(&url).await.expect("the database");
        let items: String =
            sqlx::query_scalar("SELECT CAST(items AS TEXT) FROM result_sets WHERE provider_id = 1")
                .fetch_one(&mut connection)
                .await
                .expect("items");
        assert_eq!(items, stored.json_of_first());
        let entries: String = sqlx::query_scalar("SELECT CAST(entries AS TEXT) FROM search_runs")
            .fetch_one(&mut connection)
            .await
            .expect("entries");
        let mut stored_entries = Vec::new();
        RunEntry::push_stored(&stored.entries, &mut stored_entries).expect("JSON");
        assert_eq!(entries.as_bytes(), stored_entries);
        connection.close().await.expect("closed");
        store.close().await;
    })
    .await;
}

/// Changes the last byte of the results of this set.
pub async fn damage(url: &str, set: &ResultSet) {
    let mut file = sqlite(url).await;
    let (id, mut items): (i64, Vec<u8>) =
        sqlx::query_as("SELECT id, items FROM result_sets WHERE search_id = $1 AND provider_id = $2")
            .bind(set.search.0)
            .bind(set.provider.0)
            .fetch_one(&mut file)
            .await
            .expect("a set");
    *items.last_mut().expect("a byte") ^= 1;
    let update = sqlx::query("UPDATE result_sets SET items = $2 WHERE id = $1").bind(id).bind(items);
    update.execute(&mut file).await.expect("written");
    file.close().await.expect("closed");
}

#[tokio::test]
async fn a_damaged_value_fails_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    let (first, second) = (save(&store, "first").await, save(&store, "second").await);
    // A newer set of the same owner and provider.
    let again = new_search(&store, first.search.owner, "again", 1).await;
    let title = "A title that is long enough to be compressed. ".repeat(9);
    let third = set(again.id, 3, &[title.as_str(), "two", "three"]);
    let saved =
        store.finish_run(finished(&again, vec![third])).await.expect("saved").expect("the newest run");
    damage(&url, &saved.sets[0]).await;

    let failed = |error: StoreError| match error {
        StoreError::Failed { message, .. } => message,
        other => panic!("{other:?}"),
    };
    let message = "a stored record is not readable, column \"items\"";
    assert_eq!(failed(store.result_sets(again.id).await.expect_err("damaged")), message);
    let one = saved.sets[0].items[0].swirl_id;
    assert_eq!(failed(store.result(one).await.expect_err("damaged")), message);
    assert_found(&store, &second).await;
    assert_eq!(store.result_sets(first.search.id).await.expect("read"), first.sets);
    let found = store.unedited_result(first.search.owner, ProviderId(3), URL, 10).await.expect("searched");
    assert_eq!(found.expect("in the older set").search, first.search.id);
    store.close().await;
}

/// The searches of [`size_of_a_search`].
const SEARCHES: u64 = 20;

/// A result like those of `tributary bench`, with these texts and a factor for its numbers.
fn bench_item(source: usize, number: usize, title: &str, body: &str, factor: f64) -> ResultItem {
    let url = format!("https://station{source}.example/{}/{number}", title.to_lowercase().replace(' ', "-"));
    let part = |value: f64| (value * factor * 10_000.0).round() / 10_000.0;
    let lengths = [("result_length_adjust", 1.0), ("query_length_adjust", 1.0)];
    let text = |scores: &[(&str, f64)]| {
        scores
            .iter()
            .map(|(key, value)| (*key, part(*value)))
            .chain(lengths)
            .map(|(key, value)| (key.to_owned(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
    };
    serde_json::from_value(json!({
        "swirl_score": part(432.6837), "swirl_confidence_score": part(0.887872),
        "searchprovider": format!("Source {source}"), "searchprovider_rank": number + 1,
        "title": format!("<em>River</em> {title}"), "url": url, "body": format!("The <em>river</em> {body}"),
        "date_published": "2024-05-01 00:00:00", "date_retrieved": "2026-11-18 07:12:24.747544",
        "payload": {"title": format!("River {title}"), "body": format!("The river {body}"), "url": url, "date": "2024-05-01"},
        "explain": {
            "stems": "river level",
            "title": text(&[("river_level_*", 0.4913), ("River_0", 0.7632)]),
            "body": text(&[("river_level_s*", 0.4379), ("river_1", 0.6506), ("level_11", 0.3622)]),
            "hits": {"title": {"river": [0]}, "body": {"river": [1], "level": [11]}, "author": {}},
            "score": {"title": part(236.7349), "body": part(195.9488), "author": 0.0, "total": part(432.6837)},
            "evidence": {
                "bm25_pool": part(0.5651), "bm25_background": part(0.5763), "cosine": part(0.4741), "coverage": 1.0,
                "proximity": 0.1, "company": part(0.9678), "source_rank": part(1.0), "repetition": 0.0,
            },
            "confidence": {
                "bm25_pool": part(0.3284), "bm25_background": part(0.100478), "embedding": part(0.183672),
                "coverage": part(0.01937), "proximity": part(0.007748), "company": part(0.22496),
                "source_rank": part(0.023244), "total": part(0.887872),
            },
        },
    }))
    .expect("a result")
}

/// Bytes of the database that a search of ten sources with ten results each takes, with these results.
async fn size_of_a_search(mut result: impl FnMut(usize, usize) -> ResultItem) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite://{}/store.db", folder.path().display());
    let store = SqlStore::open(config(&url)).await.expect("opens");
    let owner = person(&store, "owner").await.id;
    let before = store.database_size().await.expect("a size").used_bytes;
    for seconds in 0..SEARCHES {
        let search = new_search(&store, owner, "river level", i64::try_from(seconds).expect("few")).await;
        let sets: Vec<ResultSet> = (1..=10)
            .map(|source| ResultSet {
                items: (0..10).map(|number| result(source, number)).collect(),
                provider_name: format!("Source {source}"),
                ..set(search.id, i64::try_from(source).expect("few"), &[])
            })
            .collect();
        let json: usize = sets.iter().map(|set| serde_json::to_string(&set.items).expect("JSON").len()).sum();
        assert!((140_000..200_000).contains(&json), "like the results of a real search: {json} bytes");
        store.finish_run(finished(&search, sets)).await.expect("saved").expect("the newest run");
    }
    let after = store.database_size().await.expect("a size").used_bytes;
    store.close().await;
    (after - before) / SEARCHES
}

#[tokio::test]
async fn a_search_of_a_hundred_results_is_small() {
    let body = "rose by two metres in a night and the <em>level</em> sensor at the old bridge reported every minute \
                of it, which let the wardens close the lower road well before the water came.";
    let bytes = size_of_a_search(|source, number| {
        bench_item(source, number, &format!("report {number} of station {source}"), body, 1.0)
    })
    .await;
    assert!(bytes <= 46_000, "texts of the bench: {bytes} bytes");
}

#[tokio::test]
async fn texts_that_differ_take_more_space() {
    // Words of a real document from changing places.
    let words: Vec<&str> = include_str!("../../../../docs/operations.md").split_whitespace().collect();
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).expect("31 bits")
    };
    let bytes = size_of_a_search(|source, number| {
        let mut part = |count: usize| {
            let from = random() % (words.len() - count);
            words[from..from + count].join(" ")
        };
        let (title, body) = (part(6), part(32));
        let factor = 0.5 + (random() % 10_000) as f64 / 20_000.0;
        bench_item(source, number, &title, &body, factor)
    })
    .await;
    assert!(bytes <= 60_000, "texts that differ: {bytes} bytes");
}

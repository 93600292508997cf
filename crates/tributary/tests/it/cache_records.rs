//! One cached record per URL, provider and text: a person who may not see a cached document can neither change it nor
//! discover it by ingesting the same URL.

use crate::app_harness::{Answer, AppHarness, Client, licensed, long_text};
use domain::corpus::PROVIDER_NAME;
use domain::settings::{Ratio, Seconds, Settings};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behavior, Source};

const DOCUMENT: &str = "/doc/77";
const SECRET_TAG: &str = "project-hydra";
const GROUP_SOURCE: &str = "Law DMS";
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS_MAX: usize = 400;

/// A site with one document, a source of the group `law` with credentials, and a source for everybody.
struct Fixture {
    app: AppHarness,
    site: Source,
    /// A member of the group.
    carl: Client,
    /// In no group.
    ann: Client,
}

fn page(title: &str, topic: &str) -> Behavior {
    let text = long_text(topic);
    let html =
        format!("<html><head><title>{title}</title></head><body><main><p>{text}</p></main></body></html>");
    Behavior::text("text/html", html)
}

impl Fixture {
    /// `is_public`: pages of the site may be fetched without a provider.
    async fn start(is_public: bool) -> Self {
        Self::with(is_public, Settings::default().cache_liveness_recheck_seconds).await
    }

    /// Cached documents count as fresh for this long.
    async fn with(is_public: bool, fresh: Seconds) -> Self {
        let site = Source::start().await;
        let result = json!({
            "title": "Treaty", "body": "A treaty on the river.", "url": site.url_at(DOCUMENT),
            "date": "2026-01-01", "author": "Counsel",
        });
        site.reply(Behavior::Json(json!({"total": 1, "items": [result]})));
        site.reply_at(DOCUMENT, page("Treaty", "the river treaty"));
        let allow = if is_public { vec![site.address().to_string()] } else { Vec::new() };
        let app = AppHarness::with(|settings| Settings {
            outbound_allow: allow,
            corpus_min_score: Ratio(0.1),
            cache_liveness_recheck_seconds: fresh,
            ..licensed(settings)
        })
        .await;
        tributary::corpus::provider::ensure(app.service.app()).await.unwrap();
        let (carl, ann) = (app.user("carl", &["law"]).await, app.user("ann", &[]).await);
        for (name, more) in [
            (
                GROUP_SOURCE,
                json!({"shared": false, "groups": ["law"], "credentials": "HTTPBasicAuth('svc','secret')"}),
            ),
            ("Open", json!({"shared": true})),
        ] {
            app.provider_with(name, &site, more).await;
        }
        Self { app, site, carl, ann }
    }

    /// Ingests the document behind the result of this source.
    async fn keep(&self, client: &Client, source: &str, tags: &[&str]) -> Answer {
        let search = client.search(&json!({"query_string": "treaty", "searchprovider_list": [source]})).await
            ["id"]
            .clone();
        let result =
            client.get(&format!("/svc/results/?search_id={search}")).await.body["results"][0].clone();
        let payload = json!({
            "search_id": search, "swirl_id": result["swirl_id"], "matter_tags": tags, "wait": true,
        });
        client.post("/svc/ingest/", &payload).await
    }

    async fn keep_address(&self, client: &Client, path: &str) -> Answer {
        client.post("/svc/ingest/", &json!({"url": self.site.url_at(path), "wait": true})).await
    }

    /// Carl ingests the document of the group. Returns its id and everything that he sees of it.
    async fn kept_by_carl(&self) -> (i64, Value) {
        let kept = self.keep(&self.carl, GROUP_SOURCE, &[SECRET_TAG]).await;
        let id = id_of(&kept);
        let mut seen = document(&self.carl, id).await;
        // Its versions are grouped after the document is stored.
        for _ in 0..LOOKS_MAX {
            if !seen["lineage"]["lineage_id"].is_null() {
                break;
            }
            tokio::time::sleep(LOOK_EVERY).await;
            seen = document(&self.carl, id).await;
        }
        assert_eq!(seen["source_provider"], GROUP_SOURCE, "{seen}");
        assert_eq!(seen["matter_tags"], json!([SECRET_TAG]), "{seen}");
        (id, seen)
    }

    /// Carl's document is unchanged, and he finds it.
    async fn assert_untouched(&self, id: i64, before: &Value) {
        assert_eq!(&document(&self.carl, id).await, before);
        assert_eq!(find_documents(&self.carl, "river treaty").await, [id]);
        let listed = self.carl.get(&format!("/svc/cache/?matter_tag={SECRET_TAG}")).await.body;
        assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    }
}

#[track_caller]
fn id_of(kept: &Answer) -> i64 {
    assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
    kept.body["signal_id"].as_i64().unwrap()
}

async fn document(client: &Client, id: i64) -> Value {
    let answer = client.get(&format!("/svc/cache/{id}/")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

/// The ids of the cached documents that a person finds.
async fn find_documents(client: &Client, words: &str) -> Vec<i64> {
    let spec = json!({"query_string": words, "searchprovider_list": [PROVIDER_NAME]});
    let search = client.search(&spec).await["id"].clone();
    let page = client.get(&format!("/svc/results/?search_id={search}")).await.body;
    let number = |item: &Value| item["cache"]["signal_id"].as_i64().unwrap();
    page["results"].as_array().unwrap().iter().map(number).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outsider_neither_replaces_nor_unmasks_a_cached_document_of_a_group() {
    let fixture = Fixture::start(true).await;
    let (id, before) = fixture.kept_by_carl().await;
    assert_eq!(fixture.ann.get(&format!("/svc/cache/{id}/")).await.status, 404);

    fixture.site.reply_at(DOCUMENT, page("Sign in", "the sign-in of this site"));
    let kept = fixture.keep_address(&fixture.ann, DOCUMENT).await;
    let anns = id_of(&kept);
    assert_ne!(anns, id, "her text has a record of its own");
    let seen = document(&fixture.ann, anns).await;
    assert_eq!((&seen["source_provider"], &seen["source_provider_id"]), (&json!(""), &Value::Null), "{seen}");
    assert_eq!((&seen["matter_tags"], &seen["title"]), (&json!([]), &json!("Sign in")), "{seen}");
    assert!(seen["first_seen"].as_str() > before["first_seen"].as_str(), "{seen}");
    assert!(!kept.body.to_string().contains("hydra") && !seen.to_string().contains("hydra"), "{seen}");
    assert_eq!(fixture.ann.get(&format!("/svc/cache/{id}/")).await.status, 404);
    assert_eq!(find_documents(&fixture.ann, "sign-in of this site").await, [anns]);
    fixture.assert_untouched(id, &before).await;

    // She removes only her own document.
    let url = fixture.site.url_at(DOCUMENT);
    let removed = fixture.ann.post("/svc/cache/unindex/", &json!({"url": url})).await;
    assert_eq!((removed.status.as_u16(), &removed.body["signal_id"]), (200, &json!(anns)), "{removed:?}");
    assert_eq!(fixture.ann.post("/svc/cache/unindex/", &json!({"url": url})).await.status, 404);
    fixture.assert_untouched(id, &before).await;
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_source_of_the_same_site_gives_a_record_of_its_own() {
    let fixture = Fixture::with(false, Seconds::new(0)).await;
    let (id, before) = fixture.kept_by_carl().await;
    for topic in ["the sign-in of this site", "the river treaty"] {
        // First another text, then the text that the group has.
        fixture.site.reply_at(DOCUMENT, page("Page", topic));
        let anns = id_of(&fixture.keep(&fixture.ann, "Open", &[]).await);
        assert_ne!(anns, id);
        let seen = document(&fixture.ann, anns).await;
        assert_eq!((&seen["source_provider"], &seen["matter_tags"]), (&json!("Open"), &json!([])), "{seen}");
        assert!(seen["first_seen"].as_str() > before["first_seen"].as_str(), "{seen}");
        assert_eq!(fixture.ann.get(&format!("/svc/cache/{id}/")).await.status, 404);
        assert_eq!(&document(&fixture.carl, id).await, &before, "{topic}");
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_address_says_nothing_of_what_others_have() {
    let fixture = Fixture::start(false).await;
    let (id, before) = fixture.kept_by_carl().await;
    let mut answers = Vec::new();
    for path in [DOCUMENT, "/doc/78"] {
        let refused = fixture.keep_address(&fixture.ann, path).await;
        assert_ne!(refused.status, 200, "{refused:?}");
        let fields = ["detail", "state", "upgraded", "message"].map(|field| refused.body[field].clone());
        answers.push((refused.status, fields));
    }
    assert_eq!(answers[0], answers[1]);
    let given =
        json!({"url": fixture.site.url_at(DOCUMENT), "body": long_text("my own river"), "wait": true});
    let supplied = id_of(&fixture.ann.post("/svc/ingest/", &given).await);
    assert_eq!(document(&fixture.ann, supplied).await["is_supplied"], true, "her own text is hers");
    fixture.assert_untouched(id, &before).await;
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_tags_a_document_for_others() {
    let fixture = Fixture::start(false).await;
    let id = id_of(&fixture.keep(&fixture.carl, "Open", &["rivers"]).await);
    let before = document(&fixture.carl, id).await;
    assert_eq!(id_of(&fixture.keep(&fixture.ann, "Open", &["graffiti"]).await), id, "one text of one source");
    assert_eq!(document(&fixture.ann, id).await["matter_tags"], json!(["graffiti"]));
    let after = document(&fixture.carl, id).await;
    for field in ["matter_tags", "title", "author", "first_seen", "date_published", "source_provider"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    for (client, tag, count) in [
        (&fixture.ann, "graffiti", 1),
        (&fixture.carl, "graffiti", 0),
        (&fixture.ann, "rivers", 0),
        (&fixture.carl, "rivers", 1),
    ] {
        let listed = client.get(&format!("/svc/cache/?matter_tag={tag}")).await.body;
        assert_eq!(listed.as_array().map(Vec::len), Some(count), "{tag}: {listed}");
    }
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_who_keep_one_address_at_the_same_time_do_not_cross() {
    let fixture = Fixture::start(true).await;
    let (carl, ann) = (&fixture.carl, &fixture.ann);
    let given =
        |text: &str| json!({"url": fixture.site.url_at(DOCUMENT), "body": long_text(text), "wait": true});
    let payloads = [(carl, given("the dam")), (ann, given("the bridge"))];
    let kept = join_all(payloads.iter().map(|(client, payload)| client.post("/svc/ingest/", payload))).await;
    let ids: Vec<i64> = kept.iter().map(id_of).collect();
    assert_ne!(ids[0], ids[1]);
    // The same text from the same source: one record for both.
    let both = join_all([fixture.keep(carl, "Open", &[]), fixture.keep(ann, "Open", &[])]).await;
    assert_eq!(id_of(&both[0]), id_of(&both[1]));
    for (client, own, other) in [(carl, ids[0], ids[1]), (ann, ids[1], ids[0])] {
        assert_eq!(document(client, own).await["is_supplied"], true);
        assert_eq!(client.get(&format!("/svc/cache/{other}/")).await.status, 404);
    }
    fixture.app.stop().await;
}

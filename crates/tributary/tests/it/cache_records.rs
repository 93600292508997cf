//! One cached record for each address, provider and text, from outside: a person who may not see a cached document neither
//! changes it nor learns of it by keeping the same address.

use crate::app_harness::{Answer, AppHarness, Client, licensed, long_text};
use domain::corpus::PROVIDER_NAME;
use domain::settings::{Secs, Settings, Share};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::source::{Behaviour, Source};

const DOCUMENT: &str = "/doc/77";
const SECRET_TAG: &str = "project-hydra";
const GROUP_SOURCE: &str = "Law DMS";
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS_MAX: usize = 400;

/// A site with one document, a source of the group `law` with credentials, and a source for everybody.
struct Stage {
    app: AppHarness,
    site: Source,
    /// Of the group.
    carl: Client,
    /// Of no group.
    ann: Client,
}

fn page(title: &str, topic: &str) -> Behaviour {
    let text = long_text(topic);
    let html =
        format!("<html><head><title>{title}</title></head><body><main><p>{text}</p></main></body></html>");
    Behaviour::text("text/html", html)
}

impl Stage {
    /// Addresses on the site may be fetched by anybody, or only as a source's own.
    async fn start(is_public: bool) -> Self {
        Self::with(is_public, Settings::default().cache_liveness_recheck_seconds).await
    }

    /// What is kept counts as fresh for so long.
    async fn with(is_public: bool, fresh: Secs) -> Self {
        let site = Source::start().await;
        let result = json!({
            "title": "Treaty", "body": "A treaty on the river.", "url": site.url_at(DOCUMENT),
            "date": "2026-01-01", "author": "Counsel",
        });
        site.reply(Behaviour::Json(json!({"total": 1, "items": [result]})));
        site.reply_at(DOCUMENT, page("Treaty", "the river treaty"));
        let allow = if is_public { vec![site.address().to_string()] } else { Vec::new() };
        let app = AppHarness::with(|settings| Settings {
            outbound_allow: allow,
            corpus_min_score: Share(0.1),
            cache_liveness_recheck_seconds: fresh,
            ..licensed(settings)
        })
        .await;
        tributary::cache_source::ensure(app.service.wired()).await.unwrap();
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

    /// Keeps the document behind the result that this source gives.
    async fn keep(&self, client: &Client, source: &str, tags: &[&str]) -> Answer {
        let search = client.search(&json!({"query_string": "treaty", "searchprovider_list": [source]})).await
            ["id"]
            .clone();
        let result =
            client.get(&format!("/svc/results/?search_id={search}")).await.body["results"][0].clone();
        let wish = json!({
            "search_id": search, "swirl_id": result["swirl_id"], "matter_tags": tags, "wait": true,
        });
        client.post("/svc/ingest/", &wish).await
    }

    async fn keep_address(&self, client: &Client, path: &str) -> Answer {
        client.post("/svc/ingest/", &json!({"url": self.site.url_at(path), "wait": true})).await
    }

    /// Carl keeps the document of the group: its number, and all that he sees of it.
    async fn kept_by_carl(&self) -> (i64, Value) {
        let kept = self.keep(&self.carl, GROUP_SOURCE, &[SECRET_TAG]).await;
        let id = id_of(&kept);
        let mut seen = document(&self.carl, id).await;
        // Its line of versions is found when the document is in.
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

    /// Carl has his document as it was, and finds it.
    async fn assert_untouched(&self, id: i64, before: &Value) {
        assert_eq!(&document(&self.carl, id).await, before);
        assert_eq!(found(&self.carl, "river treaty").await, [id]);
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

/// The cached documents that a person finds, by number.
async fn found(client: &Client, words: &str) -> Vec<i64> {
    let spec = json!({"query_string": words, "searchprovider_list": [PROVIDER_NAME]});
    let search = client.search(&spec).await["id"].clone();
    let page = client.get(&format!("/svc/results/?search_id={search}")).await.body;
    let number = |item: &Value| item["cache"]["signal_id"].as_i64().unwrap();
    page["results"].as_array().unwrap().iter().map(number).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outsider_neither_replaces_nor_unmasks_a_cached_document_of_a_group() {
    let stage = Stage::start(true).await;
    let (id, before) = stage.kept_by_carl().await;
    assert_eq!(stage.ann.get(&format!("/svc/cache/{id}/")).await.status, 404);

    stage.site.reply_at(DOCUMENT, page("Sign in", "the sign-in of this site"));
    let kept = stage.keep_address(&stage.ann, DOCUMENT).await;
    let anns = id_of(&kept);
    assert_ne!(anns, id, "her text has a record of its own");
    let seen = document(&stage.ann, anns).await;
    assert_eq!((&seen["source_provider"], &seen["source_provider_id"]), (&json!(""), &Value::Null), "{seen}");
    assert_eq!((&seen["matter_tags"], &seen["title"]), (&json!([]), &json!("Sign in")), "{seen}");
    assert!(seen["first_seen"].as_str() > before["first_seen"].as_str(), "{seen}");
    assert!(!kept.body.to_string().contains("hydra") && !seen.to_string().contains("hydra"), "{seen}");
    assert_eq!(stage.ann.get(&format!("/svc/cache/{id}/")).await.status, 404);
    assert_eq!(found(&stage.ann, "sign-in of this site").await, [anns]);
    stage.assert_untouched(id, &before).await;

    // What she takes out is her own.
    let url = stage.site.url_at(DOCUMENT);
    let removed = stage.ann.post("/svc/cache/unindex/", &json!({"url": url})).await;
    assert_eq!((removed.status.as_u16(), &removed.body["signal_id"]), (200, &json!(anns)), "{removed:?}");
    assert_eq!(stage.ann.post("/svc/cache/unindex/", &json!({"url": url})).await.status, 404);
    stage.assert_untouched(id, &before).await;
    stage.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_source_of_the_same_site_gives_a_record_of_its_own() {
    let stage = Stage::with(false, Secs::new(0)).await;
    let (id, before) = stage.kept_by_carl().await;
    for topic in ["the sign-in of this site", "the river treaty"] {
        // Another text, then the very text that the group has.
        stage.site.reply_at(DOCUMENT, page("Page", topic));
        let anns = id_of(&stage.keep(&stage.ann, "Open", &[]).await);
        assert_ne!(anns, id);
        let seen = document(&stage.ann, anns).await;
        assert_eq!((&seen["source_provider"], &seen["matter_tags"]), (&json!("Open"), &json!([])), "{seen}");
        assert!(seen["first_seen"].as_str() > before["first_seen"].as_str(), "{seen}");
        assert_eq!(stage.ann.get(&format!("/svc/cache/{id}/")).await.status, 404);
        assert_eq!(&document(&stage.carl, id).await, &before, "{topic}");
    }
    stage.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_address_says_nothing_of_what_others_have() {
    let stage = Stage::start(false).await;
    let (id, before) = stage.kept_by_carl().await;
    let mut answers = Vec::new();
    for path in [DOCUMENT, "/doc/78"] {
        let refused = stage.keep_address(&stage.ann, path).await;
        assert_ne!(refused.status, 200, "{refused:?}");
        let fields = ["detail", "state", "upgraded", "message"].map(|field| refused.body[field].clone());
        answers.push((refused.status, fields));
    }
    assert_eq!(answers[0], answers[1]);
    let given = json!({"url": stage.site.url_at(DOCUMENT), "body": long_text("my own river"), "wait": true});
    let supplied = id_of(&stage.ann.post("/svc/ingest/", &given).await);
    assert_eq!(document(&stage.ann, supplied).await["is_supplied"], true, "her own text is hers");
    stage.assert_untouched(id, &before).await;
    stage.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_tags_a_document_for_others() {
    let stage = Stage::start(false).await;
    let id = id_of(&stage.keep(&stage.carl, "Open", &["rivers"]).await);
    let before = document(&stage.carl, id).await;
    assert_eq!(id_of(&stage.keep(&stage.ann, "Open", &["graffiti"]).await), id, "one text of one source");
    assert_eq!(document(&stage.ann, id).await["matter_tags"], json!(["graffiti"]));
    let after = document(&stage.carl, id).await;
    for field in ["matter_tags", "title", "author", "first_seen", "date_published", "source_provider"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    for (client, tag, count) in [
        (&stage.ann, "graffiti", 1),
        (&stage.carl, "graffiti", 0),
        (&stage.ann, "rivers", 0),
        (&stage.carl, "rivers", 1),
    ] {
        let listed = client.get(&format!("/svc/cache/?matter_tag={tag}")).await.body;
        assert_eq!(listed.as_array().map(Vec::len), Some(count), "{tag}: {listed}");
    }
    stage.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn people_who_keep_one_address_at_the_same_time_do_not_cross() {
    let stage = Stage::start(true).await;
    let (carl, ann) = (&stage.carl, &stage.ann);
    let given =
        |text: &str| json!({"url": stage.site.url_at(DOCUMENT), "body": long_text(text), "wait": true});
    let wishes = [(carl, given("the dam")), (ann, given("the bridge"))];
    let kept = join_all(wishes.iter().map(|(client, wish)| client.post("/svc/ingest/", wish))).await;
    let ids: Vec<i64> = kept.iter().map(id_of).collect();
    assert_ne!(ids[0], ids[1]);
    // The same text by the same source: one record for both.
    let both = join_all([stage.keep(carl, "Open", &[]), stage.keep(ann, "Open", &[])]).await;
    assert_eq!(id_of(&both[0]), id_of(&both[1]));
    for (client, own, other) in [(carl, ids[0], ids[1]), (ann, ids[1], ids[0])] {
        assert_eq!(document(client, own).await["is_supplied"], true);
        assert_eq!(client.get(&format!("/svc/cache/{other}/")).await.status, 404);
    }
    stage.app.stop().await;
}

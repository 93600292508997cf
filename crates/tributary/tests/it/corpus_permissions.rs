//! The permission matrix of the semantic cache. Ann ingested four documents; other people get only what they may see
//! over every interface, and Ann loses access to a document when the source revokes it.

use crate::app_harness::{Answer, AppHarness, Client, licensed};
use domain::corpus::{
    DocumentAddress, IndexedContent, NewSignal, Origin, PROVIDER_NAME, SourceKind, StoredChunk,
};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{Retrieval, SignalStore, UserStore};
use domain::settings::{Ratio, Settings};
use futures_util::future::join_all;
use relevancy::embedder::{MODEL_NAME, embed};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::source::{Behavior, Source};
use tributary::corpus::provider as corpus_provider;

const QUERY: &str = "river gauge";
/// The documents by origin. Ann supplied `supplied`; `account` is queried with her own account.
pub const DOCUMENTS: [&str; 4] = ["public", "group", "account", "supplied"];
/// A page whose URL Ann typed; it is fetched without credentials.
pub const TYPED: &str = "typed";
const ROUNDS: usize = 8;

pub struct Fixture {
    pub app: AppHarness,
    pub ann: Client,
    pub ben: Client,
    /// In the same group as Ann.
    pub lea: Client,
    ann_id: UserId,
    signals: Vec<SignalId>,
    _site: Source,
}

/// A word that occurs only in this document.
fn canary(name: &str) -> String {
    format!("quokka{name}")
}

fn text_of(name: &str) -> String {
    let line = format!(
        "The river gauge of the {name} office shows how high the water stands, and {} reads it. ",
        canary(name)
    );
    line.repeat(15)
}

fn page_of(name: &str) -> Behavior {
    let html = format!(
        "<html><head><title>Gauge {name}</title></head><body><main><p>{}</p></main></body></html>",
        text_of(name)
    );
    Behavior::text("text/html", html)
}

fn with_a_low_floor(settings: Settings) -> Settings {
    Settings { corpus_min_score: Ratio(0.1), ..licensed(settings) }
}

fn kept_id(kept: &Answer) -> SignalId {
    assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
    SignalId(kept.body["signal_id"].as_i64().unwrap())
}

impl Fixture {
    pub async fn start() -> Self {
        let site = Source::start().await;
        let allow = vec![site.address().to_string()];
        let app =
            AppHarness::with(|settings| Settings { outbound_allow: allow, ..with_a_low_floor(settings) })
                .await;
        assert!(corpus_provider::ensure(app.service.app()).await.unwrap());
        assert!(!corpus_provider::ensure(app.service.app()).await.unwrap(), "it is made once");
        let ann = app.user("ann", &["law"]).await;
        let (ben, lea) = (app.user("ben", &[]).await, app.user("lea", &["law"]).await);
        let ann_id = app.service.app().store.user_by_name("ann").await.unwrap().id;
        let model = json!({
            "name": "Picker", "model": "local/extractive", "active": true, "tags": ["rag", "chat"],
            "defaults": ["rag", "chat"],
        });
        let made = app.admin.post("/svc/aiproviders/", &model).await;
        assert_eq!(made.status, 201, "{made:?}");
        let mut fixture = Self { app, ann, ben, lea, ann_id, signals: Vec::new(), _site: site };
        fixture.fill().await;
        fixture
    }

    async fn fill(&mut self) {
        let off = json!({"active": true, "default": false});
        for (name, more) in [
            ("public", json!({"shared": true})),
            ("group", json!({"shared": false, "groups": ["law"]})),
            ("account", json!({"shared": true, "groups": ["law"], "authenticator": "hub"})),
        ] {
            self._site.reply_at(&format!("/{name}"), page_of(name));
            let mut spec = off.clone();
            spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let provider = self.app.provider_with(name, &self._site, spec).await;
            let signal = match name {
                "account" => self.retrieved_by_account(ProviderId(provider)).await,
                _ => {
                    let url = self._site.url_at(&format!("/{name}")).to_string();
                    let title = format!("Gauge {name}");
                    let payload = json!({"url": url, "title": title, "wait": true});
                    let kept =
                        self.app.ingest_from_provider(&self.ann, (provider, &self._site), payload).await;
                    kept_id(&kept)
                }
            };
            self.signals.push(signal);
        }
        let payload = json!({"url": "https://h.example/own", "title": "Gauge supplied", "body": text_of("supplied"), "wait": true});
        let supplied = self.ingested(payload).await;
        self.signals.push(supplied);
    }

    /// Ann types the URL of a page that a source also has, but did not return to her.
    pub async fn type_an_address(&mut self) {
        self._site.reply_at("/typed", page_of(TYPED));
        let payload = json!({"url": self._site.url_at("/typed"), "wait": true});
        let typed = self.ingested(payload).await;
        self.signals.push(typed);
    }

    async fn ingested(&self, payload: Value) -> SignalId {
        kept_id(&self.ann.post("/svc/ingest/", &payload).await)
    }

    /// Stores what the task stores if the source returned the document to Ann's own account.
    async fn retrieved_by_account(&self, provider: ProviderId) -> SignalId {
        let (wired, text) = (self.app.service.app(), text_of("account"));
        let (store, now) = (&wired.store, wired.clock.now());
        let hash = "ac".repeat(32);
        let by = Retrieval {
            user: self.ann_id,
            idp: "hub".to_owned(),
            account_provider_id: None,
            content_hash: hash.clone(),
        };
        let seen = NewSignal {
            address: DocumentAddress::of("https://account.example/gauge").unwrap(),
            source_provider_id: Some(provider),
            source_provider: "account".to_owned(),
            source_kind: SourceKind::Drive,
            external_id: String::new(),
            title: "Gauge account".to_owned(),
            author: String::new(),
            date_published: String::new(),
            origin: Origin::Rag,
            matter_tags: Vec::new(),
            known: None,
            is_supplied: false,
        };
        let id = store.note_signal(seen, &by, now).await.unwrap().0.signal_id;
        let vector = embed(&text).as_slice().to_vec();
        let chunk =
            StoredChunk { number: 0, start: 0, end: 9, heading: String::new(), text: text.clone(), vector };
        let content = IndexedContent {
            source_provider_id: Some(provider),
            source_provider: "account".to_owned(),
            content_hash: hash,
            simhash: String::new(),
            external_version: String::new(),
            title: String::new(),
            author: String::new(),
            mime: "text/plain".to_owned(),
            ext: String::new(),
            size: text.len() as u64,
            file_bytes: 0,
            language: "en".to_owned(),
            is_supplied: false,
            version_label: String::new(),
            embedding_model: MODEL_NAME.to_owned(),
            body_key: None,
            body_bytes: 0,
            body_expires: None,
            chunks: vec![chunk],
            followers: Vec::new(),
        };
        store.index_signal(id, content, &by, now).await.unwrap();
        id
    }

    pub fn signal(&self, name: &str) -> SignalId {
        self.signals[all_documents().position(|one| one == name).unwrap()]
    }
}

/// The documents that a text reveals, by a word of their body or by their title.
pub fn documents_revealed_by(text: &str) -> String {
    let text = text.replace("<em>", "").replace("</em>", "");
    let is_told = |name: &&str| text.contains(&canary(name)) || text.contains(&format!("Gauge {name}"));
    all_documents().filter(is_told).collect::<Vec<_>>().join(" ")
}

fn all_documents() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.into_iter().chain([TYPED])
}

fn text(answer: &Answer) -> String {
    answer.body.to_string()
}

async fn tool(client: &Client, name: &str, arguments: Value) -> Answer {
    let params = json!({"name": name, "arguments": arguments});
    client.post("/mcp", &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await
}

/// Searches in the cache. Returns the id of the search.
pub async fn search_cache(client: &Client) -> i64 {
    let search = client.search(&json!({"query_string": QUERY, "searchprovider_list": [PROVIDER_NAME]})).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
    search["id"].as_i64().unwrap()
}

/// Everything that a person can read about one of their searches: path and text.
async fn readings(client: &Client, search: i64) -> Vec<(String, String)> {
    let mut readings = Vec::new();
    for path in [
        format!("/svc/results/?search_id={search}&facets=true"),
        format!("/svc/results/?search_id={search}&result_mixer=RoundRobinMixer"),
        "/svc/results/".to_owned(),
        format!("/svc/search/{search}/"),
        format!("/svc/search/{search}/runs/"),
        format!("/svc/search/{search}/diff/"),
        format!("/svc/search/{search}/events/"),
        format!("/svc/results/export/?search_id={search}&format=csv"),
        format!("/svc/results/export/?search_id={search}&format=json"),
        format!("/svc/results/export/?search_id={search}&format=bibtex"),
        format!("/svc/results/export/?search_id={search}&format=rss"),
        "/svc/cache/".to_owned(),
        format!("/svc/cache/?text={}", "Gauge"),
    ] {
        let answer = client.get(&path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        readings.push((path, text(&answer)));
    }
    for (name, arguments) in [
        ("get_search_results", json!({"search_id": search})),
        ("search", json!({"query": QUERY, "providers": [PROVIDER_NAME]})),
        ("list_searches", json!({})),
    ] {
        let answer = tool(client, name, arguments).await;
        assert_eq!(answer.status, 200, "{name}: {answer:?}");
        readings.push((format!("mcp {name}"), text(&answer)));
    }
    readings
}

/// The results of a search as (id, title).
async fn rows(client: &Client, search: i64) -> Vec<(i64, String)> {
    let page = client.get(&format!("/svc/results/?search_id={search}")).await;
    let row = |item: &Value| {
        let title = item["title"].as_str().unwrap().replace("<em>", "").replace("</em>", "");
        (item["swirl_id"].as_i64().unwrap(), title)
    };
    page.body["results"].as_array().unwrap().iter().map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_interface_shows_only_what_a_person_may_see() {
    let fixture = Fixture::start().await;
    // The administrator owns the sources that need no account, and sees nothing else.
    for (name, client, expected) in [
        ("ann", &fixture.ann, "public group account supplied"),
        ("ben", &fixture.ben, "public"),
        ("lea", &fixture.lea, "public group"),
        ("admin", &fixture.app.admin, "public group"),
    ] {
        let search = search_cache(client).await;
        let count = expected.split(' ').count();
        let readings = readings(client, search).await;
        let all: String = readings.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(documents_revealed_by(&all), expected, "{name}");
        assert_eq!(documents_revealed_by(&readings[0].1), expected, "{name} finds them");
        for (place, text) in &readings {
            let told: BTreeSet<&str> = expected.split(' ').collect();
            assert!(
                documents_revealed_by(text).split(' ').all(|one| one.is_empty() || told.contains(one)),
                "{name}: {place}"
            );
        }
        let page: Value = serde_json::from_str(&readings[0].1).unwrap();
        let info = &page["info"];
        assert_eq!(info["results"]["found_total"], count, "{name}: {info}");
        assert_eq!(info["results"]["retrieved_total"], count, "{name}");
        assert_eq!(info["facets"]["sources"][0]["count"], count, "{name}: {info}");
        assert_eq!(page["results"][0]["cache"]["badge"], "Cached", "{name}: {page}");
        assert_eq!(all.contains("cache_debug"), name == "admin", "{name}");
        assert_eq!(all.contains("pieces by meaning"), name == "admin", "{name}");
        let answer = client.get(&format!("/svc/search/?qs=river+gauge&providers={}&rag=true", "Cache")).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let allowed: BTreeSet<&str> = expected.split(' ').collect();
        assert!(
            documents_revealed_by(&text(&answer)).split(' ').all(|one| allowed.contains(one)),
            "{name}: {answer:?}"
        );
        let summary = &answer.body["ai_summary"][0]["body"];
        assert!(summary.as_str().is_some_and(|body| body.contains("gauge")), "{name}: {answer:?}");
        let document = rows(client, search).await[0].0;
        let read = tool(client, "read_document", json!({"search_id": search, "swirl_id": document})).await;
        assert_ne!(read.body["result"]["isError"], true, "{name}: {read:?}");
        assert!(allowed.contains(documents_revealed_by(&text(&read)).as_str()), "{name}: {read:?}");
    }
    fixture.app.stop().await;
}

/// Ids of other people's documents give the same response as ids that do not exist.
#[tokio::test(flavor = "multi_thread")]
async fn ids_of_other_people_are_not_found() {
    let fixture = Fixture::start().await;
    let search = search_cache(&fixture.ann).await;
    let result = rows(&fixture.ann, search).await[0].0;
    let hidden = fixture.signal("account").0;
    let nobody = 99_999_999;
    for other in [&fixture.ben, &fixture.app.admin] {
        for (path, unknown) in [
            (format!("/svc/results/{result}/"), format!("/svc/results/{nobody}/")),
            (format!("/svc/results/?search_id={search}"), format!("/svc/results/?search_id={nobody}")),
            (
                format!("/svc/results/export/?search_id={search}&format=csv"),
                format!("/svc/results/export/?search_id={nobody}&format=csv"),
            ),
            (format!("/svc/search/{search}/diff/"), format!("/svc/search/{nobody}/diff/")),
            (format!("/svc/cache/{hidden}/"), format!("/svc/cache/{nobody}/")),
        ] {
            let (found, missing) = (other.get(&path).await, other.get(&unknown).await);
            assert_eq!(
                (found.status.as_u16(), documents_revealed_by(&text(&found)).as_str()),
                (404, ""),
                "{path}: {found:?}"
            );
            assert_eq!(found.body["detail"], missing.body["detail"], "{path}");
        }
        let payloads = [json!({"search_id": search, "swirl_id": result})];
        for payload in payloads {
            assert_eq!(other.post("/svc/ingest/", &payload).await.status, 404);
        }
        for (name, given) in [
            ("get_search_results", json!({"search_id": search})),
            ("read_document", json!({"search_id": search, "swirl_id": result})),
        ] {
            let answer = tool(other, name, given).await;
            assert_eq!(answer.body["result"]["isError"], true, "{name}: {answer:?}");
            assert_eq!(documents_revealed_by(&text(&answer)), "", "{name}");
        }
        let checked = other.post("/svc/cache/check_liveness/", &json!({"signal_id": hidden})).await;
        assert_eq!(
            (checked.status.as_u16(), documents_revealed_by(&text(&checked)).as_str()),
            (404, ""),
            "{checked:?}"
        );
    }
    let removed = fixture.ben.post("/svc/cache/unindex/", &json!({"signal_id": hidden})).await;
    assert_eq!(
        (removed.status.as_u16(), documents_revealed_by(&text(&removed)).as_str()),
        (404, ""),
        "{removed:?}"
    );
    // Requesting the ingest of a document does not reveal that somebody else has it.
    let ingest = async |url: &str| {
        let answer = fixture.ben.post("/svc/ingest/", &json!({"url": url})).await;
        assert_eq!(answer.status, 202, "{answer:?}");
        ["state", "upgraded", "message"].map(|field| answer.body[field].clone())
    };
    assert_eq!(ingest("https://account.example/gauge").await, ingest("https://account.example/none").await);
    assert_eq!(fixture.ben.get("/svc/cache/statistics/").await.status, 403);
    let counts = fixture.app.admin.get("/svc/cache/statistics/").await;
    assert_eq!(
        (counts.status.as_u16(), documents_revealed_by(&text(&counts)).as_str()),
        (200, ""),
        "counts, and no content"
    );
    fixture.app.stop().await;
}

/// Different people send the same query at the same moment: nobody gets the results of another.
#[tokio::test(flavor = "multi_thread")]
async fn racing_equal_queries_do_not_mix() {
    let fixture = Fixture::start().await;
    let people = [
        (&fixture.ann, "public group account supplied"),
        (&fixture.ben, "public"),
        (&fixture.lea, "public group"),
        (&fixture.app.admin, "public group"),
    ];
    for _ in 0..ROUNDS {
        let asked = people.iter().map(|(client, expected)| async move {
            let search = search_cache(client).await;
            let page = client.get(&format!("/svc/results/?search_id={search}")).await;
            (documents_revealed_by(&text(&page)), *expected)
        });
        for (found, expected) in join_all(asked).await {
            assert_eq!(found, expected);
        }
    }
    fixture.app.stop().await;
}

/// Saved results disappear everywhere and at once when the source revokes access.
#[tokio::test(flavor = "multi_thread")]
async fn revoked_access_hides_saved_results() {
    let fixture = Fixture::start().await;
    let Fixture { app, ann, .. } = &fixture;
    let search = search_cache(ann).await;
    let asked = json!({"search_id": search});
    let answered = ann.post("/svc/rag-search/", &asked).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    let rows_before = rows(ann, search).await;
    let account = rows_before.iter().find(|(_, title)| title == "Gauge account").unwrap().0;
    assert_eq!(ann.get(&format!("/svc/results/{account}/")).await.status, 200);
    let read = json!({"search_id": search, "swirl_id": account});
    assert!(
        documents_revealed_by(&text(&tool(ann, "read_document", read.clone()).await)).contains("account")
    );
    let count = async || ann.get("/svc/results/?page=1&items=2").await.body["count"].as_u64().unwrap();
    let count_before = count().await;
    let before = ann.get(&format!("/svc/results/?search_id={search}")).await;
    assert!(!before.body["ai_summary"].as_array().unwrap().is_empty(), "{before:?}");

    let wired = app.service.app();
    let signal = fixture.signal("account");
    assert!(wired.store.revoke_grant(signal, fixture.ann_id, wired.clock.now()).await.unwrap());
    let list = ann.get("/svc/results/").await.body.as_array().unwrap().len() as u64;
    assert_eq!((count().await, list), (count_before - 1, count_before - 1), "it has no part in the count");
    for page in 1..count_before {
        let one = ann.get(&format!("/svc/results/?page={page}&items=1")).await.body;
        assert_eq!(one["results"].as_array().unwrap().len(), 1, "no page comes short: {one}");
    }
    for (place, text) in readings(ann, search).await {
        assert!(!documents_revealed_by(&text).contains("account"), "{place}: {text}");
    }
    let page = ann.get(&format!("/svc/results/?search_id={search}&facets=true")).await.body;
    assert_eq!(page["info"]["results"]["found_total"], 3, "{page}");
    assert_eq!(page["info"]["facets"]["sources"][0]["count"], 3, "{page}");
    assert_eq!(page["ai_summary"], json!([]), "it was made from what is gone: {page}");
    assert_eq!(ann.get(&format!("/svc/results/{account}/")).await.status, 404);
    assert_eq!(tool(ann, "read_document", read).await.body["result"]["isError"], true);
    let again = ann.post("/svc/rag-search/", &asked).await;
    assert_eq!(
        (again.status.as_u16(), documents_revealed_by(&text(&again)).contains("account")),
        (200, false),
        "{again:?}"
    );
    assert_eq!(documents_revealed_by(&text(&ann.get(&format!("/svc/cache/{signal}/")).await)), "");
    // The source grants access again: everything is visible as before.
    let count_without = count().await;
    let by = Retrieval {
        user: fixture.ann_id,
        idp: "hub".to_owned(),
        account_provider_id: None,
        content_hash: "ac".repeat(32),
    };
    wired.store.verify_signal(signal, "", &by, wired.clock.now()).await.unwrap();
    assert_eq!(rows(ann, search).await, rows_before);
    assert_eq!(count().await, count_without + 1);
    fixture.app.stop().await;
}

/// An answer in a chat disappears with the document that it cites.
#[tokio::test(flavor = "multi_thread")]
async fn revoked_access_hides_chat_answers() {
    let fixture = Fixture::start().await;
    let Fixture { app, ann, .. } = &fixture;
    let search = search_cache(ann).await;
    let account = rows(ann, search).await.into_iter().find(|(_, title)| title == "Gauge account").unwrap().0;
    let chat = ann.post("/svc/chat/", &json!({"searchprovider_list": ["account"]})).await.body["id"].clone();
    let attach = json!([{"search_id": search, "swirl_id": account}]);
    let said = json!({"content": "river gauge of the account office", "attach": attach});
    let messages = format!("/svc/chat/{chat}/messages/");
    let answer = ann.post(&messages, &said).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    assert!(text(&answer).contains(&canary("account")), "{answer:?}");
    assert_eq!(answer.body["citations"][0]["signal_id"], fixture.signal("account").0, "{answer:?}");

    let wired = app.service.app();
    wired.store.revoke_grant(fixture.signal("account"), fixture.ann_id, wired.clock.now()).await.unwrap();
    let message = answer.body["id"].as_i64().unwrap();
    for path in [
        format!("/svc/chat/{chat}/"),
        format!("/svc/chat/{chat}/export/?format=md"),
        format!("/chat/?chat={chat}"),
        format!("/chat/{chat}/messages/{message}/"),
    ] {
        let answer = ann.get(&path).await;
        assert_eq!(
            (answer.status.as_u16(), documents_revealed_by(&text(&answer)).as_str()),
            (200, ""),
            "{path}: {answer:?}"
        );
    }
    let again = ann.post(&messages, &said).await;
    assert_eq!(
        (again.status.as_u16(), documents_revealed_by(&text(&again)).as_str()),
        (400, ""),
        "{again:?}"
    );
    fixture.app.stop().await;
}

/// A row without its document id, or rows with one shared id, could not be hidden later.
#[tokio::test(flavor = "multi_thread")]
async fn no_mapping_removes_the_document_id() {
    let fixture = Fixture::start().await;
    let list = fixture.app.admin.get("/svc/searchproviders/").await.body;
    let cache =
        list.as_array().unwrap().iter().find(|one| one["name"] == PROVIDER_NAME).unwrap()["id"].clone();
    for mappings in ["DATASET", "title=title,NO_PAYLOAD", "cache=title,title=url"] {
        let change = json!({"result_mappings": mappings});
        let changed = fixture.app.admin.patch(&format!("/svc/searchproviders/{cache}/"), &change).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let search = search_cache(&fixture.ann).await;
        let page = fixture.ann.get(&format!("/svc/results/?search_id={search}")).await.body;
        let results = page["results"].as_array().unwrap();
        assert_eq!(results.len(), DOCUMENTS.len(), "{mappings}: {page}");
        let mut marks: Vec<i64> =
            results.iter().filter_map(|item| item["cache"]["signal_id"].as_i64()).collect();
        marks.sort_unstable();
        marks.dedup();
        assert_eq!(marks.len(), DOCUMENTS.len(), "{mappings}: each its own");
    }
    fixture.app.stop().await;
}

/// Saved results, summaries and messages are read through the visibility check of `federation`, which applies the
/// current permissions.
#[test]
fn saved_results_are_read_through_the_visibility_check() {
    // Each of these checks permissions itself, shows nothing of the results, or only writes them back.
    const ALLOWED: [&str; 10] = [
        "rag/src/chat/mod.rs",
        "corpus/src/ingest/enqueue.rs",
        "federation/src/results/elector.rs",
        "federation/src/results/mixer.rs",
        "federation/src/results/reader.rs",
        "federation/src/search/run.rs",
        "server/src/api/chat/access.rs",
        "server/src/api/chat/rating.rs",
        "server/src/api/ingest.rs",
        "store/src",
    ];
    const READS: [&str; 6] = [
        "store.result(",
        "store.results(",
        "store.result_sets(",
        "store.summary(",
        "store.messages(",
        "store.run_entries(",
    ];
    let crates = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> =
        std::fs::read_dir(&crates).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            let Ok(text) = std::fs::read_to_string(&path) else {
                folders.push(path);
                continue;
            };
            let place = path.strip_prefix(&crates).unwrap().display().to_string();
            let is_allowed =
                ALLOWED.iter().any(|allowed| place.starts_with(allowed)) || place.starts_with("testkit");
            if !is_allowed && READS.iter().any(|read| text.contains(read)) {
                found.insert(place);
            }
        }
    }
    assert_eq!(found, BTreeSet::new(), "read them by federation's saved_… instead");
}

/// The record is created once, and not again after somebody deleted it.
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_source_stays_deleted() {
    let app = AppHarness::with(with_a_low_floor).await;
    let wired = app.service.app();
    assert!(corpus_provider::ensure(wired).await.unwrap());
    let list = app.admin.get("/svc/searchproviders/").await.body;
    let made = &list[0];
    let shown = ["name", "connector", "active", "default", "shared"].map(|field| made[field].clone());
    let expected =
        [json!(PROVIDER_NAME), json!("TributaryCorpusConnector"), json!(true), json!(true), json!(true)];
    assert_eq!(shown, expected);
    assert_eq!(app.admin.delete(&format!("/svc/searchproviders/{}/", made["id"])).await.status, 204);
    assert!(!corpus_provider::ensure(wired).await.unwrap());
    assert_eq!(app.admin.get("/svc/searchproviders/").await.body, json!([]));
    app.stop().await;
}

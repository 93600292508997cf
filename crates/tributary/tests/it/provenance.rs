//! URLs that a person typed or edited: they are fetched without the source's credentials, never from a private host,
//! and the page belongs only to that person.

use crate::app_harness::{Answer, AppHarness, Client, licensed, long_text};
use domain::corpus::PROVIDER_NAME;
use domain::settings::{Ratio, Settings};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::source::{Behavior, Recorded, Source};
use tributary::corpus::provider as corpus_provider;

/// The `Authorization` header of the source.
const AUTHORIZATION: &str = "Basic c3ZjOlMzQ1JFVC1QQVNTV09SRA==";
const UNREACHABLE: &str = "Its address cannot be reached from here.";

struct Fixture {
    app: AppHarness,
    ann: Client,
    bob: Client,
    /// The source: on a private host, with credentials, shared.
    intranet: Source,
    provider: i64,
}

fn page(title: &str, topic: &str) -> Behavior {
    let text = long_text(topic);
    let head = format!("<head><title>{title}</title></head>");
    Behavior::text("text/html", format!("<html>{head}<body><main><p>{text}</p></main></body></html>"))
}

impl Fixture {
    async fn start(allowed: &[&Source], more: Value) -> Self {
        let allow = allowed.iter().map(|source| source.address().to_string()).collect();
        let change =
            |settings| Settings { outbound_allow: allow, corpus_min_score: Ratio(0.1), ..licensed(settings) };
        let app = AppHarness::with(change).await;
        assert!(corpus_provider::ensure(app.service.app()).await.unwrap());
        let model = json!({
            "name": "Picker", "model": "local/extractive", "active": true, "tags": ["rag", "chat"],
            "defaults": ["rag", "chat"],
        });
        assert_eq!(app.admin.post("/svc/aiproviders/", &model).await.status, 201);
        let intranet = Source::start().await;
        intranet.reply(page("Inside", "the secrets of the company"));
        let item = json!({
            "title": "Travel policy", "body": "Who travels, and how.", "author": "Human Resources",
            "url": intranet.url_at("/doc/1"), "id": "1",
        });
        intranet.reply_at("/list", Behavior::Json(json!({"total": 1, "items": [item]})));
        let mut spec = json!({
            "url": intranet.url_at("/list"), "credentials": "HTTPBasicAuth('svc','S3CRET-PASSWORD')",
            "shared": true, "page_fetch_config_json": {"cache": "true"},
        });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let provider = app.provider_with("Company Intranet", &intranet, spec).await;
        let (ann, bob) = (app.user("ann", &[]).await, app.user("bob", &[]).await);
        Self { app, ann, bob, intranet, provider }
    }

    /// Ann searches the source. Returns the ids of the search and of its only result.
    async fn search_source(&self) -> (i64, i64) {
        let spec = json!({"query_string": "travel policy", "searchprovider_list": ["Company Intranet"]});
        let search = self.ann.search(&spec).await["id"].as_i64().unwrap();
        let list = self.ann.get(&format!("/svc/results/?search_id={search}")).await.body;
        (search, list["results"][0]["swirl_id"].as_i64().unwrap())
    }

    async fn ingest(&self, payload: Value) -> Answer {
        self.ann.post("/svc/ingest/", &payload).await
    }

    /// Reads the page of a result in every way that a person can.
    async fn read_in_all_ways(&self, search: i64, result: i64) {
        let named = json!({"search_id": search, "swirl_id": result});
        let chat = self.ann.post("/svc/chat/", &json!({})).await.body["id"].clone();
        let said = json!({"content": "What does the travel policy say?", "attach": [named]});
        for answer in [
            tool(&self.ann, "read_document", named.clone()).await,
            self.ann.post("/svc/rag-search/", &json!({"search_id": search, "renew": true})).await,
            self.ann.post(&format!("/svc/chat/{chat}/messages/"), &said).await,
            self.ingest(json!({"search_id": search, "swirl_id": result, "wait": true})).await,
        ] {
            assert!(answer.status.is_success(), "{answer:?}");
        }
    }

    /// The requests to the source other than searches.
    fn fetched(&self) -> Vec<Recorded> {
        self.intranet.requests().into_iter().filter(|request| request.path != "/list").collect()
    }

    fn fetched_paths(&self) -> BTreeSet<String> {
        self.fetched().into_iter().map(|request| request.path).collect()
    }
}

async fn tool(client: &Client, name: &str, arguments: Value) -> Answer {
    let params = json!({"name": name, "arguments": arguments});
    client.post("/mcp", &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_typed_address_at_a_source_is_not_fetched_with_its_rights() {
    let fixture = Fixture::start(&[], json!({})).await;
    fixture.search_source().await;
    let secret = |number: u8| fixture.intranet.url_at(&format!("/admin/secret?x={number}"));
    for payload in [
        json!({"url": secret(1), "provider_id": fixture.provider, "wait": true}),
        json!({"url": secret(2), "wait": true}),
        json!({"url": secret(3), "provider_id": fixture.provider, "body": "short", "wait": true}),
        // A URL that the source returned, with an addition.
        json!({"url": fixture.intranet.url_at("/doc/1?x=1"), "provider_id": fixture.provider, "wait": true}),
    ] {
        let refused = fixture.ingest(payload.clone()).await;
        assert_eq!((refused.status.as_u16(), refused.code()), (422, "impossible"), "{payload}: {refused:?}");
        assert!(refused.body["detail"].as_str().unwrap().contains(UNREACHABLE), "{payload}: {refused:?}");
    }
    assert_eq!(fixture.fetched(), [], "nothing at all reached the private host");
    fixture.app.stop().await;
}

/// On a public host the page is fetched without credentials, and belongs only to the person.
#[tokio::test(flavor = "multi_thread")]
async fn a_typed_address_is_fetched_without_credentials_and_belongs_to_the_person() {
    let site = Source::start().await;
    site.reply(page("Anything", "what an attacker wrote about supplier payment"));
    let fixture = Fixture::start(&[&site], json!({})).await;
    let title = "Official supplier payment policy (Finance)";
    let payload = json!({
        "url": site.url_at("/policy"), "provider_id": fixture.provider, "title": title, "wait": true,
    });
    let kept = fixture.ingest(payload.clone()).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    let document = format!("/svc/cache/{}/", kept.body["signal_id"]);
    let own = fixture.ann.get(&document).await.body;
    assert_eq!((&own["source_provider_id"], &own["source_provider"]), (&Value::Null, &json!("")), "{own}");
    assert_eq!(own["title"], "Anything", "what is said of a page is what the page says of itself");
    assert!(!format!("{:?}", site.requests()).contains("Basic"), "{:?}", site.requests());
    for other in [&fixture.bob, &fixture.app.admin] {
        assert_eq!(other.get(&document).await.status, 404);
        let spec = json!({"query_string": "supplier payment policy", "searchprovider_list": [PROVIDER_NAME]});
        let search = other.search(&spec).await["id"].clone();
        let found = other.get(&format!("/svc/results/?search_id={search}")).await.body;
        assert_eq!(found["results"], json!([]), "{found}");
    }
    // Without waiting, the response says how the page is fetched.
    let other = json!({"url": site.url_at("/other"), "provider_id": fixture.provider});
    let accepted = fixture.ingest(other).await;
    assert_eq!(accepted.status, 202, "{accepted:?}");
    assert!(accepted.body["message"].as_str().unwrap().contains("only you will see it"), "{accepted:?}");
    fixture.app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_the_source_gave_is_fetched_with_its_rights() {
    let fixture = Fixture::start(&[], json!({})).await;
    let payload = json!({
        "url": fixture.intranet.url_at("/doc/1"), "provider_id": fixture.provider, "title": "Mine", "wait": true,
    });
    assert_eq!(fixture.ingest(payload.clone()).await.status, 422, "nobody gave it to her yet");
    fixture.search_source().await;
    let kept = fixture.ingest(payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    let fetched = fixture.fetched();
    assert_eq!(fixture.fetched_paths(), BTreeSet::from(["/doc/1".to_owned()]));
    assert!(fetched.iter().all(|one| one.header("authorization") == Some(AUTHORIZATION)), "{fetched:?}");
    let shown = fixture.bob.get(&format!("/svc/cache/{}/", kept.body["signal_id"])).await.body;
    assert_eq!(
        (&shown["title"], &shown["source_provider"]),
        (&json!("Travel policy"), &json!("Company Intranet")),
        "{shown}"
    );
    fixture.app.stop().await;
}

/// A page on another host, or behind a redirect, was not returned by the shared source: it is not published as a
/// document of that source.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_host_is_visible_only_to_its_finder() {
    let site = Source::start().await;
    site.reply(page("Anything", "what an attacker wrote about supplier payment"));
    let fixture = Fixture::start(&[&site], json!({})).await;
    let there = site.url_at("/policy").to_string();
    fixture.intranet.reply_at("/doc/2", Behavior::redirect(there.clone(), 302));
    for url in [there, fixture.intranet.url_at("/doc/2").to_string()] {
        let item = json!({"title": "Official supplier payment policy", "author": "Finance", "url": url});
        fixture.intranet.reply_at("/list", Behavior::Json(json!({"total": 1, "items": [item]})));
        let (search, result) = fixture.search_source().await;
        let kept = fixture.ingest(json!({"search_id": search, "swirl_id": result, "wait": true})).await;
        assert_eq!(kept.status, 200, "{url}: {kept:?}");
        let document = format!("/svc/cache/{}/", kept.body["signal_id"]);
        let own = fixture.ann.get(&document).await.body;
        assert_eq!(
            (&own["source_provider_id"], &own["source_provider"]),
            (&Value::Null, &json!("")),
            "{own}"
        );
        assert_eq!((&own["title"], &own["author"]), (&json!("Anything"), &json!("")), "{own}");
        for other in [&fixture.bob, &fixture.app.admin] {
            assert_eq!(other.get(&document).await.status, 404, "{url}");
            assert_eq!(other.get("/svc/cache/").await.body, json!([]), "{url}");
            let spec =
                json!({"query_string": "supplier payment policy", "searchprovider_list": [PROVIDER_NAME]});
            let search = other.search(&spec).await["id"].clone();
            let found = other.get(&format!("/svc/results/?search_id={search}")).await.body;
            assert_eq!(found["results"], json!([]), "{url}: {found}");
        }
    }
    assert!(!format!("{:?}", site.requests()).contains("Basic"), "{:?}", site.requests());
    fixture.app.stop().await;
}

/// Whatever the owner writes into a result, its page is the one that the source returned.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_was_edited_is_read_as_its_source_gave_it() {
    let site = Source::start().await;
    site.reply(page("Poison", "what an attacker wrote about travel"));
    let fixture = Fixture::start(&[&site], json!({})).await;
    let (search, result) = fixture.search_source().await;
    let path = format!("/svc/results/{result}/");
    let given = fixture.ann.get(&path).await.body;
    assert_eq!(given.get("source_url"), None, "{given}");
    let inside = fixture.intranet.url_at("/_security/user").to_string();
    let other = site.url_at("/policy").to_string();
    for (url, is_put) in [(&inside, false), (&other, false), (&inside, true)] {
        let edit = json!({
            "url": url, "source_url": url, "title": "Official", "author": "Finance", "searchprovider": "Other",
            "provider_id": 999, "provenance": {"AsGiven": fixture.provider},
        });
        let edited =
            if is_put { fixture.ann.put(&path, &edit).await } else { fixture.ann.patch(&path, &edit).await };
        assert_eq!(edited.status, 200, "{edited:?}");
        assert_eq!((&edited.body["url"], &edited.body["source_url"]), (&json!(url), &given["url"]));
        assert_eq!(edited.body["searchprovider"], "Company Intranet");
        assert_eq!(edited.body["provider_id"], fixture.provider);
        fixture.read_in_all_ways(search, result).await;
    }
    assert_eq!(fixture.fetched_paths(), BTreeSet::from(["/doc/1".to_owned()]));
    assert_eq!(site.requests(), [], "no address that she wrote was fetched");
    // The cache contains the source's document, under the source's title.
    let list = fixture.bob.get("/svc/cache/").await.body;
    let shown: Vec<[&Value; 4]> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| [&one["title"], &one["url"], &one["source_provider"], &one["author"]])
        .collect();
    assert_eq!(shown.len(), 1, "{list}");
    assert_eq!(shown[0][..3], [&json!("Travel policy"), &given["url"], &json!("Company Intranet")], "{list}");
    assert_ne!(shown[0][3], "Finance");
    // After the edit is undone, there is nothing to report.
    let whole = fixture.ann.put(&path, &given).await.body;
    assert_eq!(whole.get("source_url"), None, "{whole}");
    fixture.app.stop().await;
}

/// Templates are filled from the source's response, not from the edited payload of the result.
#[tokio::test(flavor = "multi_thread")]
async fn an_edited_payload_does_not_redirect_the_fetch() {
    let fixture = Fixture::start(&[], json!({})).await;
    let template = fixture.intranet.url_at("/content/").to_string() + "{id}";
    let lookup = fixture.intranet.url_at("/kind/").to_string() + "{id}";
    let config = json!({
        "cache": "true", "content_url": template, "mimetype_url": lookup, "mimetype_path": "kind",
    });
    let change = json!({"page_fetch_config_json": config});
    let path = format!("/svc/searchproviders/{}/", fixture.provider);
    let changed = fixture.app.admin.patch(&path, &change).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    fixture.intranet.reply_at("/kind/1", Behavior::Json(json!({"kind": "text/html"})));
    let (search, result) = fixture.search_source().await;
    for payload in
        [json!({"id": "admin"}), json!({"id": "1", "file": {"id": "x"}, "url": "http://127.0.0.1/"})]
    {
        let edited =
            fixture.ann.patch(&format!("/svc/results/{result}/"), &json!({"payload": payload})).await;
        assert_eq!(edited.status, 200, "{edited:?}");
        fixture.read_in_all_ways(search, result).await;
    }
    let own = ["/content/1".to_owned(), "/kind/1".to_owned()];
    assert!(fixture.fetched_paths().is_subset(&BTreeSet::from(own)), "{:?}", fixture.fetched_paths());
    assert!(fixture.fetched_paths().contains("/content/1"));
    // An edited result does not prove the origin of a URL either.
    let url = fixture.intranet.url_at("/admin").to_string();
    let edited = fixture.ann.patch(&format!("/svc/results/{result}/"), &json!({"url": url})).await;
    assert_eq!(edited.status, 200, "{edited:?}");
    let refused = fixture.ingest(json!({"url": url, "provider_id": fixture.provider, "wait": true})).await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert!(!fixture.fetched_paths().contains("/admin"));
    fixture.app.stop().await;
}

/// The owner cannot edit the fields that decide who may see a result and what it was made from.
#[tokio::test(flavor = "multi_thread")]
async fn the_documents_of_a_result_are_not_edited() {
    let fixture = Fixture::start(&[], json!({})).await;
    let (_, result) = fixture.search_source().await;
    let mark = json!({"signal_id": 1, "state": "indexed", "badge": "Cached", "liveness": "alive", "stale": false,
        "shared_externally": false, "matter_tags": []});
    let copy = json!({"signal_id": 1, "title": "x", "url": "http://127.0.0.1/", "searchprovider": "Other"});
    let edit =
        json!({"cache": mark, "duplicates": [copy], "result_block": "facts", "rag_query_items": ["1"]});
    let path = format!("/svc/results/{result}/");
    for edited in [fixture.ann.patch(&path, &edit).await, fixture.ann.put(&path, &edit).await] {
        assert_eq!(edited.status, 200, "{edited:?}");
        for field in ["cache", "duplicates", "result_block", "rag_query_items"] {
            assert_eq!(edited.body.get(field), None, "{field}: {edited:?}");
        }
    }
    // The sources of a summary cannot be edited either. The edited result has no text left to summarize.
    fixture.intranet.reply_at("/doc/1", page("Travel policy", "the travel policy"));
    let (search, _) = fixture.search_source().await;
    let answered = fixture.ann.post("/svc/rag-search/", &json!({"search_id": search})).await;
    assert_eq!(answered.status, 200, "{answered:?}");
    let mixed = fixture.ann.get(&format!("/svc/results/?search_id={search}")).await.body;
    let row = &mixed["ai_summary"][0];
    assert!(row.is_object(), "{mixed}");
    let path = format!("/svc/results/{}/", row["swirl_id"]);
    let edit =
        json!({"body": "My words", "additional_content": null, "rag_query_items": [], "result_block": null});
    let edited = fixture.ann.patch(&path, &edit).await;
    assert_eq!(edited.status, 200, "{edited:?}");
    for field in ["additional_content", "rag_query_items"] {
        assert!(!row[field].is_null(), "{row}");
        assert_eq!(edited.body[field], row[field], "{field}: {edited:?}");
    }
    assert_eq!(edited.body["result_block"], "ai_summary", "{edited:?}");
    fixture.app.stop().await;
}

/// One message, whether a host name is unknown, internal or refused: users learn no names.
#[tokio::test(flavor = "multi_thread")]
async fn refusals_do_not_reveal_which_names_exist() {
    let fixture = Fixture::start(&[], json!({})).await;
    let port = fixture.intranet.address().port();
    let mut told = BTreeSet::new();
    for host in ["no-such-host.invalid", "localhost", "127.0.0.1", "10.0.0.1", "169.254.169.254"] {
        for (path, provider) in [("x", Value::Null), ("y", json!(fixture.provider))] {
            let url = format!("http://{host}:{port}/{path}");
            let refused = fixture.ingest(json!({"url": url, "provider_id": provider, "wait": true})).await;
            assert_eq!(refused.status, 422, "{host}: {refused:?}");
            told.insert(refused.body["detail"].to_string());
        }
    }
    assert_eq!(told.len(), 1, "{told:?}");
    let list = fixture.ann.get("/svc/cache/").await.body.to_string();
    assert!(!list.contains("not allowed") && !list.contains("cannot be found"), "{list}");
    assert_eq!(fixture.fetched(), []);
    fixture.app.stop().await;
}

/// Only these may state that a provider returned a result: the mapping of its response, the store, the cache for its
/// documents, and the demo for its own.
#[test]
fn only_known_modules_confirm_the_origin_of_a_url() {
    const ALLOWED: [&str; 5] = [
        "corpus/src/ingest/job.rs",
        "corpus/src/ingest/source.rs",
        "federation/src/provider/results.rs",
        "store/src/sql/result_rows.rs",
        "tributary/src/demo/versions.rs",
    ];
    const SAYS: [&str; 2] = ["mark_as_given(", "StoredProvenance"];
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
            let is_test_only = place.starts_with("testkit")
                || place.starts_with("domain/src/provenance")
                || place.ends_with("tests.rs");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            if !is_test_only && SAYS.iter().any(|says| code.contains(says)) {
                found.insert(place);
            }
        }
    }
    assert_eq!(found, BTreeSet::from(ALLOWED.map(str::to_owned)));
}

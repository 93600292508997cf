//! Many sources: a thousand, a tenth of them failing, give an equal list for equal responses; and what a response says
//! about each is bounded.

use crate::app_harness::{AppHarness, items};
use domain::settings::{Seconds, Settings};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

const SOURCES: usize = 1000;

#[tokio::test(flavor = "multi_thread")]
async fn the_same_answers_give_the_same_list() {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let mut chance = StdRng::seed_from_u64(seed);
    let app = AppHarness::with(|settings| Settings { timeout: Seconds::new(60), ..settings }).await;
    let source = Source::start().await;
    let mut failing = 0;
    let mut specs = Vec::new();
    for number in 0..SOURCES {
        let path = format!("/{number}");
        if chance.random_range(0..10) == 0 {
            failing += 1;
            source.reply_at(&path, Behavior::status(500));
        } else {
            source.reply_at(&path, Behavior::Json(items(&format!("river {}", number % 7), 2)));
        }
        specs.push(json!({
            "name": format!("Source {number}"),
            "url": source.url_at(&path),
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": format!("title='{{title}} of {number}',body=body,url='https://{number}.example/{{title}}'"),
        }));
    }
    for half in specs.chunks(SOURCES / 2) {
        let created = app.admin.post("/svc/searchproviders/", &Value::Array(half.to_vec())).await;
        assert_eq!(created.status, 201, "{}", created.body);
    }
    let mut lists = Vec::new();
    for _ in 0..2 {
        let search = app.admin.search(&json!({"query_string": "river 3", "results_requested": 200})).await;
        assert_eq!(search["status"], "PARTIAL_RESULTS_READY", "seed {seed}");
        let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
        let completeness = &mixed["info"]["completeness"];
        assert_eq!(completeness["asked"], SOURCES, "seed {seed}");
        assert_eq!(completeness["failed"], failing, "seed {seed}: {completeness}");
        assert_eq!(completeness["answered"], SOURCES - failing, "seed {seed}");
        let titles: Vec<String> =
            mixed["results"].as_array().unwrap().iter().map(|item| item["title"].to_string()).collect();
        assert_eq!(titles.len(), 200);
        lists.push(titles);
    }
    assert_eq!(lists[0], lists[1], "seed {seed}: the same answers, the same list");
    app.stop().await;
}

/// Creates this number of providers, named `Source 0` and so on, with these additional fields.
async fn create_sources(app: &AppHarness, source: &Source, count: usize, more: &Value) {
    let spec = |number: usize| {
        let mut spec = json!({
            "name": format!("Source {number}"),
            "url": source.url_at(&format!("/{number}")),
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": format!("title=title,body=body,url='https://{number}.example/{{title}}'"),
        });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        spec
    };
    let specs: Vec<Value> = (0..count).map(spec).collect();
    let created = app.admin.post("/svc/searchproviders/", &Value::Array(specs)).await;
    assert_eq!(created.status, 201, "{}", created.body);
}

/// Bytes of a response for each source: everything but its results.
fn bytes_per_source(mixed: &Value, sources: usize) -> usize {
    (mixed["messages"].to_string().len() + mixed["info"].to_string().len()) / sources
}

/// The lines of `messages` that contain this text.
fn lines<'a>(mixed: &'a Value, part: &str) -> Vec<&'a str> {
    let lines = mixed["messages"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
    lines.filter(|line| line.contains(part)).collect()
}

/// The path of the response for one source alone.
fn filter_path<'a>(app: &AppHarness, mixed: &'a Value, name: &str) -> &'a str {
    let url = mixed["info"][name]["filter_url"].as_str().unwrap();
    url.strip_prefix(app.base.as_str()).unwrap_or_else(|| panic!("{url}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_sources_are_reported_briefly() {
    let app = AppHarness::with(|settings| Settings { timeout: Seconds::new(60), ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    source.reply_at("/7", Behavior::status(500));
    create_sources(&app, &source, 300, &json!({})).await;

    let mixed = app.admin.get("/svc/search/?qs=river").await.body;
    assert_eq!(mixed["info"]["completeness"]["answered"], 299, "{}", mixed["info"]["completeness"]);
    let bytes = bytes_per_source(&mixed, 300);
    assert!(bytes <= 600, "{bytes} bytes for each source");
    // One line for each source: its failure, or else its counts.
    assert_eq!(lines(&mixed, "Retrieved 2 of 2 results from: Source ").len(), 299);
    assert_eq!(lines(&mixed, "Error: Source 7: ").len(), 1);
    assert!(lines(&mixed, "MappingResultProcessor").is_empty());
    let omitted = lines(&mixed, "Omitted ");
    assert!(omitted.len() == 1 && omitted[0].contains("the filter_url of a source"), "{omitted:?}");

    let one = app.admin.get(filter_path(&app, &mixed, "Source 8")).await.body;
    let own = lines(&one, "from: Source 8");
    assert!(own.iter().any(|line| line.contains("MappingResultProcessor")), "{own:?}");
    assert!(lines(&one, "Omitted ").is_empty(), "{}", one["messages"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_texts_of_many_sources_are_cut() {
    const CUT: &str = "…";
    let app = AppHarness::with(|settings| Settings { timeout: Seconds::new(60), ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let processors: Vec<&str> = std::iter::repeat_n("NoModQueryProcessor", 100).collect();
    create_sources(&app, &source, 300, &json!({"query_processors": processors})).await;

    let query = "ü".repeat(1000);
    let search = app.admin.search(&json!({"query_string": query})).await;
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    let bytes = bytes_per_source(&mixed, 300);
    assert!(bytes <= 1500, "{bytes} bytes for each source");
    let info = &mixed["info"]["Source 8"];
    for field in ["query_string_to_provider", "query_to_provider"] {
        let text = info[field].as_str().unwrap();
        assert!(text.ends_with(CUT) && text.len() <= 200, "{field}: {text}");
    }
    let names = info["query_processors"].as_array().unwrap();
    assert!(names.len() < 12 && names.last() == Some(&json!(CUT)), "{names:?}");

    // The response for one source has all of them.
    let one = app.admin.get(filter_path(&app, &mixed, "Source 8")).await.body;
    let info = &one["info"]["Source 8"];
    assert_eq!(info["query_string_to_provider"], query);
    assert!(info["query_to_provider"].as_str().unwrap().len() > 6000, "{info}");
    assert_eq!(info["query_processors"].as_array().unwrap().len(), 100);
    app.stop().await;
}

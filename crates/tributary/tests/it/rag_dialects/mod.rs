//! Summaries with every AI API behind the real service: successful ones, and every way in which a model can fail. The
//! results of the search are returned in any case.

mod dialects;

use crate::app_harness::{Answer, AppHarness};
use crate::rag_fixture::{EventRequest, RagFixture, documents, events};
use dialects::{DIALECTS, Dialect};
use domain::settings::Settings;
use fakes::models::{Manner, ModelServer, Refusal, TEXT, TOKENS_IN, TOKENS_OUT};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

/// Chunks of an answer that are sent before it breaks off.
const PIECES: usize = 8;
const WRONG_KEY: &str = "wrong-canary-5512";

/// The events of a summary in progress: names and data.
type Events = Vec<(String, Value)>;

/// One service, one source, and a model for every AI API.
struct Fixture {
    app: AppHarness,
    _source: Source,
    cases: Vec<DialectCase>,
    /// The URLs of the results without a summary.
    plain: Vec<Value>,
    begun: Instant,
}

/// An API, its fake server and the id of its record.
struct DialectCase {
    dialect: &'static Dialect,
    model: ModelServer,
    id: i64,
}

impl Fixture {
    /// `key` derives the key of a record from the one that the service accepts.
    async fn open(key: fn(&'static str) -> &'static str) -> Self {
        let begun = Instant::now();
        // The texts are few and short, so the threshold is low: scores are not tested here.
        let app =
            AppHarness::with(|settings| Settings { rag_score_inclusion_threshold: 0.05, ..settings }).await;
        let source = Source::start().await;
        source.reply(Behavior::Json(documents()));
        app.provider("Mills", &source).await;
        let mut cases = Vec::new();
        for dialect in DIALECTS {
            let model = ModelServer::of((dialect.vendor)()).await;
            let (api_key, config) = (dialect.record)(model.url(), key(dialect.key));
            let more = json!({"model": dialect.model, "api_key": api_key, "config": config, "defaults": []});
            let id = RagFixture::ai_provider(&app, dialect.name, &model, more).await;
            cases.push(DialectCase { dialect, model, id });
        }
        let plain = app.admin.get("/svc/search/?qs=river+mill").await;
        let plain = urls(&plain.body);
        assert_eq!(plain.len(), 2, "{plain:?}");
        Self { app, _source: source, cases, plain, begun }
    }

    /// Searches with a summary by each API, all at once.
    async fn ask_all(&self, more: &str) -> Vec<(&DialectCase, Answer)> {
        let ask = |case: &DialectCase| {
            let path = format!("/svc/search/?qs=river+mill&rag=true&ai_provider={}{more}", case.id);
            async move { self.app.admin.get(&path).await }
        };
        let answers = join_all(self.cases.iter().map(ask)).await;
        let pairs: Vec<(&DialectCase, Answer)> = self.cases.iter().zip(answers).collect();
        for (case, answer) in &pairs {
            assert_eq!(answer.status, 200, "{}: {answer:?}", case.dialect.name);
            assert_eq!(urls(&answer.body), self.plain, "{} lost results: {answer:?}", case.dialect.name);
        }
        pairs
    }

    /// The events of each API's summary of a finished search, all at once. Checks that the results are complete
    /// afterwards.
    async fn follow_all(&self) -> Vec<(&DialectCase, Events)> {
        let follow = |case: &DialectCase| {
            let ai_provider = case.id;
            async move {
                let search = self.app.admin.search(&json!({"query_string": "river mill"})).await;
                let payload = json!({"search_id": search["id"], "ai_provider": ai_provider});
                let told = events(&self.app.admin, EventRequest::RagSearch(payload)).await;
                let page = format!("/svc/results/?search_id={}", search["id"]);
                (told, self.app.admin.get(&page).await)
            }
        };
        let told = join_all(self.cases.iter().map(follow)).await;
        let mut all = Vec::new();
        for (case, (told, page)) in self.cases.iter().zip(told) {
            assert_eq!(urls(&page.body), self.plain, "{} lost results: {page:?}", case.dialect.name);
            all.push((case, told));
        }
        all
    }

    fn all_behave(&self, manner: impl Fn(&Dialect) -> Manner) {
        self.cases.iter().for_each(|case| case.model.behaves(manner(case.dialect)));
    }

    async fn close(self, case: &str) {
        eprintln!("{case}: {} dialects in {:.1?}", self.cases.len(), self.begun.elapsed());
        self.app.stop().await;
    }
}

impl DialectCase {
    /// There is no summary, `info.ai` says why, and the key appears nowhere.
    #[track_caller]
    fn assert_failed(&self, answer: &Answer, code: &str, said: &str) {
        let name = self.dialect.name;
        assert_eq!(answer.body["ai_summary"], json!([]), "{name}");
        let ai = &answer.body["info"]["ai"];
        assert_eq!((&ai["status"], &ai["code"]), (&json!("error"), &json!(code)), "{name}: {ai}");
        assert!(ai["message"].as_str().unwrap().contains(said), "{name}: {ai}");
        let lines = answer.body["messages"].to_string();
        assert!(lines.contains("No AI summary: "), "{name}: {lines}");
        self.assert_no_key(&format!("{answer:?}"));
    }

    /// The last event reports the failure.
    #[track_caller]
    fn assert_failure_event(&self, told: &[(String, Value)], code: &str) {
        let (event, last) = told.last().unwrap();
        let name = self.dialect.name;
        assert_eq!((event.as_str(), &last["code"]), ("error", &json!(code)), "{name}: {told:?}");
        assert!(told.iter().all(|(event, _)| event != "done"), "{name}: {told:?}");
        self.assert_no_key(&format!("{told:?}"));
    }

    #[track_caller]
    fn assert_no_key(&self, text: &str) {
        for key in [self.dialect.key, WRONG_KEY] {
            assert!(!text.contains(key), "{} shows a key: {text}", self.dialect.name);
        }
    }
}

/// The URLs of the results in order, without the summary.
fn urls(mixed: &Value) -> Vec<Value> {
    let rows = mixed["results"].as_array().unwrap().iter();
    rows.filter(|row| row["swirl_rank"] != json!(0)).map(|row| row["url"].clone()).collect()
}

fn right(key: &'static str) -> &'static str {
    key
}

#[tokio::test(flavor = "multi_thread")]
async fn the_summary_comes_with_the_results() {
    let fixture = Fixture::open(right).await;
    for (case, answer) in fixture.ask_all("").await {
        let Dialect { name, model, .. } = case.dialect;
        assert_eq!(answer.body["info"]["ai"], json!({"status": "ok"}), "{name}");
        let row = &answer.body["ai_summary"][0];
        assert_eq!(row["body"], TEXT, "{name}");
        assert_eq!(answer.body["results"][0]["body"], TEXT, "{name}: the row is the first");
        let details = &row["additional_content"];
        assert_eq!((&details["ai_model"], &details["ai_provider"]), (&json!(model), &json!(name)));
        let tokens = (details["tokens_in"].as_u64(), details["tokens_out"].as_u64());
        assert_eq!(tokens, (Some(TOKENS_IN), Some(TOKENS_OUT)), "{name}");
        let sources = details["sources"].as_array().unwrap();
        assert_eq!(sources.len(), 2, "{name}");
        for source in sources {
            assert_eq!(source["cited"], true, "{name}: {source}");
            assert!(
                fixture.plain.iter().any(|url| address(&source["url"]) == address(url)),
                "{name}: {source}"
            );
        }
        let sentences = details["sentences"].as_array().unwrap();
        let cites: Vec<&Value> = sentences.iter().map(|one| &one["cites"]).collect();
        assert_eq!(cites, [&json!([1]), &json!([2])], "{name}");
        assert!(sentences[0]["support"].as_f64().unwrap() > 0.35, "{name}: {details}");
        case.assert_no_key(&format!("{answer:?}"));
    }
    fixture.close("summary").await;
}

/// The URL without its fragment.
fn address(url: &Value) -> &str {
    url.as_str().unwrap().split('#').next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_summary_is_streamed_while_it_is_written() {
    let fixture = Fixture::open(right).await;
    fixture.all_behave(|_| Manner::Slow(Duration::from_millis(20)));
    for (case, told) in fixture.follow_all().await {
        let name = case.dialect.name;
        let of = |event: &str| told.iter().filter(|(known, _)| known == event).collect::<Vec<_>>();
        assert_eq!(
            (of("source").len(), of("citations").len(), of("done").len()),
            (2, 1, 1),
            "{name}: {told:?}"
        );
        let deltas: Vec<&str> = of("delta").iter().map(|(_, data)| data["text"].as_str().unwrap()).collect();
        assert!(deltas.len() >= if case.dialect.streams { 2 } else { 1 }, "{name}: {deltas:?}");
        assert_eq!(deltas.concat(), TEXT, "{name}");
        let (event, row) = told.last().unwrap();
        assert_eq!((event.as_str(), &row["body"]), ("done", &json!(TEXT)), "{name}");
        case.assert_no_key(&format!("{told:?}"));
    }
    fixture.close("streamed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_fails() {
    let fixture = Fixture::open(right).await;
    fixture.all_behave(|dialect| {
        Manner::Refuses(Refusal::new(500, format!("the engine is on fire, {}", dialect.key)))
    });
    for (case, answer) in fixture.ask_all("").await {
        case.assert_failed(&answer, "ai_provider_error", "answered with status 500: the engine is on fire");
        assert_eq!(case.model.requests().len(), 1, "{} was asked again", case.dialect.name);
    }
    for (case, told) in fixture.follow_all().await {
        case.assert_failure_event(&told, "ai_provider_error");
    }
    fixture.all_behave(|_| Manner::Fine);
    for (case, answer) in fixture.ask_all("").await {
        assert_eq!(answer.body["ai_summary"][0]["body"], TEXT, "{} is well again", case.dialect.name);
    }
    fixture.close("status 500").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_rate_limits() {
    let fixture = Fixture::open(right).await;
    fixture.all_behave(|_| Manner::Throttles(Some(60)));
    let begun = Instant::now();
    for (case, answer) in fixture.ask_all("").await {
        case.assert_failed(&answer, "ai_provider_error", "status 429");
        case.assert_failed(&answer, "ai_provider_error", "It asks to wait 60 s.");
        assert_eq!(case.model.requests().len(), 1, "{} was asked again", case.dialect.name);
    }
    for (case, told) in fixture.follow_all().await {
        case.assert_failure_event(&told, "ai_provider_error");
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "nobody waits for it: {:?}", begun.elapsed());
    fixture.close("status 429").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_come_too_slowly() {
    let fixture = Fixture::open(right).await;
    // The first answers load the token tables, which takes longer than the time limit below.
    fixture.ask_all("").await;
    for case in &fixture.cases {
        case.model.says(&TEXT.repeat(60));
    }
    fixture.all_behave(|dialect| {
        if dialect.streams {
            Manner::Slow(Duration::from_millis(100))
        } else {
            Manner::Slow(Duration::from_secs(60))
        }
    });
    let begun = Instant::now();
    // Long enough for a busy machine to reach every model before the timeout.
    for (case, answer) in fixture.ask_all("&rag_timeout=8").await {
        case.assert_failed(&answer, "rag_timeout", "");
        assert_eq!(case.model.requests().len(), 2, "{} was asked", case.dialect.name);
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(8) && took < Duration::from_secs(40), "{took:?}");
    for case in &fixture.cases {
        while case.model.open() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{} is not left", case.dialect.name);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    fixture.close("slow tokens").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_breaks_off() {
    let fixture = Fixture::open(right).await;
    let manners: [fn(usize) -> Manner; 3] = [Manner::BreaksOff, Manner::EndsEarly, Manner::Stumbles];
    for manner in manners {
        // An answer in one chunk has no middle: only its beginning is sent.
        fixture.all_behave(|dialect| manner(if dialect.streams { PIECES } else { 0 }));
        for (case, answer) in fixture.ask_all("").await {
            case.assert_failed(&answer, "ai_provider_error", "");
        }
        for (case, told) in fixture.follow_all().await {
            case.assert_failure_event(&told, "ai_provider_error");
        }
    }
    fixture.close("broken off").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_lies_about_its_citations() {
    let fixture = Fixture::open(right).await;
    for case in &fixture.cases {
        case.model.says(
            "The mill stands by the river [1]. It was sold to pirates [9] and [0]. Bananas grow in Antarctica [2]. \
             See [the archive](https://evil.example/steal?q=secret). ![pixel](https://evil.example/pixel.png)",
        );
    }
    let check = |case: &DialectCase, row: &Value| {
        let name = case.dialect.name;
        let body = row["body"].as_str().unwrap();
        assert!(body.starts_with("The mill stands by the river [1]."), "{name}: {body}");
        for gone in ["[9]", "[0]", "evil.example", "](", "!["] {
            assert!(!body.contains(gone), "{name}: {body}");
        }
        let details = &row["additional_content"];
        let warnings: Vec<&str> =
            details["warnings"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        for part in ["Citations", "Links", "Images", "The cited sources"] {
            assert!(warnings.iter().any(|one| one.starts_with(part)), "{name}: no '{part}' in {warnings:?}");
        }
        for source in details["sources"].as_array().unwrap() {
            assert!(
                fixture.plain.iter().any(|url| address(url) == address(&source["url"])),
                "{name}: {source}"
            );
        }
        let sentences = details["sentences"].as_array().unwrap();
        let of =
            |words: &str| sentences.iter().find(|one| one["text"].as_str().unwrap().contains(words)).unwrap();
        assert!(of("mill stands")["support"].as_f64().unwrap() >= 0.35, "{name}: {details}");
        assert!(of("Bananas")["support"].as_f64().unwrap() < 0.35, "{name}: {details}");
        assert_eq!(of("pirates")["cites"], json!([]), "{name}: {details}");
    };
    for (case, answer) in fixture.ask_all("").await {
        assert_eq!(answer.body["info"]["ai"], json!({"status": "ok"}), "{}", case.dialect.name);
        check(case, &answer.body["ai_summary"][0]);
    }
    for (case, told) in fixture.follow_all().await {
        let deltas = told.iter().filter(|(event, _)| event == "delta");
        let text: String = deltas.map(|(_, data)| data["text"].as_str().unwrap()).collect();
        for gone in ["[9]", "[0]", "evil.example", "](", "!["] {
            assert!(!text.contains(gone), "{}, told: {text}", case.dialect.name);
        }
        let (event, row) = told.last().unwrap();
        assert_eq!(event, "done", "{}", case.dialect.name);
        check(case, row);
    }
    fixture.close("lies").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_says_that_it_found_nothing() {
    let fixture = Fixture::open(right).await;
    for case in &fixture.cases {
        case.model.says("[no answer]\nThe sources do not say who built the bridge.");
    }
    let body = json!("The sources do not say who built the bridge.");
    let check = |case: &DialectCase, row: &Value| {
        let details = &row["additional_content"];
        assert_eq!((&row["body"], &details["not_found"]), (&body, &json!(true)), "{}", case.dialect.name);
        assert_eq!(details["warnings"], json!([]), "{}", case.dialect.name);
    };
    for (case, answer) in fixture.ask_all("").await {
        check(case, &answer.body["ai_summary"][0]);
    }
    for (case, told) in fixture.follow_all().await {
        let deltas = told.iter().filter(|(event, _)| event == "delta");
        let text: String = deltas.map(|(_, data)| data["text"].as_str().unwrap()).collect();
        assert_eq!(json!(text), body, "{}", case.dialect.name);
        check(case, &told.last().unwrap().1);
    }
    fixture.close("not found").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_refused_and_not_shown() {
    let fixture = Fixture::open(|_| WRONG_KEY).await;
    for (case, answer) in fixture.ask_all("").await {
        case.assert_failed(&answer, "ai_provider_error", "refused the key");
        assert_eq!(case.model.requests().len(), 1, "{} was asked", case.dialect.name);
    }
    for (case, told) in fixture.follow_all().await {
        case.assert_failure_event(&told, "ai_provider_error");
    }
    for case in &fixture.cases {
        let record = fixture.app.admin.get(&format!("/svc/aiproviders/{}/", case.id)).await;
        assert_eq!(record.status, 200);
        case.assert_no_key(&format!("{record:?}"));
        let searches = fixture.app.admin.get("/svc/search/").await;
        case.assert_no_key(&format!("{searches:?}"));
    }
    fixture.close("wrong key").await;
}

//! Summaries by every dialect behind the real service: right ones, and all that can go wrong with a model. Whatever it
//! does, the results of the search are there.

mod dialects;

use crate::answering::{Answering, EventRequest, documents, events};
use crate::app_harness::{Answer, AppHarness};
use dialects::{DIALECTS, Dialect};
use domain::settings::Settings;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behaviour, Source};
use testkit::vendors::models::{Manner, ModelServer, Refusal, TEXT, TOKENS_IN, TOKENS_OUT};

/// Pieces of an answer that are sent before it breaks off.
const PIECES: usize = 8;
const WRONG_KEY: &str = "wrong-canary-5512";

/// What an answer tells while it is made: names and data.
type Events = Vec<(String, Value)>;

/// One service, one source, and a model of every dialect.
struct Hall {
    app: AppHarness,
    _source: Source,
    desks: Vec<Desk>,
    /// The addresses of the results when nobody asks for a summary.
    plain: Vec<Value>,
    begun: Instant,
}

/// A dialect, its stand-in and the id of its record.
struct Desk {
    dialect: &'static Dialect,
    model: ModelServer,
    id: i64,
}

impl Hall {
    /// `key` makes the key of a record from the one that its service takes.
    async fn open(key: fn(&'static str) -> &'static str) -> Self {
        let begun = Instant::now();
        // The texts are few and short: what they score is not what is tested here.
        let app =
            AppHarness::with(|settings| Settings { rag_score_inclusion_threshold: 0.05, ..settings }).await;
        let source = Source::start().await;
        source.reply(Behaviour::Json(documents()));
        app.provider("Mills", &source).await;
        let mut desks = Vec::new();
        for dialect in DIALECTS {
            let model = ModelServer::of((dialect.vendor)()).await;
            let (api_key, config) = (dialect.record)(model.url(), key(dialect.key));
            let more = json!({"model": dialect.model, "api_key": api_key, "config": config, "defaults": []});
            let id = Answering::ai_provider(&app, dialect.name, &model, more).await;
            desks.push(Desk { dialect, model, id });
        }
        let plain = app.admin.get("/svc/search/?qs=river+mill").await;
        let plain = urls(&plain.body);
        assert_eq!(plain.len(), 2, "{plain:?}");
        Self { app, _source: source, desks, plain, begun }
    }

    /// Searches with a summary by each dialect, all at once.
    async fn ask_all(&self, more: &str) -> Vec<(&Desk, Answer)> {
        let ask = |desk: &Desk| {
            let path = format!("/svc/search/?qs=river+mill&rag=true&ai_provider={}{more}", desk.id);
            async move { self.app.admin.get(&path).await }
        };
        let answers = join_all(self.desks.iter().map(ask)).await;
        let pairs: Vec<(&Desk, Answer)> = self.desks.iter().zip(answers).collect();
        for (desk, answer) in &pairs {
            assert_eq!(answer.status, 200, "{}: {answer:?}", desk.dialect.name);
            assert_eq!(urls(&answer.body), self.plain, "{} lost results: {answer:?}", desk.dialect.name);
        }
        pairs
    }

    /// What each dialect's summary of a finished search tells while it is made, all at once; and the results after it.
    async fn follow_all(&self) -> Vec<(&Desk, Events)> {
        let follow = |desk: &Desk| {
            let ai_provider = desk.id;
            async move {
                let search = self.app.admin.search(&json!({"query_string": "river mill"})).await;
                let wish = json!({"search_id": search["id"], "ai_provider": ai_provider});
                let told = events(&self.app.admin, EventRequest::RagSearch(wish)).await;
                let page = format!("/svc/results/?search_id={}", search["id"]);
                (told, self.app.admin.get(&page).await)
            }
        };
        let told = join_all(self.desks.iter().map(follow)).await;
        let mut all = Vec::new();
        for (desk, (told, page)) in self.desks.iter().zip(told) {
            assert_eq!(urls(&page.body), self.plain, "{} lost results: {page:?}", desk.dialect.name);
            all.push((desk, told));
        }
        all
    }

    fn all_behave(&self, manner: impl Fn(&Dialect) -> Manner) {
        self.desks.iter().for_each(|desk| desk.model.behaves(manner(desk.dialect)));
    }

    async fn close(self, case: &str) {
        eprintln!("{case}: {} dialects in {:.1?}", self.desks.len(), self.begun.elapsed());
        self.app.stop().await;
    }
}

impl Desk {
    /// There is no summary, and `info.ai` says why; the key stands nowhere.
    #[track_caller]
    fn assert_failed(&self, answer: &Answer, code: &str, said: &str) {
        let name = self.dialect.name;
        assert_eq!(answer.body["ai_summary"], json!([]), "{name}");
        let ai = &answer.body["info"]["ai"];
        assert_eq!((&ai["status"], &ai["code"]), (&json!("error"), &json!(code)), "{name}: {ai}");
        assert!(ai["message"].as_str().unwrap().contains(said), "{name}: {ai}");
        let lines = answer.body["messages"].to_string();
        assert!(lines.contains("No AI summary: "), "{name}: {lines}");
        self.assert_keyless(&format!("{answer:?}"));
    }

    /// The last event says that it failed.
    #[track_caller]
    fn assert_told_failure(&self, told: &[(String, Value)], code: &str) {
        let (event, last) = told.last().unwrap();
        let name = self.dialect.name;
        assert_eq!((event.as_str(), &last["code"]), ("error", &json!(code)), "{name}: {told:?}");
        assert!(told.iter().all(|(event, _)| event != "done"), "{name}: {told:?}");
        self.assert_keyless(&format!("{told:?}"));
    }

    #[track_caller]
    fn assert_keyless(&self, text: &str) {
        for key in [self.dialect.key, WRONG_KEY] {
            assert!(!text.contains(key), "{} shows a key: {text}", self.dialect.name);
        }
    }
}

/// The addresses of the results in their order, without the summary's row.
fn urls(mixed: &Value) -> Vec<Value> {
    let rows = mixed["results"].as_array().unwrap().iter();
    rows.filter(|row| row["swirl_rank"] != json!(0)).map(|row| row["url"].clone()).collect()
}

fn right(key: &'static str) -> &'static str {
    key
}

#[tokio::test(flavor = "multi_thread")]
async fn the_summary_stands_beside_the_results() {
    let hall = Hall::open(right).await;
    for (desk, answer) in hall.ask_all("").await {
        let Dialect { name, model, .. } = desk.dialect;
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
            assert!(hall.plain.iter().any(|url| address(&source["url"]) == address(url)), "{name}: {source}");
        }
        let sentences = details["sentences"].as_array().unwrap();
        let cites: Vec<&Value> = sentences.iter().map(|one| &one["cites"]).collect();
        assert_eq!(cites, [&json!([1]), &json!([2])], "{name}");
        assert!(sentences[0]["support"].as_f64().unwrap() > 0.35, "{name}: {details}");
        desk.assert_keyless(&format!("{answer:?}"));
    }
    hall.close("summary").await;
}

/// Without the place in the page.
fn address(url: &Value) -> &str {
    url.as_str().unwrap().split('#').next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_told_while_it_is_written() {
    let hall = Hall::open(right).await;
    hall.all_behave(|_| Manner::Slow(Duration::from_millis(20)));
    for (desk, told) in hall.follow_all().await {
        let name = desk.dialect.name;
        let of = |event: &str| told.iter().filter(|(known, _)| known == event).collect::<Vec<_>>();
        assert_eq!(
            (of("source").len(), of("citations").len(), of("done").len()),
            (2, 1, 1),
            "{name}: {told:?}"
        );
        let deltas: Vec<&str> = of("delta").iter().map(|(_, data)| data["text"].as_str().unwrap()).collect();
        assert!(deltas.len() >= if desk.dialect.streams { 2 } else { 1 }, "{name}: {deltas:?}");
        assert_eq!(deltas.concat(), TEXT, "{name}");
        let (event, row) = told.last().unwrap();
        assert_eq!((event.as_str(), &row["body"]), ("done", &json!(TEXT)), "{name}");
        desk.assert_keyless(&format!("{told:?}"));
    }
    hall.close("streamed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_fails() {
    let hall = Hall::open(right).await;
    hall.all_behave(|dialect| {
        Manner::Refuses(Refusal::new(500, format!("the engine is on fire, {}", dialect.key)))
    });
    for (desk, answer) in hall.ask_all("").await {
        desk.assert_failed(&answer, "ai_provider_error", "answered with status 500: the engine is on fire");
        assert_eq!(desk.model.requests().len(), 1, "{} was asked again", desk.dialect.name);
    }
    for (desk, told) in hall.follow_all().await {
        desk.assert_told_failure(&told, "ai_provider_error");
    }
    hall.all_behave(|_| Manner::Fine);
    for (desk, answer) in hall.ask_all("").await {
        assert_eq!(answer.body["ai_summary"][0]["body"], TEXT, "{} is well again", desk.dialect.name);
    }
    hall.close("status 500").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_wants_to_be_left_alone() {
    let hall = Hall::open(right).await;
    hall.all_behave(|_| Manner::Throttles(Some(60)));
    let begun = Instant::now();
    for (desk, answer) in hall.ask_all("").await {
        desk.assert_failed(&answer, "ai_provider_error", "status 429");
        desk.assert_failed(&answer, "ai_provider_error", "It asks to wait 60 s.");
        assert_eq!(desk.model.requests().len(), 1, "{} was asked again", desk.dialect.name);
    }
    for (desk, told) in hall.follow_all().await {
        desk.assert_told_failure(&told, "ai_provider_error");
    }
    assert!(begun.elapsed() < Duration::from_secs(30), "nobody waits for it: {:?}", begun.elapsed());
    hall.close("status 429").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_come_too_slowly() {
    let hall = Hall::open(right).await;
    // The first answers read the tables of the tokens, which takes longer than there is time below.
    hall.ask_all("").await;
    for desk in &hall.desks {
        desk.model.says(&TEXT.repeat(60));
    }
    hall.all_behave(|dialect| match dialect.streams {
        true => Manner::Slow(Duration::from_millis(100)),
        false => Manner::Slow(Duration::from_secs(60)),
    });
    let begun = Instant::now();
    // Long enough for a busy machine to reach every model before the time is over.
    for (desk, answer) in hall.ask_all("&rag_timeout=8").await {
        desk.assert_failed(&answer, "rag_timeout", "");
        assert_eq!(desk.model.requests().len(), 2, "{} was asked", desk.dialect.name);
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(8) && took < Duration::from_secs(40), "{took:?}");
    for desk in &hall.desks {
        while desk.model.open() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{} is not left", desk.dialect.name);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    hall.close("slow tokens").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_stops_in_the_middle() {
    let hall = Hall::open(right).await;
    let manners: [fn(usize) -> Manner; 3] = [Manner::BreaksOff, Manner::EndsEarly, Manner::Stumbles];
    for manner in manners {
        // An answer in one piece has no middle: its beginning is all that comes.
        hall.all_behave(|dialect| manner(if dialect.streams { PIECES } else { 0 }));
        for (desk, answer) in hall.ask_all("").await {
            desk.assert_failed(&answer, "ai_provider_error", "");
        }
        for (desk, told) in hall.follow_all().await {
            desk.assert_told_failure(&told, "ai_provider_error");
        }
    }
    hall.close("broken off").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_lies_about_its_citations() {
    let hall = Hall::open(right).await;
    for desk in &hall.desks {
        desk.model.says(
            "The mill stands by the river [1]. It was sold to pirates [9] and [0]. Bananas grow in Antarctica [2]. \
             See [the archive](https://evil.example/steal?q=secret). ![pixel](https://evil.example/pixel.png)",
        );
    }
    let check = |desk: &Desk, row: &Value| {
        let name = desk.dialect.name;
        let body = row["body"].as_str().unwrap();
        assert!(body.starts_with("The mill stands by the river [1]."), "{name}: {body}");
        for gone in ["[9]", "[0]", "evil.example", "](", "!["] {
            assert!(!body.contains(gone), "{name}: {body}");
        }
        let details = &row["additional_content"];
        let warnings: Vec<&str> =
            details["warnings"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        for part in ["Citations", "Addresses", "Images", "Only "] {
            assert!(warnings.iter().any(|one| one.starts_with(part)), "{name}: no '{part}' in {warnings:?}");
        }
        for source in details["sources"].as_array().unwrap() {
            assert!(hall.plain.iter().any(|url| address(url) == address(&source["url"])), "{name}: {source}");
        }
        let sentences = details["sentences"].as_array().unwrap();
        let of =
            |words: &str| sentences.iter().find(|one| one["text"].as_str().unwrap().contains(words)).unwrap();
        assert!(of("mill stands")["support"].as_f64().unwrap() >= 0.35, "{name}: {details}");
        assert!(of("Bananas")["support"].as_f64().unwrap() < 0.35, "{name}: {details}");
        assert_eq!(of("pirates")["cites"], json!([]), "{name}: {details}");
    };
    for (desk, answer) in hall.ask_all("").await {
        assert_eq!(answer.body["info"]["ai"], json!({"status": "ok"}), "{}", desk.dialect.name);
        check(desk, &answer.body["ai_summary"][0]);
    }
    for (desk, told) in hall.follow_all().await {
        let deltas = told.iter().filter(|(event, _)| event == "delta");
        let text: String = deltas.map(|(_, data)| data["text"].as_str().unwrap()).collect();
        for gone in ["[9]", "[0]", "evil.example", "](", "!["] {
            assert!(!text.contains(gone), "{}, told: {text}", desk.dialect.name);
        }
        let (event, row) = told.last().unwrap();
        assert_eq!(event, "done", "{}", desk.dialect.name);
        check(desk, row);
    }
    hall.close("lies").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_says_that_it_found_nothing() {
    let hall = Hall::open(right).await;
    for desk in &hall.desks {
        desk.model.says("[no answer]\nThe sources do not say who built the bridge.");
    }
    let body = json!("The sources do not say who built the bridge.");
    let check = |desk: &Desk, row: &Value| {
        let details = &row["additional_content"];
        assert_eq!((&row["body"], &details["not_found"]), (&body, &json!(true)), "{}", desk.dialect.name);
        assert_eq!(details["warnings"], json!([]), "{}", desk.dialect.name);
    };
    for (desk, answer) in hall.ask_all("").await {
        check(desk, &answer.body["ai_summary"][0]);
    }
    for (desk, told) in hall.follow_all().await {
        let deltas = told.iter().filter(|(event, _)| event == "delta");
        let text: String = deltas.map(|(_, data)| data["text"].as_str().unwrap()).collect();
        assert_eq!(json!(text), body, "{}", desk.dialect.name);
        check(desk, &told.last().unwrap().1);
    }
    hall.close("not found").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_refused_and_not_shown() {
    let hall = Hall::open(|_| WRONG_KEY).await;
    for (desk, answer) in hall.ask_all("").await {
        desk.assert_failed(&answer, "ai_provider_error", "refused the key");
        assert_eq!(desk.model.requests().len(), 1, "{} was asked", desk.dialect.name);
    }
    for (desk, told) in hall.follow_all().await {
        desk.assert_told_failure(&told, "ai_provider_error");
    }
    for desk in &hall.desks {
        let record = hall.app.admin.get(&format!("/svc/aiproviders/{}/", desk.id)).await;
        assert_eq!(record.status, 200);
        desk.assert_keyless(&format!("{record:?}"));
        let searches = hall.app.admin.get("/svc/search/").await;
        desk.assert_keyless(&format!("{searches:?}"));
    }
    hall.close("wrong key").await;
}

//! The demo answers without a model, and every sentence of its answers occurs in the source that it cites.

use crate::app_harness::Client;
use crate::demo::basic;
use crate::program::{Running, program};
use serde_json::{Value, json};
use syntax::highlights;
use tempfile::TempDir;

/// What a visitor of the demo might ask.
const QUERIES: [&str; 50] = [
    "flood warning",
    "battery life",
    "sediment",
    "plain words in warnings",
    "setting alert thresholds on small catchments",
    "Heron level sensor installation",
    "Silt turbidity probe",
    "Thistle rain gauge siting",
    "Otter handheld in the rain",
    "Waterline warnings maps and charts",
    "battery life in remote stations",
    "lithium or lead cells for cold rivers",
    "solar panel vandalised",
    "sensor calibration",
    "calibration certificate date",
    "drift of pressure transducers",
    "radio telemetry for river networks",
    "antenna in a manhole",
    "mesh telemetry trial",
    "satellite messages out of order",
    "suspended sediment monitoring",
    "turbidity is not sediment",
    "reservoir sedimentation survey",
    "dam safety instrumentation",
    "seepage weirs",
    "emergency drawdown exercise at Hollin Dam",
    "river ice observation",
    "ice jam",
    "groundwater level monitoring",
    "groundwater flooding in chalk valleys",
    "working near water safety training",
    "lone working check-ins",
    "data quality in hydrometric networks",
    "automatic quality checks for spikes",
    "rating curves",
    "sirens and texts",
    "flash flood",
    "flood forecasting with a spreadsheet",
    "ensemble rainfall forecast",
    "radio licence",
    "lightning and surge protection",
    "firmware sleep modes",
    "shipping lithium packs",
    "tipping bucket calibration",
    "uncertainty budgets for flow",
    "geophones",
    "piezometers in embankment dams",
    "frazil ice at hydropower intakes",
    "snowmelt floods",
    "barometric compensation",
];

/// Words from titles that hardly occur in the texts; then questions in other words than the documents'.
const HARD: [&str; 40] = [
    "solar panels under trees",
    "antennas in wet places",
    "alarm fatigue in control centers",
    "cold water what it does to you",
    "warning messages people understand",
    "return periods without tears",
    "night shift duty officers decide",
    "ladders, bridges and boats",
    "gap filling temptation",
    "tidal rivers measuring",
    "winterising stations checklist",
    "mounting sensors on heritage bridges",
    "remote stations and local keepers",
    "water temperature forgotten variable",
    "writing reports people finish",
    "open formats for hydrological data",
    "stilling wells desilting",
    "wind set-up and seiches",
    "saltwater intrusion",
    "dredging and flushing",
    "glacier lakes outburst",
    "bridge scour monitoring",
    "securing field devices",
    "procurement guide",
    "dark mode for night shifts",
    "metadata where was this sensor",
    "fish passage and gauging",
    "permafrost wells",
    "how long does a battery last in the cold",
    "what happens to people who fall into a river",
    "animals that disturb gauges",
    "who decides at night",
    "how to keep water out of connectors",
    "can a camera measure flow",
    "what should a tender ask for",
    "insects in rain gauges",
    "lightning damage",
    "telling a flood peak from an error",
    "old mechanical recorders",
    "children learn about rivers",
];
/// How many of them are answered at least: those by title, and three of the questions.
const HARD_ANSWERED_MIN: usize = 31;

/// Questions that nothing in the demo answers, although their words may occur.
const UNANSWERABLE: [&str; 10] = [
    "price of tea in 1870 London",
    "xyzzy plugh frobnicate",
    "capital of Mongolia",
    "battery farming of hens",
    "radio drama of the 1950s",
    "solar eclipse over Madagascar",
    "bridge card game bidding",
    "flood warning on the moon",
    "salary of a flood duty officer",
    "birthday of the inventor of the rain gauge",
];

/// The demo and a client.
struct Demo {
    client: Client,
    _running: Running,
    _folder: TempDir,
}

/// Answers to some queries.
#[derive(Default)]
struct Answers {
    sentences: usize,
    answered: usize,
    unanswered: Vec<String>,
}

impl Demo {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let running = Running::start(program(folder.path(), &["demo", "--port", "0"]));
        let said = running.said.join("\n");
        assert!(said.contains("&rag=true"), "the demo tells how to get an answer: {said}");
        let password = said.split("password ").nth(1).unwrap().lines().next().unwrap();
        let client = running.client(Some(basic("admin", password)));
        Self { client, _running: running, _folder: folder }
    }

    async fn ask(&self, query: &str) -> Value {
        let asked: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let answer = self.client.get(&format!("/svc/search/?qs={asked}&rag=true")).await;
        assert_eq!(answer.status, 200, "{query}: {answer:?}");
        answer.body
    }

    /// Asks all queries, and checks every sentence of every answer.
    async fn ask_all(&self, queries: &[&str]) -> Answers {
        let mut asked = Answers::default();
        for query in queries {
            let body = self.ask(query).await;
            assert!(!body["results"].as_array().unwrap().is_empty(), "{query}");
            let row = &body["ai_summary"][0];
            if row.is_null() {
                asked.unanswered.push(format!("{query}: {}", body["info"]["ai"]["message"]));
                continue;
            }
            assert_eq!(row["additional_content"]["extractive"], json!(true), "{query}");
            assert!(
                row["searchprovider"].as_str().unwrap().contains("Extractive"),
                "it is named as such: {row}"
            );
            asked.answered += 1;
            asked.sentences += check(&self.client, query, row).await;
        }
        asked
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_sentence_is_found_in_its_source() {
    let asked = Demo::start().ask_all(&QUERIES).await;
    let (count, of) = (asked.answered, QUERIES.len());
    let without = asked.unanswered;
    assert!(without.is_empty(), "{count} of {of} queries have an answer; without one: {without:#?}");
    assert!(asked.sentences >= 100, "{} sentences in {count} answers", asked.sentences);
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_and_other_words_lead_to_answers_too() {
    let asked = Demo::start().ask_all(&HARD).await;
    let (count, of) = (asked.answered, HARD.len());
    let without = asked.unanswered;
    eprintln!("{count} of {of} harder queries have an answer; without one: {without:#?}");
    assert!(count >= HARD_ANSWERED_MIN, "{count} of {of}; without one: {without:#?}");
    for query in &HARD[..2] {
        assert!(!without.iter().any(|one| one.starts_with(query)), "{without:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_demo_does_not_know_it_does_not_answer() {
    let demo = Demo::start();
    for query in UNANSWERABLE {
        let body = demo.ask(query).await;
        assert_eq!(body["ai_summary"], json!([]), "{query}");
        let ai = &body["info"]["ai"];
        assert_eq!(
            (&ai["status"], &ai["code"]),
            (&json!("error"), &json!("no_relevant_results")),
            "{query}: {ai}"
        );
    }
}

/// Every line of the answer is a sentence with citations that occurs in each cited source. Returns the number of lines.
async fn check(client: &Client, query: &str, row: &Value) -> usize {
    let sources = row["additional_content"]["sources"].as_array().unwrap();
    let lines: Vec<&str> =
        row["body"].as_str().unwrap().lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(!lines.is_empty(), "{query}");
    for line in &lines {
        let (text, cites) = split_citations(line);
        assert!(!cites.is_empty(), "{query}: no citation in '{line}'");
        for n in cites {
            let source = sources.iter().find(|source| source["n"].as_u64() == Some(n));
            let source = source.unwrap_or_else(|| panic!("{query}: there is no source {n} of '{line}'"));
            assert_eq!(source["cited"], json!(true), "{query}: {source}");
            let saved = client.get(&format!("/svc/results/{}/", source["swirl_id"])).await.body;
            let title = saved["title"].as_str().unwrap();
            let whole = plain(&format!("{title} {}", saved["body"].as_str().unwrap()));
            assert!(whole.contains(&plain(&text)), "{query}: '{text}' does not stand in '{whole}'");
        }
    }
    lines.len()
}

/// Splits a line into its text and the numbers of its citations.
fn split_citations(line: &str) -> (String, Vec<u64>) {
    let (mut text, mut cites) = (String::new(), Vec::new());
    let mut rest = line;
    while let Some(at) = rest.find('[') {
        text.push_str(&rest[..at]);
        let end = rest[at..].find(']').map_or(rest.len(), |end| at + end + 1);
        match rest[at + 1..end - 1].parse() {
            Ok(n) => cites.push(n),
            Err(_) => text.push_str(&rest[at..end]),
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
    (text, cites)
}

/// The visible words, separated by single spaces, without highlight marks.
fn plain(text: &str) -> String {
    highlights::plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn citations_are_split_from_the_text() {
    assert_eq!(split_citations("The river rises [1] [2]."), ("The river rises  .".to_owned(), vec![1, 2]));
    assert_eq!(split_citations("See [a] here"), ("See [a] here".to_owned(), vec![]));
}

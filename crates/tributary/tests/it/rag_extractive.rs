//! The demo answers without a model, and every sentence of its answers stands in the source that it cites.

use crate::demo::basic;
use crate::house::Client;
use crate::program::{Running, program};
use domain::notation::marks;
use serde_json::{Value, json};

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

#[tokio::test(flavor = "multi_thread")]
async fn every_sentence_is_found_in_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(program(folder.path(), &["demo", "--port", "0"]));
    let said = running.said.join("\n");
    assert!(said.contains("&rag=true"), "the demo tells how to get an answer: {said}");
    let password = said.split("password ").nth(1).unwrap().lines().next().unwrap();
    let client = running.client(Some(basic("admin", password)));
    let (mut sentences, mut unanswered) = (0, Vec::new());
    for query in QUERIES {
        let asked: String = url::form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let answer = client.get(&format!("/svc/search/?qs={asked}&rag=true")).await;
        assert_eq!(answer.status, 200, "{query}: {answer:?}");
        assert!(!answer.body["results"].as_array().unwrap().is_empty(), "{query}");
        let row = &answer.body["ai_summary"][0];
        if row.is_null() {
            unanswered.push(format!("{query}: {}", answer.body["info"]["ai"]["message"]));
            continue;
        }
        assert_eq!(row["additional_content"]["extractive"], json!(true), "{query}");
        assert!(row["searchprovider"].as_str().unwrap().contains("Extractive"), "it is named as such: {row}");
        sentences += check(&client, query, row).await;
    }
    let count = QUERIES.len() - unanswered.len();
    assert!(
        unanswered.is_empty(),
        "{count} of {} queries have an answer; without one: {unanswered:#?}",
        QUERIES.len()
    );
    assert!(sentences >= 100, "{sentences} sentences in {count} answers");
}

/// Every line of the answer is a sentence with citations, and stands in each source that it cites; how many there are.
async fn check(client: &Client, query: &str, row: &Value) -> usize {
    let sources = row["additional_content"]["sources"].as_array().unwrap();
    let lines: Vec<&str> =
        row["body"].as_str().unwrap().lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(!lines.is_empty(), "{query}");
    for line in &lines {
        let (text, cites) = parted(line);
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

/// A line without its citations, and their numbers.
fn parted(line: &str) -> (String, Vec<u64>) {
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

/// Words as people read them, with one space between them: our marks on what was looked for are no words.
fn plain(text: &str) -> String {
    marks::plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn citations_are_parted_from_the_text() {
    assert_eq!(parted("The river rises [1] [2]."), ("The river rises  .".to_owned(), vec![1, 2]));
    assert_eq!(parted("See [a] here"), ("See [a] here".to_owned(), vec![]));
}

//! A source that repeats the query in every snippet gains nothing by it.

use domain::result::ResultItem;
use relevancy::{Query, ScoringConfig, score_pool};

const QUERY: &str = "river level sensors";
const TIMES: usize = 100;

fn result(rank: u32, title: String, body: String) -> ResultItem {
    ResultItem { searchprovider_rank: rank, title, body, ..ResultItem::default() }
}

/// What ten honest sources return: each result covers the topic in its own words, some more than others.
fn honest() -> Vec<ResultItem> {
    let places =
        ["bridge", "mill", "harbour", "village", "dam", "valley", "forest", "castle", "station", "meadow"];
    let openings = [
        "A survey of river level sensors near the",
        "How the water authority reads sensors in the river beside the",
        "Radar and pressure gauges report the level of the stream at the",
        "The council replaced old sensors after the flood reached the",
        "Daily level of the river, measured below the",
        "Maintenance plan for gauges and other instruments around the",
        "Volunteers watch the river and write down its level at the",
        "Sensors warn people downstream when the level rises over the",
        "Costs of measuring rivers with cheap sensors, tested at the",
        "Photographs and history of the river and the",
    ];
    let mut results = Vec::new();
    for place in places {
        for (rank, opening) in (1..).zip(openings) {
            let body = format!("{opening} {place}, with figures for each month and a map of the {place}.");
            results.push(result(rank, format!("Notes on the {place}"), body));
        }
    }
    results
}

fn scored(mut results: Vec<ResultItem>) -> Vec<ResultItem> {
    score_pool(&Query::parse(QUERY), &ScoringConfig::default(), &mut results.iter_mut().collect::<Vec<_>>());
    results
}

fn spam(rank: u32, times: usize) -> ResultItem {
    result(rank, format!("Best offer {rank}"), vec![QUERY; times].join(" "))
}

#[test]
fn a_litany_takes_no_place_on_the_first_page() {
    let mut results = honest();
    results.extend((1..=10).map(|rank| spam(rank, TIMES)));
    let mut results = scored(results);
    results.sort_by(|a, b| b.swirl_confidence_score.total_cmp(&a.swirl_confidence_score));
    let titles: Vec<&str> = results.iter().take(10).map(|result| result.title.as_str()).collect();
    assert!(titles.iter().all(|title| title.starts_with("Notes")), "{titles:?}");
    let mut spammed = results.iter().filter(|result| result.title.starts_with("Best"));
    assert!(spammed.clone().all(|result| result.swirl_confidence_score < 0.1));
    let explain = spammed.next().and_then(|result| result.explain.clone()).unwrap_or_default();
    assert!(explain.confidence.get("repetition").is_some_and(|lost| lost < -0.5), "{explain:?}");
}

#[test]
fn saying_it_more_often_is_worth_less() {
    let confidence = |times: usize| {
        let mut results = honest();
        results.push(spam(1, times));
        scored(results).pop().unwrap_or_default().swirl_confidence_score
    };
    let all: Vec<f64> = [1, 4, 10, TIMES].into_iter().map(confidence).collect();
    assert!(all.is_sorted_by(|a, b| a >= b), "{all:?}");
}

#[test]
fn the_query_between_other_words_gains_little() {
    let filler: Vec<String> = (0..TIMES).map(|number| format!("item{number} costs{number}")).collect();
    let strewn = filler.iter().map(|words| format!("{QUERY} {words}")).collect::<Vec<_>>().join(" ");
    let once = format!("{QUERY} {}", filler.join(" "));
    let confidence = |body: &str| {
        let mut results = honest();
        results.push(result(1, "Best offer".to_owned(), body.to_owned()));
        scored(results).pop().unwrap_or_default().swirl_confidence_score
    };
    let best = scored(honest()).iter().map(|result| result.swirl_confidence_score).fold(0.0, f64::max);
    assert!(confidence(&strewn) < best, "{} {} {best}", confidence(&strewn), confidence(&once));
}

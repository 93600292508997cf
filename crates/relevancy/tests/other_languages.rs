//! Results in other languages than the query seems to be in: what is a stopword there is no missing word.

use domain::result::ResultItem;
use relevancy::{Language, Query, ScoringConfig, score_pool};
use serde_json::Value;

const GERMAN: [(&str, &str); 4] = [
    ("Ein Wald im Winter", "Das alte Haus steht im Wald und ist nicht leicht zu finden."),
    ("Urlaub", "Ein Haus mit Garten, nicht weit von dem großen Wald, ist noch frei."),
    ("Im Schnee", "Im Winter und auch im Sommer sind wir im Wald, im Dorf und im Tal."),
    ("Kosten", "Die Miete ist im Mai wieder um zwei Prozent gestiegen."),
];

fn items(texts: &[(&str, &str)]) -> Vec<ResultItem> {
    let item = |(rank, (title, body)): (u32, &(&str, &str))| ResultItem {
        searchprovider_rank: rank,
        title: (*title).to_owned(),
        body: (*body).to_owned(),
        ..ResultItem::default()
    };
    (1..).zip(texts).map(item).collect()
}

fn scored(query: &Query, texts: &[(&str, &str)]) -> Vec<ResultItem> {
    let mut items = items(texts);
    score_pool(query, &ScoringConfig::default(), &mut items.iter_mut().collect::<Vec<_>>());
    items
}

fn by_language(query: &str) -> Query {
    let query = Query::parse_by_language(Language::ENGLISH, query);
    assert!(query.is_language_assumed);
    query
}

/// What people see of results, with the scores and their explanation.
fn shown(items: &[ResultItem]) -> Vec<(String, String, f64, f64, Value)> {
    let explain = |item: &ResultItem| Value::from(item.explain.clone().unwrap_or_default());
    let shown = items.iter().map(|item| {
        let (title, body) = (item.title.clone(), item.body.clone());
        (title, body, item.swirl_score, item.swirl_confidence_score, explain(item))
    });
    shown.collect()
}

fn evidence(item: &ResultItem, kind: &str) -> f64 {
    Value::from(item.explain.clone().unwrap_or_default())["evidence"][kind].as_f64().unwrap_or_default()
}

#[test]
fn german_results_are_scored_as_by_a_german_query() {
    for query in ["Haus im Wald", "\"Haus im Wald\"", "im Haus", "im (Haus OR Wald)"] {
        let by_own = scored(&Query::parse_in(Language::named("german"), query), &GERMAN);
        assert_eq!(shown(&scored(&by_language(query), &GERMAN)), shown(&by_own), "{query}");
    }
}

#[test]
fn a_stopword_of_the_result_neither_matches_nor_is_missing() {
    let query = by_language("Haus im Wald");
    let english = ("A forest", "The Haus im Wald is a museum in the hills of the north.");
    let texts = [GERMAN[1], GERMAN[2], GERMAN[3], english];
    let items = scored(&query, &texts);
    assert_eq!(evidence(&items[0], "coverage"), 1.0, "all its words are there");
    assert!((0.4..0.6).contains(&evidence(&items[1], "coverage")), "one of two");
    assert_eq!(items[1].title, "Im Schnee");
    assert_eq!((evidence(&items[2], "coverage"), evidence(&items[2], "bm25_background")), (0.0, 0.0));
    assert_eq!(
        items[3].body,
        "The <em>Haus</em> <em>im</em> <em>Wald</em> is a museum in the hills of the north."
    );
    let stems = |item: &ResultItem| item.explain.as_ref().and_then(|explain| explain.stems.clone());
    assert_eq!(
        (stems(&items[0]).as_deref(), stems(&items[3]).as_deref()),
        (Some("haus wald"), Some("haus im wald"))
    );
    // Read again, nothing changes.
    let mut again = items.clone();
    score_pool(&query, &ScoringConfig::default(), &mut again.iter_mut().collect::<Vec<_>>());
    assert_eq!(shown(&again), shown(&items));
}

#[test]
fn english_words_of_an_english_query_count_everywhere() {
    let texts = [("", "Der Krieg in der Ukraine ist noch nicht zu Ende, und die Kosten sind hoch.")];
    let items = scored(&by_language("war in Ukraine"), &texts);
    assert!((0.3..0.8).contains(&evidence(&items[0], "coverage")), "war is missing");
    // In a query of German words it is German.
    let items =
        scored(&by_language("wann war Hochwasser"), &[("", "Im Mai ist das Hochwasser nicht so hoch.")]);
    assert!(evidence(&items[0], "coverage") < 1.0, "wann is no stopword");
    assert_eq!(
        items[0].explain.as_ref().and_then(|explain| explain.stems.clone()).as_deref(),
        Some("wann hochwass")
    );
}

#[test]
fn a_query_of_stopwords_only_is_matched() {
    let texts = [("Mit der Bahn", "Die Bahn fährt wieder, und der Bus ist auch schon da.")];
    let items = scored(&by_language("die mit"), &texts);
    assert_eq!(items[0].title, "<em>Mit</em> der Bahn");
    assert_eq!(evidence(&items[0], "coverage"), 1.0);
}

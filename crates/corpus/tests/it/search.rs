//! What is found, in which order, and the debug information.

use crate::fixture::{CorpusFixture, Retrieved};
use domain::ports::{Corpus, CorpusHit, CorpusQuery, SignalStore};
use domain::settings::{Ratio, Settings};

const RIVER: &str = "The level of the river is measured by sensors under the bridge. They send it every hour.\n\n\
    Sensors that fail are replaced within a day.\n\nThe river rises in spring.\n\nThe bridge was painted.";
const BREAD: &str = "Bread is baked from flour, water and salt. The oven is hot.";

fn settings() -> Settings {
    Settings { corpus_min_score: Ratio(0.3), ..Settings::default() }
}

async fn filled(fixture: &CorpusFixture, by: domain::ids::UserId) {
    let given = |url, title, text| Retrieved { by, url, title, text, ..Retrieved::default() };
    fixture.keep(given("https://h.example/river", "River", RIVER)).await;
    fixture.keep(given("https://h.example/bread", "Bread", BREAD)).await;
}

#[tokio::test]
async fn the_nearest_document_comes_with_its_best_pieces() {
    let fixture = CorpusFixture::open(settings()).await;
    let ann = fixture.person("ann", &[], false).await;
    filled(&fixture, ann).await;
    let answer = fixture.ask(ann, "river sensors").await.unwrap();
    assert_eq!(answer.hits[0].signal.title, "River");
    assert_eq!(answer.hits[0].passages.len(), 3, "the best and two more");
    assert!(answer.hits[0].passages[0].contains("sensors"), "{:?}", answer.hits[0].passages);
    assert!(answer.hits[0].score > 0.5 && answer.hits[0].score <= 1.0, "{}", answer.hits[0].score);
    assert!(!answer.hits[0].status.stale, "it was retrieved just now");
    assert_eq!(fixture.found(ann, "how is bread baked").await, ["Bread"]);
    for nothing in ["", "   ", "NOT river", "zzxqqj"] {
        assert_eq!(fixture.found(ann, nothing).await, [""; 0], "{nothing}");
    }
}

#[tokio::test]
async fn the_floor_and_the_number_hold() {
    let ann_finds = async |floor: f64, results_max: usize| {
        let fixture =
            CorpusFixture::open(Settings { corpus_min_score: Ratio(floor), ..Settings::default() }).await;
        let ann = fixture.person("ann", &[], false).await;
        filled(&fixture, ann).await;
        let question = CorpusQuery {
            asker: ann,
            words: "river sensors",
            topic: domain::corpus::Topic::default(),
            results_max,
        };
        fixture.cache.search(question).await.unwrap().hits.len()
    };
    assert_eq!(ann_finds(0.0, 10).await, 2);
    assert_eq!(ann_finds(0.0, 1).await, 1);
    assert_eq!(ann_finds(0.0, 0).await, 0);
    assert_eq!(ann_finds(0.5, 10).await, 1);
    assert_eq!(ann_finds(1.0, 10).await, 0);
}

/// Debug information is for administrators only, and only if enabled.
#[tokio::test]
async fn only_administrators_are_told_how() {
    for (is_admin, cache_debug, expected) in [(true, true, 1), (true, false, 0), (false, true, 0)] {
        let fixture = CorpusFixture::open(Settings { cache_debug, ..settings() }).await;
        let person = fixture.person("ann", &[], is_admin).await;
        filled(&fixture, person).await;
        let answer = fixture.ask(person, "river sensors").await.unwrap();
        let with_debug = answer.hits.iter().filter(|hit| hit.debug.is_some()).count();
        assert_eq!((answer.remarks.len(), with_debug.min(1)), (expected, expected));
    }
}

#[tokio::test]
async fn hybrid_needs_its_words_and_finds_by_them() {
    let fixture = CorpusFixture::open(Settings { corpus_hybrid: true, ..settings() }).await;
    let ann = fixture.person("ann", &[], false).await;
    filled(&fixture, ann).await;
    let error = fixture.ask(ann, "river").await.unwrap_err().to_string();
    assert!(error.contains("missing sparse vector") && error.contains("upgrade_corpus_to_hybrid"), "{error}");
    fixture.vectors.make_hybrid().await.unwrap();
    filled(&fixture, ann).await;
    let odd = "The permit X9QZ17 was given for the works at the weir.";
    let given = Retrieved {
        by: ann,
        url: "https://h.example/permit",
        title: "Permit",
        text: odd,
        ..Retrieved::default()
    };
    fixture.keep(given).await;
    assert_eq!(fixture.found(ann, "X9QZ17").await[0], "Permit", "a word that no model knows");
    assert_eq!(fixture.found(ann, "river sensors").await[0], "River");
}

/// Also in a small cache, in which the BM25 score of a word is low.
#[tokio::test]
async fn a_name_in_a_title_passes_the_floor() {
    let fixture = CorpusFixture::open(Settings { corpus_hybrid: true, ..Settings::default() }).await;
    let ann = fixture.person("ann", &[], true).await;
    fixture.vectors.make_hybrid().await.unwrap();
    filled(&fixture, ann).await;
    let (url, title) = ("https://h.example/qx", "QX-17 Wieczorek");
    let text = "The tablet loses its entries when the battery is flat.\n\nIt happens in spring.";
    fixture.keep(Retrieved { by: ann, url, title, text, ..Retrieved::default() }).await;
    for query in ["QX-17", "wieczorek", "Wieczorek battery"] {
        let hit = fixture.ask(ann, query).await.unwrap().hits.remove(0);
        assert_eq!((hit.signal.title.as_str(), hit.score > 0.9), (title, true), "{query}: {}", hit.score);
        let debug = hit.debug.unwrap();
        assert_eq!(debug["word_share"], 1.0, "{query}: {debug}");
    }
}

/// Words are searched if the records say so, and a collection without them is no error unless they are demanded.
#[tokio::test]
async fn words_that_are_not_there_are_missed_only_if_demanded() {
    let fixture = CorpusFixture::open(Settings::default()).await;
    let ann = fixture.person("ann", &[], false).await;
    filled(&fixture, ann).await;
    let odd = Retrieved { by: ann, url: "https://h.example/odd", title: "Wieczorek", ..Retrieved::default() };
    fixture.keep(Retrieved { text: "The tablet loses its entries.", ..odd }).await;
    assert_eq!(fixture.found(ann, "river sensors").await, ["River"]);
    fixture.store.set_corpus_value("word_search", "true").await.unwrap();
    assert_eq!(fixture.found(ann, "river sensors").await, ["River"], "by meaning alone");
    fixture.vectors.make_hybrid().await.unwrap();
    assert_eq!(fixture.found(ann, "wieczorek").await[0], "Wieczorek");
}

/// Each text is read in its own language, whatever the configured one is.
#[tokio::test]
async fn words_are_found_in_the_language_of_their_text() {
    for language in ["german", "english", "french"] {
        let default_query_language = language.to_owned();
        let corpus_min_score = Ratio(0.0);
        let settings =
            Settings { corpus_hybrid: true, corpus_min_score, default_query_language, ..Settings::default() };
        let fixture = CorpusFixture::open(settings).await;
        let ann = fixture.person("ann", &[], true).await;
        fixture.vectors.make_hybrid().await.unwrap();
        for (title, text) in [
            ("Fluss", "Die Bäume am Fluss sind alt und stehen seit hundert Jahren dort."),
            ("Trees", "The trees at the canal are old, and they were there before the cars and the town."),
        ] {
            let url = format!("https://h.example/{title}");
            fixture.keep(Retrieved { by: ann, url: &url, title, text, ..Retrieved::default() }).await;
        }
        for (query, expected) in [
            ("Baum", &["Fluss"][..]),
            ("Bäumen", &["Fluss"]),
            ("tree", &["Trees"]),
            ("canals", &["Trees"]),
            // The German stem of care is car.
            ("care", &[]),
            ("the and", &[]),
        ] {
            let hits = fixture.ask(ann, query).await.unwrap().hits;
            let by_words = |hit: &&CorpusHit| {
                let debug = hit.debug.as_ref();
                debug.and_then(|debug| debug["bm25"].as_f64()).is_some_and(|score| score > 0.0)
            };
            let found: Vec<&str> =
                hits.iter().filter(by_words).map(|hit| hit.signal.title.as_str()).collect();
            assert_eq!(found, expected, "{language}: {query}");
        }
    }
}

/// Texts in other languages do not change which English texts a query finds by words, nor their order.
#[tokio::test]
async fn other_languages_leave_english_alone() {
    let settings = || Settings { corpus_hybrid: true, corpus_min_score: Ratio(0.0), ..Settings::default() };
    let english = [
        ("Rivers", "The rivers of the valley rose in the night, and the gauge at the weir was not read."),
        ("Gauges", "A gauge tells how high the river is, and it is read by the people of the mill."),
        ("Mills", "The mill at the weir was sold to the town, and the miller was not asked."),
    ];
    let german = [
        ("Fluss", "Der Fluss stieg in der Nacht, und der Pegel am Wehr war nicht zu lesen."),
        ("Song", "Das Lied heißt The River und ist von einem, der an der Mill Street wohnte."),
    ];
    let mut orders = Vec::new();
    for others in [&[][..], &german] {
        let fixture = CorpusFixture::open(settings()).await;
        let ann = fixture.person("ann", &[], true).await;
        fixture.vectors.make_hybrid().await.unwrap();
        for (title, text) in english.iter().chain(others) {
            let url = format!("https://h.example/{title}");
            fixture.keep(Retrieved { by: ann, url: &url, title, text, ..Retrieved::default() }).await;
        }
        let mut order = Vec::new();
        for query in ["river gauge", "the mills at the weir", "reading gauges in the night"] {
            let mut hits = fixture.ask(ann, query).await.unwrap().hits;
            hits.retain(|hit| english.iter().any(|(title, _)| *title == hit.signal.title));
            let score = |hit: &CorpusHit| hit.debug.as_ref().and_then(|debug| debug["bm25"].as_f64());
            hits.sort_by(|one, other| score(other).partial_cmp(&score(one)).unwrap());
            order.push(
                hits.into_iter()
                    .filter(|hit| score(hit) > Some(0.0))
                    .map(|hit| hit.signal.title)
                    .collect::<Vec<_>>(),
            );
        }
        orders.push(order);
    }
    assert_eq!(orders[0], orders[1]);
    assert!(orders[0].iter().all(|order| !order.is_empty()), "{orders:?}");
}

#[tokio::test]
async fn vectors_of_another_model_are_not_compared() {
    let fixture = CorpusFixture::open(settings()).await;
    let ann = fixture.person("ann", &[], false).await;
    let other =
        |url| Retrieved { by: ann, url, title: "Old", text: RIVER, model: "another", ..Retrieved::default() };
    fixture.keep(other("https://h.example/old")).await;
    let error = fixture.ask(ann, "river sensors").await.unwrap_err().to_string();
    assert!(error.contains("'another'") && error.contains("reindex_corpus"), "{error}");
    filled(&fixture, ann).await;
    assert_eq!(fixture.found(ann, "river sensors").await[0], "River", "what was read again is found");
}

use super::*;
use crate::query_forms::FORMS_MAX;
use crate::{Language, ResultLanguages, mark_file_system, prepare};
use serde_json::{Value, json};

fn item(rank: u32, title: &str, body: &str) -> ResultItem {
    ResultItem {
        searchprovider_rank: rank,
        title: title.to_owned(),
        body: body.to_owned(),
        ..ResultItem::default()
    }
}

fn scored(query: &str, mut items: Vec<ResultItem>) -> Vec<ResultItem> {
    score_pool(&Query::parse(query), &ScoringConfig::default(), &mut items.iter_mut().collect::<Vec<_>>());
    items
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// A typical pool of results for two words.
fn samples() -> Vec<ResultItem> {
    vec![
        item(1, "River level sensors", "Sensors that measure the level of a river, and how to place them."),
        item(
            2,
            "Measuring rivers",
            "An overview. River gauges and radar sensors are compared for small towns.",
        ),
        item(3, "Old towns", "The river runs by the old town, and people fish there on Sundays in summer."),
        item(
            4,
            "Car parts",
            "Brakes, lamps and parking sensors for many kinds of car, with a year of warranty.",
        ),
        item(1, "Recipes", "Soups for cold days."),
    ]
}

#[test]
fn the_better_answer_has_the_higher_numbers() {
    let items = scored("river sensors", samples());
    let scores: Vec<f64> = items.iter().map(|item| item.swirl_score).collect();
    let confidence: Vec<f64> = items.iter().map(|item| item.swirl_confidence_score).collect();
    for list in [&scores, &confidence] {
        assert!(list[0] > list[1] && list[1] > list[2] && list[1] > list[3] && list[3] > list[4], "{list:?}");
    }
    assert!(scores[0] > 500.0 && scores[1] > 100.0, "good ones have a star: {scores:?}");
    assert_eq!(scores[4], 0.0);
}

/// The points of a field, computed from `explain` alone.
fn points_again(item: &Value, field: &str, weight: f64) -> f64 {
    let explain = &item["explain"];
    let Some(found) = explain[field].as_object() else { return 0.0 };
    let rank = 1.0 + 1.0 / number(&item["searchprovider_rank"]).sqrt();
    let adjusts = number(&found["result_length_adjust"]) * number(&found["query_length_adjust"]) * rank;
    let keys = found.iter().filter(|(key, _)| !key.ends_with("_adjust"));
    let sum: f64 = keys
        .map(|(key, value)| {
            let length = key.chars().count() as f64;
            let is_whole = key.ends_with("_*") || key.ends_with("_s*");
            number(value) * length * length * if is_whole { 1.0 } else { adjusts }
        })
        .sum();
    weight * sum
}

#[test]
fn numbers_are_explained_and_add_up() {
    for item in scored("\"river sensors\" level NOT boats", samples()) {
        let shown = serde_json::to_value(&item).expect("JSON");
        let score = &shown["explain"]["score"];
        let mut sum = 0.0;
        for (field, weight) in [("title", 1.5), ("body", 1.0), ("author", 1.0)] {
            let again = points_again(&shown, field, weight);
            assert!((again - number(&score[field])).abs() < 0.000_051, "{field}: {again} {shown}");
            sum += number(&score[field]);
        }
        assert_eq!(format!("{sum:.4}"), format!("{:.4}", item.swirl_score));
        assert_eq!(number(&score["total"]), item.swirl_score);
        let parts = shown["explain"]["confidence"].as_object().expect("parts");
        let sum: f64 =
            parts.iter().filter(|(name, _)| *name != "total").map(|(_, value)| number(value)).sum();
        assert_eq!(format!("{sum:.6}"), format!("{:.6}", number(&parts["total"])));
        assert_eq!(number(&parts["total"]), item.swirl_confidence_score);
    }
}

#[test]
fn another_reader_model_is_heard_and_numbers_add_up() {
    let direction = |x: f32, y: f32| ExternalEmbedding::of(vec![x, y]);
    let mut items = samples();
    // The last one, without any word of the query, is the best according to this model.
    let vectors = [(0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0, 0.0)];
    let items_seen = vectors.map(|(x, y)| direction(x, y)).to_vec();
    let other = ExternalEmbeddings { query: direction(2.0, 0.0), items: items_seen };
    let results =
        ProviderResults { query: Query::parse("river sensors").into(), items: items.iter_mut().collect() };
    assert_eq!(score_by(vec![other], vec![results], &ScoringConfig::default()), 5);
    let built_in = scored("river sensors", samples());
    for (vector, (item, by_own)) in items.iter().zip(&built_in).enumerate() {
        let explain = Value::from(item.explain.clone().unwrap_or_default());
        assert_eq!(number(&explain["evidence"]["cosine"]), if vector == 4 { 1.0 } else { 0.0 });
        assert_eq!(item.swirl_score, by_own.swirl_score, "the words are weighed as ever");
        let parts = explain["confidence"].as_object().expect("parts");
        let sum: f64 =
            parts.iter().filter(|(name, _)| *name != "total").map(|(_, value)| number(value)).sum();
        assert_eq!(format!("{sum:.6}"), format!("{:.6}", item.swirl_confidence_score));
    }
    assert!(items[4].swirl_confidence_score > built_in[4].swirl_confidence_score);
    assert!(items[0].swirl_confidence_score < built_in[0].swirl_confidence_score);
}

#[test]
fn a_result_that_the_other_model_did_not_read_is_near_nothing() {
    let mut items = samples();
    let results =
        ProviderResults { query: Query::parse("river sensors").into(), items: items.iter_mut().collect() };
    score_by(vec![ExternalEmbeddings::default()], vec![results], &ScoringConfig::default());
    for item in &items {
        let explain = Value::from(item.explain.clone().unwrap_or_default());
        assert_eq!(
            (number(&explain["evidence"]["cosine"]), number(&explain["evidence"]["company"])),
            (0.0, 0.0)
        );
    }
}

#[test]
fn the_body_of_a_file_weighs_as_a_title() {
    let (query, config) = (Query::parse("river"), ScoringConfig::default());
    let score = |title: &str, is_file: bool| {
        let mut file = item(1, title, "the river and the town");
        prepare(&MatchTargets::of(&query, &config), &mut file);
        if is_file {
            mark_file_system(&mut file);
        }
        // Scoring again, as after an update, gives the same scores.
        for _ in 0..2 {
            score_pool(&query, &config, &mut [&mut file]);
        }
        let boosts = Value::from(file.explain.unwrap_or_default()).get("boosts").cloned();
        (file.swirl_score, boosts)
    };
    let (plain, boosted) = (score("report-7.pdf", false), score("report-7.pdf", true));
    assert!((boosted.0 - plain.0 * 1.5).abs() < 0.001, "{boosted:?} {plain:?}");
    assert_eq!((plain.1, boosted.1), (None, Some(json!("FILE_SYSTEM"))));
    assert_eq!(score("river.pdf", true), score("river.pdf", false), "its title tells enough");
}

#[test]
fn explain_has_the_form_of_the_interface() {
    let items = scored("electric cars", vec![item(1, "Electric cars win", ""), item(2, "Boats sail", "")]);
    let explain = Value::from(items[0].explain.clone().unwrap_or_default());
    let keys = |value: &Value| value.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>());
    let expected = [
        "electric_cars_*",
        "Electric_cars_0",
        "Electric_0",
        "cars_1",
        "result_length_adjust",
        "query_length_adjust",
    ];
    assert_eq!(keys(&explain["title"]), Some(expected.map(str::to_owned).to_vec()));
    assert_eq!(
        keys(&explain),
        Some(["stems", "title", "hits", "score", "evidence", "confidence"].map(str::to_owned).to_vec())
    );
    assert_eq!(explain["stems"], "electr car");
    let hits = json!({"title": {"electric": [0], "cars": [1]}, "body": {}, "author": {}});
    assert_eq!(explain["hits"], hits);
    assert_eq!(explain["title"]["query_length_adjust"], 1.0);
    assert_eq!(explain["title"]["result_length_adjust"], 0.8333);
    assert_eq!(items[0].title, "<em>Electric</em> <em>cars</em> win");
}

#[test]
fn a_negated_word_puts_a_result_below_all_others() {
    let items = scored("river -town", vec![item(1, "River", "a town"), item(2, "Sea", "nothing at all")]);
    assert_eq!(items[0].explain.clone().map(Value::from), Some(json!({"NOT": {"body": "town"}})));
    assert_eq!((items[0].swirl_score, items[0].swirl_confidence_score), (NEGATED_SCORE, 0.0));
    assert!(items[1].swirl_score > items[0].swirl_score);
    assert!(items[1].swirl_confidence_score > items[0].swirl_confidence_score);
}

#[test]
fn prepared_or_not_the_numbers_are_the_same() {
    let (query, config) = (Query::parse("river sensors"), ScoringConfig::default());
    let mut prepared = samples();
    let match_targets = MatchTargets::of(&query, &config);
    prepared.iter_mut().take(3).for_each(|item| prepare(&match_targets, item));
    let count = score_pool(&query, &config, &mut prepared.iter_mut().collect::<Vec<_>>());
    assert_eq!(count, prepared.len());
    assert_eq!(prepared, scored("river sensors", samples()));
    let before = prepared.clone();
    score_pool(&query, &config, &mut prepared.iter_mut().collect::<Vec<_>>());
    assert_eq!(prepared, before, "a second turn changes nothing");
    // Scoring again reads texts that were edited meanwhile.
    prepared[4].title = "River sensors".to_owned();
    score_pool(&query, &config, &mut prepared.iter_mut().collect::<Vec<_>>());
    assert!(prepared[4].swirl_score > 100.0);
}

#[test]
fn results_are_read_again_in_their_languages() {
    let bodies = [
        "Der Fluss stieg in der Nacht und die Straßen standen im Wasser.",
        "La rivière est montée dans la nuit et les rues sont sous les eaux.",
        "El agua llega a los pueblos que no tienen pozo y es de todos.",
        "Il fiume è salito nella notte e le case sono nell'acqua con gli alberi.",
        "De rivier steeg in de nacht en het water stond in een van de straten.",
        "The river rose in the night and the boats were on the water.",
    ];
    let query = Query::parse_by_language(Language::ENGLISH, "Flüsse der rivières pueblo fiumi rivieren");
    assert!(query.is_language_assumed);
    let config = ScoringConfig::default();
    let mut items = bodies.map(|body| item(1, "", body));
    let languages = ResultLanguages::of(&query, items.iter());
    assert_eq!(languages.languages().count(), FORMS_MAX);
    let forms = languages.languages().map(|(number, language)| (Some(number), query.in_language(language)));
    for (number, form) in forms.chain([(None, query.clone())]).collect::<Vec<_>>() {
        let match_targets = MatchTargets::of(&form, &config);
        let all = items.iter_mut().enumerate();
        all.filter(|(place, _)| languages.is_in(*place, number))
            .for_each(|(_, item)| prepare(&match_targets, item));
    }
    // Each source has its own languages, so another source with the same query does not change them.
    let mut others = [item(1, "", "O rio subiu de noite e as ruas estão com muita água, mas não há perigo.")];
    let score = |items: &mut [ResultItem], others: &mut [ResultItem]| {
        let results = [others, items].map(|items| ProviderResults {
            query: Arc::new(query.clone()),
            items: items.iter_mut().collect(),
        });
        super::score(results.into(), &config);
    };
    score(&mut items, &mut others);
    assert_eq!(items[0].body, "Der <em>Fluss</em> stieg in der Nacht und die Straßen standen im Wasser.");
    let before = items.clone();
    score(&mut items, &mut others);
    assert_eq!(items, before);
}

#[test]
fn words_that_the_source_highlighted_are_shown_and_weigh_nothing() {
    let (query, config) = (Query::parse("car"), ScoringConfig::default());
    let wider = query.clone().with_highlights(&["vehicle".to_owned()]);
    let mut with = item(1, "Vehicle", "");
    prepare(&MatchTargets::of(&wider, &config), &mut with);
    for turn in 0..2 {
        score_pool(&query, &config, &mut [&mut with]);
        let explain = Value::from(with.explain.clone().unwrap_or_default());
        assert_eq!(explain["stems"], "car vehicl", "turn {turn}");
        assert_eq!(explain["hits"]["title"], json!({"vehicle": [0]}));
        assert_eq!((with.swirl_score, with.title.as_str()), (0.0, "<em>Vehicle</em>"));
    }
}

#[test]
fn lengths_are_compared_over_all_sources() {
    let adjust = |item: &ResultItem, name: &str| {
        let explain = Value::from(item.explain.clone().unwrap_or_default());
        number(&explain["title"][name])
    };
    let (mut short, mut long) = (item(1, "river", ""), item(1, "river by the sea", ""));
    let one = ProviderResults { query: Query::parse("river").into(), items: vec![&mut short] };
    // The other source was sent two additional words, which are not matched.
    let mut longer = Query::parse("river sea");
    longer.length = 4;
    let other = ProviderResults { query: longer.into(), items: vec![&mut long] };
    assert_eq!(score(vec![one, other], &ScoringConfig::default()), 2);
    assert_eq!(adjust(&short, "result_length_adjust"), 2.5);
    assert_eq!(adjust(&long, "result_length_adjust"), 0.625);
    assert_eq!(adjust(&short, "query_length_adjust"), 1.5);
    assert_eq!(adjust(&long, "query_length_adjust"), 0.375);
}

#[test]
fn settings_weigh() {
    let query = Query::parse("river");
    let score_with = |config: ScoringConfig| {
        let mut one = item(1, "river", "river");
        score_pool(&query, &config, &mut [&mut one]);
        Value::from(one.explain.unwrap_or_default())["score"].clone()
    };
    let plain = score_with(ScoringConfig::default());
    let heavy = score_with(ScoringConfig { weights: [3.0, 0.0, 1.0], ..ScoringConfig::default() });
    assert_eq!(number(&heavy["title"]), 2.0 * number(&plain["title"]));
    assert_eq!(number(&heavy["body"]), 0.0);
}

#[test]
fn odd_pools_give_finite_numbers() {
    let table = [("", vec![item(0, "", "")]), ("-x", samples()), ("x", vec![]), ("the of", samples())];
    for (query, items) in table {
        for item in scored(query, items) {
            assert!(item.swirl_score.is_finite() && (0.0..=1.0).contains(&item.swirl_confidence_score));
        }
    }
}

#[test]
fn a_query_of_stopwords_has_a_low_confidence() {
    for query in ["the", "The", "\"the\"", "to be or not to be"] {
        let items = scored(query, vec![item(1, "The", "the the"), item(2, "To be or not to be", "the town")]);
        for item in items {
            assert!(item.swirl_confidence_score < 0.3, "{query}: {item:?}");
        }
    }
    let items = scored("the river", vec![item(1, "The river", "The river rose.")]);
    assert!(items[0].swirl_confidence_score > 0.7, "{items:?}");
}

#[test]
fn an_exact_match_is_first_among_similar_results() {
    let items = || {
        vec![
            item(1, "River sensors for towns", "A short text."),
            item(9, "River sensors", "A short text."),
            item(3, "Old towns", "The river runs by the old town."),
        ]
    };
    let found = scored("river sensors", items());
    assert!(found[1].swirl_confidence_score > found[0].swirl_confidence_score, "{found:?}");
    let explain = Value::from(found[1].explain.clone().unwrap_or_default());
    let parts = explain["confidence"].as_object().expect("parts");
    let sum: f64 = parts.iter().filter(|(name, _)| *name != "total").map(|(_, value)| number(value)).sum();
    assert_eq!(format!("{sum:.6}"), format!("{:.6}", found[1].swirl_confidence_score));
    let again = scored("river sensors", found.clone());
    assert_eq!(again, found, "a second turn changes nothing");
}

#[test]
fn a_code_is_found_in_both_spellings() {
    for query in ["RB-171", "RB171", "RB 171", "\"RB-171\""] {
        let items = scored(
            query,
            vec![
                item(1, "Threshold ignored", "It is the same as RB-172 and RB-170."),
                item(2, "RB-171: Threshold ignored", "A late reading."),
                item(3, "Late readings", "See RB171."),
            ],
        );
        let confidence: Vec<f64> = items.iter().map(|item| item.swirl_confidence_score).collect();
        assert!(confidence[1] > confidence[0], "{query}: {confidence:?}");
        if query != "\"RB-171\"" {
            assert!(confidence[2] > confidence[0], "{query}: {confidence:?}");
            assert_eq!(items[2].body, "See <em>RB171</em>.", "{query}");
        }
        let title = &items[1].title;
        assert!(title.starts_with("<em>RB</em>-<em>171</em>"), "{query}: {title}");
    }
}

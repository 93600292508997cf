//! Scores all results of a search together.

use crate::bm25::PoolStatistics;
use crate::confidence::{Confidence, Evidence};
use crate::explain;
use crate::field::Field;
use crate::hits::Hits;
use crate::proximity::nearness;
use crate::query::Query;
use crate::score::{self, Measures, NEGATED_SCORE};
use domain::result::ResultItem;

/// Notes in `explain` what one result tells without the others.
pub fn prepare(query: &Query, item: &mut ResultItem) {
    let hits = read(query, item);
    item.explain = Some(explain::prepared(query, &hits));
}

/// Notes that a result comes from a file system: where its title, a name of a file, tells nothing, its body weighs as
/// much as a title. After [`prepare`].
pub fn mark_file_system(item: &mut ResultItem) {
    explain::mark_file_system(item.explain.get_or_insert_default());
}

/// Sets `swirl_score`, `swirl_confidence_score` and `explain` of every result. Gives the number of results that
/// were scored: one that holds a negated word is put below all others and not counted.
pub fn score_pool(query: &Query, items: &mut [&mut ResultItem]) -> usize {
    let pool: Vec<Hits> = items.iter().map(|item| weighed(query, item)).collect();
    let statistics = PoolStatistics::of(query, &pool);
    let mut scored = 0;
    for (item, hits) in items.iter_mut().zip(&pool) {
        match explain::negated(hits) {
            Some(reason) => {
                item.swirl_score = NEGATED_SCORE;
                item.swirl_confidence_score = 0.0;
                item.explain = Some(reason);
            }
            None => {
                score_one(query, &statistics, hits, item);
                scored += 1;
            }
        }
    }
    scored
}

fn weighed(query: &Query, item: &ResultItem) -> Hits {
    let mut hits = noted(query, item).unwrap_or_else(|| read(query, item));
    if item.explain.as_ref().is_some_and(explain::is_file_system) {
        let tells = |field: Field| hits.fields[field as usize].words.iter().any(|word| word.term.is_some());
        hits.fields[Field::Body as usize].weighs_as_title = !tells(Field::Title) && tells(Field::Body);
    }
    hits
}

fn read(query: &Query, item: &ResultItem) -> Hits {
    Hits::read(query, Field::ALL.map(|field| field.text(item)))
}

fn noted(query: &Query, item: &ResultItem) -> Option<Hits> {
    explain::read_prepared(item.explain.as_ref()?, query)
}

fn score_one(query: &Query, statistics: &PoolStatistics, hits: &Hits, item: &mut ResultItem) {
    let coverage = statistics.coverage(query, hits);
    let by_field = Field::ALL.map(|field| nearness(query, &hits.fields[field as usize]));
    // A query of one word has nothing to be near: its word alone is the whole of it.
    let nearest = match by_field {
        [Some(title), Some(body), Some(author)] => title.max(body).max(author),
        _ => coverage,
    };
    let measures = Measures { statistics, coverage, nearness: by_field.map(Option::unwrap_or_default) };
    let shares = score::shares(query, hits, &measures);
    let confidence = Confidence::of(Evidence {
        coverage,
        saturation: statistics.mean_saturation(hits),
        nearness: nearest,
        source_rank: item.searchprovider_rank,
    });
    item.swirl_score = score::total(&shares);
    item.swirl_confidence_score = confidence.total();
    // The notes may name more stems than the query: those that the source highlighted.
    let stems = item.explain.as_ref().and_then(explain::stems).map_or_else(|| query.stems(), str::to_owned);
    item.explain = Some(explain::completed(stems, hits, statistics, &shares, &confidence));
}

#[cfg(test)]
mod tests {
    use super::*;
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
        score_pool(&Query::parse(query), &mut items.iter_mut().collect::<Vec<_>>());
        items
    }

    fn number(value: &Value) -> f64 {
        value.as_f64().expect("a number")
    }

    /// A pool with the kinds of results that sources give for two words.
    fn samples() -> Vec<ResultItem> {
        vec![
            item(
                1,
                "River level sensors",
                "Sensors that measure the level of a river, and how to place them.",
            ),
            item(
                2,
                "Measuring rivers",
                "An overview. River gauges and radar sensors are compared for small towns.",
            ),
            item(
                3,
                "Old towns",
                "The river runs by the old town, and people fish there on Sundays in summer.",
            ),
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
            assert!(
                list[0] > list[1] && list[1] > list[2] && list[1] > list[3] && list[3] > list[4],
                "{list:?}"
            );
        }
        assert!(scores[0] > 300.0 && scores[1] > 100.0, "good ones have a star: {scores:?}");
        assert!(
            scores[2] < 100.0 && scores[3] < 100.0 && scores[4] == 0.0,
            "weak ones have none: {scores:?}"
        );
        assert!(confidence[0] > 0.7 && confidence[2] < 0.7 && confidence[4] <= 0.05, "{confidence:?}");
    }

    #[test]
    fn numbers_are_explained_and_add_up() {
        for item in scored("river sensors", samples()) {
            let explain = Value::from(item.explain.clone().unwrap_or_default());
            let mut points = 0.0;
            for field in Field::ALL {
                for (key, value) in explain[field.name()].as_object().into_iter().flatten() {
                    points += if key.ends_with("_adjust") { 0.0 } else { number(value) };
                }
            }
            assert_eq!(format!("{points:.4}"), format!("{:.4}", item.swirl_score));
            let parts = explain["confidence"].as_object().expect("parts");
            let sum: f64 =
                parts.iter().filter(|(name, _)| *name != "total").map(|(_, value)| number(value)).sum();
            assert_eq!(format!("{sum:.6}"), format!("{:.6}", number(&parts["total"])));
            assert_eq!(number(&parts["total"]), item.swirl_confidence_score);
        }
    }

    #[test]
    fn the_body_of_a_file_weighs_as_a_title() {
        let query = Query::parse("river");
        let score = |title: &str, is_file: bool| {
            let mut file = item(1, title, "the river and the town");
            prepare(&query, &mut file);
            if is_file {
                mark_file_system(&mut file);
            }
            // A second turn, as after an update, weighs the same.
            for _ in 0..2 {
                score_pool(&query, &mut [&mut file]);
            }
            let boosts = file.explain.unwrap_or_default().get("boosts").cloned();
            (file.swirl_score, boosts)
        };
        let (plain, boosted) = (score("report-7.pdf", false), score("report-7.pdf", true));
        assert!(boosted.0 > plain.0, "{boosted:?} {plain:?}");
        assert_eq!((plain.1, boosted.1), (None, Some(json!("FILE_SYSTEM"))));
        assert_eq!(score("river.pdf", true), score("river.pdf", false), "its title tells enough");
    }

    #[test]
    fn explain_has_the_form_of_the_interface() {
        let items = scored("electric cars", vec![item(1, "Electric cars win", "")]);
        let explain = Value::from(items[0].explain.clone().unwrap_or_default());
        let keys = |value: &Value| value.as_object().map(|object| object.keys().cloned().collect::<Vec<_>>());
        let expected =
            ["electric_cars_*", "electric_0", "cars_1", "result_length_adjust", "query_length_adjust"];
        assert_eq!(keys(&explain["title"]), Some(expected.map(str::to_owned).to_vec()));
        assert_eq!(
            keys(&explain),
            Some(["stems", "title", "hits", "confidence"].map(str::to_owned).to_vec())
        );
        assert_eq!(explain["stems"], "electr car");
        assert_eq!(explain["hits"]["title"], json!({"electric": [0], "cars": [1]}));
        assert_eq!(explain["title"]["query_length_adjust"], 0.5);
        assert_eq!(explain["title"]["result_length_adjust"], 1.0);
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
        let query = Query::parse("river sensors");
        let mut prepared = samples();
        prepared.iter_mut().take(3).for_each(|item| prepare(&query, item));
        let count = score_pool(&query, &mut prepared.iter_mut().collect::<Vec<_>>());
        assert_eq!(count, prepared.len());
        assert_eq!(prepared, scored("river sensors", samples()));
        // Scoring again, over texts that were edited meanwhile, reads them again.
        prepared[4].title = "River sensors".to_owned();
        score_pool(&query, &mut prepared.iter_mut().collect::<Vec<_>>());
        assert!(prepared[4].swirl_score > 100.0);
    }

    #[test]
    fn words_that_the_source_highlighted_are_shown_and_weigh_nothing() {
        let query = Query::parse("car");
        let mut with = item(1, "Vehicle", "");
        prepare(&query.clone().with_highlights(&["vehicle".to_owned()]), &mut with);
        score_pool(&query, &mut [&mut with]);
        let explain = Value::from(with.explain.unwrap_or_default());
        assert_eq!(explain["stems"], "car vehicl");
        assert_eq!(explain["hits"]["title"], json!({"vehicle": [0]}));
        assert_eq!(with.swirl_score, 0.0);
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
}

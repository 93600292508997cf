//! Finds the numbers that count the results: FOUND is the total, RETRIEVED the number on this page.

use crate::fields::identifier_words::{has_word, meaningful_name, words};
use crate::sample::path::{self, Form, Step};
use serde_json::Value;

/// Most values that are visited.
const NODES_MAX: usize = 20_000;
/// Deepest path of a count.
const DEPTH_MAX: usize = 8;

/// A number that may count results.
#[derive(Debug, Clone, PartialEq)]
pub struct Count {
    pub path: String,
    pub value: u64,
    /// 0 to 1.
    pub score: f64,
    pub why: String,
}

/// Candidates for FOUND and RETRIEVED, the best first.
#[derive(Debug, Default)]
pub struct Counts {
    pub found: Vec<Count>,
    pub retrieved: Vec<Count>,
}

/// The counts of a response with `items` results at `list`.
pub fn find_counts(response: &Value, list: &[Step], items: usize) -> Counts {
    let mut numbers = Vec::new();
    collect(response, list, &mut Vec::new(), &mut numbers, &mut NODES_MAX.clone());
    let items = u64::try_from(items).unwrap_or(u64::MAX);
    let mut counts = Counts::default();
    for (steps, value) in numbers {
        let members = path::members(&steps);
        let (name, _) = meaningful_name(&members);
        let Some(path) = path::to_json_path(&steps, Form::First) else { continue };
        let near = nearness(&steps, list);
        let count = |weight: f64, what: &str| Count {
            path: path.as_str().to_owned(),
            value,
            score: (weight * near).min(1.0),
            why: format!("The name '{name}' {what}; it is {value}, and the list has {items}."),
        };
        let weight = weight_of(name, FOUND);
        if weight > 0.0 && value >= items && !has_word(name, NOT_COUNTS) {
            counts.found.push(count(weight, "suggests the total"));
        }
        let weight = weight_of(name, RETRIEVED);
        if weight > 0.0 && value == items {
            counts.retrieved.push(count(weight, "suggests the number on this page"));
        }
    }
    counts.found.sort_by(|a, b| b.score.total_cmp(&a.score));
    counts.retrieved.sort_by(|a, b| b.score.total_cmp(&a.score));
    let best = counts.found.first().map(|best| best.path.clone());
    counts.retrieved.retain(|count| Some(&count.path) != best.as_ref());
    counts
}

/// Collects all whole numbers outside lists, including those written as text.
fn collect(
    value: &Value,
    list: &[Step],
    steps: &mut Vec<Step>,
    numbers: &mut Vec<(Vec<Step>, u64)>,
    nodes_left: &mut usize,
) {
    if *nodes_left == 0 || steps.len() > DEPTH_MAX {
        return;
    }
    *nodes_left -= 1;
    match value {
        Value::Object(object) => {
            for (name, inside) in object {
                steps.push(Step::Member(name.clone()));
                collect(inside, list, steps, numbers, nodes_left);
                steps.pop();
            }
        }
        // Lists are skipped, except for those on the path to the results.
        Value::Array(items) => {
            if let Some(Step::Index(last)) = list.get(steps.len())
                && list.starts_with(steps)
            {
                for (place, inside) in items.iter().take(last + 1).enumerate() {
                    steps.push(Step::Index(place));
                    collect(inside, list, steps, numbers, nodes_left);
                    steps.pop();
                }
            }
        }
        Value::Number(number) => numbers.extend(number.as_u64().map(|number| (steps.clone(), number))),
        Value::String(text) if text.len() <= 12 => {
            numbers.extend(text.trim().parse().ok().map(|number| (steps.clone(), number)));
        }
        _ => {}
    }
}

/// Weight of a name: the whole name counts most; `opensearch:totalResults` matches by its last words.
fn weight_of(name: &str, table: &[(&str, f64)]) -> f64 {
    let words = words(name);
    let weigh = |from: usize| {
        let ending = words[from..].concat();
        let weight = table.iter().find(|(known, _)| *known == ending).map_or(0.0, |(_, weight)| *weight);
        match (from, words.len() - from) {
            (0, _) => weight,
            (_, 1) => weight * 0.6,
            _ => weight * 0.95,
        }
    };
    (0..words.len()).map(weigh).fold(0.0, f64::max)
}

/// A count is beside its list, or on the path to it.
fn nearness(steps: &[Step], list: &[Step]) -> f64 {
    let shared = steps.iter().zip(list).take_while(|(a, b)| a == b).count();
    let away = steps.len().saturating_sub(shared + 1) + list.len().saturating_sub(shared + 1);
    0.95_f64.powi(i32::try_from(away).unwrap_or(i32::MAX))
}

/// Names in the singular, without separators.
const FOUND: &[(&str, f64)] = &[
    ("totalresult", 1.0),
    ("totalhit", 1.0),
    ("totalcount", 1.0),
    ("totalitem", 1.0),
    ("totalelement", 1.0),
    ("totalrecord", 1.0),
    ("totalsize", 1.0),
    ("totalmatche", 1.0),
    ("totalmatch", 1.0),
    ("totalnumber", 1.0),
    ("numfound", 1.0),
    ("nbhit", 1.0),
    ("hitcount", 1.0),
    ("resultcount", 0.95),
    ("resultscount", 0.95),
    ("numberofresult", 0.95),
    ("numresult", 0.95),
    ("numberofrecord", 0.95),
    ("numhit", 0.95),
    ("estimatedtotalhit", 0.95),
    ("totalestimatedmatche", 0.95),
    ("recordcount", 0.9),
    ("total", 0.95),
    ("found", 0.9),
    ("count", 0.8),
    ("hit", 0.75),
    ("matche", 0.7),
];
const NOT_COUNTS: &str = "page limit offset start time took quota max remaining millisecond";
const RETRIEVED: &[(&str, f64)] = &[
    ("retrieved", 0.95),
    ("returned", 0.95),
    ("numreturned", 0.95),
    ("numberreturned", 0.95),
    ("itemcount", 0.9),
    ("itemscount", 0.9),
    ("sent", 0.85),
    ("size", 0.6),
    ("count", 0.5),
    ("dist", 0.5),
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn finds_the_counts() {
        let table = [
            (json!({"total": 812, "page": 1, "items": [{}, {}]}), "items", "total", ""),
            (
                json!({"hits": {"total": {"value": 44, "relation": "eq"}, "hits": [{}]}}),
                "hits.hits",
                "hits.total.value",
                "",
            ),
            (
                json!({"feed": {"opensearch:totalResults": "9", "entry": [{}, {}]}}),
                "feed.entry",
                "feed['opensearch:totalResults']",
                "",
            ),
            (json!({"r": {"@total": "318", "@sent": "2", "hit": [{}, {}]}}), "r.hit", "r.@total", "r.@sent"),
            (
                json!({"totalResults": 7, "itemsCount": 2, "items": [{}, {}]}),
                "items",
                "totalResults",
                "itemsCount",
            ),
            // A number below the number of results is no count.
            (json!({"total": 0, "count": 1, "items": [{}, {}]}), "items", "", ""),
            (json!({"total_pages": 9, "total_time": 90, "items": [{}]}), "items", "", ""),
            (json!({"count": 2, "items": [{}, {}]}), "items", "count", ""),
            (
                json!({"other": {"deep": {"total": 90}}, "list": {"total": 9, "items": [{}]}}),
                "list.items",
                "list.total",
                "",
            ),
            (json!({"total": 1.5, "items": [{"total": 7}]}), "items", "", ""),
        ];
        for (response, list, found, retrieved) in table {
            let steps: Vec<Step> = list.split('.').map(|name| Step::Member(name.to_owned())).collect();
            let at = format!("/{}", list.replace('.', "/"));
            let items = response.pointer(&at).and_then(Value::as_array).map_or(0, Vec::len);
            let counts = find_counts(&response, &steps, items);
            let path = |list: &[Count]| list.first().map(|count| count.path.clone()).unwrap_or_default();
            assert_eq!(
                (path(&counts.found), path(&counts.retrieved)),
                (found.into(), retrieved.into()),
                "{response}"
            );
        }
    }

    #[test]
    fn a_list_on_the_path_to_the_results_is_searched() {
        let response = json!([{"page": 1, "total": 44}, [{"id": 1}]]);
        let counts = find_counts(&response, &[Step::Index(1)], 1);
        assert_eq!(counts.found[0].path, "[0].total");
    }

    #[test]
    fn work_is_bounded() {
        let mut wide: serde_json::Map<String, Value> =
            (0..NODES_MAX).map(|n| (format!("k{n}"), json!("x"))).collect();
        wide.insert("total".to_owned(), json!(9));
        assert!(find_counts(&Value::Object(wide), &[], 1).found.is_empty());
    }
}

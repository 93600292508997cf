//! Finds the list of results in a response: every list of objects is a candidate, and the one whose items look most
//! like results wins.

use crate::fields::field::{Field, FieldCandidate};
use crate::fields::identifier_words::{has_word, is_listed, join_words};
use crate::fields::rank::rank;
use crate::sample::column::Column;
use crate::sample::columns::columns;
use crate::sample::path::{self, Step};
use crate::sample::shape::Shape;
use serde_json::{Map, Value};

/// Most values that are visited.
pub const NODES_MAX: usize = 100_000;
/// Most lists that are compared.
pub const LISTS_MAX: usize = 60;
/// Deepest path of a list.
const DEPTH_MAX: usize = 16;
/// A list without objects is searched if it is at most this long: `[{…}, [{…}, …]]`.
const ENTERED_MAX: usize = 8;

/// The list of results and its columns.
pub struct ResultList<'a> {
    /// Path of the list.
    pub steps: Vec<Step>,
    /// The member that contains the document, if the items wrap it.
    pub wrapper: Option<String>,
    pub items: Vec<&'a Value>,
    pub columns: Vec<Column>,
    /// For each field, its candidates, the best first.
    pub candidates: Vec<(Field, Vec<FieldCandidate>)>,
    /// How much the items look like results, 0 to 1.
    pub score: f64,
}

impl ResultList<'_> {
    pub fn candidates_for(&self, field: Field) -> &[FieldCandidate] {
        self.candidates.iter().find(|(known, _)| *known == field).map_or(&[], |(_, ranked)| ranked)
    }
}

/// Why there is no list of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindError {
    /// Nothing in the response looks like a result.
    Nothing,
    /// The results are members of an object, which no path can list.
    Members(String),
}

/// Finds the list of results of a response.
pub fn find_results(response: &Value) -> Result<ResultList<'_>, FindError> {
    let mut walk = Walk { lists: Vec::new(), nodes_left: NODES_MAX };
    walk.enter(response, &mut Vec::new());
    let mut best: Option<(f64, Candidate<'_>, Assessment)> = None;
    for candidate in walk.lists {
        let assessment = assess(&candidate.items, candidate.kind);
        let value = assessment.value * candidate.context_weight();
        if best.as_ref().is_none_or(|(other, ..)| value > *other) {
            best = Some((value, candidate, assessment));
        }
    }
    let (_, candidate, assessment) = best.filter(|(value, ..)| *value > 0.0).ok_or(FindError::Nothing)?;
    if candidate.kind == Kind::Members {
        return Err(FindError::Members(path::format_path(&candidate.steps, path::Form::First)));
    }
    Ok(unwrap_documents(candidate, assessment))
}

/// Kind of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    List,
    /// A single object in place of a list of one: XML does not distinguish them.
    Single,
    /// The whole response as one result.
    Whole,
    /// An object whose numbered members are the results.
    Members,
}

struct Candidate<'a> {
    kind: Kind,
    steps: Vec<Step>,
    items: Vec<&'a Value>,
}

impl Candidate<'_> {
    /// Weight of the size, name and position of the list.
    fn context_weight(&self) -> f64 {
        let size = 1.0 + 0.1 * (self.items.len() as f64).log2().min(4.0);
        let name = path::members(&self.steps).last().copied().unwrap_or_default();
        let name = match name {
            name if has_word(name, LISTS) => 1.15,
            name if has_word(name, NOT_LISTS) => 0.5,
            _ => 1.0,
        };
        let depth = 0.97_f64.powi(i32::try_from(self.steps.len()).unwrap_or(i32::MAX));
        let inside_item =
            if self.steps.iter().any(|step| matches!(step, Step::Index(_))) { 0.85 } else { 1.0 };
        let kind = match self.kind {
            Kind::List => 1.0,
            Kind::Single | Kind::Members => 0.8,
            Kind::Whole => 0.6,
        };
        size * name * depth * inside_item * kind
    }
}

/// Names of lists of results, and of other lists.
const LISTS: &str =
    "result item hit doc document entry record article match data list row object work value story issue";
const NOT_LISTS: &str = "facet aggregation filter suggestion link tag category column author sort option bucket error warning breadcrumb correction label term image meta request nextpage related";

struct Walk<'a> {
    lists: Vec<Candidate<'a>>,
    nodes_left: usize,
}

impl<'a> Walk<'a> {
    fn enter(&mut self, value: &'a Value, steps: &mut Vec<Step>) {
        if self.nodes_left == 0 || steps.len() > DEPTH_MAX {
            return;
        }
        self.nodes_left -= 1;
        match value {
            Value::Object(object) => self.enter_object(value, object, steps),
            Value::Array(list) => self.enter_list(list, steps),
            _ => {}
        }
    }

    fn enter_object(&mut self, value: &'a Value, object: &'a Map<String, Value>, steps: &mut Vec<Step>) {
        let name = path::members(steps).last().map(|name| join_words(name)).unwrap_or_default();
        if steps.is_empty() {
            self.add(Kind::Whole, steps, vec![value]);
        } else if is_listed(&name, LISTS) && matches!(steps.last(), Some(Step::Member(_))) {
            self.add(Kind::Single, steps, vec![value]);
        }
        if is_numbered(object) {
            self.add(Kind::Members, steps, object.values().collect());
            return;
        }
        for (name, inside) in object {
            steps.push(Step::Member(name.clone()));
            self.enter(inside, steps);
            steps.pop();
        }
    }

    fn enter_list(&mut self, list: &'a [Value], steps: &mut Vec<Step>) {
        let objects: Vec<&Value> = list.iter().filter(|item| item.is_object()).collect();
        let is_candidate = objects.len() * 2 > list.len();
        if is_candidate {
            self.add(Kind::List, steps, objects);
        }
        // The only item may wrap the whole response; the items of a list of results are not searched for lists.
        if list.len() == 1 || (!is_candidate && list.len() <= ENTERED_MAX) {
            for (index, inside) in list.iter().enumerate() {
                steps.push(Step::Index(index));
                self.enter(inside, steps);
                steps.pop();
            }
        }
    }

    fn add(&mut self, kind: Kind, steps: &[Step], items: Vec<&'a Value>) {
        if self.lists.len() < LISTS_MAX {
            self.lists.push(Candidate { kind, steps: steps.to_vec(), items });
        }
    }
}

/// Whether all members are objects with numbers as names, as in `{"17": {…}, "23": {…}}`.
fn is_numbered(object: &Map<String, Value>) -> bool {
    let is_number = |name: &str| name.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
    !object.is_empty() && object.iter().all(|(name, value)| is_number(name) && value.is_object())
}

struct Assessment {
    columns: Vec<Column>,
    candidates: Vec<(Field, Vec<FieldCandidate>)>,
    value: f64,
}

fn assess(items: &[&Value], kind: Kind) -> Assessment {
    let mut columns = columns(items);
    if matches!(kind, Kind::Single | Kind::Whole) {
        // The content of an inner list belongs to that list, which is a candidate itself.
        columns.retain(|column| !column.is_inside_list());
    }
    let shapes: Vec<Shape> = columns.iter().map(Shape::of).collect();
    let candidates: Vec<_> =
        Field::ALL.into_iter().map(|field| (field, rank(field, &columns, &shapes))).collect();
    let weight = |field: Field| match field {
        Field::Title => 0.4,
        Field::Url | Field::Body => 0.2,
        Field::Date | Field::Author => 0.1,
    };
    let best = |(field, ranked): &(Field, Vec<FieldCandidate>)| {
        weight(*field) * ranked.first().map_or(0.0, |best| best.score)
    };
    let value = candidates.iter().map(best).sum();
    Assessment { columns, candidates, value }
}

/// If all fields are inside one member of the items, that member is the document.
fn unwrap_documents<'a>(candidate: Candidate<'a>, assessment: Assessment) -> ResultList<'a> {
    let Candidate { kind, steps, items } = candidate;
    let first_steps: Vec<&Step> = assessment
        .candidates
        .iter()
        .filter_map(|(_, ranked)| assessment.columns[ranked.first()?.column].steps.first())
        .collect();
    if let [Step::Member(name), others @ ..] = first_steps.as_slice()
        && !others.is_empty()
        && others.iter().all(|step| **step == Step::Member(name.clone()))
    {
        let name = name.clone();
        let inside: Vec<&Value> = items.iter().filter_map(|item| item.get(&name)).collect();
        if inside.len() == items.len() && inside.iter().all(|value| value.is_object()) {
            let inner_assessment = assess(&inside, kind);
            return result_list(steps, Some(name), inside, inner_assessment);
        }
    }
    result_list(steps, None, items, assessment)
}

fn result_list(
    steps: Vec<Step>,
    wrapper: Option<String>,
    items: Vec<&Value>,
    assessment: Assessment,
) -> ResultList<'_> {
    ResultList {
        steps,
        wrapper,
        items,
        columns: assessment.columns,
        candidates: assessment.candidates,
        score: assessment.value.min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::path::{Form, format_path};
    use serde_json::json;

    fn place(response: &Value) -> (String, Option<String>, usize) {
        let found = find_results(response).unwrap_or_else(|error| panic!("{error:?}: {response}"));
        (format_path(&found.steps, Form::First), found.wrapper, found.items.len())
    }

    fn items() -> Value {
        json!([
            {"title": "On tea", "url": "https://h/1", "tags": [{"name": "leaf"}, {"name": "cup"}]},
            {"title": "On milk", "url": "https://h/2", "tags": []},
        ])
    }

    #[test]
    fn finds_the_list() {
        let plain = |path: &str, count| (path.to_owned(), None, count);
        let wrapped: Vec<Value> = items()
            .as_array()
            .expect("a list")
            .iter()
            .map(|item| json!({"score": 1.5, "_source": item}))
            .collect();
        let table = [
            (items(), plain("$", 2)),
            (json!({"total": 7, "results": items()}), plain("results", 2)),
            (json!({"a": {"b b": items()}, "facets": [{"name": "x", "count": 3}]}), plain("a['b b']", 2)),
            (json!([{"page": 1}, items()]), plain("[1]", 2)),
            (json!({"responses": [{"hits": items()}]}), plain("responses[0].hits", 2)),
            (
                json!({"rss": {"channel": {"title": "News", "item": items()[0]}}}),
                plain("rss.channel.item", 1),
            ),
            (json!({"heading": "On tea", "text": "A drink made of leaves."}), plain("$", 1)),
            (
                json!({"hits": {"total": 2, "hits": wrapped}}),
                ("hits.hits".to_owned(), Some("_source".to_owned()), 2),
            ),
        ];
        for (response, want) in table {
            assert_eq!(place(&response), want, "{response}");
        }
    }

    #[test]
    fn reports_that_there_is_none() {
        for response in
            [json!({}), json!([]), json!([1, 2]), json!({"items": []}), json!("text"), json!(null)]
        {
            assert_eq!(find_results(&response).err(), Some(FindError::Nothing), "{response}");
        }
        let numbered = json!({"query": {"pages": {"17": items()[0], "-23": items()[1]}}});
        assert_eq!(find_results(&numbered).err(), Some(FindError::Members("query.pages".to_owned())));
    }

    #[test]
    fn work_is_bounded() {
        let far: Vec<Value> = std::iter::repeat_n(json!(0), NODES_MAX).collect();
        let object: Map<String, Value> =
            far.into_iter().enumerate().map(|(n, value)| (format!("k{n}"), value)).collect();
        let mut object = Value::Object(object);
        object["results"] = items();
        assert_eq!(
            find_results(&object).err(),
            Some(FindError::Nothing),
            "the list comes after too many values"
        );
        let lists: Map<String, Value> =
            (0..LISTS_MAX).map(|n| (format!("l{n}"), json!([{"x": 1}]))).collect();
        let mut lists = Value::Object(lists);
        lists["results"] = items();
        assert_eq!(
            find_results(&lists).err(),
            Some(FindError::Nothing),
            "the list comes after too many lists"
        );
        let mut deep = json!({ "results": items() });
        for _ in 0..DEPTH_MAX + 1 {
            deep = json!({ "a": deep });
        }
        assert_eq!(find_results(&deep).err(), Some(FindError::Nothing));
    }
}

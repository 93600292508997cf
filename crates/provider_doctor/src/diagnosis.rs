//! Diagnosis: a proposed provider, and the confidence of each part.

use crate::errors::{DiagnosisError, DiagnosisErrorKind};
use crate::fields::field::{Field, FieldCandidate};
use crate::fields::urls::{BASE_URL_PLACEHOLDER, UrlForm};
use crate::sample::base_url;
use crate::sample::column::Column;
use crate::sample::counts::{Count, find_counts};
use crate::sample::find_results::{FindError, ResultList, find_results};
use crate::sample::path::{Form, Step, format_path};
use domain::provider::ProviderSpec;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use syntax::json_path::JsonPath;

/// Longest example value, in characters.
pub const EXAMPLE_CHARS_MAX: usize = 120;
/// Most alternative paths per field.
pub const ALTERNATIVES_MAX: usize = 3;
/// Most paths of one mapping, as in `a|b|c`.
const PATHS_MAX: usize = 3;
/// Minimum score of a fallback path, unless it is nearly as good as the first: no body is better than a wrong one.
const FALLBACK_MIN: f64 = 0.5;
const FALLBACK_SHARE_MIN: f64 = 0.8;
/// Typical score of a list of results, with a field or two missing.
const SCORE_USUAL: f64 = 0.75;
/// Proposals with a lower confidence get a warning.
const CONFIDENCE_MIN: f64 = 0.6;

/// Proposal of the doctor for a sample response.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Diagnosis {
    /// Ready to be saved; secrets are placeholders such as `YOUR_KEY`.
    pub provider: ProviderSpec,
    /// The proposed paths with reasons: `RESULTS`, `RESULT`, `FOUND`, `RETRIEVED`, then the fields of a result.
    pub proposals: Vec<Proposal>,
    /// Alternative paths by field, the best first.
    pub alternatives: BTreeMap<String, Vec<Proposal>>,
    /// Path of the list of results; `$` if the response itself is the list.
    #[schema(example = "response.docs")]
    pub results_path: String,
    /// Number of results in the sample.
    pub results: usize,
    /// The response, with the first items of its lists and the beginnings of its texts.
    #[schema(value_type = Object)]
    pub answer: Value,
    /// Warnings, as sentences.
    pub warnings: Vec<String>,
}

/// A path and its confidence.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Proposal {
    #[schema(example = "title")]
    pub field: String,
    /// In the syntax of the mappings.
    #[schema(example = "headline.main")]
    pub path: String,
    /// 0 to 1.
    #[schema(minimum = 0, maximum = 1, example = 0.92)]
    pub confidence: f64,
    pub why: String,
    /// The value of the first result that has one.
    pub example: String,
}

/// Analysis of a sample response.
pub struct SampleAnalysis {
    pub response_mappings: String,
    pub result_mappings: String,
    pub proposals: Vec<Proposal>,
    pub alternatives: BTreeMap<String, Vec<Proposal>>,
    pub results_path: String,
    pub results: usize,
    pub warnings: Vec<String>,
}

/// Finds the results and their fields in a response.
pub fn analyze(response: &Value) -> Result<SampleAnalysis, DiagnosisError> {
    let list = find_results(response)
        .map_err(|why| DiagnosisError::new(DiagnosisErrorKind::Response, explain(&why)))?;
    let results_path = format_path(&list.steps, Form::First);
    let counts = find_counts(response, &list.steps, list.items.len());
    let mut analysis = SampleAnalysis {
        response_mappings: String::new(),
        result_mappings: String::new(),
        proposals: Vec::new(),
        alternatives: BTreeMap::new(),
        results: list.items.len(),
        results_path: results_path.clone(),
        warnings: Vec::new(),
    };
    if results_path != "$" {
        let example = format!("{} results", list.items.len());
        let why = "Its items look most like results.".to_owned();
        analysis.add_response_mapping(
            "RESULTS",
            &results_path,
            rounded(list.score / SCORE_USUAL),
            why,
            example,
        );
    }
    if let Some(name) = &list.wrapper {
        let path = format_path(&[Step::Member(name.clone())], Form::First);
        analysis.add_response_mapping(
            "RESULT",
            &path,
            0.9,
            "All fields are inside it.".to_owned(),
            String::new(),
        );
    }
    for (key, candidates) in [("FOUND", &counts.found), ("RETRIEVED", &counts.retrieved)] {
        if let Some(Count { path, value, score, why }) = candidates.first() {
            analysis.add_response_mapping(key, path, rounded(*score), why.clone(), value.to_string());
        }
        let others = candidates.iter().skip(1).take(ALTERNATIVES_MAX).map(|count| Proposal {
            field: key.to_owned(),
            path: count.path.clone(),
            confidence: rounded(count.score),
            why: count.why.clone(),
            example: count.value.to_string(),
        });
        analysis.add_alternatives(key, others.collect());
    }
    let base_url = base_url::find_base_url(response).unwrap_or_else(|| BASE_URL_PLACEHOLDER.to_owned());
    analysis.choose_fields(&list, &base_url);
    analysis.warn(&list);
    Ok(analysis)
}

fn explain(why: &FindError) -> String {
    match why {
        FindError::Nothing => "No list of results was found in the response. Use a query that has results, and check that the response is not an error message.".to_owned(),
        FindError::Members(path) => format!(
            "The results under '{path}' are members of an object, not a list, and no path can list them. Many sources can return a list, for example with another format or API version."
        ),
    }
}

impl SampleAnalysis {
    /// Fills in the base URL, which is known from the request.
    pub fn with_base_url(mut self, base_url: &str) -> Self {
        let fill = |text: &mut String| *text = text.replace(BASE_URL_PLACEHOLDER, base_url);
        fill(&mut self.result_mappings);
        self.warnings.iter_mut().for_each(fill);
        for proposal in self.proposals.iter_mut().chain(self.alternatives.values_mut().flatten()) {
            fill(&mut proposal.path);
            fill(&mut proposal.example);
        }
        self
    }

    fn add_response_mapping(&mut self, key: &str, path: &str, confidence: f64, why: String, example: String) {
        if !self.response_mappings.is_empty() {
            self.response_mappings.push(',');
        }
        self.response_mappings.push_str(&format!("{key}={path}"));
        self.proposals.push(Proposal {
            field: key.to_owned(),
            path: path.to_owned(),
            confidence,
            why,
            example,
        });
    }

    fn add_alternatives(&mut self, key: &str, others: Vec<Proposal>) {
        if !others.is_empty() {
            self.alternatives.insert(key.to_owned(), others);
        }
    }

    fn choose_fields(&mut self, list: &ResultList<'_>, base_url: &str) {
        let mut used_columns: Vec<usize> = Vec::new();
        for field in Field::ALL {
            let is_free = |one: &&FieldCandidate| {
                is_expressible(one)
                    && !used_columns.iter().any(|&other| is_same(&list.columns, one.column, other))
            };
            let ranked: Vec<&FieldCandidate> = list.candidates_for(field).iter().filter(is_free).collect();
            let Some(best) = ranked.first() else { continue };
            let chosen = add_fallbacks(&ranked, &list.columns);
            let path = match best.url_form {
                UrlForm::Whole => chosen.iter().map(|one| one.path.as_str()).collect::<Vec<_>>().join("|"),
                _ => as_template(best, base_url),
            };
            if best.url_form == UrlForm::NoSite {
                let sentence = format!(
                    "The URLs at '{}' are relative; check that they begin with '{base_url}'.",
                    best.path
                );
                self.warnings.push(sentence);
            }
            if !self.result_mappings.is_empty() {
                self.result_mappings.push(',');
            }
            self.result_mappings.push_str(&format!("{}={path}", field.key()));
            let runner_up = ranked.iter().find(|one| !is_same(&list.columns, one.column, best.column));
            let is_close = runner_up.is_some_and(|runner_up| runner_up.score > best.score * 0.95);
            let confidence =
                best.score * if is_close { 0.85 } else { 1.0 } * if list.items.len() < 2 { 0.9 } else { 1.0 };
            self.proposals.push(Proposal {
                field: field.key().to_owned(),
                path,
                confidence: rounded(confidence),
                why: best.why.clone(),
                example: format!("{}{}", best.url_form.prefix(base_url), example(list, &best.path)),
            });
            let others = ranked.iter().filter(|one| !chosen.iter().any(|chosen| chosen.column == one.column));
            let others = others.take(ALTERNATIVES_MAX).map(|one| Proposal {
                field: field.key().to_owned(),
                path: as_template(one, base_url),
                confidence: rounded(one.score.min(confidence)),
                why: one.why.clone(),
                example: format!("{}{}", one.url_form.prefix(base_url), example(list, &one.path)),
            });
            self.add_alternatives(field.key(), others.collect());
            if matches!(field, Field::Title | Field::Body) {
                used_columns.extend(chosen.iter().map(|one| one.column));
            }
        }
    }

    fn warn(&mut self, list: &ResultList<'_>) {
        if list.items.len() < 2 {
            self.warnings.push(
                "The sample has only one result; more results make the proposals more reliable.".to_owned(),
            );
        }
        for field in Field::ALL {
            let Some(proposal) = self.proposals.iter().find(|proposal| proposal.field == field.key()) else {
                self.warnings.extend(missing_field_warning(field));
                continue;
            };
            if proposal.confidence < CONFIDENCE_MIN {
                let sentence =
                    format!("The path of {} is uncertain; check '{}'.", proposal.field, proposal.path);
                self.warnings.push(sentence);
            }
        }
    }
}

fn missing_field_warning(field: Field) -> Option<String> {
    let sentence = match field {
        Field::Title => "No title was found; add title=<path> to result_mappings.",
        Field::Body => {
            "No body was found; results will show only a title, unless you add body=<path> to result_mappings."
        }
        Field::Url => {
            "No URL of a result was found; add a template such as url='https://host/page/{id}' to result_mappings."
        }
        Field::Date | Field::Author => return None,
    };
    Some(sentence.to_owned())
}

/// The path; for a partial URL, a template that completes it.
fn as_template(one: &FieldCandidate, base_url: &str) -> String {
    match one.url_form {
        UrlForm::Whole => one.path.clone(),
        half => format!("'{}{{{}}}'", half.prefix(base_url), one.path),
    }
}

/// Whether the path can be written: a template cannot contain every path.
fn is_expressible(one: &FieldCandidate) -> bool {
    one.url_form == UrlForm::Whole || !one.path.contains(['\'', '"', '{', '}', ',', '|', '('])
}

/// The best candidate, and fallbacks for the items in which it is empty.
fn add_fallbacks<'a>(ranked: &[&'a FieldCandidate], columns: &[Column]) -> Vec<&'a FieldCandidate> {
    let mut chosen: Vec<&FieldCandidate> = Vec::new();
    let least = ranked.first().map_or(0.0, |best| FALLBACK_MIN.min(best.score * FALLBACK_SHARE_MIN));
    let mut empty: Vec<usize> = (0..columns.first().map_or(0, |column| column.values.len())).collect();
    for one in ranked {
        let values = &columns[one.column].values;
        let is_whole =
            one.url_form == UrlForm::Whole && chosen.iter().all(|one| one.url_form == UrlForm::Whole);
        let fills = || empty.iter().any(|&row| !values[row].is_empty());
        let is_useful = chosen.is_empty() || is_whole && one.score >= least && fills();
        if is_useful && chosen.len() < PATHS_MAX {
            empty.retain(|&row| values[row].is_empty());
            chosen.push(one);
        }
    }
    chosen
}

/// True if two columns are the same, or equal wherever both have values.
fn is_same(columns: &[Column], one: usize, other: usize) -> bool {
    if one == other {
        return true;
    }
    let pairs = columns[one].values.iter().zip(&columns[other].values);
    let mut both = pairs.filter(|(a, b)| !a.is_empty() && !b.is_empty()).peekable();
    both.peek().is_some() && both.all(|(a, b)| a == b)
}

fn example(list: &ResultList<'_>, path: &str) -> String {
    let Ok(path) = JsonPath::parse(path) else { return String::new() };
    let values = list.items.iter().map(|item| path.find(item)).find(|values| {
        values
            .iter()
            .any(|value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty()))
    });
    let texts = values.unwrap_or_default().into_iter().map(|value| match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    });
    let text = texts.collect::<Vec<_>>().join(" ");
    let shown: String = text.chars().take(EXAMPLE_CHARS_MAX).collect();
    if shown.len() < text.len() { format!("{shown}…") } else { shown }
}

fn rounded(score: f64) -> f64 {
    (score.clamp(0.0, 1.0) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use syntax::response_mappings::ResponseMappings;
    use syntax::result_mappings::ResultMappings;

    fn sample() -> Value {
        json!({"total": 90, "hits": [
            {"name": "On tea", "text": "How to make it, and when to drink it.", "abstract": null, "link": "https://h/1"},
            {"name": "On milk", "abstract": "Where it comes from, and where it goes.", "link": "https://h/2"},
        ]})
    }

    #[test]
    fn analyzes_a_sample() {
        let analysis = analyze(&sample()).expect("a reading");
        assert_eq!(analysis.response_mappings, "RESULTS=hits,FOUND=total");
        assert_eq!(analysis.result_mappings, "title=name,body=abstract|text,url=link");
        assert_eq!((analysis.results_path.as_str(), analysis.results), ("hits", 2));
        for proposal in &analysis.proposals {
            assert!((0.0..=1.0).contains(&proposal.confidence) && !proposal.why.is_empty(), "{proposal:?}");
        }
        let title = analysis.proposals.iter().find(|one| one.field == "title").expect("a title");
        assert_eq!(title.example, "On tea");
    }

    #[test]
    fn a_partial_url_is_completed() {
        let items = json!([{"title": "On tea", "url": "/tea"}, {"title": "On milk", "url": "/milk"}]);
        let analysis =
            analyze(&json!({"next": "https://h.example/s?page=2", "items": items})).expect("a reading");
        assert_eq!(analysis.result_mappings, "title=title,url='https://h.example{url}'");
        let proposal = analysis.proposals.iter().find(|one| one.field == "url").expect("an address");
        assert_eq!(proposal.example, "https://h.example/tea");
        assert!(
            analysis.warnings.iter().any(|warning| warning.contains("relative")),
            "{:?}",
            analysis.warnings
        );
        let analysis = analyze(&items).expect("a reading");
        assert_eq!(analysis.result_mappings, format!("title=title,url='{BASE_URL_PLACEHOLDER}{{url}}'"));
        let analysis = analysis.with_base_url("https://m.example");
        assert_eq!(analysis.result_mappings, "title=title,url='https://m.example{url}'");
        assert!(!analysis.warnings.concat().contains(BASE_URL_PLACEHOLDER));
        // A name that a template cannot contain is skipped.
        let items =
            json!([{"title": "On tea", "it's url": "/tea"}, {"title": "On milk", "it's url": "/milk"}]);
        assert_eq!(analyze(&items).expect("a reading").result_mappings, "title=title");
    }

    #[test]
    fn missing_fields_are_reported() {
        let analysis = analyze(&json!([{"title": "On tea", "n": 1}])).expect("a reading");
        let warnings = analysis.warnings.join(" ");
        for part in ["only one result", "No body", "No URL"] {
            assert!(warnings.contains(part), "{warnings}");
        }
        assert!(
            analyze(&json!({"error": 7}))
                .err()
                .is_some_and(|error| error.message().contains("No list of results"))
        );
        let numbered = json!({"pages": {"1": {"title": "On tea"}, "2": {"title": "On milk"}}});
        assert!(analyze(&numbered).err().is_some_and(|error| error.message().contains("'pages'")));
    }

    #[test]
    fn examples_and_alternatives_are_bounded() {
        let long = "word ".repeat(100);
        let items: Vec<Value> = (0..3)
            .map(|n| {
                let mut item = serde_json::Map::new();
                item.insert("title".to_owned(), json!(format!("{n} {long}")));
                for field in 0..9 {
                    item.insert(format!("part{field}_description"), json!(format!("{n} {field} {long}")));
                }
                Value::Object(item)
            })
            .collect();
        let analysis = analyze(&json!(items)).expect("a reading");
        assert_eq!(analysis.alternatives["body"].len(), ALTERNATIVES_MAX);
        let title = &analysis.proposals[0];
        assert_eq!(title.example.chars().count(), EXAMPLE_CHARS_MAX + 1);
        // At most three paths, though each item has another body.
        let scattered: Vec<Value> = ["abstract", "summary", "excerpt", "teaser"]
            .iter()
            .map(|name| json!({"title": name, (*name): long}))
            .collect();
        let body = analyze(&json!(scattered)).expect("a reading").result_mappings;
        assert_eq!(body.matches('|').count(), PATHS_MAX - 1, "{body}");
    }

    fn any_response() -> impl Strategy<Value = Value> {
        let name = "title|url|a b|it's|x,y|d[e]|total|_source|é|=|[a-z'\\\\\"|,=.]{1,5}";
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<f64>().prop_map(|number| json!(number)),
            "https://h/[a-z]{1,3}|[A-Z][a-z]{1,6} [a-z ]{3,9}|2024-0[1-9]-11|.{0,8}".prop_map(Value::String),
        ];
        leaf.prop_recursive(5, 40, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
                proptest::collection::btree_map(name, inner, 0..5)
                    .prop_map(|object| Value::Object(object.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_response_yields_valid_mappings_or_an_error(response in any_response()) {
            if let Ok(analysis) = analyze(&response) {
                prop_assert!(ResponseMappings::parse(&analysis.response_mappings).is_ok(), "{}", analysis.response_mappings);
                prop_assert!(ResultMappings::parse(&analysis.result_mappings).is_ok(), "{}", analysis.result_mappings);
            }
        }
    }
}

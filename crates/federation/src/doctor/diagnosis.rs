//! What the doctor says: a provider that is ready, and how sure each part of it is.

use super::address::{SITE_BLANK, Spelling};
use super::columns::Column;
use super::fields::{Field, Ranked};
use super::found::{Count, counts};
use super::path::{Form, Step, written};
use super::sample::{Found, NotFound, find};
use super::site;
use domain::notation::json_path::JsonPath;
use domain::provider::ProviderSpec;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Longest value that is shown as an example, in characters.
pub const EXAMPLE_CHARS_MAX: usize = 120;
/// Most other paths that are named for a field.
pub const ALTERNATIVES_MAX: usize = 3;
/// Most paths of one mapping, as in `a|b|c`.
const SOURCES_MAX: usize = 3;
/// Below this a path does not stand in for an empty one, unless it is nearly as good: no body is better than
/// a wrong one.
const FALLBACK_MIN: f64 = 0.5;
const FALLBACK_SHARE_MIN: f64 = 0.8;
/// What a list of results scores when a field or two are missing, as they usually are.
const SCORE_USUAL: f64 = 0.75;
/// Below this a person should look.
const CONFIDENCE_CHECKED: f64 = 0.6;

/// What the doctor found in a sample answer.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Diagnosis {
    /// Ready to be saved; secrets are blanks such as `YOUR_KEY`.
    pub provider: ProviderSpec,
    /// What was proposed, with its reasons: `RESULTS`, `RESULT`, `FOUND`, `RETRIEVED`, then the fields of a result.
    pub proposals: Vec<Proposal>,
    /// Other paths by field, the best first.
    pub alternatives: BTreeMap<String, Vec<Proposal>>,
    /// Where the list of results is; `$` when the answer itself is the list.
    #[schema(example = "response.docs")]
    pub results_path: String,
    /// How many results the sample holds.
    pub results: usize,
    /// The answer itself, with the first items of its lists and the beginnings of its texts.
    #[schema(value_type = Object)]
    pub answer: Value,
    /// What a person should look at, in sentences.
    pub warnings: Vec<String>,
}

/// One path and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Proposal {
    #[schema(example = "title")]
    pub field: String,
    /// In the notation of the mappings.
    #[schema(example = "headline.main")]
    pub path: String,
    /// 0 to 1.
    #[schema(minimum = 0, maximum = 1, example = 0.92)]
    pub confidence: f64,
    pub why: String,
    /// The value that it takes from the first result that has one.
    pub example: String,
}

/// What an answer says about itself.
pub struct Reading {
    pub response_mappings: String,
    pub result_mappings: String,
    pub proposals: Vec<Proposal>,
    pub alternatives: BTreeMap<String, Vec<Proposal>>,
    pub results_path: String,
    pub results: usize,
    pub warnings: Vec<String>,
}

/// Finds the results and their fields in an answer.
pub fn read(answer: &Value) -> Result<Reading, String> {
    let found = find(answer).map_err(|why| explain(&why))?;
    let results_path = written(&found.steps, Form::First);
    let counts = counts(answer, &found.steps, found.items.len());
    let mut reading = Reading {
        response_mappings: String::new(),
        result_mappings: String::new(),
        proposals: Vec::new(),
        alternatives: BTreeMap::new(),
        results: found.items.len(),
        results_path: results_path.clone(),
        warnings: Vec::new(),
    };
    if results_path != "$" {
        let example = format!("{} results", found.items.len());
        let why = "Its items look most like results.".to_owned();
        reading.respond("RESULTS", &results_path, rounded(found.score / SCORE_USUAL), why, example);
    }
    if let Some(name) = &found.wrapper {
        let path = written(&[Step::Member(name.clone())], Form::First);
        reading.respond("RESULT", &path, 0.9, "Every field stands under it.".to_owned(), String::new());
    }
    for (key, list) in [("FOUND", &counts.found), ("RETRIEVED", &counts.retrieved)] {
        if let Some(Count { path, value, score, why }) = list.first() {
            reading.respond(key, path, rounded(*score), why.clone(), value.to_string());
        }
        let others = list.iter().skip(1).take(ALTERNATIVES_MAX).map(|count| Proposal {
            field: key.to_owned(),
            path: count.path.clone(),
            confidence: rounded(count.score),
            why: count.why.clone(),
            example: count.value.to_string(),
        });
        reading.name_others(key, others.collect());
    }
    let site = site::of_answer(answer).unwrap_or_else(|| SITE_BLANK.to_owned());
    reading.choose_fields(&found, &site);
    reading.warn(&found);
    Ok(reading)
}

fn explain(why: &NotFound) -> String {
    match why {
        NotFound::Nothing => "No list of results was found in the answer. Use a query that finds something, and check that the answer is not an error message.".to_owned(),
        NotFound::Members(path) => format!(
            "The results stand under '{path}' as members of an object, not as a list, and no path can list them. Many sources give a list when asked, for example with another format or version of the answer."
        ),
    }
}

impl Reading {
    /// Fills in the site that only the request tells.
    pub fn on_site(mut self, site: &str) -> Self {
        let fill = |text: &mut String| *text = text.replace(SITE_BLANK, site);
        fill(&mut self.result_mappings);
        self.warnings.iter_mut().for_each(fill);
        for proposal in self.proposals.iter_mut().chain(self.alternatives.values_mut().flatten()) {
            fill(&mut proposal.path);
            fill(&mut proposal.example);
        }
        self
    }

    fn respond(&mut self, key: &str, path: &str, confidence: f64, why: String, example: String) {
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

    fn name_others(&mut self, key: &str, others: Vec<Proposal>) {
        if !others.is_empty() {
            self.alternatives.insert(key.to_owned(), others);
        }
    }

    fn choose_fields(&mut self, found: &Found<'_>, site: &str) {
        let mut taken: Vec<usize> = Vec::new();
        for field in Field::ALL {
            let is_free = |one: &&Ranked| {
                can_be_written(one) && !taken.iter().any(|&other| is_same(&found.columns, one.column, other))
            };
            let ranked: Vec<&Ranked> = found.ranked(field).iter().filter(is_free).collect();
            let Some(best) = ranked.first() else { continue };
            let chosen = with_fallbacks(&ranked, &found.columns);
            let path = match best.spelling {
                Spelling::Whole => chosen.iter().map(|one| one.path.as_str()).collect::<Vec<_>>().join("|"),
                _ => completed(best, site),
            };
            if best.spelling == Spelling::NoSite {
                let sentence = format!(
                    "The addresses at '{}' are relative; check that they begin with '{site}'.",
                    best.path
                );
                self.warnings.push(sentence);
            }
            if !self.result_mappings.is_empty() {
                self.result_mappings.push(',');
            }
            self.result_mappings.push_str(&format!("{}={path}", field.key()));
            let rival = ranked.iter().find(|one| !is_same(&found.columns, one.column, best.column));
            let is_close = rival.is_some_and(|rival| rival.score > best.score * 0.95);
            let confidence = best.score
                * if is_close { 0.85 } else { 1.0 }
                * if found.items.len() < 2 { 0.9 } else { 1.0 };
            self.proposals.push(Proposal {
                field: field.key().to_owned(),
                path,
                confidence: rounded(confidence),
                why: best.why.clone(),
                example: format!("{}{}", best.spelling.prefix(site), example(found, &best.path)),
            });
            let others = ranked.iter().filter(|one| !chosen.iter().any(|chosen| chosen.column == one.column));
            let others = others.take(ALTERNATIVES_MAX).map(|one| Proposal {
                field: field.key().to_owned(),
                path: completed(one, site),
                confidence: rounded(one.score.min(confidence)),
                why: one.why.clone(),
                example: format!("{}{}", one.spelling.prefix(site), example(found, &one.path)),
            });
            self.name_others(field.key(), others.collect());
            if matches!(field, Field::Title | Field::Body) {
                taken.extend(chosen.iter().map(|one| one.column));
            }
        }
    }

    fn warn(&mut self, found: &Found<'_>) {
        if found.items.len() < 2 {
            self.warnings
                .push("The sample holds one result only; more of them make the proposals surer.".to_owned());
        }
        for field in Field::ALL {
            let Some(proposal) = self.proposals.iter().find(|proposal| proposal.field == field.key()) else {
                self.warnings.extend(absence(field));
                continue;
            };
            if proposal.confidence < CONFIDENCE_CHECKED {
                let sentence =
                    format!("The path of {} is uncertain; check '{}'.", proposal.field, proposal.path);
                self.warnings.push(sentence);
            }
        }
    }
}

fn absence(field: Field) -> Option<String> {
    let sentence = match field {
        Field::Title => "No title was found; write title=<path> into result_mappings.",
        Field::Body => {
            "No body was found; results will show a title only, or write body=<path> into result_mappings."
        }
        Field::Url => {
            "No web address of a result was found; write one with a value of the result, like url='https://host/page/{id}', into result_mappings."
        }
        Field::Date | Field::Author => return None,
    };
    Some(sentence.to_owned())
}

/// The path, or for half an address a template that completes it.
fn completed(one: &Ranked, site: &str) -> String {
    match one.spelling {
        Spelling::Whole => one.path.clone(),
        half => format!("'{}{{{}}}'", half.prefix(site), one.path),
    }
}

/// A template cannot hold every path that a mapping can.
fn can_be_written(one: &Ranked) -> bool {
    one.spelling == Spelling::Whole || !one.path.contains(['\'', '"', '{', '}', ',', '|', '('])
}

/// The best column, and the next ones that fill the items in which it is empty.
fn with_fallbacks<'a>(ranked: &[&'a Ranked], columns: &[Column]) -> Vec<&'a Ranked> {
    let mut chosen: Vec<&Ranked> = Vec::new();
    let least = ranked.first().map_or(0.0, |best| FALLBACK_MIN.min(best.score * FALLBACK_SHARE_MIN));
    let mut empty: Vec<usize> = (0..columns.first().map_or(0, |column| column.values.len())).collect();
    for one in ranked {
        let values = &columns[one.column].values;
        let is_whole =
            one.spelling == Spelling::Whole && chosen.iter().all(|one| one.spelling == Spelling::Whole);
        let fills = || empty.iter().any(|&row| !values[row].is_empty());
        let is_useful = chosen.is_empty() || is_whole && one.score >= least && fills();
        if is_useful && chosen.len() < SOURCES_MAX {
            empty.retain(|&row| values[row].is_empty());
            chosen.push(one);
        }
    }
    chosen
}

/// True when two columns are one, or say the same wherever both say something.
fn is_same(columns: &[Column], one: usize, other: usize) -> bool {
    if one == other {
        return true;
    }
    let pairs = columns[one].values.iter().zip(&columns[other].values);
    let mut both = pairs.filter(|(a, b)| !a.is_empty() && !b.is_empty()).peekable();
    both.peek().is_some() && both.all(|(a, b)| a == b)
}

fn example(found: &Found<'_>, path: &str) -> String {
    let Ok(path) = JsonPath::parse(path) else { return String::new() };
    let values = found.items.iter().map(|item| path.find(item)).find(|values| {
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
    use domain::notation::response_mappings::ResponseMappings;
    use domain::notation::result_mappings::ResultMappings;
    use proptest::prelude::*;
    use serde_json::json;

    fn sample() -> Value {
        json!({"total": 90, "hits": [
            {"name": "On tea", "text": "How to make it, and when to drink it.", "abstract": null, "link": "https://h/1"},
            {"name": "On milk", "abstract": "Where it comes from, and where it goes.", "link": "https://h/2"},
        ]})
    }

    #[test]
    fn reads_a_sample() {
        let reading = read(&sample()).expect("a reading");
        assert_eq!(reading.response_mappings, "RESULTS=hits,FOUND=total");
        assert_eq!(reading.result_mappings, "title=name,body=abstract|text,url=link");
        assert_eq!((reading.results_path.as_str(), reading.results), ("hits", 2));
        for proposal in &reading.proposals {
            assert!((0.0..=1.0).contains(&proposal.confidence) && !proposal.why.is_empty(), "{proposal:?}");
        }
        let title = reading.proposals.iter().find(|one| one.field == "title").expect("a title");
        assert_eq!(title.example, "On tea");
    }

    #[test]
    fn half_an_address_is_completed() {
        let items = json!([{"title": "On tea", "url": "/tea"}, {"title": "On milk", "url": "/milk"}]);
        let reading =
            read(&json!({"next": "https://h.example/s?page=2", "items": items})).expect("a reading");
        assert_eq!(reading.result_mappings, "title=title,url='https://h.example{url}'");
        let proposal = reading.proposals.iter().find(|one| one.field == "url").expect("an address");
        assert_eq!(proposal.example, "https://h.example/tea");
        assert!(
            reading.warnings.iter().any(|warning| warning.contains("relative")),
            "{:?}",
            reading.warnings
        );
        let reading = read(&items).expect("a reading");
        assert_eq!(reading.result_mappings, format!("title=title,url='{SITE_BLANK}{{url}}'"));
        let reading = reading.on_site("https://m.example");
        assert_eq!(reading.result_mappings, "title=title,url='https://m.example{url}'");
        assert!(!reading.warnings.concat().contains(SITE_BLANK));
        // A name that a template cannot hold stays out of it.
        let items =
            json!([{"title": "On tea", "it's url": "/tea"}, {"title": "On milk", "it's url": "/milk"}]);
        assert_eq!(read(&items).expect("a reading").result_mappings, "title=title");
    }

    #[test]
    fn says_what_is_missing() {
        let reading = read(&json!([{"title": "On tea", "n": 1}])).expect("a reading");
        let said = reading.warnings.join(" ");
        for part in ["one result only", "No body", "No web address"] {
            assert!(said.contains(part), "{said}");
        }
        assert!(read(&json!({"error": 7})).err().is_some_and(|error| error.contains("No list of results")));
        let numbered = json!({"pages": {"1": {"title": "On tea"}, "2": {"title": "On milk"}}});
        assert!(read(&numbered).err().is_some_and(|error| error.contains("'pages'")));
    }

    #[test]
    fn what_is_shown_is_bounded() {
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
        let reading = read(&json!(items)).expect("a reading");
        assert_eq!(reading.alternatives["body"].len(), ALTERNATIVES_MAX);
        let title = &reading.proposals[0];
        assert_eq!(title.example.chars().count(), EXAMPLE_CHARS_MAX + 1);
        // Three fallbacks at most, though each item has another body.
        let scattered: Vec<Value> = ["abstract", "summary", "excerpt", "teaser"]
            .iter()
            .map(|name| json!({"title": name, (*name): long}))
            .collect();
        let body = read(&json!(scattered)).expect("a reading").result_mappings;
        assert_eq!(body.matches('|').count(), SOURCES_MAX - 1, "{body}");
    }

    fn any_answer() -> impl Strategy<Value = Value> {
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
        fn any_answer_is_read_into_valid_mappings_or_refused(answer in any_answer()) {
            if let Ok(reading) = read(&answer) {
                prop_assert!(ResponseMappings::parse(&reading.response_mappings).is_ok(), "{}", reading.response_mappings);
                prop_assert!(ResultMappings::parse(&reading.result_mappings).is_ok(), "{}", reading.result_mappings);
            }
        }
    }
}

//! AutomaticPayloadMapperResultProcessor: for a source without mappings, finds the title, body, date and url of results
//! in their payloads. Runs after mapping.

use super::shared::dataset::{self, is_dataset};
use super::shared::profile::{Choice, TitleLimits, is_url};
use super::shared::source_value::text_of;
use super::shared::tags;
use domain::ports::{
    Outcome, ProcessorError, ProcessorErrorKind, ResultBatch, ResultContext, ResultProcessor,
    ResultProcessorKind,
};
use domain::result::{DATE_UNKNOWN, ResultItem};
use serde_json::Value;
use syntax::dates::parse_date;

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "AutomaticPayloadMapperResultProcessor",
    summary: "Finds title, body, date and url in the payload of results whose source has no mappings. Runs after mapping.",
    processor: &AutomaticPayloadMapper,
};

const TITLE_CHARS_MAX: usize = 100;
const TITLE_CHARS_MEDIAN: usize = 50;
/// The fields that a payload may name.
const FIELDS: [&str; 5] = ["title", "body", "url", "author", "date_published"];

struct AutomaticPayloadMapper;

impl ResultProcessor for AutomaticPayloadMapper {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        let mappings = cx.provider.spec.result_mappings.parsed().map_err(|reason| {
            ProcessorError::new(ProcessorErrorKind::Invalid, format!("result_mappings: {reason}"))
                .caused_by(reason.clone())
        })?;
        if mappings.dataset {
            let before = batch.items.len();
            dataset::collapse(&mut batch.items, &[], &cx.search.spec.query_string);
            return Ok(Outcome::updated(if batch.items.len() < before { before } else { 0 }));
        }
        let limits = TitleLimits {
            chars_max: tags::number(cx, "MAX_TITLE_LEN").unwrap_or(TITLE_CHARS_MAX),
            chars_median: tags::number(cx, "TITLE_MEDIAN_LEN").unwrap_or(TITLE_CHARS_MEDIAN),
        };
        Ok(map_payloads(&mut batch.items, limits))
    }
}

fn map_payloads(items: &mut [ResultItem], limits: TitleLimits) -> Outcome {
    if items.iter().any(is_dataset) {
        return Outcome::default();
    }
    let mut named: Vec<bool> = items.iter_mut().map(take_named).collect();
    let choice = Choice::of(items, limits);
    for (item, is_changed) in items.iter_mut().zip(&mut named) {
        *is_changed |= take_chosen(item, &choice);
        let before = item.payload.len();
        item.payload.retain(|_, value| is_plain(value));
        *is_changed |= item.payload.len() < before;
    }
    Outcome::updated(named.into_iter().filter(|is_changed| *is_changed).count())
}

/// Fills empty fields of the result from payload fields of the same name.
fn take_named(item: &mut ResultItem) -> bool {
    let mut is_changed = false;
    for field in FIELDS {
        if !is_empty(item, field) {
            continue;
        }
        let names = || item.payload.iter().filter(|(_, value)| suits(field, value)).map(|(name, _)| name);
        let named = names().find(|name| name.eq_ignore_ascii_case(field));
        let named = named.or_else(|| names().find(|name| is_named_after(name, field))).cloned();
        if let Some(value) = named.and_then(|name| item.payload.shift_remove(&name)) {
            set(item, field, text_of(&value));
            is_changed = true;
        }
    }
    is_changed
}

/// Fills the remaining empty fields from the profile. Titles and bodies are labeled with the name of their field.
fn take_chosen(item: &mut ResultItem, choice: &Choice) -> bool {
    let mut is_changed = false;
    let chosen = [
        ("title", &choice.title),
        ("body", &choice.body),
        ("date_published", &choice.date),
        ("url", &choice.url),
    ];
    for (field, name) in chosen {
        let Some(name) = name.as_ref().filter(|_| is_empty(item, field)) else { continue };
        let Some(value) = item.payload.get(name).map(text_of).filter(|text| !text.trim().is_empty()) else {
            continue;
        };
        item.payload.shift_remove(name);
        let is_labelled = matches!(field, "title" | "body");
        set(item, field, if is_labelled { format!("{name}: {value}") } else { value });
        is_changed = true;
    }
    is_changed
}

/// A title that mapping copied from the url or the author counts as missing.
fn is_empty(item: &ResultItem, field: &str) -> bool {
    match field {
        "title" => item.title.is_empty() || item.title == item.url || item.title == item.author,
        "body" => item.body.is_empty(),
        "url" => item.url.is_empty(),
        "author" => item.author.is_empty(),
        _ => item.date_published.is_empty() || item.date_published == DATE_UNKNOWN,
    }
}

fn set(item: &mut ResultItem, field: &str, text: String) {
    match field {
        "title" => item.title = text,
        "body" => item.body = text,
        "url" => item.url = text,
        "author" => item.author = text,
        _ => item.date_published = parse_date(&text).unwrap_or_else(|| DATE_UNKNOWN.to_owned()),
    }
}

fn suits(field: &str, value: &Value) -> bool {
    match (field, value) {
        ("url", value) => value.as_str().is_some_and(is_url),
        ("date_published", Value::String(_) | Value::Number(_)) => parse_date(&text_of(value)).is_some(),
        (_, Value::String(text)) => !text.trim().is_empty(),
        _ => false,
    }
}

/// `title_en`, `page-title`, `pageTitle`; but not `subtitle`.
fn is_named_after(name: &str, field: &str) -> bool {
    if !name.is_ascii() || name.len() <= field.len() {
        return false;
    }
    let is_same = |part: &str| part.eq_ignore_ascii_case(field);
    let (start, after) = name.split_at(field.len());
    if is_same(start) && !after.starts_with(|c: char| c.is_ascii_lowercase()) {
        return true;
    }
    let (before, end) = name.split_at(name.len() - field.len());
    let is_parted = !before.ends_with(|c: char| c.is_ascii_alphabetic())
        || (end.starts_with(|c: char| c.is_ascii_uppercase())
            && before.ends_with(|c: char| c.is_ascii_lowercase()));
    is_same(end) && is_parted
}

/// Texts, numbers, and lists of them.
fn is_plain(value: &Value) -> bool {
    let is_single = |value: &Value| matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
    is_single(value) || value.as_array().is_some_and(|list| list.iter().all(is_single))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use serde_json::json;

    const LIMITS: TitleLimits = TitleLimits { chars_max: TITLE_CHARS_MAX, chars_median: TITLE_CHARS_MEDIAN };

    fn mapped(payload: Value) -> ResultItem {
        let payload = payload.as_object().cloned().unwrap_or_default();
        let mut items =
            [ResultItem { payload, date_published: DATE_UNKNOWN.to_owned(), ..ResultItem::default() }];
        map_payloads(&mut items, LIMITS);
        items[0].clone()
    }

    #[test]
    fn profiled_fields_fill_what_is_empty() {
        let item = mapped(json!({
            "id": 7, "name": "Ada Byron", "about": "long ".repeat(40), "birth_date": "1815-12-10",
            "link": "https://x.example/7", "deep": {"a": 1}, "tags": ["a", 2], "mixed": [{"a": 1}],
        }));
        assert_eq!(item.title, "name: Ada Byron");
        assert!(item.body.starts_with("about: long long"));
        assert_eq!(item.url, "https://x.example/7");
        assert_eq!(item.date_published, "1815-12-10 00:00:00");
        assert_eq!(Value::Object(item.payload), json!({"id": 7, "tags": ["a", 2]}));
    }

    #[test]
    fn fields_of_that_name_come_first() {
        let item = mapped(json!({
            "pageTitle": "T", "subtitle": "S", "body_text": "B", "doc_url": "https://x.example", "url_count": 3,
            "first-author": "A", "date_published_utc": "2021-03-04", "bodyguard": "G",
        }));
        assert_eq!((item.title.as_str(), item.body.as_str(), item.author.as_str()), ("T", "B", "A"));
        assert_eq!(
            (item.url.as_str(), item.date_published.as_str()),
            ("https://x.example", "2021-03-04 00:00:00")
        );
        assert_eq!(Value::Object(item.payload), json!({"subtitle": "S", "url_count": 3, "bodyguard": "G"}));
    }

    #[test]
    fn what_is_set_stays() {
        let payload =
            json!({"name": "Ada", "title": "Other", "n": 1}).as_object().cloned().unwrap_or_default();
        let item = ResultItem { title: "Own".to_owned(), payload, ..ResultItem::default() };
        let mut items = [item.clone()];
        assert_eq!(map_payloads(&mut items, LIMITS), Outcome::default());
        assert_eq!(items[0], item);
        let mut borrowed = [ResultItem { title: "u".to_owned(), url: "u".to_owned(), ..item }];
        assert_eq!(map_payloads(&mut borrowed, LIMITS), Outcome::updated(1));
        assert_eq!(borrowed[0].title, "Other");
    }

    #[test]
    fn names_are_told_apart() {
        let table = [
            ("title_en", "title", true),
            ("titleEn", "title", true),
            ("pageTitle", "title", true),
            ("page title", "title", true),
            ("PAGE_TITLE", "title", true),
            ("subtitle", "title", false),
            ("titles", "title", false),
            ("curl", "url", false),
            ("title", "title", false),
            ("títle_x", "title", false),
        ];
        for (name, field, want) in table {
            assert_eq!(is_named_after(name, field), want, "{name}");
        }
    }

    #[test]
    fn a_dataset_is_left_alone() {
        let item = mapped(json!({"dataset": [["n"], [1]], "chart": {"kind": "bar"}}));
        assert_eq!(item.title, "");
        assert!(item.payload.contains_key("chart"));
    }

    #[test]
    fn follows_mapping() {
        let raw = || vec![json!({"name": "Ada", "n": 1}), json!({"name": "Bob", "n": 2})];
        let both = ["MappingResultProcessor", KIND.name];
        let batch = TestContext::default().results(raw(), &both);
        let titles: Vec<&str> = batch.items.iter().map(|item| item.title.as_str()).collect();
        assert_eq!(titles, ["name: Ada", "name: Bob"]);
        let mut context = TestContext::default();
        context.provider.spec.tags = vec!["MAX_TITLE_LEN:3".to_owned()];
        assert_eq!(context.results(raw(), &both).items[0].body, "name: Ada");

        let context = TestContext::with_mappings("DATASET");
        let alone = context.results(raw(), &both[..1]);
        assert_eq!(alone.items.len(), 1);
        assert_eq!(alone.items[0].payload["dataset"], json!([["name", "n"], ["Ada", 1], ["Bob", 2]]));
        assert_eq!(alone.items[0].payload["chart"], json!({"kind": "bar", "fields": ["name", "n"]}));
        let followed = context.results(raw(), &both);
        assert_eq!(followed.items[0].payload, alone.items[0].payload);
    }
}

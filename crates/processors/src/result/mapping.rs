//! MappingResultProcessor: converts source items to results according to `result_mappings`.

use super::shared::dataset::{self, item_text};
use super::shared::mapped_sources::MappedSources;
use super::shared::result_builder::ResultBuilder;
use super::shared::source_value::look_up;
use domain::corpus::{CONNECTOR_NAME, CacheStatus};
use domain::instant;
use domain::ports::{
    Outcome, ProcessorError, ProcessorErrorKind, ResultBatch, ResultContext, ResultProcessor,
    ResultProcessorKind,
};
use domain::result::ResultItem;
use serde_json::Value;
use std::collections::BTreeSet;
use syntax::result_mappings::{ResultMapping, ResultMappings};

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "MappingResultProcessor",
    summary: "Maps the source's fields to the fields of a result.",
    processor: &Mapping,
};

/// Most words that a source's highlights add to relevancy, and their length.
const HIGHLIGHT_TERMS_MAX: usize = 100;
const HIGHLIGHT_TERM_BYTES_MAX: usize = 100;

struct Mapping;

impl ResultProcessor for Mapping {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        let mappings = cx.provider.spec.result_mappings.parsed().map_err(|reason| {
            ProcessorError::new(ProcessorErrorKind::Invalid, format!("result_mappings: {reason}"))
                .caused_by(reason.clone())
        })?;
        // A dataset of the mapped fields without mappings is one of all fields.
        if mappings.dataset && mappings.no_payload && mappings.mappings.is_empty() {
            let all_fields = ResultMappings { no_payload: false, ..ResultMappings::clone(mappings) };
            return Ok(map_batch(batch, &all_fields, cx));
        }
        Ok(map_batch(batch, mappings, cx))
    }
}

/// Converts the source items to results.
pub(super) fn map_batch(
    batch: &mut ResultBatch,
    mappings: &ResultMappings,
    cx: &ResultContext<'_>,
) -> Outcome {
    let retrieved = instant::display(cx.context.clock.now());
    let wanted = usize::try_from(cx.results_wanted).unwrap_or(usize::MAX);
    let mapped = MappedSources::of(mappings, cx);
    let is_cache = cx.provider.spec.connector == CONNECTOR_NAME;
    for mut raw in std::mem::take(&mut batch.raw) {
        if batch.items.len() >= wanted {
            break;
        }
        let mark = if is_cache { take_mark(&mut raw) } else { None };
        if let Some(mut item) = map_item(raw, mappings, &mapped, &retrieved) {
            item.cache = mark;
            item.searchprovider = cx.provider.spec.name.clone();
            item.searchprovider_rank = u32::try_from(batch.items.len() + 1).unwrap_or(u32::MAX);
            batch.items.push(item);
        }
    }
    batch.highlight_terms = highlight_terms(&batch.items);
    let mapped = batch.items.len();
    if mappings.dataset {
        let columns = if mappings.no_payload { mapped_fields(mappings) } else { Vec::new() };
        dataset::collapse(&mut batch.items, &columns, &cx.search.spec.query_string);
    }
    Outcome::updated(mapped)
}

/// The cache status of a result from the semantic cache. No other source can set it, whatever its response or its
/// mappings contain.
fn take_mark(raw: &mut Value) -> Option<Box<CacheStatus>> {
    let mark = raw.as_object_mut()?.remove("cache")?;
    serde_json::from_value(mark).ok()
}

/// One source item as a result; `None` if it is empty.
fn map_item(
    raw: Value,
    mappings: &ResultMappings,
    mapped: &MappedSources<'_>,
    retrieved: &str,
) -> Option<ResultItem> {
    let mut builder = ResultBuilder::new(mappings, mapped);
    for mapping in &mappings.mappings {
        match mapping {
            ResultMapping::Field { key, sources } => {
                for source in sources {
                    builder.place(key, source, &look_up(source, &raw));
                }
            }
            ResultMapping::Template { key, parts } => builder.place_template(key, parts, &raw),
            ResultMapping::Payload(source) => builder.place_in_payload(source, &look_up(source, &raw)),
        }
    }
    builder.take_leftovers(raw);
    builder.finish(retrieved)
}

/// The mapped fields of a result, which are the first columns of a dataset.
fn mapped_fields(mappings: &ResultMappings) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    for mapping in &mappings.mappings {
        let (ResultMapping::Field { key, .. } | ResultMapping::Template { key, .. }) = mapping else {
            continue;
        };
        if !keys.contains(&key.as_str()) && item_text(&ResultItem::default(), key).is_some() {
            keys.push(key);
        }
    }
    keys
}

/// The words that a source marked with `<em>` in its highlights, in lower case, unique and sorted.
fn highlight_terms(items: &[ResultItem]) -> Vec<String> {
    let mut terms = BTreeSet::new();
    for text in
        items.iter().flat_map(|item| item.title_hit_highlights.iter().chain(&item.body_hit_highlights))
    {
        let marked = text.split("<em>").skip(1).filter_map(|rest| rest.split_once("</em>"));
        for (term, _) in marked.filter(|(term, _)| term.len() <= HIGHLIGHT_TERM_BYTES_MAX) {
            if terms.len() < HIGHLIGHT_TERMS_MAX && !term.trim().is_empty() {
                terms.insert(term.trim().to_lowercase());
            }
        }
    }
    terms.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use proptest::prelude::*;
    use serde_json::json;

    fn mapped(raw: &Value, mappings: &str) -> ResultItem {
        item_of(raw, &ResultMappings::parse(mappings).expect("mappings")).expect("a result")
    }

    fn item_of(raw: &Value, mappings: &ResultMappings) -> Option<ResultItem> {
        let context = TestContext::with_mappings("");
        let mapped = MappedSources::of(mappings, &context.result_context());
        map_item(raw.clone(), mappings, &mapped, "2024-01-02 03:04:05.000006")
    }

    #[test]
    fn maps_fields() {
        let raw = json!({
            "name": "T", "text": null, "desc": "D", "people": [{"n": "A"}, {"n": "B"}], "count": 5, "ok": true,
            "when": 1_700_000_000, "tags": ["x", "y"], "one": ["only"], "empty": "", "id": "a b/c", "sat": 1_500,
            "nested": {"x": 1}, "ratio": 1.5,
        });
        let table = [
            ("title=name", "title", "T"),
            ("title=missing,title=name", "title", "T"),
            ("body=text|desc", "body", "D"),
            ("body=empty|desc", "body", "D"),
            ("author=people[*].n", "author", "A B"),
            ("author=one[*]", "author", "only"),
            ("body=tags", "body", "x y"),
            ("body=count", "body", "5"),
            ("body=ok", "body", "true"),
            ("date_published=when", "date_published", "2023-11-14 22:13:20+00:00"),
            ("date_published_display=when", "date_published_display", "1700000000"),
            ("title=name", "date_published", "unknown"),
            ("title=name", "date_retrieved", "2024-01-02 03:04:05.000006"),
            ("date_retrieved=when", "date_retrieved", "2023-11-14 22:13:20+00:00"),
            ("title='{name}: {missing}, {people[*].n}'", "title", "T: , A B"),
            ("title=name,title='new'", "title", "new"),
            ("url='https://x/{sw_urlencode(id)}'", "url", "https://x/a%20b%2Fc"),
            ("url=sw_urlencode(id)", "url", "a%20b%2Fc"),
            ("body='{sw_btcconvert(sat)} BTC {sw_btcconvert(name)}'", "body", "0.000015 BTC "),
            ("url='HTTP://X',LC_URL", "url", "http://x"),
            ("url='u'", "title", "u"),
            ("author=name", "title", "T"),
            ("title='a<matched_term>b</matched_term>'", "title", "ab"),
            ("title='{name}, {desc}',body=desc", "title", "T, D"),
            ("title='open { brace'", "title", "open { brace"),
            ("date_published='{when}'", "date_published", "2023-11-14 22:13:20+00:00"),
            ("body='{sw_urlencode(people[*].n)}'", "body", "A B"),
            ("body=nested", "body", r#"{"x":1}"#),
            ("body=ratio", "body", "1.5"),
        ];
        for (mappings, field, want) in table {
            let item = serde_json::to_value(mapped(&raw, mappings)).expect("json");
            assert_eq!(item[field], json!(want), "{mappings}");
        }
    }

    #[test]
    fn fills_the_payload() {
        let raw = json!({"content": "C", "description": "D", "n": 1, "l": [1, 2], "x": null, "b": false});
        let table = [
            ("body=content|description,NO_PAYLOAD", json!({"body_description": "D"})),
            ("body=content,body=description,NO_PAYLOAD", json!({"body_description": "D"})),
            ("n,l[*],x,NO_PAYLOAD", json!({"n": 1, "l[*]": [1, 2]})),
            ("Number=n|b,NO_PAYLOAD", json!({"Number": 1, "Number_b": false})),
            ("Text='n is {n}',NO_PAYLOAD", json!({"Text": "n is 1"})),
            ("['content'],b,NO_PAYLOAD", json!({"['content']": "C", "b": false})),
            ("body=x|content,NO_PAYLOAD", json!({})),
            ("body=content|description|n,NO_PAYLOAD", json!({"body_description": "D", "body_n": 1})),
            ("body=l[*],NO_PAYLOAD,content", json!({"content": "C"})),
            ("body=l[*]", json!({"content": "C", "description": "D", "n": 1, "b": false})),
            ("title=content", json!({"description": "D", "n": 1, "l": [1, 2], "b": false})),
            ("body=content|description", json!({"body_description": "D", "n": 1, "l": [1, 2], "b": false})),
            (
                "title='{content}'",
                json!({"content": "C", "description": "D", "n": 1, "l": [1, 2], "b": false}),
            ),
            (
                "Number=n,l[*]",
                json!({"Number": 1, "l[*]": [1, 2], "content": "C", "description": "D", "b": false}),
            ),
        ];
        for (mappings, want) in table {
            assert_eq!(Value::Object(mapped(&raw, mappings).payload), want, "{mappings}");
        }
    }

    #[test]
    fn takes_fields_of_the_same_name() {
        let raw = json!({
            "title": null, "body": "B", "url": "u", "date_published": "2021-03-04", "swirl_score": 9.0,
            "date_retrieved": "x", "searchprovider": "Other",
        });
        let item = mapped(&raw, "NO_PAYLOAD");
        assert_eq!((item.title.as_str(), item.body.as_str()), ("u", "B"));
        assert_eq!(item.date_published, "2021-03-04 00:00:00");
        assert_eq!((item.swirl_score, item.searchprovider.as_str()), (0.0, ""));
        assert_eq!(item.date_retrieved, "2024-01-02 03:04:05.000006");
        assert_eq!(mapped(&raw, "body=url").payload["body"], json!("B"));
    }

    #[test]
    fn knows_highlights_and_blocks() {
        let raw = json!({"t": "x", "h": ["a <em>Solid</em> b", "<em>state</em> <em>solid</em>"], "one": "<em>Z</em>"});
        let item = mapped(&raw, "title=t,body_hit_highlights=h[*],title_hit_highlights=one,BLOCK=facts");
        assert_eq!(item.body_hit_highlights.len(), 2);
        assert_eq!(item.title_hit_highlights, ["<em>Z</em>"]);
        assert_eq!(item.result_block.as_deref(), Some("facts"));
        assert_eq!(highlight_terms(&[item]), ["solid", "state", "z"]);
        let many: String = (0..HIGHLIGHT_TERMS_MAX * 2).map(|n| format!("<em>w{n}</em>")).collect();
        let item = mapped(&json!({"t": "x", "h": many}), "title=t,body_hit_highlights=h");
        assert_eq!(highlight_terms(&[item]).len(), HIGHLIGHT_TERMS_MAX);
    }

    /// The results of a provider whose mappings have `DATASET`.
    fn dataset_of(raw: &[Value], mappings: &str) -> ResultItem {
        let mappings = ResultMappings::parse(mappings).expect("mappings");
        assert!(mappings.dataset);
        let mut items: Vec<ResultItem> = raw.iter().filter_map(|raw| item_of(raw, &mappings)).collect();
        let columns = if mappings.no_payload { mapped_fields(&mappings) } else { Vec::new() };
        dataset::collapse(&mut items, &columns, "annual sales");
        assert_eq!(items.len(), 1);
        items.remove(0)
    }

    #[test]
    fn a_dataset_is_one_result() {
        let raw = [
            json!({"title": "North", "sales": 5, "note": null}),
            json!({"title": "South", "sales": 7.5, "note": ["a", "b"]}),
        ];
        let table = [
            ("DATASET", json!([["title", "sales", "note"], ["North", 5, null], ["South", 7.5, "a b"]])),
            ("DATASET,NO_PAYLOAD,sales", json!([["sales"], [5], [7.5]])),
            (
                "DATASET,NO_PAYLOAD,title=title,Sold=sales",
                json!([["title", "Sold"], ["North", 5], ["South", 7.5]]),
            ),
            ("DATASET,NO_PAYLOAD,body='{title}: {sales}'", json!([["body"], ["North: 5"], ["South: 7.5"]])),
        ];
        for (mappings, want) in table {
            let item = dataset_of(&raw, mappings);
            assert_eq!(item.payload["dataset"], want, "{mappings}");
            assert_eq!(item.title, "annual sales");
        }
        assert_eq!(
            dataset_of(&raw, "DATASET").payload["chart"],
            json!({"kind": "bar", "fields": ["title", "sales"]})
        );
    }

    #[test]
    fn a_dataset_without_mappings_has_all_columns() {
        let raw = || vec![json!({"region": "North", "sales": 5}), json!({"region": "South", "sales": 7.5})];
        for mappings in ["DATASET", "DATASET,NO_PAYLOAD"] {
            let batch = TestContext::with_mappings(mappings).results(raw(), &["MappingResultProcessor"]);
            assert_eq!(batch.items.len(), 1, "{mappings}");
            let table = json!([["region", "sales"], ["North", 5], ["South", 7.5]]);
            assert_eq!(batch.items[0].payload["dataset"], table, "{mappings}");
        }
    }

    #[test]
    fn results_are_ranked_named_and_bounded() {
        let mut context = TestContext::with_mappings("title=t,BLOCK=facts");
        context.results_wanted = 2;
        let raw = vec![json!({"t": "a"}), json!({}), json!({"t": "b"}), json!({"t": "c"})];
        let batch = context.results(raw, &["MappingResultProcessor"]);
        let shown: Vec<_> = batch
            .items
            .iter()
            .map(|item| {
                (item.searchprovider_rank, item.searchprovider.as_str(), item.result_block.as_deref())
            })
            .collect();
        assert_eq!(shown, [(1, "Library", Some("facts")), (2, "Library", Some("facts"))]);
        assert!(batch.raw.is_empty());
        assert_eq!(batch.items[0].date_retrieved.len(), "2024-01-02 03:04:05.000006".len());
    }

    #[test]
    fn no_other_source_can_say_that_it_is_the_cache() {
        let raw = || {
            let mark = json!({
                "signal_id": 5, "state": "indexed", "badge": "Cached", "last_verified": null, "liveness": "alive",
                "stale": false, "shared_externally": false, "matter_tags": [],
            });
            vec![json!({"title": "a", "cache": mark}), json!({"title": "b", "cache": {"signal_id": "x"}})]
        };
        for mappings in
            ["", "cache=cache", "title=title,cache='{cache}'", "NO_PAYLOAD", "title=title,BLOCK=facts"]
        {
            let mut context = TestContext::with_mappings(mappings);
            let marks = |batch: ResultBatch| -> Vec<Option<i64>> {
                batch.items.iter().map(|item| item.cache.as_ref().map(|mark| mark.signal_id.0)).collect()
            };
            let forged = context.results(raw(), &["MappingResultProcessor"]);
            assert_eq!(marks(forged), [None, None], "{mappings}");
            context.provider.spec.connector = CONNECTOR_NAME.to_owned();
            let own = context.results(raw(), &["MappingResultProcessor"]);
            assert!(
                own.items
                    .iter()
                    .all(|item| item.payload.get("cache").is_none_or(serde_json::Value::is_string))
            );
            assert_eq!(marks(own), [Some(5), None], "{mappings}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_mapped(text in "\\PC{0,60}", mappings in "(title=t|url='\\{t\\}',LC_URL|date_published=t|t\\[\\*\\]|DATASET)(,NO_PAYLOAD)?") {
            let raw = json!({"t": text, "l": [text, {"k": text}]});
            if let Ok(mappings) = ResultMappings::parse(&mappings) {
                item_of(&raw, &mappings);
            }
        }
    }

    #[test]
    fn what_holds_nothing_is_no_result() {
        let mappings = ResultMappings::parse("title=t").expect("mappings");
        for raw in [json!(null), json!({}), json!({"t": null}), json!(5), json!("text")] {
            assert_eq!(item_of(&raw, &mappings), None, "{raw}");
        }
        let whole = ResultMappings::parse("title=$").expect("mappings");
        assert_eq!(item_of(&json!("text"), &whole).map(|item| item.title).as_deref(), Some("text"));
    }

    #[test]
    fn a_source_that_names_the_type_of_its_text_is_read() {
        let raw =
            json!({"title": {"@type": "html", "#text": "Words"}, "author": [{"name": "A"}, {"name": "B"}]});
        let item = mapped(&raw, "title=title,author=author[*].name,NO_PAYLOAD");
        assert_eq!((item.title.as_str(), item.author.as_str()), ("Words", "A B"));
    }
}

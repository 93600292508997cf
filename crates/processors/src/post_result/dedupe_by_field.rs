//! DedupeByFieldPostResultProcessor: merges results with the same URL, or with the same value of another field. The
//! best of them stays and lists the others as its `duplicates`.

use super::shared::canonical_url::{canonical, canonical_form};
use super::shared::groups::{Place, compared, settle};
use async_trait::async_trait;
use domain::ports::{
    Outcome, PostResultContext, PostResultProcessor, PostResultProcessorKind, ProcessorError,
};
use domain::result::{DATE_UNKNOWN, ResultItem, ResultSet};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use syntax::strip_html::readable;

struct DedupeByFieldPostResultProcessor;

#[async_trait]
impl PostResultProcessor for DedupeByFieldPostResultProcessor {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError> {
        let settings = &cx.context.settings;
        let places = compared(sets, cx);
        Ok(dedupe(sets, places, settings.dedupe_field.trim(), settings.dedupe_group_not_drop))
    }
}

/// Works on the results at these positions, the best first. The others of a group are listed under its best if `lists`
/// is set, otherwise deleted.
fn dedupe(sets: &mut [ResultSet], places: Vec<Place>, field: &str, lists: bool) -> Outcome {
    let bests = bests(sets, places, field);
    settle(sets, &bests, lists)
}

/// The best result with the same value, for each result that is not the best itself.
fn bests(sets: &[ResultSet], places: Vec<Place>, field: &str) -> HashMap<Place, Place> {
    let mut best_of_value: HashMap<Cow<'_, str>, Place> = HashMap::with_capacity(places.len());
    let mut bests: HashMap<Place, Place> = HashMap::new();
    for place in places {
        let Some(value) = value_of(&sets[place.0].items[place.1], field) else { continue };
        let best = *best_of_value.entry(value).or_insert(place);
        if best != place {
            bests.insert(place, best);
        }
    }
    bests
}

/// The compared value: the field of the result, or of its payload. Empty values are never equal.
fn value_of<'a>(item: &'a ResultItem, field: &str) -> Option<Cow<'a, str>> {
    let own = field_of(item, field).map(trimmed).filter(|text| !text.is_empty());
    let value = own.or_else(|| item.payload.get(field).and_then(text_of).map(Cow::Owned))?;
    match value {
        value if field != "url" => Some(value),
        Cow::Borrowed(url) => canonical_form(url),
        Cow::Owned(url) => canonical(&url).map(Cow::Owned),
    }
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

/// The fields that a source fills.
fn field_of<'a>(item: &'a ResultItem, field: &str) -> Option<Cow<'a, str>> {
    let text = match field {
        "url" => &item.url,
        // Highlights depend on the words that each source was asked for.
        "title" => return Some(readable(&item.title)),
        "body" => return Some(readable(&item.body)),
        "author" => &item.author,
        "searchprovider" => &item.searchprovider,
        "date_published" if item.date_published != DATE_UNKNOWN => &item.date_published,
        "date_published_display" if item.date_published_display != DATE_UNKNOWN => {
            &item.date_published_display
        }
        _ => return None,
    };
    Some(text.into())
}

fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.trim().to_owned(),
        Value::Array(list) if list.is_empty() => return None,
        Value::Object(object) if object.is_empty() => return None,
        other => other.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

pub const KIND: PostResultProcessorKind = PostResultProcessorKind {
    name: "DedupeByFieldPostResultProcessor",
    summary: "Groups results with the same url, or the same SVC_DEDUPE_FIELD: the best one stays and lists the others as its duplicates. SVC_DEDUPE_GROUP_NOT_DROP false deletes them.",
    finds_versions: false,
    only_at_end: false,
    processor: &DedupeByFieldPostResultProcessor,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::post_result::shared::fixtures::{item, listed, set};
    use crate::post_result::shared::groups::best_first;
    use serde_json::json;

    fn dedupe_all(sets: &mut [ResultSet], field: &str, lists: bool) -> Outcome {
        let places = best_first(sets);
        dedupe(sets, places, field, lists)
    }

    fn group(sets: &mut [ResultSet]) -> usize {
        dedupe_all(sets, "url", true).grouped
    }

    #[test]
    fn the_best_stays_and_lists_the_others() {
        let first = vec![
            item("a1", "https://a.example/", 0.5, 1.0),
            item("b1", "https://b.example", 0.5, 1.0),
            item("c1", "https://c.example", 0.5, 1.0),
            item("none", "", 0.1, 1.0),
        ];
        let second = vec![
            item("a2", "https://A.example?utm_source=x", 0.9, 1.0),
            item("b2", "https://b.example/", 0.5, 2.0),
            item("c2", "https://c.example#top", 0.5, 1.0),
            item("c3", "https://c.example/", f64::NAN, 1.0),
            item("none", "", 0.1, 1.0),
        ];
        let mut sets = [set(2, "q", second), set(1, "q", first)];
        assert_eq!(group(&mut sets), 4);
        let expected = [vec!["a2[a1]", "b2[b1]", "none[]"], vec!["c1[c2 c3]", "none[]"]];
        assert_eq!(
            listed(&sets),
            expected.map(|titles| titles.into_iter().map(str::to_owned).collect::<Vec<_>>())
        );
        assert_eq!(sets[0].retrieved, 5, "what the source gave is still told");
        assert_eq!(group(&mut sets), 0, "a second turn finds nothing");
    }

    #[test]
    fn an_update_does_not_replace_what_is_there() {
        let better = ResultItem { new: Some(1), ..item("new", "https://a.example", 0.9, 9.0) };
        let mut sets =
            [set(1, "q", vec![better]), set(2, "q", vec![item("old", "https://a.example", 0.1, 0.0)])];
        assert_eq!(group(&mut sets), 1);
        assert_eq!(listed(&sets), [vec![], vec!["old[new]".to_owned()]]);
    }

    #[test]
    fn results_of_a_block_stay_where_they_are() {
        let mut summary = item("summary", "https://a.example", 1.0, 0.0);
        summary.result_block = Some("ai_summary".to_owned());
        let mut sets = [set(1, "q", vec![summary, item("a", "https://a.example", 0.1, 0.0)])];
        assert_eq!(group(&mut sets), 0);
    }

    #[test]
    fn what_is_compared() {
        let payload = json!({"doi": " 10.1/x ", "number": 7, "none": null, "list": [], "blank": " ",
            "parts": {"a": 1}, "author": "Ann", "url": "http://a.example/#x"});
        let full = ResultItem {
            title: "<em>River</em> ".to_owned(),
            date_published: DATE_UNKNOWN.to_owned(),
            payload: payload.as_object().cloned().unwrap_or_default(),
            ..ResultItem::default()
        };
        let table = [
            ("title", Some("River")),
            ("body", None),
            ("author", Some("Ann")),
            ("date_published", None),
            ("doi", Some("10.1/x")),
            ("number", Some("7")),
            ("parts", Some("{\"a\":1}")),
            ("none", None),
            ("list", None),
            ("blank", None),
            ("unknown", None),
            ("", None),
        ];
        for (field, expected) in table {
            assert_eq!(value_of(&full, field).as_deref(), expected, "{field}");
        }
        assert_eq!(value_of(&full, "url"), canonical_form("http://a.example/"));
    }

    #[test]
    fn another_field_and_deletion() {
        let by =
            |author: &str, url: &str| ResultItem { author: author.to_owned(), ..item(author, url, 0.5, 0.0) };
        let items = vec![
            by("Ann", "https://a.example"),
            by("Bo", "https://a.example"),
            by("Ann ", ""),
            by("", ""),
            by(" ", ""),
        ];
        let mut sets = [set(1, "q", items.clone())];
        assert_eq!(dedupe_all(&mut sets, "author", true), Outcome::grouped(1));
        assert_eq!(listed(&sets), [["Ann[Ann ]", "Bo[]", "[]", " []"]]);
        let mut sets = [set(1, "q", items)];
        assert_eq!(dedupe_all(&mut sets, "author", false), Outcome::deleted(1));
        assert_eq!(listed(&sets), [["Ann[]", "Bo[]", "[]", " []"]]);
    }

    #[test]
    fn the_message_says_what_happened() {
        let line = |outcome: Outcome| outcome.notice(KIND.name, None).map(|kind| kind.to_string());
        let grouped = |count| line(Outcome::grouped(count));
        assert_eq!(grouped(4).as_deref(), Some("DedupeByFieldPostResultProcessor grouped 4 duplicates"));
        assert_eq!(grouped(1).as_deref(), Some("DedupeByFieldPostResultProcessor grouped 1 duplicate"));
        assert_eq!(grouped(0), None);
        let deleted = line(Outcome::deleted(2));
        assert_eq!(deleted.as_deref(), Some("DedupeByFieldPostResultProcessor deleted 2 results"));
    }
}

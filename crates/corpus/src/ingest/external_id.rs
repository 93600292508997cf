//! The id of a document at its source: the values needed to fetch it again.

use domain::provider::SearchProvider;
use domain::result::ResultItem;
use serde_json::{Map, Value};
use syntax::json_path::JsonPath;

/// Longest id in bytes; a longer one is not stored.
pub const EXTERNAL_ID_BYTES_MAX: usize = 1_000;
/// Usual names of a result's id.
const ID_NAMES: [&str; 3] = ["id", "_id", "uid"];

/// The item reduced to what is needed to fetch it.
pub(super) fn trimmed(provider: &SearchProvider, item: &ResultItem) -> ResultItem {
    ResultItem {
        title: item.title.clone(),
        url: item.url.clone(),
        author: item.author.clone(),
        date_published: item.date_published.clone(),
        payload: values(provider, item),
        ..ResultItem::default()
    }
}

/// The id of a document at its source: the values that the provider's templates use, else the id of its result. URLs
/// are skipped: those in results are often signed and expire.
pub(super) fn external_id(provider: &SearchProvider, item: &ResultItem) -> String {
    let is_lasting = |value: &Value| !value.as_str().is_some_and(|text| text.contains("://"));
    let mut values = values(provider, item);
    values.retain(|_, value| is_lasting(value));
    let id = if values.is_empty() {
        let own = ID_NAMES.iter().find_map(|name| item.payload.get(*name)).filter(|id| is_lasting(id));
        own.and_then(text).unwrap_or_default()
    } else {
        Value::Object(values).to_string()
    };
    if id.len() > EXTERNAL_ID_BYTES_MAX { String::new() } else { id }
}

/// The values of a result that the provider's templates use, by their name in the template.
fn values(provider: &SearchProvider, item: &ResultItem) -> Map<String, Value> {
    let config = provider.spec.page_fetch_config_json.parsed();
    let lookup = config.media_type_lookup.as_ref().map(|lookup| lookup.url.as_str());
    let templates = [config.content_url.as_deref(), lookup];
    let mut values = Map::new();
    for name in templates.into_iter().flatten().flat_map(names) {
        if let Some(value) = value(item, name) {
            values.insert(name.to_owned(), Value::String(value));
        }
    }
    values
}

/// The names in braces.
fn names(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.trim())
}

fn value(item: &ResultItem, name: &str) -> Option<String> {
    if let Some(value) = item.payload.get(name) {
        return text(value);
    }
    let path = JsonPath::parse(name).ok()?;
    path.find(&Value::Object(item.payload.clone())).into_iter().find_map(text)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;
    use domain::instant::Instant;
    use serde_json::json;

    fn provider(spec: Value) -> SearchProvider {
        let spec = serde_json::from_value(spec).unwrap();
        SearchProvider::unsaved(spec, UserId(1), Instant::default())
    }

    fn item(payload: Value) -> ResultItem {
        let payload = payload.as_object().unwrap().clone();
        ResultItem { url: "https://a.example/x".to_owned(), payload, ..ResultItem::default() }
    }

    #[test]
    fn an_id_is_what_the_source_is_asked_by() {
        let long = "x".repeat(EXTERNAL_ID_BYTES_MAX + 1);
        let table = [
            ("", json!({"id": "7", "other": 1}), "7"),
            ("", json!({"_id": 7}), "7"),
            ("", json!({"id": {"a": 1}}), ""),
            ("", json!({"id": "https://a.example/?sig=1"}), ""),
            ("", json!({"id": long}), ""),
            ("https://a.example/{file.id}/content", json!({"file": {"id": "f"}}), r#"{"file.id":"f"}"#),
            ("https://a.example/{id}/{part}", json!({"id": 1, "part": 2}), r#"{"id":"1","part":"2"}"#),
            ("{downloadUrl}", json!({"downloadUrl": "https://a.example/?sig=1", "id": "7"}), "7"),
        ];
        for (template, payload, expected) in table {
            let provider = provider(json!({"page_fetch_config_json": {"content_url": template}}));
            assert_eq!(external_id(&provider, &item(payload)), expected, "{template}");
        }
    }

    #[test]
    fn a_trimmed_result_is_small_and_can_be_fetched() {
        let provider = provider(json!({"page_fetch_config_json": {"content_url": "{a.b}"}}));
        let mut whole = item(json!({"a": {"b": "https://a.example/1?sig=2", "c": "long"}, "d": "long"}));
        whole.body = "long".to_owned();
        let small = trimmed(&provider, &whole);
        assert_eq!(Value::Object(small.payload), json!({"a.b": "https://a.example/1?sig=2"}));
        assert_eq!((small.body.as_str(), small.url.as_str()), ("", "https://a.example/x"));
    }
}

//! An item from an API with the fields of a result, for providers without `result_mappings`.

use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Default)]
pub struct FoundItem {
    pub title: String,
    pub url: String,
    pub body: String,
    pub author: String,
    pub date: String,
}

impl FoundItem {
    /// Adds more named values; missing ones are left out.
    pub fn with(self, more: &[(&str, Option<&Value>)]) -> Value {
        let mut item = Map::new();
        for (name, text) in [
            ("title", self.title),
            ("url", self.url),
            ("body", self.body),
            ("author", self.author),
            ("date_published", self.date),
        ] {
            item.insert(name.to_owned(), json!(text));
        }
        for (name, value) in more {
            if let Some(value) = value.filter(|value| !value.is_null()) {
                item.insert((*name).to_owned(), value.clone());
            }
        }
        Value::Object(item)
    }
}

/// The first non-empty text at several JSON pointers.
pub fn first_text(value: &Value, pointers: &[&str]) -> String {
    let texts = pointers.iter().filter_map(|pointer| value.pointer(pointer)?.as_str());
    texts.map(str::trim).find(|text| !text.is_empty()).unwrap_or_default().to_owned()
}

/// `text`, or `other` if it is empty.
pub fn or(text: String, other: &str) -> String {
    if text.is_empty() { other.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_holds_what_is_there() {
        let hit = json!({"a": {"b": " "}, "c": "x", "n": null, "s": 5});
        let item = FoundItem { title: first_text(&hit, &["/a/b", "/c"]), ..FoundItem::default() };
        let item = item.with(&[("size", hit.get("s")), ("none", hit.get("n")), ("gone", hit.get("z"))]);
        let want =
            json!({"title": "x", "url": "", "body": "", "author": "", "date_published": "", "size": 5});
        assert_eq!(item, want);
        assert_eq!(or(first_text(&hit, &["/z"]), "(no title)"), "(no title)");
    }
}

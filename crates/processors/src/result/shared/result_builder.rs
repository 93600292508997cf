//! Builds a result: fills its fields and its payload with the values of one source item.

use super::mapped_sources::MappedSources;
use super::payload::Payload;
use super::source_value::{borrowed_text_of, is_populated, joined, look_up, push_bounded, text_of};
use domain::result::{DATE_UNKNOWN, ResultItem};
use serde_json::Value;
use std::borrow::Cow;
use syntax::dates::{normalize_date, parse_date};
use syntax::result_mappings::{ResultMappings, Source, TemplatePart};

/// Builder of a result.
pub struct ResultBuilder<'m> {
    item: ResultItem,
    payload: Payload,
    mappings: &'m ResultMappings,
    mapped: &'m MappedSources<'m>,
}

impl<'m> ResultBuilder<'m> {
    pub fn new(mappings: &'m ResultMappings, mapped: &'m MappedSources<'m>) -> Self {
        Self { item: ResultItem::default(), payload: Payload::default(), mappings, mapped }
    }

    /// The first populated source fills its field; later ones go to the payload as `<key>_<path>`. A key that is not a
    /// field of a result is a name in the payload.
    pub fn place(&mut self, key: &str, source: &Source, values: &[Cow<'_, Value>]) {
        if values.is_empty() {
            return;
        }
        let is_free = match Target::of(&mut self.item, key) {
            Some(target) if target.is_empty() => {
                target.fill(values);
                // A column of its own.
                if values.len() > 1 && self.mappings.dataset && !self.mappings.no_payload {
                    self.payload.insert_all(key, values);
                }
                return;
            }
            Some(_) => false,
            None => !self.payload.contains(key),
        };
        if is_free {
            self.payload.insert_all(key, values);
        } else {
            self.payload.insert_all(&format!("{key}_{}", source.path.as_str()), values);
        }
    }

    /// A source without a key goes to the payload under its own name.
    pub fn place_in_payload(&mut self, source: &Source, values: &[Cow<'_, Value>]) {
        self.payload.insert_all(source.path.as_str(), values);
    }

    /// A template replaces the value of its field.
    pub fn place_template(&mut self, key: &str, parts: &[TemplatePart], raw: &Value) {
        let mut text = String::new();
        for part in parts {
            match part {
                TemplatePart::Text(literal) => push_bounded(&mut text, literal),
                TemplatePart::Value(source) => {
                    let values = look_up(source, raw);
                    push_bounded(&mut text, &joined(values.iter().map(AsRef::as_ref)));
                }
            }
        }
        match Target::of(&mut self.item, key) {
            Some(Target::Text(field)) => *field = text,
            Some(Target::Date(field)) => *field = normalize_date(&text),
            Some(Target::Texts(list)) => *list = vec![text],
            None => self.payload.insert(key, &Value::String(text)),
        }
    }

    /// Members without a mapping: fields of the same name are filled, the rest goes to the payload.
    pub fn take_leftovers(&mut self, mut raw: Value) {
        let Self { item, payload, mappings, mapped } = self;
        mapped.remove_deep(&mut raw);
        let Value::Object(object) = raw else { return };
        if !mappings.no_payload && payload.can_be(&object) {
            payload.take_over(object, |key, value| {
                is_populated(value)
                    && if fill_free(item, key, value) { mappings.dataset } else { !mapped.has_member(key) }
            });
            return;
        }
        for (key, value) in object.into_iter().filter(|(_, value)| is_populated(value)) {
            let is_left = if fill_free(item, &key, &value) {
                mappings.dataset
            } else {
                !mapped.has_member(&key) && !payload.contains(&key)
            };
            if is_left && !mappings.no_payload {
                payload.insert_owned(key, value);
            }
        }
    }

    /// The result; `None` if it is empty.
    pub fn finish(self, retrieved: &str) -> Option<ResultItem> {
        let mut item = self.item;
        item.payload = self.payload.into_map();
        let is_void = [&item.title, &item.body, &item.url, &item.author].iter().all(|text| text.is_empty());
        if is_void && item.payload.is_empty() {
            return None;
        }
        // Most titles have no markup, and one byte is found sooner than a tag.
        if item.title.contains('<') {
            for tag in ["<matched_term>", "</matched_term>"] {
                if item.title.contains(tag) {
                    item.title = item.title.replace(tag, "");
                }
            }
        }
        if self.mappings.lc_url {
            item.url = item.url.to_lowercase();
        }
        item.restrict();
        if item.title.is_empty() {
            item.title = if item.url.is_empty() { item.author.clone() } else { item.url.clone() };
        }
        if item.date_published.is_empty() {
            item.date_published = DATE_UNKNOWN.to_owned();
        }
        if item.date_retrieved.is_empty() {
            item.date_retrieved = retrieved.to_owned();
        }
        item.result_block = self.mappings.block.clone();
        Some(item)
    }
}

/// Fills the field of this name, if there is one that is empty. A dataset shows every column of its source, also
/// those that filled a field.
fn fill_free(item: &mut ResultItem, key: &str, value: &Value) -> bool {
    // The service itself sets when a result was retrieved.
    if key == "date_retrieved" {
        return false;
    }
    let target = Target::of(item, key).filter(Target::is_empty);
    let is_free = target.is_some();
    if let Some(target) = target {
        target.fill(&[Cow::Borrowed(value)]);
    }
    is_free
}

/// A field of a result that a source may fill.
enum Target<'a> {
    Text(&'a mut String),
    Date(&'a mut String),
    Texts(&'a mut Vec<String>),
}

impl<'a> Target<'a> {
    fn of(item: &'a mut ResultItem, key: &str) -> Option<Self> {
        Some(match key {
            "title" => Self::Text(&mut item.title),
            "url" => Self::Text(&mut item.url),
            "body" => Self::Text(&mut item.body),
            "author" => Self::Text(&mut item.author),
            "date_published_display" => Self::Text(&mut item.date_published_display),
            "date_published" => Self::Date(&mut item.date_published),
            "date_retrieved" => Self::Date(&mut item.date_retrieved),
            "title_hit_highlights" => Self::Texts(&mut item.title_hit_highlights),
            "body_hit_highlights" => Self::Texts(&mut item.body_hit_highlights),
            _ => return None,
        })
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) | Self::Date(text) => text.is_empty(),
            Self::Texts(list) => list.is_empty(),
        }
    }

    fn fill(self, values: &[Cow<'_, Value>]) {
        match self {
            Self::Text(text) => *text = joined(values.iter().map(AsRef::as_ref)),
            Self::Date(text) => *text = date_of(values),
            Self::Texts(list) => {
                let all = values.iter().flat_map(|value| match value.as_ref() {
                    Value::Array(items) => items.as_slice(),
                    single => std::slice::from_ref(single),
                });
                list.extend(all.filter(|value| is_populated(value)).map(text_of));
            }
        }
    }
}

/// The first of several values that is a date; otherwise the first unchanged.
fn date_of(values: &[Cow<'_, Value>]) -> String {
    let flat = values.iter().flat_map(|value| match value.as_ref() {
        Value::Array(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    });
    let mut first = None;
    for text in flat.filter(|value| is_populated(value)).map(borrowed_text_of) {
        if let Some(date) = parse_date(&text) {
            return date;
        }
        first = first.or(Some(text));
    }
    normalize_date(first.as_deref().unwrap_or_default())
}

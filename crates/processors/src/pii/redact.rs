//! Redaction: personal data is replaced by its kind in results and removed from queries.

use super::find;
use domain::result::ResultItem;
use serde_json::Value;
use syntax::strip_html::{decode_entities, readable};

/// Deeper values of a payload are dropped, because they are not scanned.
const DEPTH_MAX: usize = 64;

/// Replaces personal data in the visible texts: title, body, author, highlights and all texts of the payload. The url
/// stays, because it would no longer work. Returns true if anything was found.
pub fn redact_item(item: &mut ResultItem) -> bool {
    let mut is_changed = false;
    let texts = [&mut item.title, &mut item.body, &mut item.author];
    let highlights = item.title_hit_highlights.iter_mut().chain(&mut item.body_hit_highlights);
    let duplicates = item.duplicates.iter_mut().flat_map(|same| [&mut same.title, &mut same.body]);
    for text in texts.into_iter().chain(highlights).chain(duplicates) {
        is_changed |= redact_text(text);
    }
    for value in item.payload.values_mut() {
        is_changed |= redact_value(value, DEPTH_MAX);
    }
    is_changed
}

/// The text without markup and personal data, words separated by single spaces; `None` if there is none.
pub fn removed(text: &str) -> Option<String> {
    let left = replaced(&decode_entities(&readable(text)), |_| String::new())?;
    Some(left.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The text without markup, with each piece of personal data replaced by its kind; `None` if there is none.
pub fn redacted(text: &str) -> Option<String> {
    // Highlight tags inside a word may split an address, so they are removed first.
    replaced(&readable(text), |word| format!("[{word}]"))
}

fn redact_text(text: &mut String) -> bool {
    let redacted = redacted(text);
    let is_found = redacted.is_some();
    if let Some(redacted) = redacted {
        *text = redacted;
    }
    is_found
}

fn redact_value(value: &mut Value, depth: usize) -> bool {
    if depth == 0 {
        *value = Value::Null;
        return true;
    }
    match value {
        Value::String(text) => redact_text(text),
        Value::Array(list) => {
            list.iter_mut().fold(false, |found, item| redact_value(item, depth - 1) | found)
        }
        Value::Object(object) => {
            object.values_mut().fold(false, |found, item| redact_value(item, depth - 1) | found)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn replaced(text: &str, by: impl Fn(&str) -> String) -> Option<String> {
    let findings = find(text);
    if findings.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for finding in findings {
        out.push_str(&text[at..finding.range.start]);
        out.push_str(&by(finding.word));
        at = finding.range.end;
    }
    out.push_str(&text[at..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::result::Duplicate;
    use serde_json::json;

    #[test]
    fn every_text_of_a_result_is_redacted() {
        let mut item = ResultItem {
            title: "Mail from <em>ada</em>@byron.example".to_owned(),
            body: "Ask <b>Dr. Byron</b> at +44 20 7946 0958 &amp; wait".to_owned(),
            author: "ada@byron.example".to_owned(),
            url: "mailto:ada@byron.example".to_owned(),
            body_hit_highlights: vec!["<em>ada@byron.example</em>".to_owned(), "<em>wait</em>".to_owned()],
            duplicates: vec![Duplicate { body: "4111 1111 1111 1111".to_owned(), ..Duplicate::default() }],
            ..ResultItem::default()
        };
        item.payload.insert("from".to_owned(), json!({"mail": ["ada@byron.example", 7, null]}));
        item.payload.insert("note".to_owned(), json!("<i>plain</i>"));
        assert!(redact_item(&mut item));
        assert_eq!(item.title, "Mail from [EMAIL_ADDRESS]");
        assert_eq!(item.body, "Ask [PERSON] at [PHONE_NUMBER] & wait");
        assert_eq!(item.author, "[EMAIL_ADDRESS]");
        assert_eq!(item.url, "mailto:ada@byron.example");
        assert_eq!(item.body_hit_highlights, ["[EMAIL_ADDRESS]", "<em>wait</em>"]);
        assert_eq!(item.duplicates[0].body, "[CREDIT_CARD]");
        assert_eq!(
            Value::Object(item.payload.clone()),
            json!({"from": {"mail": ["[EMAIL_ADDRESS]", 7, null]}, "note": "<i>plain</i>"})
        );
        assert!(!redact_item(&mut item), "a second turn finds nothing");
    }

    #[test]
    fn what_lies_too_deep_is_dropped() {
        let mut value = json!("ada@byron.example");
        for _ in 0..DEPTH_MAX * 2 {
            value = json!([value]);
        }
        let mut item = ResultItem::default();
        item.payload.insert("deep".to_owned(), value);
        assert!(redact_item(&mut item));
        assert!(!Value::Object(item.payload).to_string().contains("byron"));
    }

    #[test]
    fn removes_from_a_query() {
        let table = [
            ("invoices of ada@byron.example in May", Some("invoices of in May")),
            ("<b>Dr. Byron</b> papers", Some("papers")),
            ("ada@byron.example", Some("")),
            ("solid <b>state</b>  batteries", None),
            ("x<y ada@byron.example", Some("x<y")),
            ("", None),
        ];
        for (query, want) in table {
            assert_eq!(removed(query).as_deref(), want, "{query}");
        }
    }
}

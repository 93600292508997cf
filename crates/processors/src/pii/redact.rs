//! Redaction: personal data is replaced by its kind in results and removed from queries.

use super::find;
use super::mail_names::MailNames;
use domain::result::ResultItem;
use serde_json::Value;
use syntax::strip_html::{decode_entities, readable};

/// Deeper values of a payload are dropped, because they are not scanned.
const DEPTH_MAX: usize = 64;

/// Replaces personal data in the visible texts: title, body, author, highlights and all texts of the payload. The url
/// stays, because it would no longer work. Returns true if anything was found.
pub fn redact_item(item: &mut ResultItem) -> bool {
    let names = names_of(item);
    let mut is_changed = false;
    let texts = [&mut item.title, &mut item.body, &mut item.author];
    let highlights = item.title_hit_highlights.iter_mut().chain(&mut item.body_hit_highlights);
    let duplicates = item.duplicates.iter_mut().flat_map(|same| [&mut same.title, &mut same.body]);
    for text in texts.into_iter().chain(highlights).chain(duplicates) {
        is_changed |= redact_text(text, &names);
    }
    for value in item.payload.values_mut() {
        is_changed |= redact_value(value, DEPTH_MAX, &names);
    }
    is_changed
}

/// The names in the email addresses of a result.
fn names_of(item: &ResultItem) -> MailNames {
    let mut names = MailNames::default();
    let duplicates = item.duplicates.iter().flat_map(|same| [&same.title, &same.body]);
    for text in [&item.title, &item.body, &item.author, &item.url].into_iter().chain(duplicates) {
        names.add(&readable(text));
    }
    item.payload.values().for_each(|value| add_names(&mut names, value, DEPTH_MAX));
    names
}

fn add_names(names: &mut MailNames, value: &Value, depth: usize) {
    if depth == 0 {
        return;
    }
    match value {
        Value::String(text) => names.add(&readable(text)),
        Value::Array(list) => list.iter().for_each(|item| add_names(names, item, depth - 1)),
        Value::Object(object) => object.values().for_each(|item| add_names(names, item, depth - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The text without markup and personal data, words separated by single spaces; `None` if there is none.
pub fn removed(text: &str) -> Option<String> {
    let text = decode_entities(&readable(text));
    let left = replaced(&text, &names_in(&text), |_| String::new())?;
    Some(left.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The text without markup, with each piece of personal data replaced by its kind; `None` if there is none.
pub fn redacted(text: &str) -> Option<String> {
    redacted_with(text, &names_in(&readable(text)))
}

fn redacted_with(text: &str, names: &MailNames) -> Option<String> {
    // Highlight tags inside a word may split an address, so they are removed first.
    replaced(&readable(text), names, |word| format!("[{word}]"))
}

/// The names in the email addresses of a text.
fn names_in(text: &str) -> MailNames {
    let mut names = MailNames::default();
    names.add(text);
    names
}

fn redact_text(text: &mut String, names: &MailNames) -> bool {
    let redacted = redacted_with(text, names);
    let is_found = redacted.is_some();
    if let Some(redacted) = redacted {
        *text = redacted;
    }
    is_found
}

fn redact_value(value: &mut Value, depth: usize, names: &MailNames) -> bool {
    if depth == 0 {
        *value = Value::Null;
        return true;
    }
    match value {
        Value::String(text) => redact_text(text, names),
        Value::Array(list) => {
            list.iter_mut().fold(false, |found, item| redact_value(item, depth - 1, names) | found)
        }
        Value::Object(object) => {
            object.values_mut().fold(false, |found, item| redact_value(item, depth - 1, names) | found)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn replaced(text: &str, names: &MailNames, by: impl Fn(&str) -> String) -> Option<String> {
    let findings = find(text, names);
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

    /// A name without a title is found if an email address of the same result spells it, and only then.
    #[test]
    fn names_are_redacted_that_an_address_spells() {
        let mut item = ResultItem {
            title: "Notes of John Smith".to_owned(),
            body: "SMITH, John and Jane Doe met in New York; <em>John</em> Q. Smith agreed.".to_owned(),
            author: "John Smith <john.smith@example.org>".to_owned(),
            ..ResultItem::default()
        };
        item.payload
            .insert("to".to_owned(), json!([{"name": "Ann O'Neil", "address": "aoneil@example.org"}]));
        assert!(redact_item(&mut item));
        assert_eq!(item.title, "Notes of [PERSON]");
        assert_eq!(item.body, "[PERSON] and Jane Doe met in New York; [PERSON] agreed.");
        assert_eq!(item.author, "[PERSON] &lt;[EMAIL_ADDRESS]>");
        assert_eq!(item.payload["to"], json!([{"name": "[PERSON]", "address": "[EMAIL_ADDRESS]"}]));
        assert!(!redact_item(&mut item), "a second turn finds nothing");
        // The documented limit.
        let mut item =
            ResultItem { body: "John Smith wrote to Jane Doe.".to_owned(), ..ResultItem::default() };
        assert!(!redact_item(&mut item));
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
            ("mails of John Smith john.smith@example.org in May", Some("mails of in May")),
            ("mails of John Smith in May", None),
        ];
        for (query, want) in table {
            assert_eq!(removed(query).as_deref(), want, "{query}");
        }
    }
}

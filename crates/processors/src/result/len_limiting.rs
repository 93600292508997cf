//! LenLimitingResultProcessor: cuts long titles and bodies to the part that matches the query. The full text goes to
//! the payload.

use super::shared::tags;
use domain::ports::{
    Outcome, ProcessorError, ResultBatch, ResultContext, ResultProcessor, ResultProcessorKind,
};
use domain::result::ResultItem;
use relevancy::tokens::{lower, tokens_of_source};
use relevancy::{Query, QueryForms, ScoringConfig};
use serde_json::Value;

pub const KIND: ResultProcessorKind = ResultProcessorKind {
    name: "LenLimitingResultProcessor",
    summary: "Cuts long titles and bodies around the first word of the query; the payload keeps the full text. Limit: tag \
              max_length:N or SVC_MAX_FIELD_LEN.",
    processor: &LenLimiting,
};

/// A smaller limit would leave no words.
const CHARS_MIN: usize = 10;
const ELLIPSIS: &str = "...";

struct LenLimiting;

impl ResultProcessor for LenLimiting {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError> {
        let setting = usize::try_from(cx.context.settings.max_field_len).unwrap_or(usize::MAX);
        let limit = tags::number(cx, "max_length").unwrap_or(setting).max(CHARS_MIN);
        let language = ScoringConfig::of(&cx.context.settings).language;
        let query = Query::of_search(language, cx.search, cx.query);
        let mut forms = QueryForms::of(&query);
        let mut limited = 0;
        for item in &mut batch.items {
            limited += usize::from(limit_item(item, &mut forms, limit));
        }
        Ok(Outcome::updated(limited))
    }
}

fn limit_item(item: &mut ResultItem, forms: &mut QueryForms<'_>, limit: usize) -> bool {
    let is_long = |text: &str| text.char_indices().nth(limit).is_some();
    if !is_long(&item.title) && !is_long(&item.body) {
        return false;
    }
    let query = forms.for_result(item);
    let mut is_limited = false;
    for (field, text) in [("title_full", &mut item.title), ("body_full", &mut item.body)] {
        let Some(short) = limited(text, query, limit) else { continue };
        let full = std::mem::replace(text, short);
        item.payload.insert(field.to_owned(), Value::String(full));
        is_limited = true;
    }
    is_limited
}

/// At most `limit` characters from the first word of the query on, or from the beginning; `None` if the text is short.
fn limited(text: &str, query: &Query, limit: usize) -> Option<String> {
    text.char_indices().nth(limit)?;
    let start = tokens_of_source(text)
        .find(|token| query.may_match(token.text) && query.find(&lower(token.text)).is_some())
        .map_or(0, |token| token.start);
    let (lead, rest) = if start == 0 { ("", text) } else { (ELLIPSIS, &text[start..]) };
    let context = limit - lead.len();
    if rest.char_indices().nth(context).is_none() {
        return Some(format!("{lead}{rest}"));
    }
    Some(format!("{lead}{}{ELLIPSIS}", whole_words(rest, context - ELLIPSIS.len())))
}

/// The beginning of a text, at most this many characters, without a partial word unless there is only one.
fn whole_words(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(place, _)| place);
    let (cut, after) = text.split_at(end);
    if after.starts_with(char::is_whitespace) {
        return cut.trim_end();
    }
    match cut.rfind(char::is_whitespace) {
        Some(space) if !cut[..space].trim().is_empty() => cut[..space].trim_end(),
        _ => cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn cuts_around_the_query() {
        let table = [
            ("short", "x", 10, None),
            ("exactly 10", "x", 10, None),
            ("one two three four five", "x", 15, Some("one two...")),
            ("one two three four five", "x", 16, Some("one two three...")),
            ("one two three four five", "three", 16, Some("...three four...")),
            ("one two three four five", "Threes", 20, Some("...three four five")),
            ("one two three four five", "one", 12, Some("one two...")),
            ("one two three four five", "five", 12, Some("...five")),
            ("one two three four five", "four one", 12, Some("one two...")),
            ("abcdefghijklmnop", "x", 10, Some("abcdefg...")),
            ("ééééé ééééé ééééé", "x", 12, Some("ééééé...")),
            ("<a href=\"five\">one two three four five</a>", "five", 12, Some("...five</a>")),
        ];
        for (text, query, limit, want) in table {
            assert_eq!(limited(text, &Query::parse(query), limit).as_deref(), want, "{text} {query} {limit}");
        }
    }

    #[test]
    fn the_full_text_is_kept() {
        let long = "word ".repeat(50);
        let mut item = ResultItem { title: "Short".to_owned(), body: long.clone(), ..ResultItem::default() };
        let query = Query::parse("x");
        assert!(limit_item(&mut item, &mut QueryForms::of(&query), 20));
        assert_eq!(item.body, "word word word...");
        assert_eq!(item.payload.get("body_full"), Some(&Value::String(long)));
        assert_eq!(item.payload.get("title_full"), None);
        assert!(!limit_item(&mut item, &mut QueryForms::of(&query), 20));
    }

    #[test]
    fn the_limit_comes_from_a_tag_or_the_setting() {
        let table: [(&[&str], &[&str], u32, usize); 6] = [
            (&[], &[], 512, 512),
            (&[], &[], 40, 40),
            (&["max_length:30"], &[], 512, 30),
            (&["max_length:30"], &["max_length:20"], 512, 20),
            (&["max_length:many"], &[], 40, 40),
            (&["max_length:1"], &[], 512, CHARS_MIN),
        ];
        for (provider_tags, search_tags, setting, want) in table {
            let owned = |tags: &[&str]| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<String>>();
            let mut context = TestContext::default();
            context.provider.spec.tags = owned(provider_tags);
            context.search.spec.tags = owned(search_tags);
            context.settings().max_field_len = setting;
            let raw = vec![json!({"title": "t", "body": "x".repeat(600)})];
            let batch = context.results(raw, &["MappingResultProcessor", KIND.name]);
            assert_eq!(batch.items[0].body.len(), want, "{provider_tags:?} {search_tags:?} {setting}");
        }
    }

    proptest! {
        #[test]
        fn the_limit_holds(text in "[a-cé ]{0,60}|\\PC{0,80}", query in "[a-c ]{0,6}", limit in CHARS_MIN..40) {
            match limited(&text, &Query::parse(&query), limit) {
                Some(short) => prop_assert!(short.chars().count() <= limit),
                None => prop_assert!(text.chars().count() <= limit),
            }
        }
    }
}

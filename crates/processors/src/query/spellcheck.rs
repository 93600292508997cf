//! SpellcheckQueryProcessor: corrects plain words that the dictionary does not know. Quoted text, tags, negated words,
//! names, codes and addresses stay unchanged.

use crate::spelling::{Dictionary, dictionary};
use async_trait::async_trait;
use domain::ports::{ProcessorError, ProcessorErrorKind, QueryContext, QueryProcessor, QueryProcessorKind};
use std::sync::Arc;
use syntax::query_string::terms;

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "SpellcheckQueryProcessor",
    summary: "Corrects misspelled words, except in quoted text, names, codes, tags and negated words.",
    processor: &Spellcheck,
};

/// Punctuation around a word.
const OPENING: &[char] = &['['];
const CLOSING: &[char] = &[']', ',', '.', ';', '!', '?'];

struct Spellcheck;

#[async_trait]
impl QueryProcessor for Spellcheck {
    async fn process(&self, query: &str, cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        let settings = Arc::clone(&cx.context.settings);
        let query = query.to_owned();
        // The first use builds the dictionary, which takes too long for the async runtime.
        let work = tokio::task::spawn_blocking(move || {
            let dictionary = dictionary(&settings.default_query_language, &settings.data_dir)?;
            Ok(corrected(&query, &dictionary))
        });
        work.await.unwrap_or_else(|panicked| {
            let error = ProcessorError::new(ProcessorErrorKind::Internal, "the dictionary failed");
            Err(error.caused_by(panicked))
        })
    }
}

/// The query with misspelled words replaced; everything else stays, including white space.
fn corrected(query: &str, dictionary: &Dictionary) -> String {
    let mut out = String::with_capacity(query.len());
    let mut at = 0;
    for term in terms(query).iter().filter(|term| !term.is_phrase && !term.is_negated) {
        if let Some(better) = better(term.text, dictionary) {
            out.push_str(&query[at..term.span.start]);
            out.push_str(&better);
            at = term.span.end;
        }
    }
    out.push_str(&query[at..]);
    out
}

/// The corrected word with its punctuation. A word with anything but lower-case characters is a name, a code, a tag or
/// an address, and the dictionary rejects it.
fn better(word: &str, dictionary: &Dictionary) -> Option<String> {
    let start = word.len() - word.trim_start_matches(OPENING).len();
    let end = start + word[start..].trim_end_matches(CLOSING).len();
    let right = dictionary.correct(&word[start..end])?;
    Some(format!("{}{right}{}", &word[..start], &word[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::TestContext;
    use proptest::prelude::*;

    fn english(query: &str) -> String {
        corrected(query, &dictionary("english", "").expect("it is built in"))
    }

    #[test]
    fn corrects_plain_words() {
        let table = [
            ("recieve goverment grants", "receive government grants"),
            ("  solid   sate\tbatterys ", "  solid   sate\tbattery "),
            ("(enviroment, knowlege)?", "(environment, knowledge)?"),
            ("occured -occured", "occurred -occured"),
            ("seperate NOT seperate recieve", "separate NOT seperate recieve"),
            ("recieve \"goverment\" recieve", "receive \"goverment\" receive"),
            ("\"recieve goverment\" goverment", "\"recieve goverment\" government"),
            ("\"do not\" recieve", "\"do not\" receive"),
            ("“recieve goverment” goverment", "“recieve goverment” government"),
            (
                "seperate -(seperate) (recieve NOT recieve) OR recieve",
                "separate -(seperate) (receive NOT recieve) OR receive",
            ),
            ("not recieve", "not receive"),
            ("\"open recieve", "\"open receive"),
            ("news: goverment", "news: government"),
            ("", ""),
        ];
        for (query, want) in table {
            assert_eq!(english(query), want, "{query}");
        }
    }

    #[test]
    fn names_and_codes_stay() {
        for query in [
            "news:goverment",
            "Recieve iPhoen NASAA McDonlad",
            "goverment2 covid-19 ISO9001",
            "https://goverment.example/recieve recieve@goverment.example",
            "fro adn btu",
            "goverment* enviroment~2 re-cieve don't",
            "-goverment",
            "NOT goverment",
            "日本語 правительсво",
        ] {
            assert_eq!(english(query), query);
        }
    }

    #[tokio::test]
    async fn the_setting_names_the_language() {
        let mut context = TestContext::default();
        let out = Spellcheck.process("goverment", &context.query_context()).await;
        assert_eq!(out.as_deref(), Ok("government"));
        context.settings().default_query_language = "klingon".to_owned();
        let error =
            Spellcheck.process("goverment", &context.query_context()).await.expect_err("no dictionary");
        assert!(error.message().contains("There is no dictionary for 'klingon'"), "{error}");
    }

    proptest! {
        #[test]
        fn changes_only_words(query in "[a-e\" :()-]{0,40}|\\PC{0,60}") {
            let out = english(&query);
            let count = |text: &str, c: char| text.matches(c).count();
            prop_assert_eq!(out.split_whitespace().count(), query.split_whitespace().count());
            prop_assert!(count(&out, '"') == count(&query, '"') && count(&out, ' ') == count(&query, ' '));
        }
    }
}

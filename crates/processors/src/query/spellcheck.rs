//! SpellcheckQueryProcessor: corrects plain words that the dictionary does not know. Quoted text, tags, negated words,
//! names, codes and addresses stay unchanged, and so does a query that looks like one in another language.

use crate::spelling::{Dictionary, WordEvidence, dictionary, dictionary_if_any};
use async_trait::async_trait;
use domain::ports::{ProcessorError, ProcessorErrorKind, QueryContext, QueryProcessor, QueryProcessorKind};
use relevancy::Language;
use std::ops::Range;
use std::sync::Arc;
use syntax::query_string::{Term, terms};

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "SpellcheckQueryProcessor",
    summary: "Corrects misspelled words, except in quoted text, names, codes, tags and negated words. A query that looks \
              like one in another language stays as it is.",
    processor: &Spellcheck,
};

/// Punctuation around a word.
const OPENING: &[char] = &['['];
const CLOSING: &[char] = &[']', ',', '.', ';', '!', '?'];

/// Stopwords of other languages among so many most frequent words are words of this language too: `die`, `war`.
const FREQUENT: usize = 1_500;

struct Spellcheck;

#[async_trait]
impl QueryProcessor for Spellcheck {
    async fn process(&self, query: &str, cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        let settings = Arc::clone(&cx.context.settings);
        let query = query.to_owned();
        // The first use builds the dictionary, which takes too long for the async runtime.
        let work = tokio::task::spawn_blocking(move || {
            let (configured, data_dir) = (&settings.default_query_language, &settings.data_dir);
            let usual = Language::named(configured);
            match Language::shown_by(&query, usual) {
                Some(shown) if shown == usual => Ok(corrected(&query, &*dictionary(configured, data_dir)?)),
                Some(shown) => {
                    let dictionary = dictionary_if_any(shown, data_dir)?;
                    Ok(dictionary.map_or_else(|| query.clone(), |dictionary| corrected(&query, &dictionary)))
                }
                None => {
                    let dictionary = dictionary(configured, data_dir)?;
                    Ok(match Doubt::about(&query, usual, &dictionary) {
                        Doubt::None => corrected(&query, &dictionary),
                        Doubt::Weak => corrected_where_certain(&query, &dictionary),
                        Doubt::Strong => query,
                    })
                }
            }
        });
        work.await.unwrap_or_else(|panicked| {
            let error = ProcessorError::new(ProcessorErrorKind::Internal, "the dictionary failed");
            Err(error.caused_by(panicked))
        })
    }
}

/// Whether a query is in the language of the dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    /// At least as many words are unknown as are known, or one has a foreign character. They may be names.
    Weak,
    /// Stopwords of other languages, or several words with foreign characters, speak against it as well.
    Strong,
}

impl Doubt {
    fn about(query: &str, language: Language, dictionary: &Dictionary) -> Self {
        let (mut known, mut unknown, mut foreign, mut has_foreign_stopword) = (0, 0, 0, false);
        for term in words(query) {
            let word = &term.text[bare(term.text)];
            if language.is_stopword(word) {
                continue;
            }
            if Language::is_stopword_anywhere(word) && !dictionary.is_frequent(word, FREQUENT) {
                unknown += 1;
                has_foreign_stopword = true;
                continue;
            }
            match dictionary.evidence(word) {
                WordEvidence::Foreign => foreign += 1,
                WordEvidence::Known => known += 1,
                WordEvidence::Unknown => unknown += 1,
                WordEvidence::Misspelled(_) | WordEvidence::Loanword | WordEvidence::None => {}
            }
        }
        let is_weak = foreign > 0 || (unknown > 0 && unknown >= known);
        match (is_weak, has_foreign_stopword || foreign > 1) {
            (false, _) => Self::None,
            (true, false) => Self::Weak,
            (true, true) => Self::Strong,
        }
    }
}

/// The words that may be corrected.
fn words(query: &str) -> impl Iterator<Item = Term<'_>> {
    terms(query).into_iter().filter(|term| !term.is_phrase && !term.is_negated)
}

/// The query with misspelled words replaced; everything else stays, including white space.
fn corrected(query: &str, dictionary: &Dictionary) -> String {
    corrected_if(query, dictionary, |_, _| true)
}

fn corrected_where_certain(query: &str, dictionary: &Dictionary) -> String {
    corrected_if(query, dictionary, |word, right| dictionary.is_certain_slip(word, right))
}

fn corrected_if(query: &str, dictionary: &Dictionary, is_certain: impl Fn(&str, &str) -> bool) -> String {
    let mut out = String::with_capacity(query.len());
    let mut at = 0;
    for term in words(query) {
        // A word with anything but lower-case characters is a name, a code, a tag or an address.
        let place = bare(term.text);
        let word = &term.text[place.clone()];
        let WordEvidence::Misspelled(right) = dictionary.evidence(word) else { continue };
        if is_certain(word, right) {
            for part in
                [&query[at..term.span.start], &term.text[..place.start], right, &term.text[place.end..]]
            {
                out.push_str(part);
            }
            at = term.span.end;
        }
    }
    out.push_str(&query[at..]);
    out
}

/// The place of a word without its punctuation.
fn bare(word: &str) -> Range<usize> {
    let start = word.len() - word.trim_start_matches(OPENING).len();
    start..start + word[start..].trim_end_matches(CLOSING).len()
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

    async fn processed(query: &str) -> String {
        let context = TestContext::default();
        Spellcheck.process(query, &context.query_context()).await.expect("a query")
    }

    #[tokio::test]
    async fn queries_in_other_languages_stay() {
        // With what the English dictionary alone would make of them.
        for (query, by_dictionary) in [
            ("hochwasser pegel elbe", "hochwasser peel else"),
            ("urlaubsantrag formular", "urlaubsantrag formula"),
            ("bergbau geschichte im harz", "bergbau geschichte im hard"),
            ("wie hoch ist der pegel an der elbe", "wie hooch ist der peel an der else"),
            ("assurance maladie remboursement", "assurance maladies remboursement"),
            ("droit des entreprises", "adroit des enterprises"),
            ("contrato de alquiler", "contralto de alquiler"),
            ("energía renovable", "energía removable"),
            ("seguro de salud", "seguro de salad"),
            ("precio del trigo", "premio del trio"),
            ("storia della musica", "astoria della musica"),
        ] {
            assert_eq!(english(query), by_dictionary);
            assert_eq!(processed(query).await, query);
        }
        for query in [
            "flüsse hochwasser",
            "histoire du cinéma",
            "séance au cinéma",
            "правительство река",
            "société énergie commerciale",
        ] {
            assert_eq!(processed(query).await, query);
        }
    }

    #[tokio::test]
    async fn queries_with_names_and_loanwords_are_corrected() {
        for (query, expected) in [
            ("goverment", "government"),
            ("recieve goverment grants", "receive government grants"),
            ("los angeles goverment", "los angeles government"),
            ("the qwrtz of the goverment", "the qwrtz of the government"),
            ("qwrtz goverment policy paper", "qwrtz government policy paper"),
            ("café goverment", "café government"),
            // As many unknown words as known ones, or a foreign character: only certain slips are corrected.
            ("jalapeño goverment recipie", "jalapeño government recipie"),
            ("tantivy goverment", "tantivy government"),
            ("qwrtz xyzzyx [goverment], recieve", "qwrtz xyzzyx [government], recieve"),
        ] {
            assert_eq!(processed(query).await, expected, "{query}");
        }
    }

    #[tokio::test]
    async fn a_query_is_corrected_in_the_language_that_it_shows() {
        let folder = std::env::temp_dir().join(format!("tributary-spellcheck-{}", std::process::id()));
        let lists = folder.join("dictionaries");
        std::fs::create_dir_all(&lists).expect("a folder");
        std::fs::write(lists.join("german.txt"), "das\nund\nder\nhaus\nwasser\nstraße\n").expect("a list");
        let mut context = TestContext::default();
        context.settings().data_dir = folder.display().to_string();
        for (query, expected) in [
            ("das haus und der wassr", "das haus und der wasser"),
            ("le goverment et les maisons", "le goverment et les maisons"),
            ("the goverment and the people", "the government and the people"),
        ] {
            let out = Spellcheck.process(query, &context.query_context()).await;
            assert_eq!(out.as_deref(), Ok(expected));
        }
        std::fs::remove_dir_all(&folder).expect("removed");
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

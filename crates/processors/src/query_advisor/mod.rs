//! Advice on a query that found little: a spelling that may have been meant, and the language that the query seems to
//! be in. The words come from the results, from earlier queries of the same user, and from the dictionary.

mod candidates;
mod plain_words;

use crate::spelling::{Dictionary, dictionary, dictionary_if_any};
use async_trait::async_trait;
use candidates::{best, candidates};
use domain::ports::{QueryAdvisor, QueryEvidence};
use domain::query_advice::{DidYouMean, LanguageHint, QueryAdvice, ReplacedWord};
use domain::search::QUERY_CHARS_MAX;
use domain::settings::PluginSettings;
use plain_words::{PlainWord, plain_words, replace};
use relevancy::Language;
use relevancy::query_language::is_common_in_english;
use relevancy::tokens::{lower, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Most words of the results, and of the earlier queries, that are considered.
const RESULT_WORDS_MAX: usize = 4_000;
const EARLIER_WORDS_MAX: usize = 2_000;
/// A word of earlier queries that no dictionary has counts only if it is in so many of them: others may be misspelled.
const QUERIES_MIN: usize = 2;
/// Stopwords of other languages among so many most frequent words are words of the dictionary's language too.
const FREQUENT: usize = 1_500;
/// Most results have a language if it is that of so many at least, and of more than half.
const RESULTS_MIN: usize = 2;

/// The built-in advisor.
pub struct BuiltInAdvisor {
    settings: Arc<PluginSettings>,
}

impl BuiltInAdvisor {
    pub fn new(settings: Arc<PluginSettings>) -> Self {
        Self { settings }
    }
}

#[async_trait]
impl QueryAdvisor for BuiltInAdvisor {
    fn is_doubtful(&self, query: &str, results: &[String]) -> bool {
        !doubtful_words(query, &result_words(results)).is_empty()
    }

    async fn advise(&self, evidence: QueryEvidence) -> QueryAdvice {
        let settings = Arc::clone(&self.settings);
        // The first use reads the dictionary, which takes too long for the async runtime.
        let work = tokio::task::spawn_blocking(move || advice(&evidence, &settings));
        // A panic is logged where it happens; the search is complete without advice.
        work.await.unwrap_or_default()
    }
}

fn advice(evidence: &QueryEvidence, settings: &PluginSettings) -> QueryAdvice {
    let usual = Language::named(&settings.default_query_language);
    let suspected = Language::suspected_of(&evidence.query, usual);
    QueryAdvice {
        did_you_mean: did_you_mean(evidence, settings, suspected),
        language_hint: language_hint(suspected, usual, &evidence.results),
    }
}

/// The words of the query that are neither in the results nor common in English.
fn doubtful_words(query: &str, result_words: &BTreeSet<String>) -> Vec<PlainWord> {
    let mut words = plain_words(query);
    words.retain(|word| !result_words.contains(&word.text) && !is_common_in_english(&word.text));
    words
}

fn result_words(results: &[String]) -> BTreeSet<String> {
    let words = results.iter().flat_map(|text| tokens(text)).take(RESULT_WORDS_MAX);
    words.map(|token| lower(token.text).into_owned()).collect()
}

/// The query in another spelling, if each of its unknown words has a likely one.
fn did_you_mean(
    evidence: &QueryEvidence,
    settings: &PluginSettings,
    suspected: Option<Language>,
) -> Option<DidYouMean> {
    let result_words = result_words(&evidence.results);
    let mut unknown = doubtful_words(&evidence.query, &result_words);
    if unknown.is_empty() {
        return None;
    }
    let dictionary = dictionary_for(settings, suspected);
    let dictionary = dictionary.as_deref();
    unknown.retain(|word| !dictionary.is_some_and(|dictionary| dictionary.is_known(&word.text)));
    let own = own_words(result_words, &evidence.earlier, dictionary);
    let listed = dictionary.filter(|dictionary| !may_be_foreign(&evidence.query, settings, dictionary));
    let found: Vec<_> = unknown.iter().map(|word| candidates(&word.text, &own, listed)).collect();
    // A word without candidates is probably a name or of another language, and so may the others be.
    if found.is_empty() || found.iter().any(Vec::is_empty) {
        return None;
    }
    let likeliest: Vec<(PlainWord, String)> = unknown
        .iter()
        .zip(&found)
        .filter_map(|(word, found)| Some((word.clone(), found.first()?.word.clone())))
        .collect();
    let replacements: Vec<(PlainWord, String)> = unknown
        .iter()
        .zip(&found)
        .filter_map(|(word, found)| {
            let context = context_of(&evidence.query, word, &likeliest);
            Some((word.clone(), best(found, &context)?.word))
        })
        .collect();
    let query_string = replace(&evidence.query, &replacements);
    let words = replacements.iter().map(|(word, replacement)| ReplacedWord {
        word: evidence.query[word.span.clone()].to_owned(),
        replacement: word.in_its_case(replacement),
    });
    let is_short = query_string.chars().count() <= QUERY_CHARS_MAX;
    is_short.then(|| DidYouMean { words: words.collect(), query_string })
}

/// The query with the likeliest words and without this one.
fn context_of(query: &str, word: &PlainWord, likeliest: &[(PlainWord, String)]) -> String {
    let without: Vec<(PlainWord, String)> = likeliest
        .iter()
        .map(|(other, replacement)| {
            (other.clone(), if other == word { String::new() } else { replacement.clone() })
        })
        .collect();
    replace(query, &without)
}

/// The dictionary of the language that the query seems to be in, or else of the configured one; none if there is no such
/// dictionary.
fn dictionary_for(settings: &PluginSettings, suspected: Option<Language>) -> Option<Arc<Dictionary>> {
    match suspected {
        Some(language) => dictionary_if_any(language, &settings.data_dir).ok().flatten(),
        None => dictionary(&settings.default_query_language, &settings.data_dir).ok(),
    }
}

/// Whether a stopword of another language speaks against words of this dictionary.
fn may_be_foreign(query: &str, settings: &PluginSettings, dictionary: &Dictionary) -> bool {
    let usual = Language::named(&settings.default_query_language);
    tokens(query).map(|token| lower(token.text)).any(|word| {
        !usual.is_stopword(&word)
            && Language::is_stopword_anywhere(&word)
            && !dictionary.is_frequent(&word, FREQUENT)
    })
}

/// The words of the results and of the user's earlier queries.
fn own_words(
    result_words: BTreeSet<String>,
    earlier: &[String],
    dictionary: Option<&Dictionary>,
) -> Vec<String> {
    let distinct: BTreeSet<String> = earlier.iter().map(|query| query.trim().to_lowercase()).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for query in &distinct {
        let words: BTreeSet<String> = plain_words(query).into_iter().map(|word| word.text).collect();
        for word in words {
            if counts.len() < EARLIER_WORDS_MAX || counts.contains_key(&word) {
                *counts.entry(word).or_default() += 1;
            }
        }
    }
    let is_word = |word: &str| dictionary.is_some_and(|dictionary| dictionary.is_known(word));
    let earlier = counts.into_iter().filter(|(word, count)| *count >= QUERIES_MIN || is_word(word));
    let is_plain = |word: &String| word.chars().all(char::is_alphabetic);
    let own: BTreeSet<String> =
        result_words.into_iter().filter(is_plain).chain(earlier.map(|(word, _)| word)).collect();
    own.into_iter().collect()
}

/// A hint, if the query is in another language than most results; without results, if it is not in the usual one.
fn language_hint(suspected: Option<Language>, usual: Language, results: &[String]) -> Option<LanguageHint> {
    let query = suspected?;
    let name = |language: Language| language.known().map(|known| known.name.to_owned());
    if results.is_empty() {
        return (query != usual).then_some(LanguageHint { query: name(query)?, results: None });
    }
    let language = language_of_most(results)?;
    (language != query).then_some(LanguageHint { query: name(query)?, results: Some(name(language)?) })
}

fn language_of_most(results: &[String]) -> Option<Language> {
    let languages: Vec<Language> = results.iter().filter_map(|text| Language::of_text(text)).collect();
    let count = |language: Language| languages.iter().filter(|other| **other == language).count();
    let most = languages.iter().copied().max_by_key(|language| count(*language))?;
    (count(most) >= RESULTS_MIN && 2 * count(most) > results.len()).then_some(most)
}

#[cfg(test)]
mod tests;

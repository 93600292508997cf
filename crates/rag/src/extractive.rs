//! Extractive summaries: the most relevant sentences of the sources, verbatim.

use crate::check;
use crate::prompt::PromptSource;
use crate::prompt::language::language_of;
use crate::prompt::titles::TitleMatch;
use crate::sentences::sentences;
use relevancy::embedder::{Embedding, embed};
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query, TermMatch};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum number of sentences of a summary.
pub(crate) const SENTENCES_MAX: usize = 5;
/// Maximum number of words of a summary.
pub(crate) const WORDS_MAX: usize = 120;
/// Maximum number of sentences considered per source.
const READ_MAX: usize = 400;
/// Shorter lines are headings, longer ones are tables.
const SENTENCE_WORDS_MIN: usize = 4;
const SENTENCE_WORDS_MAX: usize = 60;
const COVERAGE_WEIGHT: f64 = 0.6;
const MEANING_WEIGHT: f64 = 0.35;
const PLACE_WEIGHT: f64 = 0.05;
/// Minimum score of a sentence with query terms.
const SCORE_MIN: f64 = 0.35;
/// Minimum similarity of a sentence without query terms.
const LIKENESS_MIN: f64 = 0.55;
/// Thresholds for a sentence whose title matches the query: share of query terms including those of the title, and
/// similarity if it has no term of its own.
const TITLED_SHARE_MIN: f64 = 0.66;
const TITLED_LIKENESS_MIN: f64 = 0.2;
/// Weight of a query term in the title, relative to one in the sentence.
const TITLE_WEIGHT: f64 = 0.5;
/// Minimum score relative to the best sentence.
const SHARE_OF_BEST_MIN: f64 = 0.5;
/// Sentences that share more of the shorter one's words are duplicates.
const SHARED_MAX: f64 = 0.7;

struct Candidate<'a> {
    n: u32,
    text: &'a str,
    words: usize,
    /// Stems of the words without stop words.
    stems: BTreeSet<String>,
    /// Query terms in the sentence.
    terms: BTreeSet<String>,
    /// Query terms in the title of its source.
    titled: Rc<TitleMatch>,
    embedding: Embedding,
    /// Index among the sentences of its source.
    place: usize,
}

/// The best sentences with their citations, one per line; empty if none is relevant. The query is in this language; a
/// source may be in another one.
pub(crate) fn extract(language: Language, query: &str, sources: &[PromptSource]) -> String {
    let candidates: Vec<Candidate<'_>> =
        sources.iter().flat_map(|source| candidates(language, query, source)).collect();
    let mut scored: Vec<(f64, &Candidate<'_>)> = scored(language, query, &candidates);
    // Stable: the first of equals stays first.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    let mut taken: Vec<&Candidate<'_>> = Vec::new();
    let mut words = 0;
    for (score, one) in scored {
        let is_same = |known: &&Candidate<'_>| says_the_same(known, one);
        if score < best * SHARE_OF_BEST_MIN || taken.len() == SENTENCES_MAX {
            break;
        }
        if words + one.words <= WORDS_MAX && !taken.iter().any(is_same) {
            words += one.words;
            taken.push(one);
        }
    }
    taken.iter().map(|one| format!("{} [{}]", one.text, one.n)).collect::<Vec<_>>().join("\n")
}

fn candidates<'a>(usual: Language, query: &str, source: &'a PromptSource) -> Vec<Candidate<'a>> {
    let language = language_of(&source.passages, usual);
    let titled = Rc::new(TitleMatch::of(language, query, &source.source.item));
    let query = Query::parse_in(language, query);
    let mut found = Vec::new();
    for (place, sentence) in sentences(&source.passages, READ_MAX).into_iter().enumerate() {
        let text = sentence.text;
        let lower: Vec<String> = tokens(text).map(|token| lower(token.text).into_owned()).collect();
        let is_long_enough = (SENTENCE_WORDS_MIN..=SENTENCE_WORDS_MAX).contains(&lower.len());
        if !is_long_enough || !is_statement(text) {
            continue;
        }
        let terms = lower.iter().filter_map(|word| query.find(word).and_then(TermMatch::term));
        let terms = terms.map(|term| query.terms[term].word.clone()).collect();
        let content_words = lower.iter().filter(|word| !language.is_stopword(word));
        let stems = content_words.map(|word| language.stem(word).into_owned()).collect();
        found.push(Candidate {
            n: source.n,
            text,
            words: lower.len(),
            stems,
            terms,
            titled: Rc::clone(&titled),
            embedding: embed(text),
            place,
        });
    }
    found
}

/// Whether a text is a statement that the sanitizer leaves unchanged.
fn is_statement(text: &str) -> bool {
    let begins =
        text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '“' | '„' | '«' | '\'' | '¿'));
    let is_question = text.ends_with(['?', '？', '؟']);
    begins
        && !is_question
        && !text.contains(['|', '{', '}', '[', ']', '`', '#', '*'])
        && check::is_plain(text)
}

/// The relevant sentences with their scores. A source whose title matches the query contributes its best sentence even
/// if none is relevant by itself.
fn scored<'c, 'a>(
    language: Language,
    query: &str,
    candidates: &'c [Candidate<'a>],
) -> Vec<(f64, &'c Candidate<'a>)> {
    let judge = Judge::of(language, query, candidates);
    let mut near = Vec::new();
    for source in candidates.chunk_by(|one, next| one.n == next.n) {
        let before = near.len();
        near.extend(source.iter().filter_map(|one| Some((judge.near(one)?, one))));
        if near.len() == before {
            let titled = source.iter().filter_map(|one| Some((judge.near_by_title(one)?, one)));
            // The first of equals wins.
            near.extend(titled.rev().max_by(|one, other| one.0.total_cmp(&other.0)));
        }
    }
    near
}

/// Scores sentences by the terms of a query.
struct Judge {
    asked: Embedding,
    /// Weight of each term; rare terms weigh more.
    weights: BTreeMap<String, f64>,
    /// Sum of all weights.
    all: f64,
}

impl Judge {
    fn of(language: Language, query: &str, candidates: &[Candidate<'_>]) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        // Terms without any match count as well.
        let asked = Query::parse_in(language, query).terms.into_iter().map(|term| term.word);
        let titles = candidates.iter().flat_map(|one| &one.titled.terms).cloned();
        asked.chain(titles).for_each(|term| {
            counts.entry(term).or_default();
        });
        for term in candidates.iter().flat_map(|one| &one.terms) {
            *counts.entry(term.clone()).or_default() += 1;
        }
        let idf = |count: usize| (1.0 + candidates.len() as f64 / (1.0 + count as f64)).ln();
        let weights: BTreeMap<String, f64> =
            counts.into_iter().map(|(term, count)| (term, idf(count))).collect();
        let all = weights.values().sum();
        Self { asked: embed(query), weights, all }
    }

    /// The score of a sentence that is relevant by itself.
    fn near(&self, one: &Candidate<'_>) -> Option<f64> {
        let (coverage, likeness) = (self.share(one.terms.iter()), self.likeness(one));
        let score = score(coverage, likeness, one);
        let is_near = (coverage > 0.0 && score >= SCORE_MIN) || likeness >= LIKENESS_MIN;
        is_near.then_some(score)
    }

    /// The score of a sentence that is relevant because of its title.
    fn near_by_title(&self, one: &Candidate<'_>) -> Option<f64> {
        let likeness = self.likeness(one);
        let is_near = one.titled.is_about_the_query()
            && one.titled.share_with(&one.terms) >= TITLED_SHARE_MIN
            && (!one.terms.is_empty() || likeness >= TITLED_LIKENESS_MIN);
        let above = self.share(one.titled.terms.difference(&one.terms));
        let coverage = self.share(one.terms.iter()) + TITLE_WEIGHT * above;
        is_near.then(|| score(coverage, likeness, one))
    }

    /// The weighted share of the query that these terms cover.
    fn share<'t>(&self, terms: impl Iterator<Item = &'t String>) -> f64 {
        let found: f64 = terms.filter_map(|term| self.weights.get(term)).sum();
        if self.all > 0.0 { found / self.all } else { 0.0 }
    }

    fn likeness(&self, one: &Candidate<'_>) -> f64 {
        f64::from(self.asked.cosine(&one.embedding)).max(0.0)
    }
}

fn score(coverage: f64, likeness: f64, one: &Candidate<'_>) -> f64 {
    let place = 1.0 / (1.0 + one.place as f64 / 10.0);
    COVERAGE_WEIGHT * coverage + MEANING_WEIGHT * likeness + PLACE_WEIGHT * place
}

fn says_the_same(one: &Candidate<'_>, other: &Candidate<'_>) -> bool {
    let shared = one.stems.intersection(&other.stems).count();
    shared as f64 > SHARED_MAX * one.stems.len().min(other.stems.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::sources;
    use proptest::prelude::*;

    const FLOOD: &str = "The Elbe rose by nine metres in August 2002. Dresden was flooded, and trains did not run for \
        weeks. Why did nobody expect it? The mayor spoke to the press on Monday. Later a new wall against floods of the \
        Elbe was built.";
    const COPY: &str =
        "In August 2002 the Elbe rose by nine metres. Bread was sold out in all shops of the town.";

    #[test]
    fn the_sentences_that_say_most() {
        let sources = sources(&[("", COPY), ("", FLOOD)]);
        for (query, expected) in [
            ("Elbe August 2002", "In August 2002 the Elbe rose by nine metres. [1]"),
            ("mayor press", "The mayor spoke to the press on Monday. [2]"),
            ("trains Dresden", "Dresden was flooded, and trains did not run for weeks. [2]"),
            ("quantum chromodynamics", ""),
            ("", ""),
        ] {
            assert_eq!(
                extract(Language::ENGLISH, query, &sources).lines().next().unwrap_or_default(),
                expected,
                "{query}"
            );
        }
        let whole = extract(Language::ENGLISH, "Elbe floods", &sources);
        assert_eq!(whole.matches("nine metres").count(), 1, "said once: {whole}");
        assert!(whole.contains("Later a new wall against floods of the Elbe was built. [2]"), "{whole}");
        assert!(!whole.contains('?'), "a question is no answer: {whole}");
        assert_eq!(extract(Language::ENGLISH, "Elbe", &[]), "");
    }

    #[test]
    fn a_title_says_what_its_text_is_about() {
        const WET: &str = "Water inside a coaxial cable has ended more telemetry links than any storm. The booklet \
            collects photographs of failed connectors, corroded whips and flooded lightning arrestors, with the measured \
            loss of each. Lunch was served at noon in the village inn.";
        let mut sources = sources(&[("", WET), ("", COPY)]);
        sources[0].source.item.title = "<em>Antennas</em> in Wet Places".to_owned();
        for (query, expected) in [
            ("antennas in wet places", "Water inside a coaxial cable"),
            ("connectors of wet antennas", "The booklet collects photographs of failed connectors"),
            ("antennas in dry places on Mars, with music", ""),
            ("antennas", "Water inside a coaxial cable"),
        ] {
            let found = extract(Language::ENGLISH, query, &sources);
            let likeness: Vec<f32> = crate::sentences::sentences(WET, 9)
                .iter()
                .map(|one| embed(query).cosine(&embed(one.text)))
                .collect();
            assert_eq!(
                found.lines().count(),
                usize::from(!expected.is_empty()),
                "{query}: {found} {likeness:?}"
            );
            assert!(found.starts_with(expected), "{query}: {found} {likeness:?}");
        }
        sources[0].source.item.title = "A booklet".to_owned();
        assert_eq!(extract(Language::ENGLISH, "antennas in wet places", &sources), "");
    }

    #[test]
    fn the_small_words_of_the_query_do_not_count() {
        let text = "Der Pegel der Weser sank am Montag auf zwei Meter. Am Abend gab es Musik in der Stadt.";
        let query = "Wie ist denn der Pegel, und was sagen die da";
        let found = |language: &str| extract(Language::named(language), query, &sources(&[("", text)]));
        assert_eq!(found("german"), "Der Pegel der Weser sank am Montag auf zwei Meter. [1]");
        assert_eq!(found("english"), "", "a German query read as an English one asks for its small words");
    }

    #[test]
    fn an_answer_is_short() {
        let things = [
            "cold and quiet in winter",
            "full of salmon and trout",
            "older than any bridge",
            "named after a forgotten king",
            "crossed by ferries every hour",
            "the border of two counties",
            "where children learn to swim",
        ];
        let text: String = things.iter().map(|thing| format!("The river is {thing}. ")).collect();
        let found = extract(Language::ENGLISH, "river", &sources(&[("", &text)]));
        assert_eq!(found.lines().count(), SENTENCES_MAX, "{found}");
        let long = |(place, thing): (usize, &&str)| {
            let filler: String = (0..40).map(|n| format!("w{place}x{n} ")).collect();
            format!("The river is {thing}, {filler}too. ")
        };
        let text: String = things.iter().enumerate().map(long).collect();
        let found = extract(Language::ENGLISH, "river", &sources(&[("", &text)]));
        assert!((1..SENTENCES_MAX).contains(&found.lines().count()), "{found}");
        assert!(tokens(&found).count() <= WORDS_MAX + SENTENCES_MAX, "{found}");
    }

    #[test]
    fn nothing_that_could_be_opened() {
        let text = "The river is at https://evil.test/river for all to see. ![river](https://evil.test/r) is a picture of it. \
            The river rose in the night again.";
        assert_eq!(
            extract(Language::ENGLISH, "river", &sources(&[("", text)])),
            "The river rose in the night again. [1]"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn every_sentence_stands_in_its_source(
            texts in prop::collection::vec("(The river rose\\. |[a-z]{1,7} |[A-Z][a-z]{2,5}[.!?] |[\\[\\]()<>*`]|…|\\PC|\n){0,60}", 0..5),
            query in "(river|rose|the|[a-z]{1,4}| ){0,4}",
        ) {
            let rows: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_str())).collect();
            let sources = sources(&rows);
            let found = extract(Language::ENGLISH, &query, &sources);
            for line in found.lines() {
                let (sentence, mark) = line.rsplit_once(" [").unwrap();
                let n: u32 = mark.trim_end_matches(']').parse().unwrap();
                let source = sources.iter().find(|source| source.n == n).unwrap();
                prop_assert!(source.passages.contains(sentence), "{sentence} in {}", source.passages);
            }
            prop_assert_eq!(&check::check(&found, &sources).body, &found, "it is shown as it is");
        }
    }
}

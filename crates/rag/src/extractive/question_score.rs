//! Scores the sentences of the sources as answers to a question: a sentence that has what the question asks for and is
//! about its subject, rather than one that repeats its words.

use super::candidate::{Candidate, has_decimal};
use super::evidence::{Sentence, evidence};
use super::verb_forms::{base_form, is_light};
use crate::prompt::PromptSource;
use crate::question_kind::QuestionKind;
use crate::wanted::Wanted;
use relevancy::background_frequencies::idf;
use relevancy::embedder::{Embedding, embed, normalized_sum};
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query};
use std::collections::{BTreeMap, BTreeSet};
use syntax::strip_html::readable;

/// Minimum score of an answer.
pub(super) const ANSWER_MIN: f64 = 0.5;
/// Minimum score of a way to do something, which cannot be recognized as surely.
const MANNER_MIN: f64 = 0.55;
/// Weights of the parts of the score. They sum to 1.
const OWN_WEIGHT: f64 = 0.25;
const REST_WEIGHT: f64 = 0.4;
const ALL_WEIGHT: f64 = 0.25;
const MEANING_WEIGHT: f64 = 0.1;
/// Weight of a word in the two sentences before a sentence that refers to them ("It", "The"), and before any other.
const REFERRED_WEIGHTS: [f64; 2] = [0.9, 0.7];
const BEFORE_WEIGHTS: [f64; 2] = [0.6, 0.4];
/// Weight of a word in the sentence after, and in the title.
const AFTER_WEIGHT: f64 = 0.5;
const TITLE_WEIGHT: f64 = 0.9;
/// Minimum similarity of a word with other characters, and how much it counts.
const SIMILAR_MIN: f32 = 0.55;
const SIMILAR_WEIGHT: f64 = 0.8;
const FAMILY_WEIGHT: f64 = 0.9;
/// Minimum length of the common beginning of two words of one family.
const FAMILY_PREFIX_MIN: usize = 5;
/// An abbreviation leaves out more characters.
const ENDING_MAX: usize = 2;
/// Weight of a word of another language than English, whose frequency is not known.
const UNKNOWN_IDF: f64 = 6.0;
/// Score of a sentence without what is asked for, relative to one with it.
const WITHOUT_EVIDENCE: f64 = 0.35;
/// Maximum number of title words that are read.
const TITLE_WORDS_MAX: usize = 60;

/// A word of the question.
struct Term {
    stem: String,
    weight: f64,
    embedding: Embedding,
}

/// A question in the language of a source.
struct SourceQuestion {
    language: Language,
    terms: Vec<Term>,
    /// How much of each term the title has.
    titled: Vec<f64>,
    /// Stems of all its words.
    asked: BTreeSet<String>,
    has_decimal: bool,
}

pub(super) struct QuestionScorer<'q> {
    kind: &'q QuestionKind,
    asked: Embedding,
    /// By source number.
    sources: BTreeMap<u32, SourceQuestion>,
}

impl<'q> QuestionScorer<'q> {
    pub fn new(
        kind: &'q QuestionKind,
        query: &str,
        sources: &[PromptSource],
        languages: &[Language],
    ) -> Self {
        let of = |(source, language): (&PromptSource, &Language)| {
            (source.n, SourceQuestion::of(kind, query, source, *language))
        };
        Self { kind, asked: embed(query), sources: sources.iter().zip(languages).map(of).collect() }
    }

    pub fn answer_min(&self) -> f64 {
        if self.kind.wanted == Wanted::Manner { MANNER_MIN } else { ANSWER_MIN }
    }

    /// The score of each sentence of one source; adjacent ones are neighbors.
    pub fn scores(&self, candidates: &[Candidate<'_>]) -> Vec<f64> {
        let Some(source) = candidates.first().and_then(|one| self.sources.get(&one.n)) else {
            return Vec::new();
        };
        let matches: Vec<Vec<f64>> = candidates.iter().map(|one| source.matches(one)).collect();
        candidates
            .iter()
            .enumerate()
            .map(|(place, one)| {
                let near = near_matches(&matches, place, one);
                self.score(source, one, &matches[place], &near)
            })
            .collect()
    }

    fn score(&self, source: &SourceQuestion, one: &Candidate<'_>, own: &[f64], near: &[f64]) -> f64 {
        let sentence = Sentence {
            language: source.language,
            text: one.text,
            facts: &one.facts,
            words: &one.lower,
            asked: &source.asked,
        };
        let evidence = evidence(self.kind, &sentence);
        if evidence <= 0.0 {
            return 0.0;
        }
        let share = |value: &dyn Fn(usize) -> Option<f64>| {
            let (mut found, mut all) = (0.0, 0.0);
            for (place, term) in source.terms.iter().enumerate() {
                let Some(value) = value(place) else { continue };
                found += value * term.weight;
                all += term.weight;
            }
            if all > 0.0 { found / all } else { 1.0 }
        };
        let own_share = share(&|place| Some(own[place]));
        // What the title does not say, the sentence has to say.
        let rest = share(&|place| (source.titled[place] < 0.5).then(|| own[place].max(near[place])));
        let all = share(&|place| Some(own[place].max(near[place]).max(source.titled[place] * TITLE_WEIGHT)));
        let meaning = f64::from(self.asked.cosine(&one.embedding)).max(0.0);
        let relevance =
            OWN_WEIGHT * own_share + REST_WEIGHT * rest + ALL_WEIGHT * all + MEANING_WEIGHT * meaning;
        relevance * (WITHOUT_EVIDENCE + (1.0 - WITHOUT_EVIDENCE) * evidence)
    }
}

/// How much of each term the sentences around one have.
fn near_matches(matches: &[Vec<f64>], place: usize, one: &Candidate<'_>) -> Vec<f64> {
    let refers = one.lower.first().is_some_and(|word| REFERRING_WORDS.contains(&word.as_str()));
    let [first, second] = if refers { REFERRED_WEIGHTS } else { BEFORE_WEIGHTS };
    let around =
        [(place.checked_sub(1), first), (place.checked_sub(2), second), (Some(place + 1), AFTER_WEIGHT)];
    let mut near = vec![0.0; matches[place].len()];
    for (other, weight) in around {
        let Some(other) = other.and_then(|other| matches.get(other)) else { continue };
        near.iter_mut().zip(other).for_each(|(near, own)| *near = f64::max(*near, own * weight));
    }
    near
}

impl SourceQuestion {
    fn of(kind: &QuestionKind, query: &str, source: &PromptSource, language: Language) -> Self {
        let parsed = Query::parse_in(language, query);
        let term = |word: &str| {
            let stem = stem(language, word);
            let weight = if language == Language::ENGLISH { idf(&stem) } else { UNKNOWN_IDF };
            Term { stem, weight, embedding: normalized_sum(word) }
        };
        let words = parsed.terms.iter().map(|one| one.word.as_str());
        let words: Vec<&str> =
            words.filter(|word| !kind.is_asking(word) && !is_question_word(word)).collect();
        let heavy: Vec<&str> = words.iter().copied().filter(|word| !is_light(word)).collect();
        let wanted = if heavy.is_empty() { words } else { heavy };
        let terms: Vec<Term> = wanted.into_iter().map(term).collect();
        let title = readable(&source.source.item.title);
        let words: Vec<String> =
            tokens(&title).take(TITLE_WORDS_MAX).map(|token| lower(token.text).into_owned()).collect();
        let words = content_words(language, words.iter());
        let titled = terms.iter().map(|term| term.best_match(&words)).collect();
        let asked = tokens(query).map(|token| language.stem(&lower(token.text)).into_owned()).collect();
        Self { language, terms, titled, asked, has_decimal: has_decimal(query) }
    }

    fn matches(&self, one: &Candidate<'_>) -> Vec<f64> {
        let is_read = |place: &usize| self.has_decimal || !one.decimals.contains(place);
        let words = one.lower.iter().enumerate().filter(|(place, _)| is_read(place));
        let words = content_words(self.language, words.map(|(_, word)| word));
        self.terms.iter().map(|term| term.best_match(&words)).collect()
    }
}

/// A word of a sentence or a title.
struct ContentWord {
    stem: String,
    embedding: Embedding,
}

/// The words of a text without stopwords.
fn content_words<'w>(language: Language, words: impl Iterator<Item = &'w String>) -> Vec<ContentWord> {
    let content = words.filter(|word| !language.is_stopword(word));
    content.map(|word| ContentWord { stem: stem(language, word), embedding: normalized_sum(word) }).collect()
}

/// The stem of a word in lower case; irregular English verbs have that of their base form.
fn stem(language: Language, word: &str) -> String {
    let base = if language == Language::ENGLISH { base_form(word) } else { word };
    language.stem(base).into_owned()
}

impl Term {
    /// How well one of these words matches: 1 for its own stem.
    fn best_match(&self, words: &[ContentWord]) -> f64 {
        if words.iter().any(|word| word.stem == self.stem) {
            return 1.0;
        }
        if words.iter().any(|word| is_of_one_family(&word.stem, &self.stem)) {
            return FAMILY_WEIGHT;
        }
        if self.embedding.is_zero() {
            return 0.0;
        }
        let similar = words.iter().map(|word| self.embedding.cosine(&word.embedding)).fold(0.0, f32::max);
        if similar >= SIMILAR_MIN { f64::from(similar) * SIMILAR_WEIGHT } else { 0.0 }
    }
}

/// "Founded" and "founder", "lab" and "laboratory".
fn is_of_one_family(one: &str, other: &str) -> bool {
    let is_short = |short: &str, long: &str| {
        ABBREVIATIONS.contains(&short) && long.starts_with(short) && long.len() > short.len() + ENDING_MAX
    };
    if is_short(one, other) || is_short(other, one) {
        return true;
    }
    let shared = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let shorter = one.chars().count().min(other.chars().count());
    shared >= FAMILY_PREFIX_MIN && shared + 1 >= shorter
}

fn is_question_word(word: &str) -> bool {
    QUESTION_WORDS.contains(&word)
}

const ABBREVIATIONS: &[&str] = &[
    "lab", "info", "temp", "max", "min", "doc", "app", "admin", "config", "spec", "photo", "exam", "demo",
    "dept", "stat", "auto",
];
/// First words of a sentence that refers to the one before.
const REFERRING_WORDS: &[&str] = &[
    "it", "its", "he", "she", "they", "his", "her", "their", "this", "these", "that", "the", "er", "sie",
    "es", "sein", "seine", "ihr", "ihre", "dies", "diese", "dieser", "der", "die", "das", "il", "elle",
    "ils", "elles", "le", "la", "les", "ce", "él", "ella", "el", "los", "las", "in", "there",
];
const QUESTION_WORDS: &[&str] = &[
    "how", "what", "when", "where", "who", "whom", "whose", "why", "which", "wie", "was", "wann", "wo",
    "wer", "wem", "wen", "warum", "wieso", "welche", "welcher", "welches", "viel", "viele", "lange", "oft",
    "quel", "quelle", "quand", "où", "qui", "pourquoi", "comment", "combien", "qué", "cuándo", "dónde",
    "quién", "cómo", "cuánto", "cuántos", "may", "must", "can", "could", "should", "would", "take", "takes",
    "get", "does", "kann", "muss", "darf", "please", "bitte", "tell", "long",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_family() {
        for (one, other, expected) in [
            ("found", "founder", true),
            ("calibr", "calibrat", true),
            ("contract", "control", false),
            ("bake", "baker", false),
            ("publish", "public", true),
            ("lab", "laboratori", true),
            ("lab", "label", false),
        ] {
            assert_eq!(is_of_one_family(one, other), expected, "{one} {other}");
        }
    }
}

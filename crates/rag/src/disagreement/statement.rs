//! The statements of a source: its values, and what each is the value of.

use super::clause::{Clause, Parts};
use super::qualifiers::{Qualifiers, Surroundings};
use super::value::Value;
use super::value_reader::{FoundValue, NamesWanted, read_values};
use super::vocabulary::{MEASURED, NEGATIONS, SHARED_ROLES, SINGULAR};
use super::words::{Stems, Word, words};
use crate::facts::{Facts, Unit};
use crate::sentences::{Sentence, sentences};
use relevancy::Language;
use relevancy::embedder::{Embedding, embed};
use relevancy::tokens::tokens;
use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of sentences that are read of a source.
pub(super) const SENTENCES_MAX: usize = 120;
/// Maximum number of statements of a source.
pub(super) const STATEMENTS_MAX: usize = 60;
/// Shorter sentences have no subject, longer ones are tables.
const WORDS_MIN: usize = 3;
const WORDS_MAX: usize = 60;
/// A line without a full stop is a heading if it has at most so many words.
const HEADING_WORDS_MAX: usize = 12;
/// So many sentences before a statement may name its subject.
const BEFORE_MAX: usize = 3;

/// A value and what a sentence says about it.
pub(super) struct Statement<'a> {
    /// Which of the sources it is from.
    pub source: usize,
    pub sentence: &'a str,
    /// In the sentence, in bytes.
    pub place: Range<usize>,
    pub value: Value,
    /// The part of the sentence with the value.
    pub clause: &'a str,
    /// See [`Self::meaning`].
    meaning: OnceCell<Embedding>,
    /// What the value is of: the stems of the clause without the value.
    pub subject: Stems,
    /// The stems of the first part of the sentence, if that is another one.
    pub first: Stems,
    pub qualifiers: Qualifiers,
    /// The other numbers and dates of the clause: `in 2021` restricts what it says.
    pub scope: Vec<Value>,
    /// All stems of the sentence.
    pub words: Rc<Stems>,
    /// All words of the sentence in lower case.
    pub sentence_words: Rc<Stems>,
    /// The stems of the sentences before it.
    pub before: Rc<Stems>,
    /// The stems of the heading above it.
    pub heading: Rc<Stems>,
}

impl Statement<'_> {
    /// The embedding of its clause, made once: a statement is compared with many others.
    pub fn meaning(&self) -> &Embedding {
        self.meaning.get_or_init(|| embed(self.clause))
    }

    /// Whether its sentence also has a word of this name, as in "by Margit Oberlin and Karl Lindqvist".
    pub fn mentions(&self, value: &Value) -> bool {
        matches!(value, Value::Name { words, .. } if !words.is_disjoint(&self.sentence_words))
    }
}

/// What is looked for in the sources.
pub(super) struct ReadOptions<'q> {
    pub language: Language,
    pub names: NamesWanted,
    /// The words of the question in lower case: a name among them is no answer.
    pub asked: &'q Stems,
}

/// The statements of a source with a value.
pub(super) fn read_statements<'a>(
    source: usize,
    passages: &'a str,
    options: &ReadOptions<'_>,
) -> Vec<Statement<'a>> {
    let all = sentences(passages, SENTENCES_MAX);
    let mut found = Vec::new();
    let mut earlier: Vec<Rc<Stems>> = Vec::new();
    let mut heading = Rc::new(Stems::new());
    for sentence in all {
        let count = tokens(sentence.text).take(WORDS_MAX + 1).count();
        if count > WORDS_MAX || found.len() >= STATEMENTS_MAX {
            continue;
        }
        let own = words(options.language, sentence.text);
        let stems: Rc<Stems> = Rc::new(own.iter().filter_map(|word| word.stem.clone()).collect());
        if is_heading(passages, sentence, count) {
            heading = stems;
            earlier.clear();
            continue;
        }
        if is_comparable(sentence.text, &own) {
            let before = earlier.iter().rev().take(BEFORE_MAX).flat_map(|stems| stems.iter().cloned());
            let shared = SharedParts {
                stems: Rc::clone(&stems),
                before: Rc::new(before.collect()),
                heading: Rc::clone(&heading),
            };
            let left = STATEMENTS_MAX - found.len();
            found.extend(of_sentence(source, sentence.text, &own, options, &shared).into_iter().take(left));
        }
        earlier.push(stems);
    }
    found
}

/// What all statements of a sentence have in common.
struct SharedParts {
    stems: Rc<Stems>,
    before: Rc<Stems>,
    heading: Rc<Stems>,
}

/// A question, a row of a table and a sentence that denies something are not compared.
fn is_comparable(text: &str, words: &[Word]) -> bool {
    let denies = |word: &Word| {
        NEGATIONS.contains(&word.lower.as_str())
            || word.lower.ends_with("n't")
            || word.lower.starts_with("n'")
    };
    words.len() >= WORDS_MIN && !text.ends_with('?') && !text.contains('|') && !words.iter().any(denies)
}

/// Whether a sentence is a short line of its own without a full stop, with more lines after it.
fn is_heading(passages: &str, one: Sentence<'_>, words: usize) -> bool {
    let before = passages[..one.start].trim_end_matches(' ');
    let after = passages[one.start + one.text.len()..].trim_start_matches(' ');
    let is_alone = (before.is_empty() || before.ends_with('\n')) && after.starts_with('\n');
    let ends = one.text.ends_with(['.', '!', '?', '…', '"', '”', ')']);
    one.text.starts_with('#') || (is_alone && !ends && words <= HEADING_WORDS_MAX)
}

fn of_sentence<'a>(
    source: usize,
    text: &'a str,
    words: &[Word],
    options: &ReadOptions<'_>,
    shared: &SharedParts,
) -> Vec<Statement<'a>> {
    let facts = Facts::read(options.language, text);
    let values = read_values(text, words, &facts, options.language, options.names, options.asked);
    if values.is_empty() {
        return Vec::new();
    }
    let parts = Parts::of(text, &facts, words);
    let sentence_words: Rc<Stems> = Rc::new(words.iter().map(|word| word.lower.clone()).collect());
    let mut found = Vec::new();
    for value in values.iter().filter(|value| value.can_differ) {
        let Some(clause) = parts.clause_at(words, value.place.start) else { continue };
        let scope: Vec<Value> = values
            .iter()
            .filter(|other| other.place != value.place && clause.contains(other.place.start))
            .map(|other| other.value.clone())
            .collect();
        let is_alone = !scope.iter().any(|other| other.is_comparable(&value.value));
        let is_date = matches!(value.value, Value::Date(_));
        let around = Surroundings { words, clause: &clause, value: &value.place, is_date };
        if !is_alone || around.is_difference() || !has_one_holder(&value.value, words, &clause) {
            continue;
        }
        let (qualifiers, rate_words) = around.qualifiers();
        let inside = words
            .iter()
            .enumerate()
            .filter(|(at, word)| clause.contains(word.place.start) && !rate_words.contains(at));
        let subject = subject(inside.map(|(_, word)| word), value, &facts);
        let first = clause.first.as_ref();
        let in_first = words.iter().filter(|word| first.is_some_and(|part| part.contains(&word.place.start)));
        found.push(Statement {
            source,
            sentence: text,
            place: value.place.clone(),
            value: value.value.clone(),
            clause: &text[clause.own.clone()],
            meaning: OnceCell::new(),
            subject,
            first: in_first.filter_map(|word| word.stem.clone()).collect(),
            qualifiers,
            scope,
            words: Rc::clone(&shared.stems),
            sentence_words: Rc::clone(&sentence_words),
            before: Rc::clone(&shared.before),
            heading: Rc::clone(&shared.heading),
        });
    }
    found
}

/// The stems of these words, without the value, other numbers, and words that only name the measure.
fn subject<'w>(words: impl Iterator<Item = &'w Word>, value: &FoundValue, facts: &Facts) -> Stems {
    let mut is_after_value = false;
    let mut stems = Stems::new();
    for word in words {
        let at = word.place.start;
        if value.core.contains(&at) {
            is_after_value = true;
            continue;
        }
        let is_in_value = value.place.contains(&at);
        let is_measure = is_after_value && MEASURED.contains(&word.lower.as_str());
        let is_unit = is_in_value && Unit::named(&word.lower).is_some();
        is_after_value &= is_in_value;
        if !is_measure && !is_unit && !facts.covers(at) {
            stems.extend(word.stem.clone());
        }
    }
    stems
}

/// Whether only one person or place can be meant: "the director is", but not "a member is" or "the shops are".
fn has_one_holder(value: &Value, words: &[Word], clause: &Clause) -> bool {
    let Value::Name { is_place, .. } = value else { return true };
    let has = |list: &[&str]| {
        words.iter().any(|word| clause.contains(word.place.start) && list.contains(&word.lower.as_str()))
    };
    !has(SHARED_ROLES) && (!is_place || has(SINGULAR))
}

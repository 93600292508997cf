//! The values that the answer states.

use super::statement::Statement;
use super::value_reader::{FoundValue, NamesWanted, read_values};
use super::words::{Stems, words};
use crate::check::without_citations;
use crate::facts::Facts;
use domain::summary::GroundedSentence;
use relevancy::Language;

/// Maximum number of sentences of an answer that are read.
pub(super) const SENTENCES_MAX: usize = 40;
/// Minimum share of the words of the shorter one that an answer and its source have in common.
const SHARED_MIN: f64 = 0.5;

/// A sentence of the answer.
struct AnswerSentence<'a> {
    cites: &'a [u32],
    stems: Stems,
    values: Vec<FoundValue>,
}

/// What the answer says, in the language of its sources.
pub(super) struct Answer<'a> {
    sentences: Vec<AnswerSentence<'a>>,
}

impl<'a> Answer<'a> {
    pub fn of(language: Language, sentences: &'a [GroundedSentence]) -> Self {
        let read = |one: &'a GroundedSentence| {
            let text = without_citations(&one.text);
            let words = words(language, &text);
            let facts = Facts::read(language, &text);
            let values = read_values(&text, &words, &facts, language, NamesWanted::Neither, &Stems::new());
            let stems = words.into_iter().filter_map(|word| word.stem).collect();
            AnswerSentence { cites: &one.cites, stems, values }
        };
        Self { sentences: sentences.iter().take(SENTENCES_MAX).map(read).collect() }
    }

    /// Whether a sentence that cites this source says what the statement says.
    pub fn states(&self, statement: &Statement<'_>, n: u32) -> bool {
        self.sentences.iter().any(|one| {
            let shared = one.stems.intersection(&statement.words).count() as f64;
            let shorter = one.stems.len().min(statement.words.len()).max(1) as f64;
            let has_value = one
                .values
                .iter()
                .any(|own| own.value.is_comparable(&statement.value) && own.value.is_same(&statement.value));
            one.cites.contains(&n) && shared / shorter >= SHARED_MIN && has_value
        })
    }
}

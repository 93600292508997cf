//! Sources that disagree: two statements about the same fact with different values.
//!
//! Precision comes first. Two statements are compared only if their clauses have the same words apart from the value,
//! and the same limits, rates, years and other numbers; what one of them leaves out is in its title or before it.
//! Versions of a document are not compared, nor are texts in different languages.
//!
//! | Module | Content |
//! |---|---|
//! | `question`, `answer` | which statements matter: what the question asks for, or the answer states |
//! | `statement`, `value_reader`, `clause`, `qualifiers` | the statements of a source, and the parts of each |
//! | `value` | whether two values differ |
//! | `same_fact`, `document` | whether two statements, and two documents, are about the same |
//! | `words`, `vocabulary` | stems and word lists |

mod answer;
mod clause;
mod document;
mod qualifiers;
#[cfg(test)]
mod quality_tests;
mod question;
mod same_fact;
mod statement;
#[cfg(test)]
mod tests;
mod value;
mod value_reader;
mod vocabulary;
mod words;

use crate::prompt::PromptSource;
use crate::prompt::language::language_of;
use answer::Answer;
use document::Document;
use domain::summary::{Disagreement, GroundedSentence, StatedValue};
use question::Question;
use relevancy::Language;
use same_fact::{Placed, is_same_fact};
use statement::{ReadOptions, Statement, read_statements};

/// Maximum number of disagreements of an answer.
const DISAGREEMENTS_MAX: usize = 3;
/// Maximum number of sources that are compared.
const SOURCES_MAX: usize = 20;
/// Maximum number of statements that are compared with all others.
const ANCHORS_MAX: usize = 60;
/// Maximum length of a value and of the words around it, in characters.
const VALUE_CHARS_MAX: usize = 80;
const QUOTE_CHARS_MAX: usize = 300;

/// An answer whose sources are compared.
pub(crate) struct ComparedAnswer<'a> {
    /// Of the query.
    pub language: Language,
    pub query: &'a str,
    /// The sentences of the answer with their citations.
    pub sentences: &'a [GroundedSentence],
    pub sources: &'a [PromptSource],
}

/// Where the sources give different values for what the query asks for or the answer states.
pub(crate) fn find_disagreements(answer: &ComparedAnswer<'_>) -> Vec<Disagreement> {
    let sources: Vec<(&PromptSource, Language)> = answer
        .sources
        .iter()
        .take(SOURCES_MAX)
        .map(|source| (source, language_of(&source.passages, answer.language)))
        .collect();
    let mut languages: Vec<Language> = Vec::new();
    for (_, language) in &sources {
        if !languages.contains(language) {
            languages.push(*language);
        }
    }
    let mut found = Vec::new();
    for language in languages {
        let own = sources.iter().filter(|(_, own)| *own == language).map(|(source, _)| *source);
        let own: Vec<&PromptSource> = own.collect();
        if own.len() > 1 {
            found.extend(Comparison::of(answer, language, &own).disagreements());
        }
    }
    found.truncate(DISAGREEMENTS_MAX);
    found
}

/// The sources in one language.
struct Comparison<'a> {
    language: Language,
    question: Question,
    answer: Answer<'a>,
    documents: Vec<Document<'a>>,
    statements: Vec<Statement<'a>>,
}

/// A statement that matters.
struct Anchor {
    /// Its place among all statements.
    place: usize,
    /// The answer states it; otherwise only the question asks for it.
    is_stated: bool,
}

impl<'a> Comparison<'a> {
    fn of(answer: &ComparedAnswer<'a>, language: Language, sources: &[&'a PromptSource]) -> Self {
        let question = Question::of(answer.query, answer.language, language);
        let options = ReadOptions { language, names: question.names_wanted(), asked: &question.words };
        let mut statements = Vec::new();
        for (place, source) in sources.iter().copied().enumerate() {
            statements.extend(read_statements(place, &source.passages, &options));
        }
        Self {
            language,
            answer: Answer::of(language, answer.sentences),
            documents: sources.iter().copied().map(|source| Document::of(language, source)).collect(),
            statements,
            question,
        }
    }

    fn disagreements(&self) -> Vec<Disagreement> {
        let fits = |one: &Statement<'_>| self.question.fits(one, &self.documents[one.source]);
        let usable: Vec<bool> = self.statements.iter().map(fits).collect();
        let mut reported: Vec<(usize, usize)> = Vec::new();
        for Anchor { place: one, is_stated } in self.anchors(&usable) {
            for (other, is_usable) in usable.iter().enumerate() {
                let is_candidate = *is_usable && (is_stated || self.is_asked(other));
                if is_candidate && !self.is_reported(&reported, one, other) && self.differ(one, other) {
                    reported.push((one, other));
                }
                if reported.len() == DISAGREEMENTS_MAX {
                    return reported.into_iter().map(|pair| self.disagreement(pair)).collect();
                }
            }
        }
        reported.into_iter().map(|pair| self.disagreement(pair)).collect()
    }

    /// What the question asks for and what the answer states.
    fn anchors(&self, usable: &[bool]) -> Vec<Anchor> {
        let anchor = |(place, statement): (usize, &Statement<'_>)| {
            let is_stated = self.answer.states(statement, self.documents[statement.source].n);
            let is_anchor = usable[place] && (is_stated || self.is_asked(place));
            is_anchor.then_some(Anchor { place, is_stated })
        };
        self.statements.iter().enumerate().filter_map(anchor).take(ANCHORS_MAX).collect()
    }

    fn is_asked(&self, place: usize) -> bool {
        let statement = &self.statements[place];
        self.question.asks_for(self.language, statement, &self.documents[statement.source])
    }

    fn placed(&self, place: usize) -> Placed<'_> {
        let statement = &self.statements[place];
        Placed { statement, document: &self.documents[statement.source] }
    }

    fn is_same_fact(&self, one: usize, other: usize) -> bool {
        is_same_fact(self.placed(one), self.placed(other), &self.question.stems)
    }

    /// Whether two statements of different documents give different values for one fact, and neither of the documents
    /// also gives the value of the other one.
    fn differ(&self, one: usize, other: usize) -> bool {
        let (own, its) = (self.placed(one), self.placed(other));
        own.statement.source != its.statement.source
            && own.statement.value.conflicts_with(&its.statement.value)
            && !own.document.is_version_of(its.document)
            && !own.statement.mentions(&its.statement.value)
            && !its.statement.mentions(&own.statement.value)
            && self.is_same_fact(one, other)
            && !self.also_says(own.statement.source, other)
            && !self.also_says(its.statement.source, one)
    }

    /// Whether a source says the same as this statement of another one.
    fn also_says(&self, source: usize, other: usize) -> bool {
        let value = &self.statements[other].value;
        self.statements.iter().enumerate().any(|(place, known)| {
            known.source == source && known.value.is_same(value) && self.is_same_fact(place, other)
        })
    }

    /// Whether the same two values are reported already.
    fn is_reported(&self, reported: &[(usize, usize)], one: usize, other: usize) -> bool {
        let is_same = |a: usize, b: usize| {
            let (a, b) = (&self.statements[a].value, &self.statements[b].value);
            a.is_comparable(b) && a.is_same(b)
        };
        reported.iter().any(|(first, second)| {
            (is_same(*first, one) && is_same(*second, other))
                || (is_same(*first, other) && is_same(*second, one))
        })
    }

    fn disagreement(&self, (one, other): (usize, usize)) -> Disagreement {
        let (first, second) = if self.placed(one).document.n < self.placed(other).document.n {
            (self.placed(one), self.placed(other))
        } else {
            (self.placed(other), self.placed(one))
        };
        let is_newer = |own: Placed<'_>, its: Placed<'_>| match (own.document.date, its.document.date) {
            (Some(own), Some(its)) => own > its,
            _ => false,
        };
        Disagreement {
            values: vec![
                stated_value(first, is_newer(first, second)),
                stated_value(second, is_newer(second, first)),
            ],
        }
    }
}

fn stated_value(placed: Placed<'_>, newer: bool) -> StatedValue {
    let Placed { statement, document } = placed;
    let value = statement.sentence.get(statement.place.clone()).unwrap_or_default();
    // The sentence; if the value is far from its beginning, the part with the value.
    let is_near = statement.sentence.chars().count() <= QUOTE_CHARS_MAX;
    let quote = if is_near { statement.sentence } else { statement.clause.trim() };
    StatedValue {
        value: cut(value, VALUE_CHARS_MAX),
        n: document.n,
        quote: cut(quote, QUOTE_CHARS_MAX),
        date: document.date.map(|date| date.format("%Y-%m-%d").to_string()),
        newer,
    }
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}

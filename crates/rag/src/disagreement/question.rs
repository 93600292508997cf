//! What the question asks for, and which statements can answer it.

use super::document::Document;
use super::statement::Statement;
use super::value::Value;
use super::value_reader::NamesWanted;
use super::vocabulary::{COST, DURATION, WEIGHT};
use super::words::{Stems, stem, stems};
use crate::facts::{Dimension, Unit, names};
use crate::question_kind::QuestionKind;
use crate::wanted::Wanted;
use relevancy::Language;
use relevancy::tokens::{lower, tokens};

/// Maximum number of words of a question that are read.
const WORDS_MAX: usize = 64;
/// Minimum share of the words of the question that a statement and its surroundings have.
const SHARE_MIN: f64 = 0.6;

pub(super) struct Question {
    kind: QuestionKind,
    /// The stems of its words, without those that only ask.
    pub stems: Stems,
    /// Those of its names and numbers: a statement has all of them.
    required: Stems,
    /// The stems of what it counts.
    counted: Stems,
    /// Its words in lower case.
    pub words: Stems,
}

impl Question {
    /// The question in the language of the sources.
    pub fn of(query: &str, asked_in: Language, language: Language) -> Self {
        let end = tokens(query).nth(WORDS_MAX).map_or(query.len(), |token| token.start);
        let query = &query[..end];
        let kind = QuestionKind::of(asked_in, query);
        let words: Stems = tokens(query).map(|token| lower(token.text).into_owned()).collect();
        let is_counted_unit = |word: &String| kind.counted.contains(word) && Unit::named(word).is_some();
        let content = words
            .iter()
            .filter(|word| !kind.is_asking(word) && !asked_in.is_stopword(word) && !is_counted_unit(word));
        let content = content.filter_map(|word| stem(language, word));
        let content = content.filter(|stem| ![COST, DURATION, WEIGHT].contains(&stem.as_str()));
        let names = names(asked_in, query);
        let named = names.iter().flat_map(|name| &name.words).map(|word| lower(word).into_owned());
        let numbers = words.iter().filter(|word| word.contains(|c: char| c.is_ascii_digit())).cloned();
        Self {
            stems: content.collect(),
            required: named.chain(numbers).filter_map(|word| stem(language, &word)).collect(),
            counted: kind.counted.iter().filter_map(|word| stem(language, word)).collect(),
            words,
            kind,
        }
    }

    pub fn names_wanted(&self) -> NamesWanted {
        match self.kind.wanted {
            Wanted::Person if !self.kind.is_about_document => NamesWanted::Persons,
            Wanted::Place => NamesWanted::Places,
            _ => NamesWanted::Neither,
        }
    }

    /// Whether a statement has a value of the kind that the question asks for, and is about it.
    pub fn asks_for(&self, language: Language, statement: &Statement<'_>, document: &Document<'_>) -> bool {
        !self.kind.is_about_document
            && self.wants(language, statement)
            && statement.words.intersection(&self.stems).next().is_some()
            && self.covered_share(statement, document) >= SHARE_MIN
    }

    /// Whether a statement has the names and numbers of the question.
    pub fn fits(&self, statement: &Statement<'_>, document: &Document<'_>) -> bool {
        self.required.iter().all(|stem| is_around(stem, statement, document))
    }

    fn covered_share(&self, statement: &Statement<'_>, document: &Document<'_>) -> f64 {
        let found = self.stems.iter().filter(|stem| is_around(stem, statement, document)).count();
        found as f64 / self.stems.len().max(1) as f64
    }

    fn wants(&self, language: Language, statement: &Statement<'_>) -> bool {
        let (quantity, counted) = match &statement.value {
            Value::Quantity { quantity, counted } => (quantity, counted),
            Value::Date(_) => return self.kind.wanted == Wanted::Date,
            Value::Name { is_place, .. } => {
                return self.kind.wanted == if *is_place { Wanted::Place } else { Wanted::Person };
            }
        };
        let dimension = quantity.unit.map(|unit| unit.dimension);
        let is_clock = dimension == Some(Dimension::Clock);
        let is_duration = dimension.is_some_and(Dimension::is_duration);
        match self.kind.wanted {
            Wanted::Number([]) => !is_clock,
            Wanted::Number(dimensions) => dimension.is_some_and(|own| dimensions.contains(&own)),
            Wanted::Money => dimension.is_some_and(Dimension::is_money),
            // "How long is the tunnel?"
            Wanted::Duration => is_duration || dimension == Some(Dimension::Length),
            Wanted::Age => dimension == Some(Dimension::Calendar),
            Wanted::Frequency => is_duration,
            Wanted::Count => {
                let text = statement.sentence.get(statement.place.clone()).unwrap_or_default();
                let named = stems(language, text);
                self.counted.iter().any(|stem| counted.contains(stem) || named.contains(stem))
            }
            Wanted::Date => is_clock,
            _ => false,
        }
    }
}

/// Whether a word is in a sentence, its heading, its title or the sentences before it.
fn is_around(stem: &str, statement: &Statement<'_>, document: &Document<'_>) -> bool {
    [&*statement.words, &*statement.before, &*statement.heading, &document.title]
        .iter()
        .any(|stems| stems.contains(stem))
}

//! Whether two statements are about the same fact.

use super::document::Document;
use super::statement::Statement;
use super::value::Value;
use super::vocabulary::RECURRING;
use super::words::Stems;

/// Minimum number of words that both statements have.
const SHARED_MIN: usize = 2;
/// Minimum similarity of the meanings of their clauses.
const MEANING_MIN: f32 = 0.4;

/// A statement and the document that it is from.
#[derive(Clone, Copy)]
pub(super) struct Placed<'s> {
    pub statement: &'s Statement<'s>,
    pub document: &'s Document<'s>,
}

/// Whether two statements say the same of the same, apart from their values. `question` are the words of the question.
pub(super) fn is_same_fact(one: Placed<'_>, other: Placed<'_>, question: &Stems) -> bool {
    let (a, b) = (one.statement, other.statement);
    let is_date = matches!(a.value, Value::Date(_));
    let shared = a.subject.intersection(&b.subject).count();
    let is_whole_question =
        || shared > 0 && !question.is_empty() && question.iter().all(|stem| a.subject.contains(stem));
    a.value.is_comparable(&b.value)
        && (shared >= SHARED_MIN || is_whole_question())
        && a.qualifiers.fit(&b.qualifiers, is_date)
        && has_scope(a, b)
        && has_scope(b, a)
        && is_covered(one, other, question)
        && is_covered(other, one, question)
        && !is_other_occasion(one, other)
        && one.document.fits(other.document, is_date)
        && are_similar(a, b)
}

/// Whether the other numbers and dates of a statement are also in the other one.
fn has_scope(one: &Statement<'_>, other: &Statement<'_>) -> bool {
    let is_in_other =
        |own: &Value| other.scope.iter().any(|known| known.is_comparable(own) && known.is_same(own));
    one.scope.iter().all(is_in_other)
}

/// Whether the other statement is about everything that this one is about. What its sentence leaves out may be in its
/// title, in the first part of its sentence, or, for words of the question, in the sentences before it.
fn is_covered(one: Placed<'_>, other: Placed<'_>, question: &Stems) -> bool {
    let (a, b) = (one.statement, other.statement);
    let implied = a.value.implied_group();
    let is_implied = |stem: &String| Some(stem.as_str()) == implied;
    let adds_nothing = || b.subject.iter().all(|stem| a.subject.contains(stem) || is_implied(stem));
    let is_elsewhere = |stem: &String| {
        other.document.title.contains(stem)
            || (question.contains(stem) && b.before.contains(stem))
            || (b.first.contains(stem) && adds_nothing())
    };
    let is_in_heading = |stem: &String| {
        b.words.contains(stem)
            || b.heading.contains(stem)
            || a.words.contains(stem)
            || one.document.title.contains(stem)
            || question.contains(stem)
    };
    a.subject.iter().all(|stem| b.subject.contains(stem) || is_implied(stem) || is_elsewhere(stem))
        && a.heading.iter().all(|stem| is_in_heading(stem) || is_elsewhere(stem))
}

/// Whether two dates may be those of two events: of what happens again and again, or of the years in which the documents
/// were written.
fn is_other_occasion(one: Placed<'_>, other: Placed<'_>) -> bool {
    let (a, b) = (one.statement, other.statement);
    if !a.value.has_other_year(&b.value) {
        return false;
    }
    let is_recurring = a.sentence_words.iter().any(|word| RECURRING.contains(&word.as_str()));
    let is_of_its_year = |placed: Placed<'_>| {
        let year = placed.statement.value.year();
        year.is_some() && year == placed.document.year()
    };
    is_recurring || (is_of_its_year(one) && is_of_its_year(other))
}

/// Without an embedding, as for unknown words, only the words count.
fn are_similar(one: &Statement<'_>, other: &Statement<'_>) -> bool {
    let (one, other) = (one.meaning(), other.meaning());
    one.is_zero() || other.is_zero() || one.cosine(other) >= MEANING_MIN
}

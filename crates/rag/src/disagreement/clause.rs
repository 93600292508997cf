//! The clause of a value: the part of its sentence that says what it is of.

use super::vocabulary::{CONJUNCTIONS, LEADING, TRAILING};
use super::words::Word;
use crate::facts::Facts;
use std::iter;
use std::ops::Range;

/// The parts of a sentence between its commas, brackets and conjunctions, in bytes.
pub(super) struct Parts<'a> {
    text: &'a str,
    places: Vec<Range<usize>>,
}

/// Some parts of a sentence.
pub(super) struct Clause {
    parts: Vec<Range<usize>>,
    /// The part with the value.
    pub own: Range<usize>,
    /// The first part of the sentence, if that is another one: it may have the subject.
    pub first: Option<Range<usize>>,
}

impl Clause {
    pub fn contains(&self, byte: usize) -> bool {
        self.parts.iter().any(|part| part.contains(&byte))
    }
}

impl<'a> Parts<'a> {
    pub fn of(text: &'a str, facts: &Facts, words: &[Word]) -> Self {
        let marks = text.char_indices().filter(|(at, c)| is_boundary(text, *at, *c) && !facts.covers(*at));
        let mut cuts: Vec<Range<usize>> = marks.map(|(at, c)| at..at + c.len_utf8()).collect();
        let joins =
            |word: &&Word| CONJUNCTIONS.contains(&word.lower.as_str()) && !facts.covers(word.place.start);
        cuts.extend(words.iter().filter(joins).map(|word| word.place.clone()));
        cuts.sort_by_key(|cut| cut.start);
        let mut places = Vec::new();
        let mut start = 0;
        for cut in cuts.into_iter().chain(iter::once(text.len()..text.len())) {
            let part = start..cut.start.max(start);
            if text[part.clone()].contains(char::is_alphanumeric) {
                places.push(part);
            }
            start = cut.end;
        }
        Self { text, places }
    }

    /// The clause around a place. Words in brackets after it, and phrases that restrict it, belong to it.
    pub fn clause_at(&self, words: &[Word], byte: usize) -> Option<Clause> {
        let own = self.places.iter().position(|part| part.contains(&byte))?;
        let begins_with = |part: &Range<usize>, list: &[&str]| {
            let first = words.iter().find(|word| part.contains(&word.place.start));
            first.is_some_and(|word| list.contains(&word.lower.as_str()))
        };
        let mut parts = vec![self.places[own].clone()];
        let first = self.places.first().filter(|_| own > 0);
        parts.extend(first.filter(|part| begins_with(part, LEADING)).cloned());
        let next = self.places.get(own + 1);
        let belongs = |part: &&Range<usize>| {
            begins_with(part, TRAILING) || self.text[..part.start].trim_end().ends_with(['(', '['])
        };
        parts.extend(next.filter(belongs).cloned());
        Some(Clause { parts, own: self.places[own].clone(), first: first.cloned() })
    }
}

/// Whether a character ends a part. One between two digits belongs to a number.
fn is_boundary(text: &str, at: usize, c: char) -> bool {
    let is_digit = |found: Option<char>| found.is_some_and(|c| c.is_ascii_digit());
    let is_in_number =
        || is_digit(text[..at].chars().next_back()) && is_digit(text[at + c.len_utf8()..].chars().next());
    matches!(c, ',' | ';' | ':' | '(' | ')' | '[' | ']' | '–' | '—') && !is_in_number()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;
    use relevancy::Language;

    #[test]
    fn a_value_belongs_to_its_clause() {
        for (text, value, expected) in [
            ("The museum opens at 9:00 and closes at 17:00.", "9:00", "The museum opens at 9:00"),
            ("The museum opens at 9:00 and closes at 17:00.", "17:00", "closes at 17:00"),
            ("On Sundays, the museum opens at 11:00.", "11:00", "On Sundays the museum opens at 11:00"),
            ("Admission is 6 euros, for children.", "6 euros", "Admission is 6 euros for children"),
            ("Admission is 6 euros (children).", "6 euros", "Admission is 6 euros children"),
            ("It costs 1,250 euros, which is much.", "1,250", "It costs 1,250 euros"),
            ("It takes an hour and a half.", "hour", "It takes an hour and a half"),
        ] {
            let words = words(Language::ENGLISH, text);
            let parts = Parts::of(text, &Facts::read(Language::ENGLISH, text), &words);
            let clause = parts.clause_at(&words, text.find(value).unwrap()).unwrap();
            let inside = words.iter().filter(|word| clause.contains(word.place.start));
            let inside: Vec<&str> = inside.map(|word| &text[word.place.clone()]).collect();
            let expected: Vec<String> = super::super::words::words(Language::ENGLISH, expected)
                .iter()
                .map(|word| expected[word.place.clone()].to_owned())
                .collect();
            assert_eq!(inside, expected, "{text}");
        }
        assert!(Parts::of("", &Facts::default(), &[]).clause_at(&[], 0).is_none());
    }
}

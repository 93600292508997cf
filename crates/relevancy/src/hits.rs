//! Where the words of a query stand in a result. Every text is read once.

use crate::field::{Field, PerField};
use crate::query::Query;
use crate::stems::stem;
use crate::tokens::{lower, tokens};

/// Most tokens of a field that are read; what comes later is not weighed.
pub const FIELD_TOKENS_MAX: usize = 10_000;
/// Most positions of one word in one field; more occurrences change no score worth speaking of.
pub const POSITIONS_MAX: usize = 64;

/// A matched word, in lower case, and the places where it stands, counted in tokens from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordHits {
    pub word: String,
    /// The place in `Query::terms`; None for a word that only the source highlighted.
    pub term: Option<usize>,
    pub positions: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldHits {
    /// In tokens.
    pub length: u32,
    pub words: Vec<WordHits>,
    /// It weighs as much as a title.
    pub weighs_as_title: bool,
}

/// The hits of one result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hits {
    pub fields: PerField<FieldHits>,
    /// A negated word or phrase that occurs, and the field that holds it.
    pub negated: Option<(Field, String)>,
}

impl Hits {
    /// Reads the texts of one result, one for each field.
    pub fn read(query: &Query, texts: PerField<&str>) -> Self {
        let mut hits = Self::default();
        for (field, text) in Field::ALL.into_iter().zip(texts) {
            hits.fields[field as usize] = read_field(query, text);
            if hits.negated.is_none() {
                hits.negated = negated_in(query, text).map(|words| (field, words));
            }
        }
        hits
    }

    /// Each field with its hits.
    pub fn by_field(&self) -> impl Iterator<Item = (Field, &FieldHits)> {
        Field::ALL.into_iter().zip(&self.fields)
    }

    pub fn contains(&self, term: usize) -> bool {
        self.fields.iter().any(|field| field.occurrences(term) > 0)
    }
}

impl FieldHits {
    pub fn occurrences(&self, term: usize) -> usize {
        self.of_term(term).map(|hits| hits.positions.len()).sum()
    }

    /// All positions of a term, in order, whatever form the word has there.
    pub fn positions(&self, term: usize) -> Vec<u32> {
        let mut positions: Vec<u32> = self.of_term(term).flat_map(|hits| &hits.positions).copied().collect();
        positions.sort_unstable();
        positions
    }

    fn of_term(&self, term: usize) -> impl Iterator<Item = &WordHits> {
        self.words.iter().filter(move |hits| hits.term == Some(term))
    }
}

fn read_field(query: &Query, text: &str) -> FieldHits {
    let mut hits = FieldHits::default();
    for (position, token) in (0u32..).zip(tokens(text).take(FIELD_TOKENS_MAX)) {
        hits.length = position + 1;
        if !query.may_match(token.text) {
            continue;
        }
        let word = lower(token.text);
        if let Some(known) = hits.words.iter_mut().find(|known| known.word == word) {
            if known.positions.len() < POSITIONS_MAX {
                known.positions.push(position);
            }
            continue;
        }
        let stem = stem(&word);
        let term = query.place(&stem);
        if term.is_some() || query.is_highlight(&stem) {
            hits.words.push(WordHits { word: word.into_owned(), term, positions: vec![position] });
        }
    }
    hits
}

/// The first negated word or phrase that stands in the text.
fn negated_in(query: &Query, text: &str) -> Option<String> {
    if query.negated.is_empty() {
        return None;
    }
    let words: Vec<_> = tokens(text).take(FIELD_TOKENS_MAX).map(|token| lower(token.text)).collect();
    let stands =
        |negated: &&Vec<String>| words.windows(negated.len()).any(|window| window == negated.as_slice());
    query.negated.iter().find(stands).map(|negated| negated.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(query: &str, text: &str) -> Vec<(String, Vec<u32>)> {
        let hits = Hits::read(&Query::parse(query), [text, "", ""]);
        hits.fields[0].words.iter().map(|hits| (hits.word.clone(), hits.positions.clone())).collect()
    }

    #[test]
    fn hits_are_counted_in_tokens_and_kept_by_word() {
        type Hit<'a> = (&'a str, &'a [u32]);
        let table: &[(&str, &str, &[Hit<'_>])] = &[
            ("electric cars", "Electric cars win", &[("electric", &[0]), ("cars", &[1])]),
            ("car", "Cars, a car & the CARS", &[("cars", &[0, 4]), ("car", &[2])]),
            ("art", "cart", &[]),
            ("matched", "a <em>matched</em> word", &[("matched", &[1])]),
            ("", "anything", &[]),
        ];
        for (query, text, expected) in table {
            let expected: Vec<(String, Vec<u32>)> =
                expected.iter().map(|(word, positions)| ((*word).to_owned(), positions.to_vec())).collect();
            assert_eq!(title(query, text), expected, "{query} in {text}");
        }
    }

    #[test]
    fn negated_words_are_found_as_written() {
        let table = [
            ("a -beta", "Beta x", Some("beta")),
            ("a -beta", "betas x", None),
            ("a -\"big beta\"", "a big Beta", Some("big beta")),
            ("a -\"big beta\"", "a beta big", None),
        ];
        for (query, text, expected) in table {
            let hits = Hits::read(&Query::parse(query), ["", text, ""]);
            assert_eq!(
                hits.negated,
                expected.map(|words| (Field::Body, words.to_owned())),
                "{query} in {text}"
            );
        }
    }

    #[test]
    fn reading_is_bounded() {
        let hits = Hits::read(&Query::parse("x"), ["", &"x ".repeat(FIELD_TOKENS_MAX + 5), ""]);
        let body = &hits.fields[Field::Body as usize];
        assert_eq!(body.length as usize, FIELD_TOKENS_MAX);
        assert_eq!(body.occurrences(0), POSITIONS_MAX);
        assert!(hits.contains(0));
    }
}

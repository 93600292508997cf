//! Where the words of a query occur in a result. Every text is read once.
//!
//! A word of a text matches if its stem equals the stem of a word of the query: `art` does not match `cart`.

use crate::codes;
use crate::query::Query;
use crate::term_set::TermSet;
use crate::tokens::{Token, lower, tokens};
use domain::explain::{Field, NegatedWords, PerField, WordHits};
use std::borrow::Cow;

/// Most tokens of a field that are read.
pub const FIELD_TOKENS_MAX: usize = 10_000;
/// Most positions of one word in one field; more occurrences hardly change a score.
pub const POSITIONS_MAX: usize = 64;
/// Bytes per token of a text with short words, including the space.
const TOKEN_BYTES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldHits {
    /// In tokens.
    pub length: u32,
    pub words: Vec<WordHits>,
    /// It has the weight of a title.
    pub weighs_as_title: bool,
}

/// The hits of one result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hits {
    pub fields: PerField<FieldHits>,
    pub negated: Option<NegatedWords>,
    /// The terms that are stopwords in the language of the result, and not in that of the query.
    pub stopword_terms: TermSet,
}

/// A token that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    pub position: usize,
    /// The index in [`FieldHits::words`].
    pub word: usize,
}

/// One field with its tokens, while its text is available.
#[derive(Debug, Clone, Default)]
pub struct FieldReading<'t> {
    pub tokens: Vec<Token<'t>>,
    /// In the order of the text.
    pub matches: Vec<Match>,
    pub hits: FieldHits,
}

impl Hits {
    /// Reads the texts of one result, one per field.
    pub fn read(query: &Query, texts: PerField<&str>) -> Self {
        Self::of(query, texts.map(|text| FieldReading::of(query, text)))
    }

    /// The hits of fields that were read.
    pub fn of(query: &Query, readings: PerField<FieldReading<'_>>) -> Self {
        let mut negated = None;
        for (field, reading) in Field::ALL.into_iter().zip(&readings) {
            negated = negated.or_else(|| reading.negated(query).map(|words| NegatedWords { field, words }));
        }
        Self { fields: readings.map(|reading| reading.hits), negated, stopword_terms: query.stopword_terms }
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

    /// All positions of a term, in order, in any form of the word.
    pub fn positions(&self, term: usize) -> Cow<'_, [u32]> {
        let mut forms = self.of_term(term);
        // Most words occur in one form, whose positions are in order.
        let first = forms.next().map(|hits| hits.positions.as_slice()).unwrap_or_default();
        let second = forms.next();
        if second.is_none() && first.is_sorted() {
            return Cow::Borrowed(first);
        }
        let others = second.into_iter().chain(forms).flat_map(|hits| &hits.positions);
        let mut positions: Vec<u32> = first.iter().chain(others).copied().collect();
        positions.sort_unstable();
        Cow::Owned(positions)
    }

    fn of_term(&self, term: usize) -> impl Iterator<Item = &WordHits> {
        self.words.iter().filter(move |hits| hits.term == Some(term))
    }
}

impl<'t> FieldReading<'t> {
    pub fn of(query: &Query, text: &'t str) -> Self {
        let expected = text.len().div_ceil(TOKEN_BYTES).min(FIELD_TOKENS_MAX);
        let mut reading = Self { tokens: Vec::with_capacity(expected), ..Self::default() };
        let mut tokens = tokens(text);
        while reading.tokens.len() < FIELD_TOKENS_MAX
            && let Some(token) = tokens.advance()
        {
            if query.may_match(token.text) {
                reading.take(query, token, reading.tokens.len());
            }
            reading.tokens.push(token);
        }
        reading.hits.length = u32::try_from(reading.tokens.len()).unwrap_or(u32::MAX);
        if !query.codes.is_empty() {
            reading.take_codes(query);
        }
        reading
    }

    /// The term that matched at a position.
    pub fn term_at(&self, position: usize) -> Option<usize> {
        let place = self.matches.binary_search_by_key(&position, |found| found.position).ok()?;
        self.term(self.matches[place])
    }

    pub fn term(&self, found: Match) -> Option<usize> {
        self.hits.words.get(found.word)?.term
    }

    fn take(&mut self, query: &Query, token: Token<'_>, position: usize) {
        let word = lower(token.text);
        let at = u32::try_from(position).unwrap_or(u32::MAX);
        let words = &mut self.hits.words;
        if let Some(place) = words.iter().position(|known| known.word == word) {
            if words[place].positions.len() < POSITIONS_MAX {
                words[place].positions.push(at);
            }
            self.matches.push(Match { position, word: place });
            return;
        }
        if let Some(found) = query.find(&word) {
            self.matches.push(Match { position, word: words.len() });
            words.push(WordHits { word: word.into_owned(), term: found.term(), positions: vec![at] });
        }
    }

    /// Adds the codes of the query that the text spells in another way. All terms of such a code are where it begins.
    fn take_codes(&mut self, query: &Query) {
        let found = codes::find(&query.codes, &self.tokens);
        if found.is_empty() {
            return;
        }
        for (code, place) in found {
            let at = u32::try_from(place.start).unwrap_or(u32::MAX);
            for (number, term) in code.terms.iter().enumerate() {
                let Some(word) = query.terms.get(*term).map(|term| term.word.as_str()) else { continue };
                let words = &mut self.hits.words;
                let known = words.iter().position(|known| known.word == word);
                let index = known.unwrap_or(words.len());
                if known.is_none() {
                    words.push(WordHits { word: word.to_owned(), term: Some(*term), positions: Vec::new() });
                }
                let positions = &mut words[index].positions;
                if positions.len() < POSITIONS_MAX && !positions.contains(&at) {
                    positions.push(at);
                    positions.sort_unstable();
                }
                if number == 0 {
                    self.matches.extend(place.clone().map(|position| Match { position, word: index }));
                }
            }
        }
        // A token matches once: what it matches as a word counts.
        self.matches.sort_by_key(|found| found.position);
        self.matches.dedup_by_key(|found| found.position);
    }

    /// The first negated word or phrase in the text.
    fn negated(&self, query: &Query) -> Option<String> {
        let is_same = |(token, word): (&Token<'_>, &String)| {
            if token.text.is_ascii() {
                token.text.eq_ignore_ascii_case(word)
            } else {
                lower(token.text) == *word
            }
        };
        let stands = |negated: &&Vec<String>| {
            self.tokens.windows(negated.len()).any(|window| window.iter().zip(*negated).all(is_same))
        };
        query.negated.iter().find(stands).map(|negated| negated.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn title(query: &Query, text: &str) -> Vec<(String, Vec<u32>)> {
        let hits = Hits::read(query, [text, "", ""]);
        hits.fields[0].words.iter().map(|hits| (hits.word.clone(), hits.positions.clone())).collect()
    }

    #[test]
    fn hits_are_counted_in_tokens_and_kept_by_word() {
        type Hit<'a> = (&'a str, &'a [u32]);
        let table: &[(&str, &str, &str, &[Hit<'_>])] = &[
            ("english", "electric cars", "Electric cars win", &[("electric", &[0]), ("cars", &[1])]),
            ("english", "car", "Cars, a car & the CARS", &[("cars", &[0, 4]), ("car", &[2])]),
            ("english", "art", "cart", &[]),
            ("english", "matched", "a <em>matched</em> word", &[("matched", &[1])]),
            ("english", "", "anything", &[]),
            ("english", "東京", "新東京", &[("東", &[1]), ("京", &[2])]),
            ("english", "🚀", "to the moon 🚀", &[("🚀", &[3])]),
            ("german", "Haus", "Die HÄUSER, ein Haus", &[("häuser", &[1]), ("haus", &[3])]),
            ("french", "eau", "L’eau et les eaux", &[("l'eau", &[0]), ("eaux", &[3])]),
            ("arabic", "كتاب", "هذا الكتاب جديد", &[("الكتاب", &[1])]),
        ];
        for (language, query, text, expected) in table {
            let query = Query::parse_in(Language::named(language), query);
            let expected: Vec<(String, Vec<u32>)> =
                expected.iter().map(|(word, positions)| ((*word).to_owned(), positions.to_vec())).collect();
            assert_eq!(title(&query, text), expected, "{query:?} in {text}");
        }
    }

    #[test]
    fn positions_of_all_forms_are_in_order() {
        let hits = Hits::read(&Query::parse("car win"), ["Cars, a car & the CARS win", "", ""]);
        let title = &hits.fields[0];
        assert_eq!(*title.positions(0), [0, 2, 4]);
        assert!(matches!(title.positions(1), Cow::Borrowed([5])), "one form needs no copy");
        assert!(title.positions(2).is_empty());
        let word = WordHits { word: "x".to_owned(), term: Some(0), positions: vec![3, 1] };
        let unordered = FieldHits { words: vec![word], ..FieldHits::default() };
        assert_eq!(*unordered.positions(0), [1, 3]);
    }

    #[test]
    fn codes_match_in_both_spellings() {
        type Hit<'a> = (&'a str, &'a [u32]);
        let table: &[(&str, &str, &[Hit<'_>])] = &[
            ("RB-171", "RB171: pump", &[("rb", &[0]), ("171", &[0])]),
            ("RB-171", "RB-171: pump", &[("rb", &[0]), ("171", &[1])]),
            ("RB-171", "171, then RB171 and RB", &[("171", &[0, 2]), ("rb", &[2, 4])]),
            ("RB171", "RB-171: pump", &[("rb171", &[0])]),
            ("RB171", "RB171 or RB 171", &[("rb171", &[0, 2])]),
            ("RB-171 RB171", "RB171", &[("rb171", &[0]), ("rb", &[0]), ("171", &[0])]),
            ("A-4", "A4 paper", &[("4", &[0])]),
            ("river 7", "river 7", &[("river", &[0]), ("7", &[1])]),
        ];
        for (query, text, expected) in table {
            let query = Query::parse(query);
            let expected: Vec<(String, Vec<u32>)> =
                expected.iter().map(|(word, positions)| ((*word).to_owned(), positions.to_vec())).collect();
            assert_eq!(title(&query, text), expected, "{query:?} in {text}");
            let reading = FieldReading::of(&query, text);
            assert!(reading.matches.is_sorted_by(|a, b| a.position < b.position), "{reading:?}");
        }
        let repeated = "RB171 ".repeat(POSITIONS_MAX + 5);
        let often = FieldReading::of(&Query::parse("RB-171"), &repeated);
        assert_eq!(often.hits.occurrences(0), POSITIONS_MAX);
    }

    #[test]
    fn negated_words_are_found_as_written() {
        let table = [
            ("a -beta", "Beta x", Some("beta")),
            ("a -beta", "betas x", None),
            ("a -\"big beta\"", "a big Beta", Some("big beta")),
            ("a -\"big beta\"", "a beta big", None),
            ("a -über", "a ÜBER", Some("über")),
        ];
        for (query, text, expected) in table {
            let hits = Hits::read(&Query::parse(query), ["", text, ""]);
            let expected = expected.map(|words| NegatedWords { field: Field::Body, words: words.to_owned() });
            assert_eq!(hits.negated, expected, "{query} in {text}");
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

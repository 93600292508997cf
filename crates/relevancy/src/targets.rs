//! What of a query is compared with a text: the whole of it, its phrases, its pairs of words, its words. Where one of
//! them stands in a text, the words around that place are compared with it.

use crate::hits::FieldReading;
use crate::query::{Query, Word};
use crate::reader::{Embedding, Pieces, Sum, TOKENS_MAX, embed};
use crate::scale::Scale;
use crate::sentences::sentences;
use crate::tokens::{Token, lower};
use std::fmt::Write;
use std::ops::Range;

/// Most targets of a query; later ones are not looked for.
pub const TARGETS_MAX: usize = 128;
/// Most matched tokens of a field that are looked at for targets.
pub const MATCHES_MAX: usize = 512;

/// The similarity of a query and a field of which one is unknown to the reader model.
const UNKNOWN_FIELD: f64 = 0.3 + 1.0 / 3.0;
/// The same of a target and the words around it, when those words are unknown,
const UNKNOWN_WINDOW: f64 = 0.31 + 1.0 / 3.0;
/// and when the target itself is.
const UNKNOWN_TARGET: f64 = 0.32 + 1.0 / 3.0;

/// A part of a query that is looked for.
#[derive(Debug, Clone)]
struct Target {
    /// In `Query::words`.
    words: Range<usize>,
    /// The first of them that is a term: where its term stands, the target may stand.
    anchor: usize,
    term: usize,
    embedding: Embedding,
}

/// A query made ready to be compared with many results.
#[derive(Debug, Clone)]
pub struct Asked<'q> {
    pub query: &'q Query,
    pub scale: &'q Scale,
    embedding: Embedding,
    /// The words of the query, each followed by `_`.
    key: String,
    targets: Vec<Target>,
    has_digits: bool,
}

/// What the reader model makes of a field.
#[derive(Debug, Clone)]
pub struct Look {
    pieces: Pieces,
    whole: Sum,
    /// How alike the query and the best sentence are, if there is more than one.
    best: Option<f32>,
    /// Words of the query stand in it.
    tells: bool,
}

/// The keys of one field in `explain`, each with its similarity.
pub type Similarities = Vec<(String, f64)>;

impl<'q> Asked<'q> {
    pub fn of(query: &'q Query, scale: &'q Scale) -> Self {
        let mut key = String::new();
        for word in &query.words {
            key.push_str(&word.written);
            key.push('_');
        }
        Self {
            query,
            scale,
            embedding: embed(&text(&query.words)),
            key,
            targets: targets(query),
            has_digits: query.words.iter().any(|word| word.written.contains(is_digit)),
        }
    }

    /// Where a result as a whole lies.
    pub fn place(title: &Look, body: &Look) -> Embedding {
        match title.pieces.len() + body.pieces.len() <= TOKENS_MAX {
            true => {
                let mut whole = title.whole.clone();
                whole.add(&body.whole);
                whole.embedding()
            }
            false => title.pieces.embedding_with(&body.pieces),
        }
    }

    /// How alike the query and a text are, 0 to 1.
    pub fn cosine(&self, text: &Embedding) -> f64 {
        rounded(f64::from(text.cosine(&self.embedding).max(0.0)))
    }

    /// Looks at a field as a whole. Its sentences matter when words of the query stand in it.
    pub fn look(&self, text: &str, reading: &FieldReading<'_>) -> Look {
        let pieces = Pieces::of(text);
        let tells = reading.matches.iter().any(|one| reading.term(*one).is_some());
        let sentences = if tells { sentences(text) } else { Vec::new() };
        if sentences.len() < 2 {
            let whole = pieces.sum();
            return Look { whole, best: None, tells, pieces };
        }
        let (mut whole, mut best) = (Sum::ZERO, 0.0_f32);
        for place in sentences {
            let sum = pieces.sum_between(place);
            best = best.max(sum.cosine(&self.embedding).unwrap_or_default());
            whole.add(&sum);
        }
        if pieces.len() > TOKENS_MAX {
            whole = pieces.sum();
        }
        Look { whole, best: Some(best), tells, pieces }
    }

    /// Compares the query with a field in which some of its words stand.
    pub fn similarities(&self, text: &str, reading: &FieldReading<'_>, look: &Look) -> Similarities {
        let mut found = Similarities::new();
        let mut keep = |key: String, value: f64| {
            let value = rounded(value.min(1.0));
            if value >= self.scale.min_similarity && value >= 0.0 {
                found.push((key, value));
            }
        };
        if look.tells {
            let (label, value) = self.whole(look);
            keep(format!("{}{label}", self.key), value);
        }
        let matches = &reading.matches[..reading.matches.len().min(MATCHES_MAX)];
        for target in &self.targets {
            let anchors = matches.iter().filter(|one| reading.term(**one) == Some(target.term));
            let places = anchors
                .filter_map(|one| one.position.checked_sub(target.anchor - target.words.start))
                .filter(|place| self.stands(target, reading, *place));
            for place in places.take(self.scale.max_matches) {
                let value = self.around(target, reading, (text, &look.pieces), place);
                keep(key(&reading.tokens[place..place + target.words.len()], place), value);
            }
        }
        found
    }

    /// The query with the field as a whole, or with the sentence that is most like it.
    fn whole(&self, look: &Look) -> (&'static str, f64) {
        match (look.whole.cosine(&self.embedding), look.best) {
            (None, _) => ("*", UNKNOWN_FIELD),
            (Some(whole), None) => ("*", f64::from(whole)),
            (Some(_), Some(best)) => ("s*", f64::from(best)),
        }
    }

    /// The words of a target stand here, one after the other.
    fn stands(&self, target: &Target, reading: &FieldReading<'_>, place: usize) -> bool {
        let words = &self.query.words[target.words.clone()];
        let Some(tokens) = reading.tokens.get(place..place + words.len()) else { return false };
        words.iter().zip(tokens).enumerate().all(|(offset, (word, token))| match word.term {
            Some(term) => reading.term_at(place + offset) == Some(term),
            None => self.query.language.stem(&lower(token.text)) == word.stem,
        })
    }

    /// A target with the words around the place where it stands.
    fn around(
        &self,
        target: &Target,
        reading: &FieldReading<'_>,
        (text, pieces): (&str, &Pieces),
        place: usize,
    ) -> f64 {
        if target.embedding.is_zero() {
            return UNKNOWN_TARGET;
        }
        let tokens = &reading.tokens;
        let window = window(tokens, place, target.words.len());
        let read = |window: &[Token<'_>]| {
            let bytes = bytes(window);
            let found = pieces.sum_between(bytes.clone()).cosine(&target.embedding);
            // Far down in a long text the pieces are not kept.
            found.or_else(|| Pieces::of(&text[bytes]).sum().cosine(&target.embedding))
        };
        let alike = match !self.has_digits && window.iter().any(|token| token.text.contains(is_digit)) {
            true => match without_digits(window) {
                Some(words) => Pieces::of(&words).sum().cosine(&target.embedding),
                None => read(forward(tokens, place, target.words.len())),
            },
            false => read(window),
        };
        alike.map_or(UNKNOWN_WINDOW, f64::from)
    }
}

/// To the digits that are shown. An empty sum is zero below nothing, which nobody wants to read.
pub fn rounded(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0 + 0.0
}

/// Phrases, the last one first; then the whole query, its pairs and its words. What was named before is not named again,
/// and what is made of stopwords alone stands everywhere and says nothing.
fn targets(query: &Query) -> Vec<Target> {
    let count = query.words.len();
    let phrases = query.quoted.iter().rev().cloned();
    let pairs = (2..=count).map(|end| end - 2..end);
    let singles = (0..count).map(|place| place..place + 1);
    let mut targets: Vec<Target> = Vec::new();
    for words in phrases.chain(std::iter::once(0..count)).chain(pairs).chain(singles) {
        let mut terms = words.clone().filter_map(|place| Some((place, query.words[place].term?)));
        let Some((anchor, term)) = terms.next() else { continue };
        let is_same = |known: &Target| {
            let stems = |places: &Range<usize>| query.words[places.clone()].iter().map(|word| &word.stem);
            stems(&known.words).eq(stems(&words))
        };
        if targets.len() < TARGETS_MAX && !targets.iter().any(is_same) {
            let embedding = embed(&text(&query.words[words.clone()]));
            targets.push(Target { words, anchor, term, embedding });
        }
    }
    targets
}

fn text(words: &[Word]) -> String {
    words.iter().map(|word| word.written.as_str()).collect::<Vec<_>>().join(" ")
}

fn is_digit(c: char) -> bool {
    c.is_numeric()
}

/// `Electric_cars_0`.
fn key(tokens: &[Token<'_>], place: usize) -> String {
    let mut key = String::with_capacity(tokens.iter().map(|token| token.text.len() + 1).sum::<usize>() + 4);
    for token in tokens {
        key.push_str(token.text);
        key.push('_');
    }
    // Writing to a string cannot fail.
    let _ = write!(key, "{place}");
    key
}

/// Twice the length of the target and one word on both sides; near the beginning of the text what follows.
fn window<'r, 't>(tokens: &'r [Token<'t>], place: usize, length: usize) -> &'r [Token<'t>] {
    let reach = 2 * length + 1;
    match place.checked_sub(reach) {
        Some(start) => &tokens[start..(place + reach).min(tokens.len())],
        None => forward(tokens, place, length),
    }
}

/// The target and twice its length and one word after it.
fn forward<'r, 't>(tokens: &'r [Token<'t>], place: usize, length: usize) -> &'r [Token<'t>] {
    &tokens[place..(place + 3 * length + 1).min(tokens.len())]
}

/// The words without what is no letter; None if nothing is left.
fn without_digits(window: &[Token<'_>]) -> Option<String> {
    let mut words = String::new();
    for token in window {
        words.extend(token.text.chars().filter(|c| c.is_alphabetic()));
        words.push(' ');
    }
    (!words.trim().is_empty()).then_some(words)
}

fn bytes(window: &[Token<'_>]) -> Range<usize> {
    match (window.first(), window.last()) {
        (Some(first), Some(last)) => first.start..last.end(),
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    fn names(query: &str) -> Vec<String> {
        let query = Query::parse(query);
        targets(&query).iter().map(|target| text(&query.words[target.words.clone()])).collect()
    }

    fn keys(query: &Query, scale: &Scale, text: &str) -> Vec<String> {
        similarities(query, scale, text).into_iter().map(|(key, _)| key).collect()
    }

    fn similarities(query: &Query, scale: &Scale, text: &str) -> Similarities {
        let (asked, reading) = (Asked::of(query, scale), FieldReading::of(query, text));
        asked.similarities(text, &reading, &asked.look(text, &reading))
    }

    #[test]
    fn targets_of_queries() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("cars", &["cars"]),
            ("electric cars", &["electric cars", "electric", "cars"]),
            (
                "new electric cars today",
                &[
                    "new electric cars today",
                    "new electric",
                    "electric cars",
                    "cars today",
                    "new",
                    "electric",
                    "cars",
                    "today",
                ],
            ),
            (
                "the state of the art",
                &["the state of the art", "the state", "state of", "the art", "state", "art"],
            ),
            ("the cars", &["the cars", "cars"]),
            ("to be", &["to be", "to", "be"]),
            (
                "\"big cats\" and \"small dogs\"",
                &[
                    "small dogs",
                    "big cats",
                    "big cats and small dogs",
                    "cats and",
                    "and small",
                    "big",
                    "cats",
                    "small",
                    "dogs",
                ],
            ),
            ("car cars car", &["car cars car", "car cars", "car"]),
            ("alpha -beta NOT gamma", &["alpha"]),
        ];
        for (query, expected) in table {
            assert_eq!(names(query), *expected, "{query}");
        }
        let many = (0..100).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        assert_eq!(names(&many).len(), TARGETS_MAX);
    }

    #[test]
    fn keys_name_what_matched_and_where() {
        let table: &[(&str, &str, &[&str])] = &[
            (
                "electric cars",
                "Electric cars win",
                &["electric_cars_*", "Electric_cars_0", "Electric_0", "cars_1"],
            ),
            ("Electric car", "one CAR. And an electric fence", &["Electric_car_s*", "electric_4", "CAR_1"]),
            (
                "electric cars",
                "A win? Electric cars!",
                &["electric_cars_s*", "Electric_cars_2", "Electric_2", "cars_3"],
            ),
            ("electric cars", "cart of electricians", &[]),
            (
                "\"state of the art\"",
                "A State of the Art",
                &["state_of_the_art_*", "State_of_the_Art_1", "State_of_1", "the_Art_3", "State_1", "Art_4"],
            ),
            ("art", "cart", &[]),
            ("the cars", "the boats", &[]),
            ("東京", "新東京", &["東_京_*", "東_京_1", "東_1", "京_2"]),
        ];
        for (query, text, expected) in table {
            let found = keys(&Query::parse(query), &Scale::default(), text);
            assert_eq!(found, *expected, "{query} in {text}");
        }
        let german = Query::parse_in(Language::named("german"), "Haus der Kunst");
        let found = keys(&german, &Scale::default(), "Häuser der Kunst");
        assert_eq!(found[..2], ["Haus_der_Kunst_*", "Häuser_der_Kunst_0"]);
    }

    #[test]
    fn values_are_similarities() {
        let query = Query::parse("electric cars");
        let found = similarities(&query, &Scale::default(), "Electric cars win");
        assert!(found.iter().all(|(_, value)| (0.2..=1.0).contains(value)), "{found:?}");
        let exact = similarities(&query, &Scale::default(), "electric cars");
        assert_eq!(exact[0], ("electric_cars_*".to_owned(), 1.0));
        let words = "Soups for cold days. Electric cars. ";
        let sentence = similarities(&query, &Scale::default(), words);
        assert_eq!(sentence[0].0, "electric_cars_s*");
        assert!(sentence[0].1 > 0.9, "the best sentence counts: {sentence:?}");
        for (_, value) in found.into_iter().chain(sentence) {
            assert_eq!(value, rounded(value));
        }
        let nothing: f64 = Vec::<f64>::new().iter().sum();
        assert!(rounded(nothing).is_sign_positive(), "zero is shown without a sign");
    }

    #[test]
    fn settings_bound_what_counts() {
        let query = Query::parse("river");
        let text = "a river and a river ".repeat(40);
        for max_matches in [0, 1, 5, 1000] {
            let scale = Scale { max_matches, ..Scale::default() };
            assert_eq!(keys(&query, &scale, &text).len(), 1 + max_matches.min(80));
        }
        let scale = Scale { max_matches: 10_000, ..Scale::default() };
        let long = "river ".repeat(MATCHES_MAX + 9);
        assert_eq!(keys(&query, &scale, &long).len(), 1 + MATCHES_MAX);
        let strict = Scale { min_similarity: 0.999, ..Scale::default() };
        assert!(keys(&query, &strict, "the long list of rivers, lakes and seas of the north").is_empty());
    }

    #[test]
    fn numbers_do_not_change_what_words_are_about() {
        let query = Query::parse("river");
        let value = |text: &str| similarities(&query, &Scale::default(), text).pop().map(|(_, value)| value);
        assert_eq!(value("the old river 2021 flood"), value("the old river 4711 flood"));
        let numbers = Query::parse("river 2021");
        assert_ne!(
            similarities(&numbers, &Scale::default(), "the old river 2021 flood")
                .pop()
                .map(|(_, value)| value),
            similarities(&numbers, &Scale::default(), "the old river 2021 4711")
                .pop()
                .map(|(_, value)| value),
        );
    }

    #[test]
    fn windows() {
        let text = "a b c d e f g h i j";
        let query = Query::parse("x");
        let tokens = FieldReading::of(&query, text).tokens;
        let table = [
            (0, 1, "a b c d"),
            (2, 1, "c d e f"),
            (3, 1, "a b c d e f"),
            (9, 1, "g h i j"),
            (5, 2, "a b c d e f g h i j"),
        ];
        for (place, length, expected) in table {
            assert_eq!(&text[bytes(window(&tokens, place, length))], expected, "{place} {length}");
        }
    }
}

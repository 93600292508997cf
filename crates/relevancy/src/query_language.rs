//! The language that a query shows.
//!
//! A query has few words, and a word may belong to several languages: `war in Ukraine` is English, though both `war` and
//! `in` are German stopwords. So only words count that the expected language does not have, English words never count,
//! and words that English texts often have in names (`los`, `van`) need further evidence. Most queries show nothing.

use crate::background_frequencies::frequency;
use crate::language::Language;
use crate::language_detection::{Counts, LANGUAGES, TEXT_WORDS_MAX, count, find_stopword};
use crate::tokens::{lower, tokens};

/// These words of a query are operators, in whatever language it is.
const OPERATORS: [&str; 3] = ["AND", "OR", "NOT"];
/// Required number of stopwords that the expected language does not have.
const HITS_MIN: u16 = 2;
/// For each stopword that only the expected language has, so many more.
const CLEARLY: u16 = 2;
/// So many words that English texts have too are evidence on their own.
const WEAK_HITS_MIN: u16 = 4;
/// A word is English if so many of the 300,000 texts behind [`frequency`] have it. Fewer may be foreign names.
const ENGLISH_TEXTS_MIN: u32 = 60;

impl Language {
    /// The language that a query shows, if it shows one; the fallback is the expected one. With an unknown fallback
    /// nothing is detected: such a setting turns stemming and stopwords off.
    pub fn shown_by(query: &str, fallback: Self) -> Option<Self> {
        let expected = LANGUAGES.iter().position(|known| *known == fallback)?;
        let found = StopwordCounts::of(query, expected);
        match found.other(expected) {
            Some(place) if found.is_sure(place) => Some(LANGUAGES[place]),
            Some(place) if fallback == Self::ENGLISH && are_foreign(words(query)) => Some(LANGUAGES[place]),
            Some(_) => None,
            None => found.shows_expected(expected).then_some(fallback),
        }
    }
}

/// Whether more of the words are unknown in English than known. Stopwords of any language do not count.
pub(crate) fn are_foreign<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let (mut unknown, mut known) = (0, 0);
    for word in words.filter(|word| word.chars().all(char::is_alphabetic)) {
        let word = lower(word);
        if find_stopword(&word).is_some() {
            continue;
        }
        match frequency(&Language::ENGLISH.stem(&word)) {
            None => unknown += 1,
            Some(texts) => known += usize::from(texts >= ENGLISH_TEXTS_MIN),
        }
    }
    unknown > known
}

/// Whether English texts often have the word, which is in lower case.
pub fn is_common_in_english(word: &str) -> bool {
    Language::ENGLISH.is_stopword(word)
        || frequency(&Language::ENGLISH.stem(word)).is_some_and(|texts| texts >= ENGLISH_TEXTS_MIN)
}

/// The words of a query, as they are written.
pub(crate) fn words(query: &str) -> impl Iterator<Item = &str> {
    let words = tokens(query).take(TEXT_WORDS_MAX).map(|token| token.text);
    words.filter(|word| !OPERATORS.contains(word))
}

/// The stopwords of a query. Each list counts them by language.
#[derive(Default)]
struct StopwordCounts {
    /// Those of the expected language.
    expected: u16,
    shared_with_expected: Counts,
    /// Those that the expected language does not have.
    others: Counts,
    /// Among them those that English texts hardly have.
    clear_others: Counts,
}

impl StopwordCounts {
    fn of(query: &str, expected: usize) -> Self {
        let mut found = Self::default();
        for stopword in words(query).filter_map(|word| find_stopword(&lower(word))) {
            if stopword.languages & (1 << expected) != 0 {
                found.expected += 1;
                count(&mut found.shared_with_expected, stopword.languages);
                continue;
            }
            count(&mut found.others, stopword.languages);
            if !stopword.is_in_english {
                count(&mut found.clear_others, stopword.languages);
            }
        }
        found
    }

    /// The other language with the most stopwords in the query, if there is only one such language and it has enough.
    fn other(&self, expected: usize) -> Option<usize> {
        let all = |place: usize| self.others[place] + self.shared_with_expected[place];
        let places = (0..LANGUAGES.len()).filter(|place| *place != expected);
        let most = places.clone().map(all).max()?;
        let mut best = places.filter(|place| all(*place) == most);
        let place = best.next().filter(|_| best.next().is_none())?;
        (self.others[place] >= HITS_MIN + CLEARLY * self.of_expected_alone(place)).then_some(place)
    }

    /// Whether the stopwords alone are enough, whatever the other words are.
    fn is_sure(&self, place: usize) -> bool {
        self.clear_others[place] > 0 || self.others[place] >= WEAK_HITS_MIN
    }

    fn shows_expected(&self, expected: usize) -> bool {
        let mut places = (0..LANGUAGES.len()).filter(|place| *place != expected);
        self.expected >= HITS_MIN && places.all(|place| self.of_expected_alone(place) > self.others[place])
    }

    /// The stopwords of the expected language that this one does not have.
    fn of_expected_alone(&self, place: usize) -> u16 {
        self.expected - self.shared_with_expected[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Query;

    fn named(language: &str) -> Language {
        Language::named(language)
    }

    #[test]
    fn the_expected_language_decides() {
        for (query, expected, shown) in [
            ("das Haus an der Elbe", "english", Some("german")),
            ("das Haus an der Elbe", "german", Some("german")),
            ("das Haus an der Elbe", "french", Some("german")),
            ("who pays for the damage", "english", Some("english")),
            ("who pays for the damage", "german", Some("english")),
            ("war in Ukraine", "german", None),
            // Both are Dutch as well.
            ("Krieg in der Ukraine", "german", None),
            ("la casa de los abuelos", "spanish", Some("spanish")),
            ("the opera Der Ring des Nibelungen", "english", None),
            ("der Fluss und das Wasser in the city", "english", None),
        ] {
            assert_eq!(Language::shown_by(query, named(expected)), shown.map(named), "{query} in {expected}");
        }
    }

    #[test]
    fn an_unknown_fallback_turns_detection_off() {
        let query = "das Haus an der Elbe";
        assert_eq!(Language::shown_by(query, Language::UNKNOWN), None);
        for query in [query, "Flüsse"] {
            let query = Query::parse_by_language(Language::UNKNOWN, query);
            assert_eq!((query.language, query.is_language_assumed), (Language::UNKNOWN, false));
        }
    }

    #[test]
    fn reading_is_bounded() {
        let late = "x ".repeat(TEXT_WORDS_MAX) + "der und die";
        assert_eq!(Language::shown_by(&late, Language::ENGLISH), None);
        let early = "x ".repeat(TEXT_WORDS_MAX - 3) + "der und die";
        assert_eq!(Language::shown_by(&early, Language::ENGLISH), Some(named("german")));
    }

    #[test]
    fn foreign_words_are_unknown_in_english() {
        for (words, expected) in [
            ("", false),
            ("river level sensors", false),
            ("niveles río", true),
            ("Las Vegas Los Angeles", false),
            ("Xyzzyq", true),
            ("Xyzzyq river", false),
            ("a1 b2 2024", false),
            ("the und der", false),
        ] {
            assert_eq!(are_foreign(super::words(words)), expected, "{words}");
        }
    }
}

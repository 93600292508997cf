//! Names in a text: capitalized words that no rule of spelling explains.

use super::dates::months;
use super::number_words::number_word;
use relevancy::Language;
use relevancy::tokens::{Token, lower, tokens};
use std::ops::Range;

/// Maximum number of names of a text.
const NAMES_MAX: usize = 200;

/// Capitalized words that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name<'a> {
    pub words: Vec<&'a str>,
    /// In bytes.
    pub place: Range<usize>,
    /// It begins a sentence.
    pub is_first: bool,
}

/// The names of a text. In German, where every noun is capitalized, a name has at least two words or a title. A
/// single word at the beginning of a sentence is none.
pub(crate) fn names(language: Language, text: &str) -> Vec<Name<'_>> {
    let has_capital_nouns = language.known().is_some_and(|known| known.code == "de");
    let mut names = Vec::new();
    let mut run: Vec<(Token<'_>, bool)> = Vec::new();
    let mut end = 0;
    let mut after_title = false;
    for token in tokens(text) {
        let between = &text[end..token.start];
        let is_first =
            end == 0 || between.contains(['.', '!', '?', ':', '\n', '"', '“', '„']) && !after_title;
        // An initial or a title has a full stop, but ends no name.
        let joins =
            between.chars().all(|c| c == ' ' || c == '\u{a0}') || (after_title && !between.contains('\n'));
        if !joins || is_first {
            push(&mut names, &mut run, has_capital_nouns);
        }
        let is_inside = joins && is_particle(token.text) && !run.is_empty() && !has_capital_nouns;
        if is_capitalized(language, token.text, is_first) {
            run.push((token, is_first));
        } else if !is_inside {
            push(&mut names, &mut run, has_capital_nouns);
        }
        after_title = is_title(token.text) || (token.text.chars().count() == 1 && is_upper(token.text));
        end = token.end();
        if names.len() >= NAMES_MAX {
            return names;
        }
    }
    push(&mut names, &mut run, has_capital_nouns);
    names
}

fn push<'a>(names: &mut Vec<Name<'a>>, run: &mut Vec<(Token<'a>, bool)>, has_capital_nouns: bool) {
    let run = std::mem::take(run);
    let has_title = run.iter().any(|(token, _)| is_title(token.text));
    let words: Vec<(&str, bool)> = run
        .iter()
        .filter(|(token, _)| !is_title(token.text))
        .map(|(token, first)| (token.text, *first))
        .collect();
    let is_first = run.first().is_some_and(|(_, first)| *first);
    let words_min = if (is_first || has_capital_nouns) && !has_title { 2 } else { 1 };
    if words.len() < words_min {
        return;
    }
    if let (Some((first, _)), Some((last, _))) = (run.first(), run.last()) {
        let words = words.into_iter().map(|(word, _)| word).collect();
        names.push(Name { words, place: first.start..last.end(), is_first });
    }
}

fn is_upper(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// Whether a word can belong to a name. A small word with a capital begins a sentence.
fn is_capitalized(language: Language, word: &str, is_first: bool) -> bool {
    let small = lower(word);
    let is_small_word = language.is_stopword(&small) || (is_first && Language::is_stopword_anywhere(&small));
    is_upper(word)
        && word.chars().count() > 1
        && !is_small_word
        && months(&small).is_none()
        && number_word(language, &small).is_none()
        && !WEEKDAYS.contains(&&*small)
}

fn is_title(word: &str) -> bool {
    TITLES.contains(&&*lower(word))
}

/// `of` in `Adela of Wrenbury` joins the parts of a name.
fn is_particle(word: &str) -> bool {
    matches!(
        word,
        "von" | "van" | "de" | "der" | "da" | "di" | "du" | "la" | "le" | "zu" | "zur" | "bin" | "al"
    )
}

const TITLES: &[&str] = &[
    "dr",
    "prof",
    "professor",
    "mr",
    "mrs",
    "ms",
    "miss",
    "sir",
    "lady",
    "lord",
    "herr",
    "herrn",
    "frau",
    "señor",
    "señora",
    "madame",
    "monsieur",
    "st",
    "countess",
    "count",
    "king",
    "queen",
    "president",
    "captain",
    "judge",
    "bürgermeister",
    "bürgermeisterin",
];
const WEEKDAYS: &[&str] = &[
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
    "sundays",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonnabend",
    "sonntag",
    "i",
    "i'm",
    "i've",
    "ok",
    "uhr",
    "euro",
    "euros",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(language: &str, text: &str) -> Vec<String> {
        names(Language::named(language), text).iter().map(|name| name.words.join(" ")).collect()
    }

    #[test]
    fn names_are_distinguished_from_other_words() {
        for (language, text, expected) in [
            ("english", "The bridge was designed by Margit Oberlin in June.", vec!["Margit Oberlin"]),
            ("english", "Tom Akers beat Rafael. Later he left.", vec!["Tom Akers", "Rafael"]),
            ("english", "Requests go to Dr. Elena Marchetti on Monday.", vec!["Elena Marchetti"]),
            ("english", "The Lennart Bridge, built by J. Smith", vec!["Lennart Bridge", "Smith"]),
            ("english", "Bread was sold. Trains ran.", vec![]),
            (
                "german",
                "Der letzte Müller war Anton Gruber, dessen Sohn das Haus kaufte.",
                vec!["Anton Gruber"],
            ),
            ("german", "Die Mühle hat ein Wasserrad.", vec![]),
            ("german", "Der Plan von Frau Reuter liegt vor.", vec!["Reuter"]),
            ("spanish", "por el director, Julián Ortega", vec!["Julián Ortega"]),
        ] {
            assert_eq!(read(language, text), expected, "{text}");
        }
        assert_eq!(read("english", &"by Ada, ".repeat(NAMES_MAX + 9)).len(), NAMES_MAX);
    }
}

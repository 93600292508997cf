//! What the text of a document says about its identity, and what it is compared by. Computed once for each text.

use crate::names::{DateMark, Word, date_at, identifier_at, month_of, version_number_at, words};

/// Longest text that is compared word by word; longer ones are compared by their vectors.
const WORDS_MAX: usize = 512;
/// A document says at its beginning what it is.
const HEAD_WORDS: usize = 160;
/// Parties are named in the first words.
const PARTY_WORDS: usize = 60;
/// Most dates that are remembered.
const DATES_MAX: usize = 12;
/// Words before a number that identifies a document or its subject, written with a capital character.
const LABELS: [&str; 20] = [
    "invoice",
    "rechnung",
    "facture",
    "order",
    "case",
    "claim",
    "ticket",
    "matter",
    "sow",
    "ref",
    "reference",
    "aktenzeichen",
    "unit",
    "lot",
    "plot",
    "bridge",
    "sprint",
    "meter",
    "memo",
    "project",
];
/// Words for any number.
const NUMBER_LABELS: [&str; 4] = ["no", "nr", "number", "nummer"];
/// Legal forms and titles say nothing about who it is.
const NO_NAMES: [&str; 44] = [
    "no",
    "nr",
    "ltd",
    "limited",
    "plc",
    "inc",
    "llc",
    "llp",
    "corp",
    "co",
    "company",
    "gmbh",
    "ag",
    "kg",
    "se",
    "sa",
    "sas",
    "sarl",
    "ab",
    "as",
    "nv",
    "bv",
    "oy",
    "spa",
    "mr",
    "mrs",
    "ms",
    "dr",
    "prof",
    "herr",
    "frau",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "i",
    "draft",
    "final",
    "version",
    "page",
    "slide",
];
/// The language in which every noun begins with a capital character.
const CAPITALIZING: &str = "de";

#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextProfile {
    /// The centroid of its chunks, of unit length; None without chunks.
    pub centroid: Option<Vec<f32>>,
    /// Hashes of its first words, sorted.
    pub words: Vec<u32>,
    /// The words are those of the whole text.
    pub is_whole: bool,
    /// In their order.
    pub dates: Vec<DateMark>,
    /// Numbers with the words before them, the first number for each word: `invoice` and `2025-117`.
    pub numbers: Vec<(&'static str, String)>,
    /// Proper names at the beginning.
    pub names: Vec<String>,
    /// The first words, for texts whose title says nothing.
    pub beginning: Vec<String>,
}

impl TextProfile {
    pub fn of(text: &str, language: &str) -> Self {
        let words = words(text, WORDS_MAX + 1);
        let mut profile = Self { is_whole: words.len() <= WORDS_MAX, ..Self::default() };
        let compared = &words[..words.len().min(WORDS_MAX)];
        profile.words = compared.iter().map(|word| hash(&word.text)).collect();
        profile.words.sort_unstable();
        let head = &words[..words.len().min(HEAD_WORDS)];
        profile.dates = dates(head);
        profile.numbers = numbers(head);
        if language != CAPITALIZING {
            profile.names = names(&head[..head.len().min(PARTY_WORDS)]);
        }
        profile.beginning = head.iter().take(8).map(|word| word.text.clone()).collect();
        profile
    }

    pub fn says(&self, word: &str) -> bool {
        self.words.binary_search(&hash(word)).is_ok()
    }

    /// Share of the words that two whole texts have in common, 0 to 1.
    pub fn overlap(&self, other: &Self) -> Option<f64> {
        let all = self.words.len() + other.words.len();
        if !self.is_whole || !other.is_whole || all == 0 {
            return None;
        }
        let (mut left, mut right, mut shared) = (0, 0, 0_usize);
        while let Some((one, another)) = self.words.get(left).zip(other.words.get(right)) {
            shared += usize::from(one == another);
            left += usize::from(one <= another);
            right += usize::from(another <= one);
        }
        Some(2.0 * shared as f64 / all as f64)
    }
}

fn dates(words: &[Word]) -> Vec<DateMark> {
    let mut dates = Vec::new();
    let mut place = 0;
    while place < words.len() && dates.len() < DATES_MAX {
        let found = date_at(&words[place..], false);
        place += found.map_or(1, |(_, used)| used);
        dates.extend(found.map(|(date, _)| date).filter(|date| !date.is_year()));
    }
    dates
}

fn numbers(words: &[Word]) -> Vec<(&'static str, String)> {
    let mut numbers: Vec<(&'static str, String)> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let capitalized = LABELS.into_iter().filter(|_| word.is_capitalized);
        let Some(label) = NUMBER_LABELS.into_iter().chain(capitalized).find(|label| *label == word.text)
        else {
            continue;
        };
        let rest = &words[place + 1..];
        // "Number v2 of the plan" says the version.
        if NUMBER_LABELS.contains(&label) && version_number_at(rest).is_some() {
            continue;
        }
        let number = identifier_at(rest).filter(|_| rest[0].has_digit());
        if let Some((number, _)) = number
            && numbers.iter().all(|(known, _)| *known != label)
        {
            numbers.push((label, number));
        }
    }
    numbers
}

/// Words that begin with a capital character for no other reason than to be names.
fn names(words: &[Word]) -> Vec<String> {
    let is_name = |word: &&Word| {
        word.is_capitalized
            && !word.is_first_of_sentence
            && !word.is_shouted
            && !word.has_digit()
            && word.text.chars().count() > 1
            && month_of(word).is_none()
            && !NO_NAMES.contains(&word.text.as_str())
    };
    let mut names: Vec<String> = words.iter().filter(is_name).map(|word| word.text.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// FNV-1a
fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_says_what_it_is() {
        let text =
            "Invoice No. 2025-0117. Brightway Cleaning Ltd to Marlow Dental. Period: January 2025, order 3.";
        let profile = TextProfile::of(text, "en");
        assert_eq!(profile.numbers, [("no", "2025-117".to_owned())]);
        assert_eq!(profile.dates.len(), 1);
        assert_eq!(profile.names, ["cleaning", "dental", "marlow"]);
        assert!(profile.says("brightway") && !profile.says("may"));
        assert!(TextProfile::of(text, "de").names.is_empty(), "German nouns are capitalized");
        assert_eq!(
            TextProfile::of("Number v2 of the plan for Unit V3", "en").numbers,
            [("unit", "v3".to_owned())]
        );
    }

    #[test]
    fn common_words_are_counted() {
        let of = |text: &str| TextProfile::of(text, "en");
        let table = [
            ("one two three four", "four three two one", Some(1.0)),
            ("one two three four", "one two three five", Some(0.75)),
            ("one one", "one", Some(2.0 / 3.0)),
            ("one", "two", Some(0.0)),
            ("", "", None),
        ];
        for (one, other, expected) in table {
            assert_eq!(of(one).overlap(&of(other)), expected, "{one} {other}");
        }
    }

    #[test]
    fn a_long_text_is_bounded() {
        let profile = |words: usize| TextProfile::of(&"word 3 May 2025 Falk ".repeat(words / 5), "en");
        let (whole, longer) = (profile(WORDS_MAX - 2), profile(WORDS_MAX + 5));
        assert!(whole.is_whole && !longer.is_whole);
        assert_eq!((longer.words.len(), longer.dates.len()), (WORDS_MAX, DATES_MAX));
        assert_eq!(whole.overlap(&longer), None);
    }
}

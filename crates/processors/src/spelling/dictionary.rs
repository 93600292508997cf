//! The words of one language, by how frequent they are, and the correction of a word that is not among them.

use super::deletions::Deletions;

/// Most words of a dictionary; later ones are not read.
const WORDS_MAX: usize = 250_000;
/// Most words that are looked for at two edits.
const FREQUENT_MAX: usize = 40_000;
/// A longer word is neither kept nor corrected.
const LETTERS_MAX: usize = 32;
/// A word of fewer letters has too many neighbours.
const LETTERS_MIN: usize = 4;
/// From so many letters on, a word may differ in two places.
const TWO_EDITS_FROM: usize = 8;
/// The shortest half of a word that is two words.
const HALF_LETTERS_MIN: usize = 4;
/// One candidate is clearly more frequent than another when the other's rank is so many times as high.
const CLEARLY: usize = 4;

#[derive(Debug)]
pub struct Dictionary {
    /// The frequent ones first, in their order.
    words: Vec<Box<str>>,
    /// The numbers of the words, in the order of their letters.
    by_letters: Vec<u32>,
    frequent: usize,
    deletions: Deletions,
}

impl Dictionary {
    /// Reads a list, one word on a line, the most frequent first. After an empty line come words of which only
    /// their existence is known. Lines that are no single word in lower case are left out.
    pub fn read(list: &str) -> Self {
        let mut words: Vec<Box<str>> = Vec::new();
        let mut frequent = None;
        for line in list.lines().map(str::trim) {
            if line.is_empty() && frequent.is_none() {
                frequent = Some(words.len());
            }
            if is_plain(line) && words.len() < WORDS_MAX {
                words.push(line.into());
            }
        }
        let frequent = frequent.unwrap_or(words.len()).min(FREQUENT_MAX);
        let mut by_letters: Vec<u32> = (0..).take(words.len()).collect();
        by_letters.sort_by(|a, b| words[*a as usize].cmp(&words[*b as usize]));
        let deletions = Deletions::of((0..).zip(&words).map(|(number, word)| {
            // Rare words are looked for at one edit only, and short ones cannot be two edits from a long one.
            let is_deep = (number as usize) < frequent && letters(word) + 2 >= TWO_EDITS_FROM;
            (word.as_ref(), number, if is_deep { 2 } else { 1 })
        }));
        Self { words, by_letters, frequent, deletions }
    }

    /// The word that was meant, if this one is unknown and one candidate is clearly the most frequent.
    /// `word` is in lower case.
    pub fn correct(&self, word: &str) -> Option<&str> {
        let length = letters(word);
        if !(LETTERS_MIN..=LETTERS_MAX).contains(&length) || !is_plain(word) || self.is_known(word) {
            return None;
        }
        let edits_max = if length < TWO_EDITS_FROM { 1 } else { 2 };
        let near: Vec<(usize, usize)> = self
            .deletions
            .near(word, edits_max)
            .into_iter()
            .filter_map(|number| {
                let number = number as usize;
                let edits = strsim::osa_distance(word, self.words.get(number)?);
                (edits <= if number < self.frequent { edits_max } else { 1 }).then_some((edits, number))
            })
            .collect();
        // What is one edit away is meant rather than what is two away.
        let least = near.iter().map(|(edits, _)| *edits).min()?;
        let mut numbers = near.iter().filter(|(edits, _)| *edits == least).map(|(_, number)| *number);
        let best = numbers.next()?;
        let is_clear = numbers.next().is_none_or(|next| self.rank(next) >= CLEARLY * self.rank(best));
        is_clear.then(|| self.words[best].as_ref())
    }

    /// A word of the list, its plural, or two words of the list written as one.
    fn is_known(&self, word: &str) -> bool {
        let contains = |word: &str| self.contains(word);
        if contains(word) || word.strip_suffix('s').is_some_and(|one| contains(one) && !changes_its_end(one))
        {
            return true;
        }
        word.char_indices().skip(HALF_LETTERS_MIN).any(|(at, _)| {
            letters(&word[at..]) >= HALF_LETTERS_MIN && contains(&word[..at]) && contains(&word[at..])
        })
    }

    fn contains(&self, word: &str) -> bool {
        self.by_letters.binary_search_by(|number| self.words[*number as usize].as_ref().cmp(word)).is_ok()
    }

    /// From 1; all rare words have the same.
    fn rank(&self, number: usize) -> usize {
        number.min(self.frequent) + 1
    }
}

fn letters(word: &str) -> usize {
    word.chars().count()
}

/// `battery`: its plural does not just add a letter.
fn changes_its_end(word: &str) -> bool {
    word.strip_suffix('y').is_some_and(|rest| !rest.ends_with(['a', 'e', 'i', 'o', 'u']))
}

/// Letters only, none of them a capital.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= LETTERS_MAX * 4
        && word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase())
        && letters(word) <= LETTERS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn english() -> std::sync::Arc<Dictionary> {
        crate::spelling::dictionary("english", "").expect("it is built in")
    }

    #[test]
    fn corrects_what_is_clear() {
        let table = [
            ("recieve", "receive"),
            ("goverment", "government"),
            ("definately", "definitely"),
            ("seperate", "separate"),
            ("occured", "occurred"),
            ("enviroment", "environment"),
            ("acommodation", "accommodation"),
            ("batterys", "battery"),
            ("algoritm", "algorithm"),
            ("electrc", "electric"),
            ("vehicel", "vehicle"),
            ("lithum", "lithium"),
            ("neccessary", "necessary"),
            ("photovoltiac", "photovoltaic"),
            ("tommorow", "tomorrow"),
            ("univercity", "university"),
            ("knowlege", "knowledge"),
        ];
        for (word, want) in table {
            assert_eq!(english().correct(word), Some(want), "{word}");
        }
    }

    #[test]
    fn leaves_the_rest() {
        for word in [
            // Known, also in British, as a plural, or as two words in one.
            "receive",
            "colour",
            "organisation",
            "qubits",
            "kubernetes",
            "genomics",
            "waterproof",
            "lockfile",
            "tributary",
            // Too short, or too far from everything.
            "teh",
            "wsa",
            "",
            "xqzvwkj",
            "tantivy",
            // Several words are as near and about as frequent.
            "bame",
            "wheather",
            // Not plain words.
            "recieve1",
            "Recieve",
            "re-cieve",
            "рекцив",
            "日本語文字",
        ] {
            assert_eq!(english().correct(word), None, "{word}");
        }
        let long = "recieve".repeat(10);
        assert_eq!(english().correct(&long), None);
    }

    #[test]
    fn frequency_decides() {
        let filler: String = (0..40).map(|n| format!("filler{}\n", "x".repeat(n))).collect();
        let list = format!("house\n{filler}hours\nhoist\n\nhorse\nmouse\n");
        let dictionary = Dictionary::read(&list);
        assert_eq!(dictionary.correct("hause"), Some("house"));
        assert_eq!(dictionary.correct("hous"), Some("house"), "one is far more frequent");
        assert_eq!(dictionary.correct("hoist"), None);
        assert_eq!(Dictionary::read("horse\nmouse\nhouse").correct("house"), None);
        assert_eq!(Dictionary::read("word\nsword\nwords").correct("wordd"), None);
        assert_eq!(Dictionary::read("\n\nhorse\nmouse").correct("bouse"), Some("mouse"));
        assert_eq!(Dictionary::read("\nhorse\nmorse").correct("corse"), None, "rare ones are alike");
    }

    #[test]
    fn a_list_is_bounded() {
        let many: String = (0..WORDS_MAX + 10).map(|n| format!("{}\n", in_letters(n))).collect();
        let dictionary = Dictionary::read(&many);
        assert_eq!(dictionary.words.len(), WORDS_MAX);
        assert_eq!(dictionary.frequent, FREQUENT_MAX);
        assert!(Dictionary::read(&"a".repeat(LETTERS_MAX + 1)).words.is_empty());
    }

    fn in_letters(mut number: usize) -> String {
        let mut word = String::new();
        for _ in 0..5 {
            word.push(char::from(b'a' + (number % 26) as u8));
            number /= 26;
        }
        word
    }

    proptest! {
        #[test]
        fn never_panics(word in "[a-e]{0,12}|\\PC{0,40}") {
            let english = english();
            if let Some(better) = english.correct(&word) {
                prop_assert!(english.contains(better));
                prop_assert!(strsim::osa_distance(&word, better) <= 2);
            }
        }
    }
}

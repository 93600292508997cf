//! The words of one language by frequency, and the correction of unknown words.

use super::deletions::Deletions;
use relevancy::stems::without_accents;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Most words of a dictionary; later ones are ignored.
const WORDS_MAX: usize = 250_000;
/// Most words that are searched at two edits.
const FREQUENT_MAX: usize = 40_000;
/// Longer words are neither loaded nor corrected.
const CHARACTERS_MAX: usize = 32;
/// Shorter words have too many neighbors. Only the most frequent word of all is recognized in them: `teh`.
const CHARACTERS_MIN: usize = 4;
/// Words of at least this length may differ in two places.
const TWO_EDITS_FROM: usize = 8;
/// The shortest half of a compound of two words.
const HALF_CHARACTERS_MIN: usize = 4;
/// A slip is certain only in a word of at least this length, for one of so many most frequent words, and before its last
/// two characters: shorter words, rare ones and endings are too often alike in several languages. Of the foreign words of
/// four characters or more, 1 to 2 in 1,000 look like such a slip; 150 to 210 look like a misspelled word.
const CERTAIN_FROM: usize = 8;
const CERTAIN_RANK_MAX: usize = 4_000;
const ENDING_CHARACTERS: usize = 2;
/// One candidate is clearly more frequent than another if the other's rank is this many times higher.
const CLEARLY: usize = 4;

#[derive(Debug)]
pub struct Dictionary {
    /// Frequent words first, in order.
    words: Vec<Box<str>>,
    /// The indexes of the words, in alphabetical order.
    alphabetical: Vec<u32>,
    frequent: usize,
    /// Made when the first word is corrected.
    deletions: OnceLock<Deletions>,
    /// The characters of its words, in order.
    characters: Vec<char>,
}

/// What a dictionary knows of a word of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordEvidence<'d> {
    /// A word of the language.
    Known,
    /// Probably this word of the language.
    Misspelled(&'d str),
    /// Neither.
    Unknown,
    /// A word of the language but for its accents, which the language does not have: `café`.
    Loanword,
    /// It has a character that no word of the language has.
    Foreign,
    /// Nothing: it is a name, a code, or too short.
    None,
}

impl Dictionary {
    /// Reads a list, one word per line, the most frequent first. After an empty line come words of unknown frequency.
    /// Lines that are not a single word in lower case are ignored.
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
        let mut alphabetical: Vec<u32> = (0..).take(words.len()).collect();
        alphabetical.sort_by(|a, b| words[*a as usize].cmp(&words[*b as usize]));
        let characters: BTreeSet<char> = words.iter().flat_map(|word| word.chars()).collect();
        let characters = characters.into_iter().collect();
        Self { words, alphabetical, frequent, deletions: OnceLock::new(), characters }
    }

    fn deletions(&self) -> &Deletions {
        self.deletions.get_or_init(|| {
            Deletions::of((0..).zip(&self.words).map(|(number, word)| {
                // Rare words are searched at one edit only, and short ones cannot be two edits from a long one.
                let is_deep =
                    (number as usize) < self.frequent && character_count(word) + 2 >= TWO_EDITS_FROM;
                (word.as_ref(), number, if is_deep { 2 } else { 1 })
            }))
        })
    }

    /// The frequent words that begin like this one, each with its rank from 1, the most frequent first. No index is made
    /// for them.
    pub fn frequent_words_like(&self, word: &str) -> impl Iterator<Item = (usize, &str)> {
        let first = word.chars().next();
        let frequent = self.words.iter().take(self.frequent).map(AsRef::as_ref);
        (1..).zip(frequent).filter(move |(_, known): &(usize, &str)| known.chars().next() == first)
    }

    /// What a word as it was typed says about the language of its query.
    pub fn evidence(&self, word: &str) -> WordEvidence<'_> {
        if !is_plain(word) {
            return WordEvidence::None;
        }
        if !word.chars().all(|c| self.characters.binary_search(&c).is_ok()) {
            let is_loanword = self.is_known(&without_accents(word));
            return if is_loanword { WordEvidence::Loanword } else { WordEvidence::Foreign };
        }
        match self.correct(word) {
            Some(right) => WordEvidence::Misspelled(right),
            None if character_count(word) < CHARACTERS_MIN => WordEvidence::None,
            None if self.is_known(word) => WordEvidence::Known,
            None => WordEvidence::Unknown,
        }
    }

    /// Whether the word is among the most frequent ones.
    pub fn is_frequent(&self, word: &str, most: usize) -> bool {
        self.number(word).is_some_and(|number| number < most)
    }

    /// Whether `word`, misspelled for `right`, is certainly a slip: a character is missing, repeated, added or swapped
    /// within a long word that is frequent.
    pub fn is_certain_slip(&self, word: &str, right: &str) -> bool {
        let (length, right_length) = (character_count(word), character_count(right));
        let same_beginning = word.chars().zip(right.chars()).take_while(|(one, other)| one == other).count();
        length >= CERTAIN_FROM
            && self.is_frequent(right, CERTAIN_RANK_MAX)
            && strsim::osa_distance(word, right) == 1
            && (length != right_length || holds_all(right, word))
            && length.min(right_length) - same_beginning >= ENDING_CHARACTERS
    }

    /// The intended word, if this one is unknown and one candidate is clearly the most likely. `word` is in lower case.
    pub fn correct(&self, word: &str) -> Option<&str> {
        let length = character_count(word);
        if length > CHARACTERS_MAX || !is_plain(word) || self.is_known(word) {
            return None;
        }
        if length < CHARACTERS_MIN {
            return self.words.first().map(AsRef::as_ref).filter(|first| is_swap(word, first));
        }
        let edits_max = if length < TWO_EDITS_FROM { 1 } else { 2 };
        let near: Vec<(usize, usize)> = self
            .deletions()
            .near(word, edits_max)
            .into_iter()
            .filter_map(|number| {
                let number = number as usize;
                let edits = strsim::osa_distance(word, self.words.get(number)?);
                (edits <= if number < self.frequent { edits_max } else { 1 }).then_some((edits, number))
            })
            .collect();
        // One edit is more likely than two.
        let least = near.iter().map(|(edits, _)| *edits).min()?;
        let numbers = near.iter().filter(|(edits, _)| *edits == least).map(|(_, number)| *number);
        // People leave out or swap characters more often than they type wrong ones.
        let (whole, other): (Vec<usize>, Vec<usize>) =
            numbers.partition(|number| least == 1 && holds_all(&self.words[*number], word));
        let best = match (self.clearly_best(&whole), other.first()) {
            (Some(best), None) => best,
            (Some(best), Some(other)) if self.rank(best) <= CLEARLY * self.rank(*other) => best,
            (Some(_), Some(_)) => return None,
            (None, _) => {
                let mut all = [whole, other].concat();
                all.sort_unstable();
                self.clearly_best(&all)?
            }
        };
        Some(self.words[best].as_ref())
    }

    /// The most frequent of these words, if it is clearly more frequent than the others. They are in order.
    fn clearly_best(&self, numbers: &[usize]) -> Option<usize> {
        let best = *numbers.first()?;
        let is_clear = numbers.get(1).is_none_or(|next| self.rank(*next) >= CLEARLY * self.rank(best));
        is_clear.then_some(best)
    }

    /// A word of the list, its plural, or two words of the list written as one.
    pub fn is_known(&self, word: &str) -> bool {
        let contains = |word: &str| self.contains(word);
        if contains(word) || word.strip_suffix('s').is_some_and(|one| contains(one) && !changes_its_end(one))
        {
            return true;
        }
        word.char_indices().skip(HALF_CHARACTERS_MIN).any(|(at, _)| {
            character_count(&word[at..]) >= HALF_CHARACTERS_MIN
                && contains(&word[..at])
                && contains(&word[at..])
        })
    }

    fn contains(&self, word: &str) -> bool {
        self.number(word).is_some()
    }

    /// Its place among the words.
    fn number(&self, word: &str) -> Option<usize> {
        let place =
            self.alphabetical.binary_search_by(|number| self.words[*number as usize].as_ref().cmp(word));
        Some(self.alphabetical[place.ok()?] as usize)
    }

    /// From 1; all rare words have the same.
    fn rank(&self, number: usize) -> usize {
        number.min(self.frequent) + 1
    }
}

fn character_count(word: &str) -> usize {
    word.chars().count()
}

/// Whether the words differ in the order of two adjacent characters.
fn is_swap(word: &str, other: &str) -> bool {
    character_count(word) == character_count(other)
        && holds_all(other, word)
        && strsim::osa_distance(word, other) == 1
}

/// Whether the characters of `part` are all in `word`, in any order.
fn holds_all(word: &str, part: &str) -> bool {
    let mut left: Vec<char> = word.chars().collect();
    part.chars().all(|c| left.iter().position(|one| *one == c).map(|at| left.swap_remove(at)).is_some())
}

/// `battery`: its plural does not just add an s.
fn changes_its_end(word: &str) -> bool {
    word.strip_suffix('y').is_some_and(|rest| !rest.ends_with(['a', 'e', 'i', 'o', 'u']))
}

/// Lower-case alphabetic characters only.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= CHARACTERS_MAX * 4
        && word.chars().all(|c| c.is_alphabetic() && !c.is_uppercase())
        && character_count(word) <= CHARACTERS_MAX
}

#[cfg(test)]
#[path = "dictionary_tests.rs"]
mod tests;

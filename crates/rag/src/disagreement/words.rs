//! The words of a sentence, and what each contributes to its subject.

use super::vocabulary::{GROUPS, NEUTRAL};
use relevancy::Language;
use relevancy::tokens::{lower, tokens};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::LazyLock;

/// Stems of content words, and the names of the groups of their synonyms.
pub(super) type Stems = BTreeSet<String>;

/// A word of a sentence.
pub(super) struct Word {
    /// In lower case.
    pub lower: String,
    /// In the sentence, in bytes.
    pub place: Range<usize>,
    /// None if it says nothing about a subject.
    pub stem: Option<String>,
}

/// The words of a text in this language.
pub(super) fn words(language: Language, text: &str) -> Vec<Word> {
    let word = |token: relevancy::tokens::Token<'_>| {
        let lower = lower(token.text).into_owned();
        let stem = stem(language, &lower);
        Word { place: token.start..token.end(), stem, lower }
    };
    tokens(text).map(word).collect()
}

/// The stems of a text.
pub(super) fn stems(language: Language, text: &str) -> Stems {
    words(language, text).into_iter().filter_map(|word| word.stem).collect()
}

/// The stem of a word in lower case, or the group of its synonyms; `None` for words without a meaning of their own.
pub(super) fn stem(language: Language, word: &str) -> Option<String> {
    match GROUP_OF.get(word) {
        Some(group) => group.map(str::to_owned),
        None if language.is_stopword(word) => None,
        None => Some(language.stem(word).into_owned()),
    }
}

/// The group of each word; `None` for neutral ones.
static GROUP_OF: LazyLock<HashMap<&'static str, Option<&'static str>>> = LazyLock::new(|| {
    let neutral = NEUTRAL.iter().map(|word| (*word, None));
    let grouped =
        GROUPS.iter().flat_map(|(group, words)| words.split_whitespace().map(|word| (word, Some(*group))));
    neutral.chain(grouped).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_have_one_stem_and_small_words_none() {
        let read = |text: &str| stems(Language::ENGLISH, text).into_iter().collect::<Vec<_>>();
        assert_eq!(read("The fee is what they must pay"), ["=cost"]);
        assert_eq!(read("Refunds"), read("the refund"));
        assert!(read("It may be per the").is_empty());
        assert!(GROUPS.iter().all(|(group, _)| group.starts_with('=')), "no stem is a group");
    }
}

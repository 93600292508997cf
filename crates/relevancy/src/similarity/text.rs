//! A text prepared for comparison: hashed words, and what pairs of texts need besides.

use super::hashed_words::{self, Word, hash_of, hash_texts, shingles};
use crate::embedder::Embedding;
use crate::tokens::tokens;
use domain::result::HashedWords;
use std::cell::OnceCell;
use std::sync::Arc;
use syntax::strip_html::readable;

/// The title and body of a result, prepared for comparison.
#[derive(Debug)]
pub struct Text<'a> {
    title: &'a str,
    body: &'a str,
    /// The publication day, if known.
    day: Option<&'a str>,
    words: Arc<HashedWords>,
    /// Computed on demand: most texts are compared with no other.
    sorted: OnceCell<Box<Sorted>>,
    embedding: OnceCell<Box<Embedding>>,
}

/// Sorted lists.
#[derive(Debug)]
pub(super) struct Sorted {
    /// Each once.
    pub(super) shingles: Vec<u32>,
    pub(super) body: Vec<Word>,
}

impl<'a> Text<'a> {
    /// `day` is `YYYY-MM-DD`.
    pub fn of(title: &'a str, body: &'a str, day: Option<&'a str>) -> Self {
        Self::with_words(title, body, day, None)
    }

    /// Like [`Text::of`], with the hashed words of the result. Those of other texts are not used.
    pub fn with_words(
        title: &'a str,
        body: &'a str,
        day: Option<&'a str>,
        hashed_words: Option<&Arc<HashedWords>>,
    ) -> Self {
        let texts = [title, body];
        let of_these = hashed_words.filter(|words| words.text_hash == hash_of(texts)).cloned();
        let words = of_these.unwrap_or_else(|| Arc::new(hash_texts(texts)));
        Self { title, body, day, words, sorted: OnceCell::new(), embedding: OnceCell::new() }
    }

    /// Keys that texts with the same title or the same words share, and hardly any other.
    pub(super) fn strong_keys(&self) -> impl Iterator<Item = u32> {
        hashed_words::strong_keys(&self.words)
    }

    /// Keys of which near duplicates share several.
    pub(super) fn sketch(&self) -> &[u32] {
        &self.words.values[self.words.words..]
    }

    pub(super) fn title(&self) -> &[Word] {
        &self.words.values[..self.words.title_words]
    }

    pub(super) fn body(&self) -> &[Word] {
        &self.words.values[self.words.title_words..self.words.words]
    }

    pub(super) fn title_words(&self) -> usize {
        self.words.title_words
    }

    pub(super) fn body_words(&self) -> usize {
        self.words.words - self.words.title_words
    }

    /// Of the title, then of the body.
    pub(super) fn words(&self) -> &[Word] {
        &self.words.values[..self.words.words]
    }

    pub(super) fn sorted(&self) -> &Sorted {
        self.sorted.get_or_init(|| {
            let mut shingles = sorted(shingles(self.words()));
            shingles.dedup();
            Box::new(Sorted { shingles, body: sorted(self.body().iter().copied()) })
        })
    }

    /// Includes those of the title.
    pub(super) fn sorted_words(&self) -> Vec<Word> {
        sorted(self.words().iter().copied())
    }

    pub(super) fn day(&self) -> Option<&str> {
        self.day
    }

    pub(super) fn has_title_of(&self, other: &Self) -> bool {
        self.words.title_key == other.words.title_key
    }

    pub(super) fn has_words_of(&self, other: &Self) -> bool {
        self.words.whole_key == other.words.whole_key
    }

    /// The embedding of the readable text.
    pub(super) fn embedding(&self, embed: impl FnOnce(&str) -> Embedding) -> &Embedding {
        self.embedding.get_or_init(|| Box::new(embed(&self.plain())))
    }

    /// The readable text: title, space, body.
    fn plain(&self) -> String {
        format!("{} {}", readable(self.title), readable(self.body))
    }

    /// The readable text of a part of the body: `words` words starting at `first`.
    pub(super) fn plain_part(&self, first: usize, words: usize) -> String {
        let body = readable(self.body);
        let start = |place: usize| tokens(&body).nth(place).map_or(body.len(), |word| word.start);
        format!("{} {}", readable(self.title), body[start(first)..start(first + words)].trim_end())
    }
}

fn sorted<T: Ord>(list: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = list.collect();
    list.sort_unstable();
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_of_the_same_words() {
        let table = [
            ("Solid-State drives", "solid state DRIVES!", true),
            ("Solid-State drives", "SolidState drives", true),
            ("Dewey's system", "Deweys <em>System</em>", true),
            ("naïve café", "naive cafe\u{301}", true),
            ("chapter 1 23", "chapter 12 3", false),
            ("chapter 12", "chapter 13", false),
            ("rivers", "river", false),
        ];
        for (a, b, same) in table {
            let (a, b) = (Text::of(a, "", None), Text::of(b, "", None));
            assert_eq!((a.has_words_of(&b), a.has_title_of(&b)), (same, same), "{a:?} {b:?}");
        }
        let (split, joined) = (Text::of("Rivers", "in spring", None), Text::of("", "Rivers in spring", None));
        assert!(split.has_words_of(&joined) && !split.has_title_of(&joined));
    }

    #[test]
    fn words_of_other_texts_are_not_used() {
        let words = Arc::new(hash_texts(["Rivers", "the water of all rivers"]));
        let table = [
            ("Rivers", "the water of all rivers", true),
            ("Rivers", "the water of all rivers.", false),
            ("Rivers", "the water of all riverS", false),
            ("rivers", "the water of all rivers", false),
            ("Riversthe", " water of all rivers", false),
            ("", "the water of all rivers", false),
        ];
        for (title, body, are_used) in table {
            let text = Text::with_words(title, body, None, Some(&words));
            assert_eq!(Arc::ptr_eq(&text.words, &words), are_used, "{title}: {body}");
            assert_eq!(*text.words, hash_texts([title, body]));
        }
    }

    #[test]
    fn parts() {
        let text = Text::of("<em>Title</em>", "One, two; <em>three</em> four.", None);
        assert_eq!(text.plain(), "Title One, two; three four.");
        let table =
            [((0, 2), "Title One, two;"), ((1, 2), "Title two; three"), ((2, 9), "Title three four.")];
        for ((first, words), expected) in table {
            assert_eq!(text.plain_part(first, words), expected);
        }
        assert_eq!(text.plain_part(9, 9), "Title ");
    }

    proptest! {
        #[test]
        fn any_text_is_read(title in "\\PC{0,40}", body in "\\PC{0,80}", first in 0..20_usize) {
            let text = Text::of(&title, &body, None);
            prop_assert!(text.has_words_of(&text));
            let words = Arc::new(hash_texts([&title, &body]));
            let same = Text::with_words(&title, &body, None, Some(&words));
            prop_assert_eq!(&same.words, &text.words);
            let other = Text::with_words(&body, &title, None, Some(&words));
            let read = Text::of(&body, &title, None);
            prop_assert_eq!(&other.words, &read.words);
            prop_assert!(text.plain_part(first, 3).len() <= text.plain().len());
        }
    }
}

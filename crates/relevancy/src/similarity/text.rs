//! A text prepared for comparison: hashed words, and what pairs of texts need besides.

use super::hashed_words::{HashedWords, Word, shingles};
use crate::embedder::Embedding;
use crate::tokens::tokens;
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
    words: HashedWords,
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
        Self::of_kept(title, body, day, None)
    }

    /// Like [`Text::of`], with the words that were kept with the result. Those of other texts are not used.
    pub fn of_kept(
        title: &'a str,
        body: &'a str,
        day: Option<&'a str>,
        hashed_words: Option<&Arc<[u32]>>,
    ) -> Self {
        let texts = [title, body];
        let kept = hashed_words.and_then(|values| HashedWords::restore(values, texts));
        let words = kept.unwrap_or_else(|| HashedWords::of_texts(texts));
        Self { title, body, day, words, sorted: OnceCell::new(), embedding: OnceCell::new() }
    }

    /// Keys that texts with the same title or the same words share, and hardly any other.
    pub(super) fn strong_keys(&self) -> impl Iterator<Item = u32> {
        self.words.strong_keys()
    }

    /// Keys of which near duplicates share several.
    pub(super) fn sketch(&self) -> &[u32] {
        self.words.sketch()
    }

    pub(super) fn title(&self) -> &[Word] {
        self.words.title()
    }

    pub(super) fn body(&self) -> &[Word] {
        self.words.body()
    }

    /// Of the title, then of the body.
    pub(super) fn words(&self) -> &[Word] {
        self.words.all()
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
        self.words.has_title_of(&other.words)
    }

    pub(super) fn has_words_of(&self, other: &Self) -> bool {
        self.words.has_words_of(&other.words)
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
            let kept = HashedWords::of_texts([&title, &body]).into_values();
            let same = Text::of_kept(&title, &body, None, Some(&kept));
            prop_assert_eq!(&same.words, &text.words);
            let other = Text::of_kept(&body, &title, None, Some(&kept));
            let read = Text::of(&body, &title, None);
            prop_assert_eq!(&other.words, &read.words);
            prop_assert!(text.plain_part(first, 3).len() <= text.plain().len());
        }
    }
}

//! Where the pages of a document begin in its text.

/// Maximum number of pages with a number. Text after them has none.
pub const PAGE_STARTS_MAX: usize = 5_000;

/// The byte offset at which each page begins, in ascending order; a page without text begins where the next one does.
/// Empty for documents without pages.
///
/// One more offset than there are numbered pages marks their end, if the document has more pages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageStarts(Vec<u32>);

impl PageStarts {
    /// Offsets of unknown origin. None if they cannot be those of this text: out of order, within a character, behind
    /// the end, or too many.
    pub fn checked(offsets: Vec<u32>, text: &str) -> Option<Self> {
        let is_place = |offset: &u32| text.is_char_boundary(*offset as usize);
        let is_valid =
            offsets.len() <= PAGE_STARTS_MAX + 1 && offsets.is_sorted() && offsets.iter().all(is_place);
        is_valid.then_some(Self(offsets))
    }

    /// The next page begins at this offset, which is not before that of the previous page.
    pub fn begin_page(&mut self, offset: usize) {
        if self.0.len() <= PAGE_STARTS_MAX
            && let Ok(offset) = u32::try_from(offset)
        {
            self.0.push(offset);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn offsets(&self) -> &[u32] {
        &self.0
    }

    /// The number of the page at this offset of the text, from 1.
    pub fn page_at(&self, offset: usize) -> Option<u32> {
        let number = self.0.partition_point(|start| *start as usize <= offset);
        u32::try_from(number).ok().filter(|_| (1..=PAGE_STARTS_MAX).contains(&number))
    }

    /// The starts in a text that was changed as a whole. Empty if changing each page alone gives another text, because
    /// then it is not known what became of the pages.
    #[must_use]
    pub fn in_changed_text(&self, text: &str, changed: &str, change: impl Fn(&str) -> String) -> Self {
        if self.is_empty() || text == changed {
            return self.clone();
        }
        let starts = self.0.iter().map(|start| *start as usize).filter(|start| text.is_char_boundary(*start));
        let starts: Vec<usize> = starts.collect();
        let (mut joined, mut moved) = (String::with_capacity(changed.len()), Self::default());
        let first = starts.first().copied().unwrap_or_default();
        push_changed(&mut joined, &text[..first], &change);
        for (place, start) in starts.iter().enumerate() {
            let end = starts.get(place + 1).copied().unwrap_or(text.len());
            moved.begin_page(joined.len());
            push_changed(&mut joined, &text[*start..end], &change);
        }
        // Space at the end belongs to no page.
        if joined.trim_end() != changed.trim_end() {
            return Self::default();
        }
        moved.0.retain(|start| (*start as usize) <= changed.len());
        moved
    }
}

/// Adds a changed page. The space after it, which separates it from the next one, stays.
fn push_changed(joined: &mut String, page: &str, change: &impl Fn(&str) -> String) {
    let (own, space) = page.split_at(page.trim_end().len());
    joined.push_str(&change(own));
    joined.push_str(space);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn starts(offsets: &[usize]) -> PageStarts {
        let mut starts = PageStarts::default();
        offsets.iter().for_each(|offset| starts.begin_page(*offset));
        starts
    }

    #[test]
    fn an_offset_is_on_a_page() {
        let three = starts(&[0, 10, 10, 25]);
        for (offset, page) in [(0, 1), (9, 1), (10, 3), (24, 3), (25, 4), (999, 4)] {
            assert_eq!(three.page_at(offset), Some(page), "{offset}");
        }
        assert_eq!(starts(&[3]).page_at(2), None, "before the first page");
        assert_eq!(PageStarts::default().page_at(0), None);
    }

    #[test]
    fn pages_are_bounded() {
        let mut many = PageStarts::default();
        (0..PAGE_STARTS_MAX + 9).for_each(|offset| many.begin_page(offset));
        assert_eq!(many.offsets().len(), PAGE_STARTS_MAX + 1);
        assert_eq!(many.page_at(PAGE_STARTS_MAX - 1), Some(5_000));
        assert_eq!(
            many.page_at(PAGE_STARTS_MAX),
            None,
            "the pages after the last numbered one have no number"
        );
        let text = "x".repeat(PAGE_STARTS_MAX + 9);
        let offsets: Vec<u32> = many.offsets().to_vec();
        assert_eq!(PageStarts::checked(offsets.clone(), &text), Some(many));
        assert_eq!(PageStarts::checked([offsets, vec![5_002]].concat(), &text), None);
    }

    #[test]
    fn foreign_offsets_are_checked() {
        let text = "añb";
        for (offsets, is_valid) in [
            (vec![], true),
            (vec![0, 1, 3, 4], true),
            (vec![1, 1], true),
            (vec![2], false),
            (vec![3, 1], false),
            (vec![5], false),
        ] {
            assert_eq!(PageStarts::checked(offsets.clone(), text).is_some(), is_valid, "{offsets:?}");
        }
    }

    #[test]
    fn starts_follow_their_text() {
        let text = "a key\n\nb key key\n\n\n\nc";
        let pages = starts(&[0, 7, 20, 20]);
        let mask = |text: &str| text.replace("key", "••••");
        let changed = pages.in_changed_text(text, &mask(text), mask);
        let masked = mask(text);
        let begins: Vec<&str> = changed.offsets().iter().map(|at| &masked[*at as usize..]).collect();
        assert_eq!(begins, ["a ••••\n\nb •••• ••••\n\n\n\nc", "b •••• ••••\n\n\n\nc", "c", "c"]);
        // What is changed reaches over the end of a page.
        let join = |text: &str| text.replace("key\n\nb", "x");
        assert_eq!(pages.in_changed_text(text, &join(text), join), PageStarts::default());
        assert_eq!(pages.in_changed_text(text, text, |_| String::new()), pages, "nothing is changed");
        assert!(PageStarts::default().in_changed_text(text, "other", mask).is_empty());
    }

    #[test]
    fn a_text_that_was_cut_has_fewer_pages() {
        let pages = starts(&[0, 4, 8]);
        let changed = pages.in_changed_text("one two", "ONE TWO", str::to_uppercase);
        assert_eq!(changed, starts(&[0, 4]));
        let changed = pages.in_changed_text("one \n", "ONE", |text| text.trim().to_uppercase());
        assert_eq!(changed, starts(&[0]));
    }

    proptest! {
        #[test]
        fn starts_are_on_characters_in_order(
            pages in prop::collection::vec("(\\PC|key|ß| |\n){0,12}", 0..6),
        ) {
            let (mut text, mut own) = (String::new(), PageStarts::default());
            for page in &pages {
                own.begin_page(text.len());
                text.push_str(page);
            }
            let change = |text: &str| text.replace("key", "•").to_uppercase();
            let changed = change(&text);
            let moved = own.in_changed_text(&text, &changed, change);
            prop_assert!(PageStarts::checked(moved.offsets().to_vec(), &changed).is_some(), "{moved:?} {changed:?}");
            prop_assert!(moved.is_empty() || moved.offsets().len() == own.offsets().len());
        }
    }
}

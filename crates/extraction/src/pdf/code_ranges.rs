//! Ranges of codes with a meaning. A later range replaces the part of an earlier one that it overlaps.

use std::collections::BTreeMap;

/// Ranges by their first code. They are not expanded, so that they cannot grow larger than their source.
#[derive(Debug)]
pub struct CodeRanges<T>(BTreeMap<u32, Range<T>>);

#[derive(Debug, Clone)]
struct Range<T> {
    last: u32,
    /// The code with exactly this meaning; each further code means one more.
    begin: u32,
    meaning: T,
}

impl<T> Default for CodeRanges<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Clone> CodeRanges<T> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn insert(&mut self, first: u32, last: u32, meaning: T) {
        if last < first {
            return;
        }
        if let Some((_, before)) = self.0.range_mut(..first).next_back()
            && before.last >= first
        {
            let rest = before.clone();
            before.last = first - 1;
            self.add_rest(rest, last);
        }
        while let Some(within) = self.0.range(first..=last).next().map(|(code, _)| *code) {
            if let Some(range) = self.0.remove(&within) {
                self.add_rest(range, last);
            }
        }
        self.0.insert(first, Range { last, begin: first, meaning });
    }

    /// The meaning of the first code of its range, and the distance from it.
    pub fn get(&self, code: u32) -> Option<(&T, u32)> {
        let (_, range) = self.0.range(..=code).next_back().filter(|(_, range)| code <= range.last)?;
        Some((&range.meaning, code - range.begin))
    }

    /// Adds what a range has behind a code.
    fn add_rest(&mut self, range: Range<T>, code: u32) {
        if range.last > code {
            self.0.insert(code + 1, range);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn a_later_range_replaces_a_part() {
        let mut ranges = CodeRanges::default();
        ranges.insert(0, 0xff, 'a');
        ranges.insert(0x41, 0x41, 'b');
        ranges.insert(0xf0, u32::MAX, 'c');
        ranges.insert(9, 3, 'd');
        let table = [
            (0, Some((&'a', 0))),
            (0x40, Some((&'a', 0x40))),
            (0x41, Some((&'b', 0))),
            (0x42, Some((&'a', 0x42))),
            (0xef, Some((&'a', 0xef))),
            (u32::MAX, Some((&'c', u32::MAX - 0xf0))),
        ];
        for (code, want) in table {
            assert_eq!(ranges.get(code), want, "{code}");
        }
        assert_eq!(ranges.0.len(), 4);
    }

    proptest! {
        #[test]
        fn the_last_range_of_a_code_counts(
            rows in prop::collection::vec((0_u32..40, 0_u32..40), 0..20),
        ) {
            let (mut ranges, mut every) = (CodeRanges::default(), HashMap::new());
            for (number, (first, last)) in rows.iter().enumerate() {
                ranges.insert(*first, *last, number);
                every.extend((*first..=*last).map(|code| (code, (number, code - first))));
            }
            for code in 0..45 {
                let found = ranges.get(code).map(|(number, distance)| (*number, distance));
                prop_assert_eq!(found, every.get(&code).copied());
            }
            prop_assert!(ranges.0.len() <= 2 * rows.len().max(1));
        }
    }
}

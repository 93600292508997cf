//! Index of the best results of all groups so far, by keys that duplicates share.

use super::text::{SKETCH_KEYS_MAX, Text};
use std::cmp::Reverse;

/// Most results per key; the best ones are kept. Boilerplate produces keys that all results share: there, duplicates
/// are found by their other keys.
pub const LEADERS_PER_KEY_MAX: u8 = 32;
/// Most results that one result is compared with.
pub const CANDIDATES_MAX: usize = 32;
/// Sketch keys that two results must share to be compared.
pub const SHARED_KEYS_MIN: u8 = 2;

/// The end of a list.
const END: u32 = u32::MAX;
/// Keys of one text: its sketch, its title, all its words.
const KEYS_MAX: usize = SKETCH_KEYS_MAX + 2;

/// A hash table with one list of group leaders per slot. Colliding keys are not distinguished: that adds a candidate
/// now and then, which the exact check rejects.
pub(super) struct GroupIndex {
    /// The last entry of each slot.
    slots: Vec<u32>,
    entries: Vec<Entry>,
    /// What each leader shares with the current text; empty between lookups.
    shared: Vec<Shared>,
    /// The leaders that share something with the current text; empty between lookups.
    touched: Vec<u32>,
    looked_at: usize,
}

#[derive(Clone, Copy)]
struct Entry {
    leader: u32,
    /// The previous entry in its slot.
    before: u32,
    /// Its number in its slot, from 1.
    number: u8,
}

/// The keys that two texts share: those of full slots, which many texts have, count least.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Shared {
    telling: u8,
    common: u8,
}

impl Shared {
    fn add(&mut self, keys: u8, slot_is_full: bool) {
        let count = if slot_is_full { &mut self.common } else { &mut self.telling };
        *count = count.saturating_add(keys);
    }

    fn is_enough(self) -> bool {
        self.telling.saturating_add(self.common) >= SHARED_KEYS_MIN
    }
}

impl GroupIndex {
    /// Capacity for this many texts.
    pub(super) fn for_texts(count: usize) -> Self {
        let slots = (count * KEYS_MAX * 2).next_power_of_two();
        Self {
            slots: vec![END; slots],
            entries: Vec::new(),
            shared: vec![Shared::default(); count],
            touched: Vec::new(),
            looked_at: 0,
        }
    }

    /// The leaders that may be the same document: those that share most keys first, then the best.
    pub(super) fn candidates(&mut self, text: &Text<'_>) -> Vec<usize> {
        let mut touched = std::mem::take(&mut self.touched);
        let strong = text.strong_keys().map(|key| (key, SHARED_KEYS_MIN));
        for (key, weight) in strong.chain(text.sketch().iter().map(|key| (*key, 1))) {
            let mut at = self.slots[self.slot(key)];
            let is_full =
                self.entries.get(at as usize).is_some_and(|last| last.number == LEADERS_PER_KEY_MAX);
            while let Some(entry) = self.entries.get(at as usize) {
                let shared = &mut self.shared[entry.leader as usize];
                if *shared == Shared::default() {
                    touched.push(entry.leader);
                }
                shared.add(weight, is_full);
                self.looked_at += 1;
                at = entry.before;
            }
        }
        let mut enough: Vec<(Reverse<Shared>, u32)> = Vec::new();
        for leader in touched.drain(..) {
            let shared = std::mem::take(&mut self.shared[leader as usize]);
            if shared.is_enough() {
                enough.push((Reverse(shared), leader));
            }
        }
        self.touched = touched;
        enough.sort_unstable();
        enough.into_iter().take(CANDIDATES_MAX).map(|(_, leader)| leader as usize).collect()
    }

    /// `place` must be less than the number of texts.
    pub(super) fn add(&mut self, place: usize, text: &Text<'_>) {
        let Ok(leader) = u32::try_from(place) else { return };
        for key in text.strong_keys().chain(text.sketch().iter().copied()) {
            let slot = self.slot(key);
            let before = self.slots[slot];
            let number = self.entries.get(before as usize).map_or(0, |entry| entry.number);
            if number < LEADERS_PER_KEY_MAX {
                self.slots[slot] = u32::try_from(self.entries.len()).unwrap_or(END);
                self.entries.push(Entry { leader, before, number: number + 1 });
            }
        }
    }

    pub(super) fn looked_at(&self) -> usize {
        self.looked_at
    }

    fn slot(&self, key: u32) -> usize {
        // The keys are the smallest hashes, so their high bits are similar; the low ones are not.
        key as usize & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn found_by_title_by_words_or_by_shingles() {
        let texts = [
            Text::of("Rivers", "the water of all rivers flows into one sea", None),
            Text::of("RIVERS", "other words stand here, not those of above", None),
            Text::of("", "Rivers: the water of all rivers flows into one sea", None),
            Text::of("Seas", "the water of all rivers flows into a lake", None),
            Text::of("Lakes", "nobody knows", None),
        ];
        let mut index = GroupIndex::for_texts(5);
        index.add(0, &texts[0]);
        let found: Vec<usize> = texts.iter().map(|text| index.candidates(text).len()).collect();
        assert_eq!(found, [1, 1, 1, 1, 0]);
    }

    #[test]
    fn a_key_finds_so_many_and_no_more() {
        let mut index = GroupIndex::for_texts(100);
        let text = Text::of("Home", "", None);
        for place in 0..usize::from(LEADERS_PER_KEY_MAX) + 5 {
            index.add(place, &text);
        }
        let best: Vec<usize> = (0..usize::from(LEADERS_PER_KEY_MAX)).collect();
        assert_eq!(index.candidates(&text), best);
        assert_eq!(index.candidates(&text), best, "a second look finds the same");
    }

    #[test]
    fn so_many_are_compared_and_no_more() {
        let mut index = GroupIndex::for_texts(300);
        let words = "the water of all rivers flows into one sea and comes back as rain in spring";
        let ends = |place: usize| format!("{words} end{place}");
        for place in 0..usize::from(LEADERS_PER_KEY_MAX) {
            index.add(2 * place, &Text::of("Rivers", "of another text than that", None));
            index.add(2 * place + 1, &Text::of("", &ends(place), None));
            index.add(2 * place + 200, &Text::of(words, "", None));
        }
        let (title, body) = ("Rivers", ends(3));
        let candidates = index.candidates(&Text::of(title, &body, None));
        assert_eq!((candidates.len(), candidates[0]), (CANDIDATES_MAX, 7), "the nearest first");
    }
}

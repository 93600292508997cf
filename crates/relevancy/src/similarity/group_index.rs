//! Index of the best results of all groups so far, by keys that duplicates share.

use super::hashed_words::SKETCH_KEYS_MAX;
use super::text::Text;

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
    /// The leaders of full slots. Boilerplate fills many slots with the same leaders, which then have one list and are
    /// visited once.
    full_lists: Vec<FullList>,
    /// What each leader shares with the current text; nothing between lookups.
    shared: Vec<Shared>,
    /// The leaders that share something with the current text; empty between lookups.
    touched: Vec<u32>,
    /// The lists whose keys the current text has; empty between lookups.
    touched_lists: Vec<u32>,
    /// Of the latest lookup.
    candidates: Vec<Candidate>,
    looked_at: usize,
}

#[derive(Clone, Copy)]
struct Entry {
    leader: u32,
    /// The previous entry in its slot; for the entry that fills the slot, the list of its leaders.
    before: u32,
    /// Its number in its slot, from 1.
    number: u8,
}

struct FullList {
    /// The last first.
    leaders: [u32; LEADERS_PER_KEY_MAX as usize],
    /// Of the keys of the current text in its slots; 0 between lookups.
    weight: u32,
}

/// The number of keys that two texts share: in the low half those of full slots, which many texts have and which count
/// least, in the high half the others. A text has so few keys, and a slot so few entries, that no half overflows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Shared(u32);

impl Shared {
    const NOTHING: Self = Self(0);

    fn add_distinctive(&mut self, weight: u32) {
        self.0 += weight << 16;
    }

    fn add_common(&mut self, weight: u32) {
        self.0 += weight;
    }

    fn is_enough(self) -> bool {
        (self.0 >> 16) + (self.0 & 0xffff) >= u32::from(SHARED_KEYS_MIN)
    }
}

/// A leader that may be the same document. Those that share most keys are the least, then the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate(u64);

impl Candidate {
    fn new(shared: Shared, leader: u32) -> Self {
        Self((u64::from(!shared.0) << 32) | u64::from(leader))
    }

    pub(super) fn leader(self) -> usize {
        self.0 as u32 as usize
    }
}

impl GroupIndex {
    /// Capacity for this many texts.
    pub(super) fn for_texts(count: usize) -> Self {
        let slots = (count * KEYS_MAX * 2).next_power_of_two();
        Self {
            slots: vec![END; slots],
            entries: Vec::with_capacity(count * KEYS_MAX),
            full_lists: Vec::new(),
            shared: vec![Shared::NOTHING; count],
            touched: Vec::with_capacity(count),
            touched_lists: Vec::with_capacity(KEYS_MAX),
            candidates: Vec::with_capacity(count),
            looked_at: 0,
        }
    }

    /// The leaders that may be the same document, in any order. If there are too many, those that share most keys, then
    /// the best.
    pub(super) fn candidates(&mut self, text: &Text<'_>) -> &mut Vec<Candidate> {
        for key in text.strong_keys() {
            self.count(key, u32::from(SHARED_KEYS_MIN));
        }
        for key in text.sketch() {
            self.count(*key, 1);
        }
        let shared_by_leader = self.shared.as_mut_slice();
        for place in self.touched_lists.drain(..) {
            let list = &mut self.full_lists[place as usize];
            let weight = std::mem::take(&mut list.weight);
            for leader in &list.leaders {
                let shared = &mut shared_by_leader[*leader as usize];
                if *shared == Shared::NOTHING {
                    self.touched.push(*leader);
                }
                shared.add_common(weight);
            }
            self.looked_at += list.leaders.len();
        }
        self.candidates.clear();
        for leader in self.touched.drain(..) {
            let shared = std::mem::take(&mut shared_by_leader[leader as usize]);
            if shared.is_enough() {
                self.candidates.push(Candidate::new(shared, leader));
            }
        }
        if self.candidates.len() > CANDIDATES_MAX {
            self.candidates.select_nth_unstable(CANDIDATES_MAX);
            self.candidates.truncate(CANDIDATES_MAX);
        }
        &mut self.candidates
    }

    /// Counts a key of the current text for the leaders that have it, as much as `weight` keys of a sketch.
    fn count(&mut self, key: u32, weight: u32) {
        let slot = self.slot(key);
        // Borrowed once, so that their addresses are not read again after every change.
        let (entries, shared) = (self.entries.as_slice(), self.shared.as_mut_slice());
        let mut at = self.slots[slot];
        let Some(last) = entries.get(at as usize) else { return };
        if last.number == LEADERS_PER_KEY_MAX {
            let list = &mut self.full_lists[last.before as usize];
            if list.weight == 0 {
                self.touched_lists.push(last.before);
            }
            list.weight += weight;
            return;
        }
        self.looked_at += usize::from(last.number);
        while let Some(entry) = entries.get(at as usize) {
            let of_leader = &mut shared[entry.leader as usize];
            if *of_leader == Shared::NOTHING {
                self.touched.push(entry.leader);
            }
            of_leader.add_distinctive(weight);
            at = entry.before;
        }
    }

    /// `place` must be less than the number of texts; it is added once.
    pub(super) fn add(&mut self, place: usize, text: &Text<'_>) {
        let Ok(leader) = u32::try_from(place) else { return };
        let first_list = self.full_lists.len();
        for key in text.strong_keys().chain(text.sketch().iter().copied()) {
            let slot = self.slot(key);
            let last = self.slots[slot];
            let number = self.entries.get(last as usize).map_or(0, |entry| entry.number) + 1;
            if number > LEADERS_PER_KEY_MAX {
                continue;
            }
            let is_full = number == LEADERS_PER_KEY_MAX;
            let before = if is_full { self.full_list(leader, last, first_list) } else { last };
            self.slots[slot] = u32::try_from(self.entries.len()).unwrap_or(END);
            self.entries.push(Entry { leader, before, number });
        }
    }

    /// The list of a slot that `leader` fills; `last` is its last entry so far. Lists are equal only if the same leader
    /// completed them, so an equal one can only be among those from `first_list` on, which its text completed.
    fn full_list(&mut self, leader: u32, last: u32, first_list: usize) -> u32 {
        let mut leaders = [leader; LEADERS_PER_KEY_MAX as usize];
        let mut at = last;
        for place in &mut leaders[1..] {
            let Some(entry) = self.entries.get(at as usize) else { break };
            (*place, at) = (entry.leader, entry.before);
        }
        let known = self.full_lists[first_list..].iter().position(|list| list.leaders == leaders);
        let place = known.map_or(self.full_lists.len(), |place| first_list + place);
        if known.is_none() {
            self.full_lists.push(FullList { leaders, weight: 0 });
        }
        u32::try_from(place).unwrap_or(END)
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

    /// The nearest first.
    fn leaders(index: &mut GroupIndex, text: &Text<'_>) -> Vec<usize> {
        let candidates = index.candidates(text);
        candidates.sort_unstable();
        candidates.iter().map(|candidate| candidate.leader()).collect()
    }

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
        assert_eq!(leaders(&mut index, &text), best);
        assert_eq!(leaders(&mut index, &text), best, "a second look finds the same");
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
        let candidates = leaders(&mut index, &Text::of(title, &body, None));
        assert_eq!((candidates.len(), candidates[0]), (CANDIDATES_MAX, 7), "the nearest first");
    }

    #[test]
    fn slots_with_the_same_leaders_have_one_list() {
        let full = usize::from(LEADERS_PER_KEY_MAX);
        let mut index = GroupIndex::for_texts(2 * full);
        let of_rivers = "the water of all rivers flows into one sea";
        let of_lakes = "nobody knows how deep the lakes of the north are";
        for place in 0..full {
            index.add(2 * place, &Text::of("Rivers", of_rivers, None));
            index.add(2 * place + 1, &Text::of("Lakes", of_lakes, None));
        }
        assert_eq!(index.full_lists.len(), 2);
        for (title, first) in [("Rivers", 0), ("Lakes", 1)] {
            let body = format!("{of_rivers}. {of_lakes}");
            let found = leaders(&mut index, &Text::of(title, &body, None));
            assert_eq!((found.len(), found[0]), (CANDIDATES_MAX, first), "{title}");
        }
    }
}

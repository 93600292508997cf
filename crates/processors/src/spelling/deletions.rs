//! Deletion index: two words that differ in one character are equal once the right character of each is removed. So the
//! neighbors of a word are found by lookups, without comparing it to every word.

/// The words of a dictionary by their deletions: pairs of a short hash and the index of a word, grouped by the upper
/// half of the hash. Eight bytes each, no texts.
#[derive(Debug)]
pub struct Deletions {
    /// Where the entries of each bucket begin, and the end of the last.
    starts: Vec<u32>,
    entries: Vec<(u32, u32)>,
}

const BUCKETS: usize = 1 << 16;
/// The base of the hash: odd, and with well-mixed bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Deletions {
    /// Each word with its index and how many of its characters may be deleted (0, 1 or 2).
    pub fn of<'a>(words: impl Iterator<Item = (&'a str, u32, usize)>) -> Self {
        let mut all: Vec<(u32, u32)> = Vec::new();
        for (word, number, depth) in words {
            Hashes::of(word).each(depth, |hash| all.push((hash, number)));
        }
        let mut starts = vec![0_u32; BUCKETS + 1];
        for (hash, _) in &all {
            starts[bucket(*hash) + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut free = starts.clone();
        let mut entries = vec![(0, 0); all.len()];
        for (hash, number) in all {
            let place = &mut free[bucket(hash)];
            entries[*place as usize] = (hash, number);
            *place += 1;
        }
        Self { starts, entries }
    }

    /// The indexes of the words that may be within `depth` edits, each once, smallest first. Some are false positives:
    /// the hash is short.
    pub fn near(&self, word: &str, depth: usize) -> Vec<u32> {
        let mut numbers = Vec::new();
        Hashes::of(word).each(depth, |hash| {
            let (from, to) = (self.starts[bucket(hash)] as usize, self.starts[bucket(hash) + 1] as usize);
            let same = self.entries[from..to].iter().filter(|(known, _)| *known == hash);
            numbers.extend(same.map(|(_, number)| *number));
        });
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

fn bucket(hash: u32) -> usize {
    (hash >> 16) as usize
}

/// The polynomial hashes of all prefixes of a word, from which the hash of the word without some characters follows in
/// constant time.
struct Hashes {
    beginnings: Vec<u64>,
    powers: Vec<u64>,
}

impl Hashes {
    fn of(word: &str) -> Self {
        let (mut beginnings, mut powers) = (vec![0_u64], vec![1_u64]);
        for character in word.chars() {
            let last = beginnings.last().copied().unwrap_or_default();
            beginnings.push(last.wrapping_mul(BASE).wrapping_add(u64::from(character)));
            powers.push(powers.last().copied().unwrap_or(1).wrapping_mul(BASE));
        }
        Self { beginnings, powers }
    }

    /// The hash of the word, and of the word without each character, or without each two.
    fn each(&self, depth: usize, mut take: impl FnMut(u32)) {
        let characters = self.beginnings.len() - 1;
        take(folded(self.beginnings[characters]));
        for first in 0..if depth > 0 { characters } else { 0 } {
            let start = self.beginnings[first];
            take(folded(self.joined(start, first + 1, characters)));
            for second in first + 1..if depth > 1 { characters } else { 0 } {
                let middle = self.joined(start, first + 1, second);
                take(folded(self.joined(middle, second + 1, characters)));
            }
        }
    }

    /// The hash of a prefix followed by the characters `from..to` of the word.
    fn joined(&self, hash: u64, from: usize, to: usize) -> u64 {
        let power = self.powers[to - from];
        let part = self.beginnings[to].wrapping_sub(self.beginnings[from].wrapping_mul(power));
        hash.wrapping_mul(power).wrapping_add(part)
    }
}

fn folded(hash: u64) -> u32 {
    (hash ^ (hash >> 29)).wrapping_mul(BASE).wrapping_shr(32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_found() {
        let words = ["receive", "received", "recipe", "straße"];
        let index = Deletions::of((0..).zip(words).map(|(number, word)| (word, number, 2)));
        let table: [(&str, usize, &[u32]); 6] = [
            ("receive", 0, &[0]),
            ("recieve", 1, &[0]),
            ("receved", 1, &[1]),
            ("reciepe", 1, &[2]),
            ("strasse", 2, &[3]),
            ("", 2, &[]),
        ];
        for (word, depth, want) in table {
            for number in want {
                assert!(index.near(word, depth).contains(number), "{word} {number}");
            }
        }
        for far in ["zzzzzzz", "rxcxxve", "strasse"] {
            assert!(index.near(far, 1).is_empty(), "{far}");
        }
    }

    #[test]
    fn the_hash_of_what_is_left_is_the_hash_of_that_word() {
        let whole = |word: &str| {
            let mut hashes = Vec::new();
            Hashes::of(word).each(0, |hash| hashes.push(hash));
            hashes[0]
        };
        let mut left = Vec::new();
        Hashes::of("aéb").each(2, |hash| left.push(hash));
        let want = ["aéb", "éb", "b", "é", "ab", "a", "aé"].map(whole);
        assert_eq!(left, want);
    }
}

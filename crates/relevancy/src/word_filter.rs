//! A filter that excludes most words that are not in a set, without hashing and comparing texts.

use crate::ascii_words::{KEY_BYTES_MAX, combined, key, lower_key};

/// The number of bits of a word's place in the filter.
const PLACE_BITS: u32 = 16;
/// The highest bit of each byte of a key; none is set in an ASCII word.
const NOT_ASCII: u128 = u128::from_ne_bytes([0x80; KEY_BYTES_MAX]);

/// One bit for each place; short ASCII words in lower case set those of their keys.
pub(crate) struct WordFilter(Box<[u64]>);

impl WordFilter {
    /// The words are in lower case.
    pub fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut bits = vec![0; 1 << (PLACE_BITS - u64::BITS.trailing_zeros())];
        for word in words.filter(|word| word.is_ascii() && word.len() <= KEY_BYTES_MAX) {
            let (place, bit) = place(key(word.as_bytes(), word.len()));
            bits[place] |= bit;
        }
        Self(bits.into())
    }

    /// Whether the word of this length at the beginning of the text may be one of the set, in any case. Long words and
    /// those with other characters than ASCII always may.
    #[inline(always)]
    pub fn may_contain(&self, text: &[u8], length: usize) -> bool {
        if length > KEY_BYTES_MAX {
            return true;
        }
        let key = lower_key(text, length);
        let (place, bit) = place(key);
        key & NOT_ASCII != 0 || self.0.get(place).is_none_or(|bits| bits & bit != 0)
    }
}

#[inline(always)]
fn place(key: u128) -> (usize, u64) {
    let hash = combined(key as u64, (key >> 64) as u64) >> (u64::BITS - PLACE_BITS);
    ((hash / u64::from(u64::BITS)) as usize, 1 << (hash % u64::from(u64::BITS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_set_pass_in_any_case_and_most_others_do_not() {
        let set = ["the", "und", "l'eau", "où", "notwithstanding-the"];
        let filter = WordFilter::of(set.into_iter());
        let may = |word: &str| filter.may_contain(word.as_bytes(), word.len());
        for word in
            ["the", "THE", "und", "L'eau", "où", "Über", "notwithstanding-the", "anotherlongwordofanykind"]
        {
            assert!(may(word), "{word}");
        }
        assert!(filter.may_contain(b"the river and the mill by the sea", 3));
        let others = (0..1000).filter(|number| may(&format!("word{number}"))).count();
        assert!(others < 10, "{others}");
    }
}

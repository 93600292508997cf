//! A set of terms of a query.

use crate::query::TERMS_MAX;

/// Terms of a query by their index: one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TermSet(u64);

const _: () = assert!(TERMS_MAX <= u64::BITS as usize, "a bit for each term");

impl TermSet {
    /// All of so many terms.
    pub fn of_first(count: usize) -> Self {
        (0..count).collect()
    }

    pub fn of_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub fn contains(self, term: usize) -> bool {
        u32::try_from(term).ok().and_then(|term| self.0.checked_shr(term)).is_some_and(|rest| rest & 1 != 0)
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<usize> for TermSet {
    fn from_iter<I: IntoIterator<Item = usize>>(terms: I) -> Self {
        let bits =
            terms.into_iter().filter(|term| *term < TERMS_MAX).fold(0, |bits, term| bits | (1 << term));
        Self(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found() {
        let set: TermSet = [0, 5, TERMS_MAX - 1, TERMS_MAX, 1000].into_iter().collect();
        let found: Vec<usize> = (0..2 * TERMS_MAX).filter(|term| set.contains(*term)).collect();
        assert_eq!(found, [0, 5, TERMS_MAX - 1]);
        assert_eq!(TermSet::of_bits(set.bits()), set);
        assert!(!set.is_empty() && TermSet::default().is_empty());
    }
}

//! Planted duplicates: documents that a second source also has, with another URL and lightly edited text.

use crate::eval::rng::Rng;

/// Fraction of the words of a duplicate that are edited.
pub const EDITED_SHARE: f64 = 0.05;

/// A lightly edited copy of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    pub document: usize,
    /// The source of the copy, never that of the document.
    pub source: usize,
    /// The edited text.
    pub text: String,
}

/// Duplicates a fraction of all documents, each into one other source. `texts` exclude titles, which stay unchanged.
pub fn make_duplicates(
    texts: &[&str],
    homes: &[usize],
    sources: usize,
    overlap: f64,
    seed: u64,
) -> Vec<Duplicate> {
    if sources < 2 {
        return Vec::new();
    }
    let mut rng = Rng::new(seed, "copies");
    let count = (texts.len() as f64 * overlap).round() as usize;
    let mut chosen = rng.shuffled(texts.len());
    chosen.truncate(count);
    chosen.sort_unstable();
    let mut copy = |document: usize| {
        let step = 1 + rng.below(sources - 1);
        Duplicate {
            document,
            source: (homes[document] + step) % sources,
            text: edit(texts[document], &mut rng),
        }
    };
    chosen.into_iter().map(&mut copy).collect()
}

/// The text with one word in twenty dropped or swapped with the next. Texts of less than ten words stay unchanged.
fn edit(text: &str, rng: &mut Rng) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let edits = (words.len() as f64 * EDITED_SHARE).round() as usize;
    if edits == 0 {
        return text.to_owned();
    }
    let mut places = rng.shuffled(words.len());
    places.truncate(edits);
    // From the end, so that dropping a word does not shift the remaining positions.
    places.sort_unstable_by(|a, b| b.cmp(a));
    for place in places {
        if rng.coin() && place + 1 < words.len() {
            words.swap(place, place + 1);
        } else {
            words.remove(place);
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen \
                        sixteen seventeen eighteen nineteen twenty";

    #[test]
    fn a_share_of_the_documents_is_copied_elsewhere() {
        let texts = vec![TEXT; 200];
        let homes: Vec<usize> = (0..200).map(|place| place % 10).collect();
        for (overlap, expected) in [(0.0, 0), (0.3, 60), (1.0, 200), (0.001, 0)] {
            let copies = make_duplicates(&texts, &homes, 10, overlap, 1);
            assert_eq!(copies.len(), expected, "{overlap}");
            assert!(copies.iter().all(|copy| copy.source != homes[copy.document] && copy.source < 10));
            assert!(copies.is_sorted_by(|a, b| a.document < b.document), "each once");
        }
        assert!(make_duplicates(&texts, &vec![0; 200], 1, 0.3, 1).is_empty(), "one source has no other");
        let again = |seed| make_duplicates(&texts, &homes, 10, 0.3, seed);
        assert_eq!(again(5), again(5));
        assert_ne!(again(5), again(6));
    }

    #[test]
    fn one_word_in_twenty_is_edited() {
        let (mut dropped, mut swapped) = (0, 0);
        for seed in 0..100 {
            let copy = edit(TEXT, &mut Rng::new(seed, "test"));
            let words: Vec<&str> = copy.split_whitespace().collect();
            match words.len() {
                19 => dropped += 1,
                20 => {
                    let moved = words.iter().zip(TEXT.split_whitespace()).filter(|(a, b)| **a != *b).count();
                    assert_eq!(moved, 2, "{copy}");
                    swapped += 1;
                }
                other => panic!("{other} words are left: {copy}"),
            }
        }
        assert!(dropped > 30 && swapped > 30, "{dropped} {swapped}");
        assert_eq!(edit("a short text  stays", &mut Rng::new(1, "test")), "a short text  stays");
    }
}

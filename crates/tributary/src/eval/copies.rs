//! Documents that stand in a second source too: another address, and a text that was lightly edited.

use crate::eval::chance::Chance;

/// The share of the words of a copy that are edited.
pub const EDITED_SHARE: f64 = 0.05;

/// A copy of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    pub document: usize,
    /// Where the copy stands; never where the document does.
    pub source: usize,
    /// The edited text.
    pub text: String,
}

/// Copies of a share of all documents, each in one other source. `texts` are without titles: those stay as they are.
pub fn copies(texts: &[&str], homes: &[usize], sources: usize, overlap: f64, seed: u64) -> Vec<Copied> {
    if sources < 2 {
        return Vec::new();
    }
    let mut chance = Chance::new(seed, "copies");
    let count = (texts.len() as f64 * overlap).round() as usize;
    let mut chosen = chance.shuffled(texts.len());
    chosen.truncate(count);
    chosen.sort_unstable();
    let mut copy = |document: usize| {
        let step = 1 + chance.below(sources - 1);
        Copied {
            document,
            source: (homes[document] + step) % sources,
            text: edited(texts[document], &mut chance),
        }
    };
    chosen.into_iter().map(&mut copy).collect()
}

/// The text with one word in twenty dropped, or swapped with the next. A text of less than ten words stays.
fn edited(text: &str, chance: &mut Chance) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let edits = (words.len() as f64 * EDITED_SHARE).round() as usize;
    if edits == 0 {
        return text.to_owned();
    }
    let mut places = chance.shuffled(words.len());
    places.truncate(edits);
    // From the end, so that a word that is dropped moves no place that is still to be edited.
    places.sort_unstable_by(|a, b| b.cmp(a));
    for place in places {
        match chance.coin() && place + 1 < words.len() {
            true => words.swap(place, place + 1),
            false => drop(words.remove(place)),
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
            let copies = copies(&texts, &homes, 10, overlap, 1);
            assert_eq!(copies.len(), expected, "{overlap}");
            assert!(copies.iter().all(|copy| copy.source != homes[copy.document] && copy.source < 10));
            assert!(copies.is_sorted_by(|a, b| a.document < b.document), "each once");
        }
        assert!(copies(&texts, &vec![0; 200], 1, 0.3, 1).is_empty(), "one source has no other");
        let again = |seed| copies(&texts, &homes, 10, 0.3, seed);
        assert_eq!(again(5), again(5));
        assert_ne!(again(5), again(6));
    }

    #[test]
    fn one_word_in_twenty_is_edited() {
        let (mut dropped, mut swapped) = (0, 0);
        for seed in 0..100 {
            let copy = edited(TEXT, &mut Chance::new(seed, "test"));
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
        assert_eq!(edited("a short text  stays", &mut Chance::new(1, "test")), "a short text  stays");
    }
}

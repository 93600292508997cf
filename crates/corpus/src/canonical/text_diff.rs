//! Diff of two texts: by sentences, and by words where sentences changed. The work is bounded by steps and not by
//! time, so that every machine gives the same result.

use relevancy::sentences::ends;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;

/// Most sentences or words of a changed region, both sides together, that are compared one by one.
const PARTS_MAX: usize = 4_000;
/// Most steps for all changed regions; a region takes at most the square of its parts. Changes beyond that are
/// reported as a whole. Two long texts of ordinary prose stay below the limit.
const STEPS_MAX: usize = 20 * PARTS_MAX * PARTS_MAX;

/// How a piece differs between the left and the right text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffOp {
    Same,
    Added,
    Removed,
}

impl DiffOp {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPiece {
    pub op: DiffOp,
    pub text: String,
}

/// The pieces in text order.
pub fn compare(left: &str, right: &str) -> Vec<DiffPiece> {
    compare_within(STEPS_MAX, left, right)
}

/// Each word with the whitespace after it.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(char::is_whitespace)
}

fn compare_within(steps_left: usize, left: &str, right: &str) -> Vec<DiffPiece> {
    let (old, new) = (sentences(left), sentences(right));
    let mut comparison = Comparison { steps_left, pieces: Vec::new() };
    let (mut old_rest, mut new_rest) = (0, 0);
    for (old_at, new_at) in landmarks(&old, &new) {
        comparison.between(&old[old_rest..old_at], &new[new_rest..new_at]);
        comparison.add(DiffOp::Same, old[old_at]);
        (old_rest, new_rest) = (old_at + 1, new_at + 1);
    }
    comparison.between(&old[old_rest..], &new[new_rest..]);
    comparison.pieces
}

struct Comparison {
    steps_left: usize,
    /// Adjacent pieces with the same operation are merged.
    pieces: Vec<DiffPiece>,
}

impl Comparison {
    /// The sentences between two landmarks. A common prefix and suffix cost nothing.
    fn between(&mut self, old: &[&str], new: &[&str]) {
        let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let (start, old, new) = (&old[..head], &old[head..], &new[head..]);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
        let (old, end) = old.split_at(old.len() - tail);
        let new = &new[..new.len() - tail];
        self.add(DiffOp::Same, &start.concat());
        self.by_sentences(old, new);
        self.add(DiffOp::Same, &end.concat());
    }

    fn by_sentences(&mut self, old: &[&str], new: &[&str]) {
        if !self.spend_steps(old, new) {
            return self.by_words(&old.concat(), &new.concat());
        }
        for op in capture_diff_slices(Algorithm::Myers, old, new) {
            let (tag, before, after) = op.as_tag_tuple();
            let (before, after) = (old[before].concat(), new[after].concat());
            match tag {
                DiffTag::Equal => self.add(DiffOp::Same, &before),
                DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => self.by_words(&before, &after),
            }
        }
    }

    fn by_words(&mut self, before: &str, after: &str) {
        let (old, new): (Vec<&str>, Vec<&str>) = (words(before).collect(), words(after).collect());
        if !self.spend_steps(&old, &new) {
            self.add(DiffOp::Removed, before);
            self.add(DiffOp::Added, after);
            return;
        }
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            let (tag, before, after) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                self.add(DiffOp::Same, &old[before].concat());
            } else {
                self.add(DiffOp::Removed, &old[before].concat());
                self.add(DiffOp::Added, &new[after].concat());
            }
        }
    }

    /// Deducts the steps of comparing a region part by part; false if too few are left. An empty side needs no
    /// comparison.
    fn spend_steps(&mut self, old: &[&str], new: &[&str]) -> bool {
        let parts = old.len() + new.len();
        if old.is_empty() || new.is_empty() || parts > PARTS_MAX {
            return false;
        }
        let left = self.steps_left.checked_sub(parts * parts);
        self.steps_left = left.unwrap_or(self.steps_left);
        left.is_some()
    }

    fn add(&mut self, op: DiffOp, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if last.op == op => last.text.push_str(text),
            _ => self.pieces.push(DiffPiece { op, text: text.to_owned() }),
        }
    }
}

/// Sentences that occur once in each text and in the same order: their positions in each.
fn landmarks(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let (old, new) = (standing_once(old), standing_once(new));
    let mut pairs: Vec<(usize, usize)> =
        old.iter().filter_map(|(sentence, at)| Some(((*at)?, (*new.get(sentence)?)?))).collect();
    pairs.sort_unstable();
    longest_rising(&pairs)
}

/// The position of each sentence; None for a repeated one.
fn standing_once<'a>(sentences: &[&'a str]) -> HashMap<&'a str, Option<usize>> {
    let mut positions = HashMap::with_capacity(sentences.len());
    for (at, sentence) in sentences.iter().enumerate() {
        positions.entry(*sentence).and_modify(|position| *position = None).or_insert(Some(at));
    }
    positions
}

/// The longest increasing subsequence by the right position, for pairs sorted by the left one.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the subsequence with the lowest end, by its last pair; and for each pair its predecessor.
    let (mut lasts, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (number, (_, right)) in pairs.iter().enumerate() {
        let length = lasts.partition_point(|last| pairs[*last].1 < *right);
        before.push(length.checked_sub(1).map(|shorter| lasts[shorter]));
        match lasts.get_mut(length) {
            Some(last) => *last = number,
            None => lasts.push(number),
        }
    }
    let mut row: Vec<(usize, usize)> = std::iter::successors(lasts.last().copied(), |number| before[*number])
        .map(|one| pairs[one])
        .collect();
    row.reverse();
    row
}

/// Each sentence with the whitespace after it, so that they join to the text.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut start = 0;
        for end in ends(line) {
            let end = end + line[end..].len() - line[end..].trim_start().len();
            if end > start {
                found.push(&line[start..end]);
                start = end;
            }
        }
        if start < line.len() {
            found.push(&line[start..]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::diff::DIFF_CHARS_MAX;
    use super::*;
    use proptest::prelude::*;

    fn told(pieces: &[DiffPiece]) -> String {
        let sign = |op| match op {
            DiffOp::Same => "=",
            DiffOp::Added => "+",
            DiffOp::Removed => "-",
        };
        pieces.iter().map(|one| format!("{}[{}]", sign(one.op), one.text)).collect()
    }

    fn count(pieces: &[DiffPiece], op: DiffOp) -> usize {
        pieces.iter().filter(|one| one.op == op).map(|one| words(&one.text).count()).sum()
    }

    #[test]
    fn differences_are_told_in_words() {
        let table = [
            ("", "", ""),
            ("One. Two.", "One. Two.", "=[One. Two.]"),
            ("", "One.", "+[One.]"),
            ("One.", "", "-[One.]"),
            (
                "The rent is 100. It is due monthly.",
                "The rent is 200. It is due monthly.",
                "=[The rent is ]-[100. ]+[200. ]=[It is due monthly.]",
            ),
            ("One. Two. Three.", "One. Three.", "=[One. ]-[Two. ]=[Three.]"),
            ("One.\nTwo.", "One.\nTwo.\nThree.", "=[One.\n]-[Two.]+[Two.\nThree.]"),
            ("A.\nB.\nC.\nD.\n", "D.\nA.\nB.\nC.\n", "+[D.\n]=[A.\nB.\nC.\n]-[D.\n]"),
            ("X.\nX.\nA.\nX.\nX.\n", "X.\nX.\nB.\nX.\nX.\n", "=[X.\nX.\n]-[A.\n]+[B.\n]=[X.\nX.\n]"),
        ];
        for (left, right, expected) in table {
            assert_eq!(told(&compare(left, right)), expected, "{left:?} {right:?}");
        }
    }

    #[test]
    fn a_long_change_is_told_as_a_whole() {
        let long = |word: &str| format!("{word} ").repeat(PARTS_MAX);
        let pieces = compare(&long("a"), &long("b"));
        assert_eq!(pieces.iter().map(|one| one.op).collect::<Vec<_>>(), [DiffOp::Removed, DiffOp::Added]);
    }

    /// The largest allowed number of sentences, every second one changed, on a slow machine.
    #[test]
    fn many_changes_are_all_told_in_words() {
        const LINES: usize = 10_000;
        let text = |word: &str| -> String {
            (0..LINES).map(|line| format!("s {line}\n{word} {line}\n")).collect::<String>()
        };
        let (left, right) = (text("old"), text("new"));
        assert!((DIFF_CHARS_MAX * 3 / 4..DIFF_CHARS_MAX).contains(&left.len()), "{}", left.len());
        let pieces = compare(&left, &right);
        let found = [DiffOp::Added, DiffOp::Removed, DiffOp::Same].map(|op| count(&pieces, op));
        assert_eq!(found, [LINES, LINES, 3 * LINES]);
    }

    #[test]
    fn when_the_steps_are_used_up_changes_are_told_as_a_whole() {
        let (left, right) = ("a 1.\nSame.\nb 1.\n", "a 2.\nSame too.\nSame.\nb 2.\n");
        let table = [
            (STEPS_MAX, "=[a ]-[1.\n]+[2.\nSame too.\n]=[Same.\nb ]-[1.\n]+[2.\n]"),
            // Sentences of the first region take 9 steps, its words 36; those of the second region 4 and 16.
            (9 + 36 + 4 + 16, "=[a ]-[1.\n]+[2.\nSame too.\n]=[Same.\nb ]-[1.\n]+[2.\n]"),
            (9 + 36 + 4 + 15, "=[a ]-[1.\n]+[2.\nSame too.\n]=[Same.\n]-[b 1.\n]+[b 2.\n]"),
            (0, "-[a 1.\n]+[a 2.\nSame too.\n]=[Same.\n]-[b 1.\n]+[b 2.\n]"),
        ];
        for (steps, expected) in table {
            assert_eq!(told(&compare_within(steps, left, right)), expected, "{steps}");
        }
    }

    #[test]
    fn landmarks_are_the_longest_row() {
        let table: &[(&[usize], &[usize])] = &[
            (&[], &[]),
            (&[5], &[5]),
            (&[3, 0, 1, 2], &[0, 1, 2]),
            (&[4, 3, 2], &[2]),
            (&[2, 8, 3, 9, 4, 5], &[2, 3, 4, 5]),
        ];
        for (given, expected) in table {
            let pairs: Vec<(usize, usize)> = given.iter().copied().enumerate().collect();
            let row: Vec<usize> = longest_rising(&pairs).into_iter().map(|(_, right)| right).collect();
            assert_eq!(row, *expected, "{given:?}");
        }
    }

    proptest! {
        #[test]
        fn joined_they_are_the_texts(
            left in "[abcd. \n]{0,60}",
            right in "[abcd. \n]{0,60}",
            steps in prop_oneof![Just(STEPS_MAX), 0..200_usize],
        ) {
            let pieces = compare_within(steps, &left, &right);
            let side = |without: DiffOp| -> String {
                pieces.iter().filter(|one| one.op != without).map(|one| one.text.as_str()).collect()
            };
            prop_assert_eq!(side(DiffOp::Added), left);
            prop_assert_eq!(side(DiffOp::Removed), right);
        }
    }
}

//! The words that a misspelled word may stand for, and which of them is the most likely.

use crate::spelling::Dictionary;
use relevancy::embedder::{Embedding, embed};

/// From this length on, a word may differ in two places.
const TWO_EDITS_FROM: usize = 8;
const TWO_EDITS: usize = 2;
/// Most candidates whose meaning is compared with the other words of the query.
const COMPARED_MAX: usize = 5;
/// Candidates that cost more are not proposed.
const COST_MAX: f64 = 7.0;

// What an edit costs: people double characters wrongly most often, and type wrong ones least often.
const DOUBLING: f64 = 1.2;
const MISSING: f64 = 1.6;
const SWAP: f64 = 1.6;
const ADDED: f64 = 1.8;
const WRONG: f64 = 2.2;
const TWO: f64 = 4.0;
/// The cost of a rare word: the logarithm of its rank, times this.
const RARITY: f64 = 0.35;
/// Words that are in results or in earlier queries cost as much as the most frequent ones.
const OWN_WORD: f64 = 0.5;
/// How much a candidate gains that is close in meaning to the rest of the query.
const MEANING: f64 = 3.0;

/// A word that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub word: String,
    pub cost: f64,
}

/// The likeliest candidates for a word in lower case, best first. `own` are the words of results and earlier queries.
pub fn candidates(word: &str, own: &[String], dictionary: Option<&Dictionary>) -> Vec<Candidate> {
    let first = word.chars().next();
    let own = own.iter().filter(|known| known.chars().next() == first);
    let own = own.filter_map(|known| {
        let cost = OWN_WORD + edit_cost(word, known)?;
        Some(Candidate { word: known.clone(), cost })
    });
    let mut found: Vec<Candidate> = own.collect();
    let listed = dictionary.into_iter().flat_map(|dictionary| dictionary.frequent_words_like(word));
    for (rank, known) in listed {
        let Some(edits) = edit_cost(word, known) else { continue };
        if found.iter().all(|own| own.word != known) {
            found.push(Candidate { word: known.to_owned(), cost: RARITY * (rank as f64).ln() + edits });
        }
    }
    found.retain(|candidate| candidate.cost <= COST_MAX);
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost).then_with(|| a.word.cmp(&b.word)));
    found.truncate(COMPARED_MAX);
    found
}

/// The best candidate beside the other words of the query.
pub fn best(candidates: &[Candidate], context: &str) -> Option<Candidate> {
    let context = embed(context);
    let cost = |candidate: &Candidate| candidate.cost - MEANING * nearness(&context, &candidate.word);
    candidates.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).cloned()
}

/// 0 without context, or if the words have nothing in common.
fn nearness(context: &Embedding, word: &str) -> f64 {
    if context.is_zero() { 0.0 } else { f64::from(embed(word).cosine(context).max(0.0)) }
}

/// What it costs to have typed `word` instead of `meant`; `None` if they are too different, or the same.
fn edit_cost(word: &str, meant: &str) -> Option<f64> {
    let (length, length_meant) = (word.chars().count(), meant.chars().count());
    let edits_max = if length < TWO_EDITS_FROM { 1 } else { TWO_EDITS };
    if length.abs_diff(length_meant) > edits_max {
        return None;
    }
    match strsim::osa_distance(word, meant) {
        1 if without_repeats(word) == without_repeats(meant) => Some(DOUBLING),
        1 if length < length_meant => Some(MISSING),
        1 if length > length_meant => Some(ADDED),
        1 if is_rearranged(word, meant) => Some(SWAP),
        1 => Some(WRONG),
        TWO_EDITS if edits_max == TWO_EDITS => Some(TWO),
        _ => None,
    }
}

fn without_repeats(word: &str) -> Vec<char> {
    let mut characters: Vec<char> = word.chars().collect();
    characters.dedup();
    characters
}

fn is_rearranged(word: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut characters: Vec<char> = word.chars().collect();
        characters.sort_unstable();
        characters
    };
    sorted(word) == sorted(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spelling::dictionary;

    fn best_of(word: &str, own: &[&str], context: &str) -> Option<String> {
        let own: Vec<String> = own.iter().map(|&word| word.to_owned()).collect();
        let english = dictionary("english", "").expect("it is built in");
        best(&candidates(word, &own, Some(&english)), context).map(|candidate| candidate.word)
    }

    #[test]
    fn the_likeliest_word_is_found() {
        for (word, context, expected) in [
            ("flod", "warning", Some("flood")),
            ("flod", "", Some("flood")),
            ("warnig", "flood", Some("warning")),
            ("sedimant", "", Some("sediment")),
            ("batery", "", Some("battery")),
            ("sensro", "", Some("sensor")),
            ("presure", "level", Some("pressure")),
            ("thresold", "", Some("threshold")),
            ("xqzvwkj", "", None),
            ("", "", None),
        ] {
            assert_eq!(best_of(word, &[], context).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn own_words_are_likelier_than_those_of_the_dictionary() {
        assert_eq!(best_of("flod", &["fold"], "").as_deref(), Some("fold"));
        assert_eq!(best_of("talvera", &["talverra"], "").as_deref(), Some("talverra"));
        let found = best_of("flod", &["blod", "flooding"], "");
        assert_eq!(found.as_deref(), Some("flood"), "they are too different");
        assert_eq!(best_of("talvera", &[], ""), None);
    }

    #[test]
    fn edits_have_their_costs() {
        for (word, meant, expected) in [
            ("flod", "flood", Some(DOUBLING)),
            ("batttery", "battery", Some(DOUBLING)),
            ("warnig", "warning", Some(MISSING)),
            ("sensro", "sensor", Some(SWAP)),
            ("rivver", "river", Some(DOUBLING)),
            ("rivker", "river", Some(ADDED)),
            ("sedimant", "sediment", Some(WRONG)),
            ("calibratoon", "calibration", Some(WRONG)),
            ("definatly", "definitely", Some(TWO)),
            ("presur", "pressure", None),
            ("flod", "floods", None),
            ("flod", "flod", None),
            ("presr", "pressure", None),
        ] {
            assert_eq!(edit_cost(word, meant), expected, "{word} {meant}");
        }
    }

    #[test]
    fn the_number_of_candidates_is_bounded() {
        let many: Vec<String> = ('a'..='z').map(|c| format!("rive{c}")).collect();
        assert_eq!(candidates("rivex", &many, None).len(), COMPARED_MAX);
    }
}

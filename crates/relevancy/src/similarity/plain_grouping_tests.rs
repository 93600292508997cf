//! The groups of random pools, compared with those of a plain implementation.

use super::group_index::{CANDIDATES_MAX, LEADERS_PER_KEY_MAX, SHARED_KEYS_MIN};
use super::hashed_words::SKETCH_KEYS_MAX;
use super::text::Text;
use super::{Sameness, groups};
use crate::embedder::Embedding;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// As if the model knew no word.
fn by_words(_: &str) -> Embedding {
    Embedding::ZERO
}

/// The best of each text's group: every list of leaders is visited, all candidates are sorted, and each is checked
/// exactly.
fn plain_groups(texts: &[Text<'_>], sameness: &Sameness<'_>) -> Vec<Option<usize>> {
    let slots = (texts.len() * (SKETCH_KEYS_MAX + 2) * 2).next_power_of_two();
    let mut leaders: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut bests = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let strong = text.strong_keys().map(|key| (key, SHARED_KEYS_MIN));
        let keys: Vec<(usize, u8)> = strong
            .chain(text.sketch().iter().map(|key| (*key, 1)))
            .map(|(key, weight)| (key as usize & (slots - 1), weight))
            .collect();
        // The keys in slots that are not full, and the others.
        let mut shared: BTreeMap<usize, (u8, u8)> = BTreeMap::new();
        for (slot, weight) in &keys {
            let found = leaders.get(slot).map(Vec::as_slice).unwrap_or_default();
            for leader in found {
                let (distinctive, common) = shared.entry(*leader).or_default();
                let is_full = found.len() == usize::from(LEADERS_PER_KEY_MAX);
                *(if is_full { common } else { distinctive }) += weight;
            }
        }
        let mut candidates: Vec<(Reverse<(u8, u8)>, usize)> = shared
            .into_iter()
            .filter(|(_, (distinctive, common))| distinctive + common >= SHARED_KEYS_MIN)
            .map(|(leader, shared)| (Reverse(shared), leader))
            .collect();
        candidates.sort_unstable();
        let mut nearest = candidates.iter().take(CANDIDATES_MAX).map(|(_, leader)| *leader);
        let best = nearest.find(|leader| sameness.holds(&texts[*leader], text));
        if best.is_none() {
            for (slot, _) in keys {
                let list = leaders.entry(slot).or_default();
                if list.len() < usize::from(LEADERS_PER_KEY_MAX) {
                    list.push(place);
                }
            }
        }
        bests.push(best);
    }
    bests
}

/// Texts of which many share some sentences, so that slots are filled, and some are near duplicates.
fn pool() -> impl Strategy<Value = Vec<(String, String)>> {
    const SENTENCES: [&str; 5] = [
        "three gauges at the lower bridge measure the level of the river every hour",
        "a warning goes out when the water rises above 240 centimetres within a day",
        "published with the permission of the authors",
        "the lake in the north is not measured by anybody in this town",
        "all rights are reserved by the owners of this page",
    ];
    let text = |words: std::ops::Range<usize>, vocabulary: usize| {
        prop::collection::vec(0..vocabulary, words)
            .prop_map(|words| words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" "))
    };
    let body = (prop::sample::subsequence(SENTENCES.to_vec(), 0..=5), text(0..12, 30))
        .prop_map(|(sentences, own)| format!("{}. {own}", sentences.join(". ")));
    prop::collection::vec((text(0..4, 6), body), 0..160)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn groups_are_those_of_the_plain_implementation(results in pool(), minimum in 0.8..=1.0_f64) {
        let texts: Vec<Text<'_>> = results.iter().map(|(title, body)| Text::of(title, body, None)).collect();
        let sameness = Sameness { minimum, embed: &by_words };
        prop_assert_eq!(groups(&texts, &sameness).best, plain_groups(&texts, &sameness));
    }
}

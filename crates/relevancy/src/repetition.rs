//! How much of a text repeats earlier text.

use crate::ascii_words::{combined, first_eight, lower};
use crate::tokens::Token;

/// Repeated pairs of neighboring words among all pairs of the fields, 0 to 1, ignoring case. A text with a recurring
/// name has few; one that says the same again and again has little else. Each field is its text with its tokens.
pub fn repetition<'t>(fields: impl IntoIterator<Item = (&'t str, &'t [Token<'t>])>) -> f64 {
    let (mut all, mut repeated) = (0_usize, 0_usize);
    for (text, tokens) in fields {
        all += tokens.len().saturating_sub(1);
        repeated += if may_repeat(pair_hashes(text, tokens)) {
            repeats(pair_hashes(text, tokens).collect())
        } else {
            0
        };
    }
    if all == 0 { 0.0 } else { repeated as f64 / all as f64 }
}

/// A hash of each pair of neighboring words.
fn pair_hashes<'t>(text: &'t str, tokens: &'t [Token<'t>]) -> impl Iterator<Item = u64> {
    let mut hashes = tokens.iter().map(move |token| folded_hash(text, token));
    let mut before = hashes.next().unwrap_or_default();
    hashes.map(move |word| std::mem::replace(&mut before, word).rotate_left(21) ^ word)
}

/// False if no hash occurs twice. Most texts repeat nothing, and their hashes need not be kept and sorted.
fn may_repeat(hashes: impl Iterator<Item = u64>) -> bool {
    // A bit for each of the possible beginnings of a hash.
    let mut seen = [0_u64; 256];
    let mut may_repeat = false;
    for hash in hashes {
        let (word, bit) = ((hash >> 56) as usize, (hash >> 50) & 63);
        may_repeat |= (seen[word] >> bit) & 1 != 0;
        seen[word] |= 1 << bit;
    }
    may_repeat
}

/// The number of hashes that occurred before.
fn repeats(mut hashes: Vec<u64>) -> usize {
    hashes.sort_unstable();
    hashes.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// A hash of the bytes, with ASCII in lower case.
#[inline]
fn folded_hash(text: &str, token: &Token<'_>) -> u64 {
    let mut hash = token.text.len() as u64;
    let (mut rest, mut left) = (text.as_bytes().get(token.start..).unwrap_or_default(), token.text.len());
    while left > 8 {
        hash = combined(hash, lower(first_eight(rest, 8)));
        rest = rest.get(8..).unwrap_or_default();
        left -= 8;
    }
    combined(hash, lower(first_eight(rest, left)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;
    use proptest::prelude::*;

    fn of(text: &str) -> f64 {
        let tokens: Vec<Token<'_>> = tokens(text).collect();
        repetition([(text, tokens.as_slice())])
    }

    #[test]
    fn texts_and_litanies() {
        let table = [
            ("", 0.0),
            ("river", 0.0),
            ("river river", 0.0),
            ("the level of the river and the level of the sea", 0.3),
            ("a b A b a B", 0.6),
            ("Überschwemmungsgebiet ÜBER überschwemmungsgebiet ÜBER", 0.0),
            ("Electrocardiography Off ELECTROCARDIOGRAPHY off electrocardiography", 0.5),
        ];
        for (text, expected) in table {
            assert_eq!(of(text), expected, "{text}");
        }
        assert!(of(&"river level sensors ".repeat(100)) > 0.98);
    }

    proptest! {
        #[test]
        fn a_text_that_seems_to_repeat_nothing_repeats_nothing(text in "([a-e] |[a-z]{1,12} ){0,40}") {
            let tokens: Vec<Token<'_>> = tokens(&text).collect();
            let hashes: Vec<u64> = pair_hashes(&text, &tokens).collect();
            prop_assert_eq!(hashes.len(), tokens.len().saturating_sub(1));
            prop_assert!(may_repeat(hashes.iter().copied()) || repeats(hashes) == 0);
        }
    }

    #[test]
    fn a_body_may_take_up_its_title() {
        let text = "river level sensors";
        let tokens: Vec<Token<'_>> = tokens(text).collect();
        assert_eq!(repetition([(text, tokens.as_slice()), (text, tokens.as_slice())]), 0.0);
    }
}

//! How much of a text repeats earlier text.

use crate::ascii_words::{combined, first_eight, lower};
use crate::tokens::Token;

/// Repeated pairs of neighboring words among all pairs of the fields, 0 to 1, ignoring case. A text with a recurring
/// name has few; one that says the same again and again has little else. Each field is its text with its tokens.
pub fn repetition<'t>(fields: impl IntoIterator<Item = (&'t str, &'t [Token<'t>])>) -> f64 {
    let (mut all, mut repeated) = (0_usize, 0_usize);
    for (text, tokens) in fields {
        let Some((first, others)) = tokens.split_first() else { continue };
        let mut before = folded_hash(text, first);
        let mut pairs: Vec<u64> = Vec::with_capacity(others.len());
        for token in others {
            let word = folded_hash(text, token);
            pairs.push(before.rotate_left(21) ^ word);
            before = word;
        }
        all += pairs.len();
        repeated += repeats(pairs);
    }
    if all == 0 { 0.0 } else { repeated as f64 / all as f64 }
}

/// The number of hashes that occurred before.
fn repeats(mut hashes: Vec<u64>) -> usize {
    // A bit for each of the possible beginnings of a hash: most texts repeat nothing and need not be sorted.
    let mut seen = [0_u64; 256];
    let mut may_repeat = false;
    for hash in &hashes {
        let (word, bit) = ((hash >> 56) as usize, (hash >> 50) & 63);
        may_repeat |= (seen[word] >> bit) & 1 != 0;
        seen[word] |= 1 << bit;
    }
    if !may_repeat {
        return 0;
    }
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

    #[test]
    fn a_body_may_take_up_its_title() {
        let text = "river level sensors";
        let tokens: Vec<Token<'_>> = tokens(text).collect();
        assert_eq!(repetition([(text, tokens.as_slice()), (text, tokens.as_slice())]), 0.0);
    }
}

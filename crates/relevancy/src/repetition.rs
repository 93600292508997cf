//! How much of a text repeats earlier text.

use crate::tokens::Token;

/// Repeated pairs of neighboring words among all pairs of the fields, 0 to 1, ignoring case. A text with a recurring
/// name has few; one that says the same again and again has little else.
pub fn repetition<'t>(fields: impl IntoIterator<Item = &'t [Token<'t>]>) -> f64 {
    let (mut all, mut repeated) = (0_usize, 0_usize);
    for tokens in fields {
        let words: Vec<u64> = tokens.iter().map(|token| folded_hash(token.text)).collect();
        let mut pairs: Vec<u64> = words.windows(2).map(|pair| pair[0].rotate_left(21) ^ pair[1]).collect();
        all += pairs.len();
        pairs.sort_unstable();
        repeated += pairs.windows(2).filter(|pair| pair[0] == pair[1]).count();
    }
    if all == 0 { 0.0 } else { repeated as f64 / all as f64 }
}

/// FNV-1a over the bytes, with ASCII in lower case.
fn folded_hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::tokens;

    fn of(text: &str) -> f64 {
        let tokens: Vec<Token<'_>> = tokens(text).collect();
        repetition([tokens.as_slice()])
    }

    #[test]
    fn texts_and_litanies() {
        let table = [
            ("", 0.0),
            ("river", 0.0),
            ("river river", 0.0),
            ("the level of the river and the level of the sea", 0.3),
            ("a b A b a B", 0.6),
        ];
        for (text, expected) in table {
            assert_eq!(of(text), expected, "{text}");
        }
        assert!(of(&"river level sensors ".repeat(100)) > 0.98);
    }

    #[test]
    fn a_body_may_take_up_its_title() {
        let tokens: Vec<Token<'_>> = tokens("river level sensors").collect();
        assert_eq!(repetition([tokens.as_slice(), tokens.as_slice()]), 0.0);
    }
}

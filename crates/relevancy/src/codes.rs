//! Codes in queries and texts: part numbers and identifiers such as `RB-171`, which may also be written `RB 171` or
//! `RB171`.
//!
//! A text that writes a code as the query does matches by its words. This module finds the other spelling.

use crate::query::Word;
use crate::tokens::Token;
use std::ops::Range;

/// Most codes of a query; later ones are matched as they are written.
pub const CODES_MAX: usize = 16;
/// Most characters before the first digit.
const PREFIX_MAX: usize = 6;
/// Most parts of a code that is written in several words.
const PARTS_MAX: usize = 4;
/// What may be between the two parts in a text: one character, such as a hyphen.
const GAP_BYTES_MAX: usize = 1;

/// A code of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// Its characters in lower case, without what separates its parts.
    joined: String,
    /// The length of the part before the first digit.
    prefix: usize,
    /// Its place in `Query::words`.
    pub words: Range<usize>,
    /// The indexes of its terms in `Query::terms`, in order.
    pub terms: Vec<usize>,
}

impl Code {
    /// The codes of a query with these words.
    pub fn all_in(words: &[Word]) -> Vec<Self> {
        let mut codes: Vec<Self> = Vec::new();
        for start in 0..words.len() {
            for code in Self::at(words, start) {
                let is_new = !code.terms.is_empty() && codes.iter().all(|known| known.joined != code.joined);
                if is_new && codes.len() < CODES_MAX {
                    codes.push(code);
                }
            }
        }
        codes
    }

    /// The codes that begin with this word: `ISO 9001 2015` is one with two parts and one with three.
    fn at(words: &[Word], start: usize) -> Vec<Self> {
        let mut codes = Vec::new();
        let Some(first) = words.get(start).map(|word| word.written.to_ascii_lowercase()) else {
            return codes;
        };
        let prefix = first.bytes().take_while(u8::is_ascii_lowercase).count();
        let rest = first.get(prefix..).unwrap_or_default();
        if !(1..=PREFIX_MAX).contains(&prefix) || !is_number(rest, 0) {
            return codes;
        }
        let mut joined = first.clone();
        if !rest.is_empty() {
            codes.extend(Self::of(words, joined, prefix, start..start + 1));
            return codes;
        }
        for (offset, word) in words.iter().enumerate().skip(start + 1).take(PARTS_MAX - 1) {
            if !is_number(&word.written, 1) {
                break;
            }
            joined.push_str(&word.written);
            codes.extend(Self::of(words, joined.clone(), prefix, start..offset + 1));
        }
        codes
    }

    fn of(words: &[Word], joined: String, prefix: usize, place: Range<usize>) -> Option<Self> {
        let mut terms: Vec<usize> = words.get(place.clone())?.iter().filter_map(|word| word.term).collect();
        terms.dedup();
        Some(Self { joined, prefix, words: place, terms })
    }

    /// How many of the next tokens are this code in the other spelling; `None` if they are not.
    fn other_spelling(&self, tokens: &[Token<'_>]) -> Option<usize> {
        let first = tokens.first()?;
        if self.words.len() > 1 {
            return first.text.eq_ignore_ascii_case(&self.joined).then_some(1);
        }
        let (prefix, number) = self.joined.split_at_checked(self.prefix)?;
        if !first.text.eq_ignore_ascii_case(prefix) {
            return None;
        }
        let second = tokens.get(1)?;
        (second.text == number && second.start <= first.end() + GAP_BYTES_MAX).then_some(2)
    }
}

/// Where codes occur in the other spelling, in the order of the text.
pub fn find<'c>(codes: &'c [Code], tokens: &[Token<'_>]) -> Vec<(&'c Code, Range<usize>)> {
    let mut found = Vec::new();
    for place in 0..tokens.len() {
        for code in codes {
            if let Some(count) = code.other_spelling(&tokens[place..]) {
                found.push((code, place..place + count));
            }
        }
    }
    found
}

fn is_number(text: &str, digits_min: usize) -> bool {
    text.len() >= digits_min && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;
    use crate::tokens::tokens;

    #[test]
    fn codes_are_found_in_queries() {
        let table: [(&str, &[&str]); 11] = [
            ("RB-171", &["rb171"]),
            ("rb 171 pump", &["rb171"]),
            ("RB171", &["rb171"]),
            ("RB171 RB-171", &["rb171"]),
            ("ISO 9001:2015", &["iso9001", "iso90012015"]),
            ("v2.3.1", &["v2"]),
            ("#4711", &[]),
            ("3d print", &[]),
            ("river level", &[]),
            ("x7f", &[]),
            ("channel 4", &[]),
        ];
        for (query, expected) in table {
            let codes = Query::parse(query).codes;
            let joined: Vec<&str> = codes.iter().map(|code| code.joined.as_str()).collect();
            assert_eq!(joined, expected, "{query}");
        }
    }

    #[test]
    fn the_number_of_codes_is_bounded() {
        let many: Vec<String> = (0..CODES_MAX + 5).map(|number| format!("ab{number}")).collect();
        assert_eq!(Query::parse(&many.join(" ")).codes.len(), CODES_MAX);
        let parts = format!("ab{}", " 1".repeat(PARTS_MAX + 3));
        assert_eq!(Query::parse(&parts).codes.len(), PARTS_MAX - 1);
    }

    #[test]
    fn the_other_spelling_is_found_in_texts() {
        type Places = &'static [(usize, usize)];
        let table: [(&str, &str, Places); 10] = [
            ("RB-171", "see rb171 and RB171", &[(1, 2), (3, 4)]),
            ("RB-171", "see RB-171", &[]),
            ("RB-171", "see RB1712", &[]),
            ("RB171", "see RB-171", &[(1, 3)]),
            ("RB171", "see RB 171, RB–171", &[(1, 3)]),
            ("RB171", "RB, 171", &[]),
            ("RB171", "RB 1712", &[]),
            ("RB171", "RB", &[]),
            ("ISO 9001 2015", "ISO9001", &[(0, 1)]),
            ("", "RB171", &[]),
        ];
        for (query, text, expected) in table {
            let query = Query::parse(query);
            let tokens: Vec<Token<'_>> = tokens(text).collect();
            let found = find(&query.codes, &tokens);
            let places: Vec<(usize, usize)> =
                found.iter().map(|(_, place)| (place.start, place.end)).collect();
            assert_eq!(places, expected, "{query:?} in {text}");
        }
    }
}

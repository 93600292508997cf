//! Escapes words for Lucene query syntax.

use syntax::query_mappings::QueryMappings;

const SPECIAL: &str = "+-=&|!(){}[]^\"~*?:\\/";
const OPERATORS: [&str; 3] = ["AND", "OR", "NOT"];

/// Which ways to exclude a word remain operators, according to the provider's mappings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exclusion {
    word: bool,
    sign: bool,
}

impl Exclusion {
    pub fn of(mappings: &QueryMappings) -> Self {
        Self { word: mappings.not(), sign: mappings.not_char() == Some("-") }
    }

    pub fn is_known(&self) -> bool {
        self.word || self.sign
    }
}

/// The words to search for; `NOT word` and `-word` exclude if the provider enables them.
pub fn literal(text: &str, exclusion: &Exclusion) -> String {
    // These begin a range and cannot be escaped.
    let text = text.replace(['<', '>'], " ");
    let pieces: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
    let mut out = String::with_capacity(text.len() + 8);
    let mut is_excluding = false;
    for (index, piece) in pieces.iter().enumerate() {
        let word = piece.trim_end();
        let next = pieces[index + 1..].iter().map(|piece| piece.trim_end()).find(|word| !word.is_empty());
        let is_not = exclusion.word && word == "NOT" && !is_excluding;
        if is_not && next.is_some_and(|next| next.starts_with(char::is_alphanumeric) && next != "NOT") {
            out.push_str(piece);
            is_excluding = true;
            continue;
        }
        match word.strip_prefix('-').filter(|rest| rest.starts_with(char::is_alphanumeric)) {
            Some(rest) if exclusion.sign && !is_excluding => {
                out.push('-');
                escape(rest, &mut out);
            }
            _ => escape(word, &mut out),
        }
        out.push_str(&piece[word.len()..]);
        is_excluding &= word.is_empty();
    }
    out
}

/// Escapes a text for a pattern with `*` and `?`.
pub fn in_wildcard(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn escape(word: &str, out: &mut String) {
    if OPERATORS.contains(&word) {
        out.push('\\');
    }
    for c in word.chars() {
        if SPECIAL.contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn operators_become_words() {
        let none = Exclusion::default();
        let both = Exclusion { word: true, sign: true };
        let table = [
            ("solid state", &none, "solid state"),
            ("x AND title:* OR y", &none, "x \\AND title\\:\\* \\OR y"),
            ("ANDROID NOT", &none, "ANDROID \\NOT"),
            ("a<b> \"c", &none, "a b  \\\"c"),
            ("-a !b", &none, "\\-a \\!b"),
            ("river -lake x--", &both, "river -lake x\\-\\-"),
            ("river -la*e --", &both, "river -la\\*e \\-\\-"),
            ("river NOT lake", &both, "river NOT lake"),
            ("river NOT  NOT lake", &both, "river \\NOT  NOT lake"),
            ("river NOT -lake", &both, "river \\NOT -lake"),
            ("river NOT", &both, "river \\NOT"),
            ("x <NOT> y", &none, "x  \\NOT  y"),
            ("river not lake", &both, "river not lake"),
        ];
        for (text, exclusion, want) in table {
            assert_eq!(literal(text, exclusion), want, "{text}");
        }
        assert_eq!(in_wildcard(r"a*b?\c"), r"a\*b\?\\c");
    }

    /// The text that Lucene parses, if it contains no operator.
    fn read(escaped: &str) -> Option<String> {
        let (mut out, mut is_escaped) = (String::new(), false);
        for c in escaped.chars() {
            if is_escaped {
                out.push(c);
                is_escaped = false;
            } else if c == '\\' {
                is_escaped = true;
            } else if SPECIAL.contains(c) || "<>".contains(c) {
                return None;
            } else {
                out.push(c);
            }
        }
        let is_operator = escaped.split_whitespace().any(|word| OPERATORS.contains(&word));
        (!is_escaped && !is_operator).then_some(out)
    }

    proptest! {
        #[test]
        fn whatever_is_asked_is_read_back(text in "[ANDORT<>+\\-=&|!(){}\\[\\]^\"~*?:\\\\/a \t]{0,30}|.{0,30}") {
            let want = text.replace(['<', '>'], " ");
            prop_assert_eq!(read(&literal(&text, &Exclusion::default())), Some(want));
        }
    }
}

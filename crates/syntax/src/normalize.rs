//! Text normalization for queries and relevancy.

use crate::strip_html::strip_markup;

/// Characters that are kept besides alphanumeric ones.
const KEPT: &str = "\"'’-$%?:()";
/// Characters that separate words.
const PARTING: &str = "!;/_|.";

/// The text without markup and without most punctuation, words separated by single spaces.
///
/// Alphanumeric characters and `" ' ’ - $ % ? : ( )` are kept; white space and `! ; / _ | .` become a space; every
/// other character is removed. A word that is only `-` or `--` is dropped.
pub fn clean(text: &str) -> String {
    let stripped = strip_markup(text);
    let mut kept = String::with_capacity(stripped.len());
    for c in stripped.chars() {
        if c.is_alphanumeric() || KEPT.contains(c) {
            kept.push(c);
        } else if c.is_whitespace() || PARTING.contains(c) {
            kept.push(' ');
        }
    }
    let mut out = String::with_capacity(kept.len());
    for word in kept.split(' ').filter(|word| !matches!(*word, "" | "-" | "--")) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cleans() {
        let cases = [
            ("a/b c_d e.f g,h i&j k+l m@n", "a b c d e f gh ij kl mn"),
            ("C++ C# .NET", "C C NET"),
            ("<b>bold</b> AT&amp;T", "bold ATT"),
            ("a - b -- c", "a b c"),
            ("tea\nfor\ttwo", "tea for two"),
            ("what's 5% of $20?", "what's 5% of $20?"),
            ("\"exact phrase\" (or) -minus", "\"exact phrase\" (or) -minus"),
            ("Straße 水 Жизнь ½", "Straße 水 Жизнь ½"),
            ("[x]{y}=<z> ~^*", "xy"),
            ("\0\u{1}", ""),
        ];
        for (text, want) in cases {
            assert_eq!(clean(text), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn leaves_single_spaces_only(text in ".{0,80}") {
            let out = clean(&text);
            prop_assert!(!out.contains("  ") && out.trim() == out);
            prop_assert!(!out.contains(['<', '>', '&', '\0']));
        }
    }
}

//! The text cleaning of CleanTextResultProcessor, which other processors use for comparisons.

use regex::Regex;
use std::sync::LazyLock;
use syntax::strip_html::strip_markup;

/// Word characters, white space and these stay: `( ) . ? ! ' " ,`.
#[expect(clippy::expect_used, reason = "the pattern is a constant, and every test of this file compiles it")]
static OTHER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"[^\w\s().?!'",]+"#).expect("a valid pattern"));
#[expect(clippy::expect_used, reason = "the pattern is a constant, and every test of this file compiles it")]
static DOTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\.{3,}").expect("a valid pattern"));

/// Text without markup and symbols: each becomes a space, spaces are collapsed, and many dots become three.
pub fn clean_text(text: &str) -> String {
    let stripped = strip_markup(text);
    let signless = OTHER.replace_all(&stripped, " ");
    let dotted = DOTS.replace_all(&signless, "...");
    let mut out = String::with_capacity(dotted.len());
    for part in dotted.split(' ').filter(|part| !part.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cleans() {
        let table = [
            ("Solid-State: stuff", "Solid State stuff"),
            ("<b>AT&amp;T</b> #1 @ $5", "AT T 1 5"),
            ("a (b) c? d! 'e' \"f\", g.", "a (b) c? d! 'e' \"f\", g."),
            ("wait..... and ...", "wait... and ..."),
            ("one..two", "one..two"),
            ("snake_case naïve 日本語 हिन्दी", "snake_case naïve 日本語 हिन्दी"),
            ("line\nbreak", "line\nbreak"),
            ("— – •", ""),
            ("", ""),
        ];
        for (text, want) in table {
            assert_eq!(clean_text(text), want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_clean_text_stays(text in "\\PC{0,80}|[a-c<>&;.\\- ]{0,60}") {
            let once = clean_text(&text);
            prop_assert!(!once.contains("  ") && !once.contains("...."));
            prop_assert!(!once.contains(['<', '>', '&', ';']));
        }
    }
}

//! Shape of the values of a column, regardless of its name.

use crate::sample::column::Column;
use std::collections::HashSet;
use syntax::dates::parse_date;
use syntax::strip_html::strip_markup;
use url::Url;

/// Shares are between 0 and 1, relative to the items with a value.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// The share of all items that have a value.
    pub coverage: f64,
    /// The share of distinct values.
    pub distinct: f64,
    /// Several items have a value, and it is the same in all.
    pub is_constant: bool,
    pub urls: f64,
    pub dates: f64,
    /// Identifiers, hashes, numbers.
    pub codes: f64,
    /// Texts with highlight marks other than HTML.
    pub marks: f64,
    /// Texts of several words.
    pub phrases: f64,
    /// Mean length of the text without markup, in characters.
    pub chars: f64,
}

impl Shape {
    pub fn of(column: &Column) -> Self {
        let filled = column.filled();
        if filled == 0 {
            return Self::default();
        }
        let share = |count: usize| count as f64 / filled as f64;
        let counted = |test: fn(&str) -> bool| share(column.first_values().filter(|text| test(text)).count());
        let texts: Vec<String> = column.texts().iter().map(|text| strip_markup(text)).collect();
        let chars: usize = texts.iter().map(|text| text.trim().chars().count()).sum();
        let distinct: HashSet<&str> = texts.iter().map(String::as_str).collect();
        Self {
            coverage: filled as f64 / column.values.len().max(1) as f64,
            distinct: share(distinct.len()),
            is_constant: filled > 1 && distinct.len() == 1,
            urls: counted(is_url),
            dates: counted(|text| parse_date(text).is_some()),
            codes: counted(is_code),
            marks: counted(is_marked),
            phrases: share(texts.iter().filter(|text| text.trim().contains(' ')).count()),
            chars: chars as f64 / filled as f64,
        }
    }
}

/// True for a URL that a browser can open.
pub fn is_url(text: &str) -> bool {
    (text.starts_with("http://") || text.starts_with("https://"))
        && !text.contains(char::is_whitespace)
        && Url::parse(text).is_ok_and(|url| url.has_host())
}

/// True for a number, a hash or an identifier.
fn is_code(text: &str) -> bool {
    let count = text.chars().count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    if text.contains(char::is_whitespace) {
        // `7 K 12/23` is a code of several parts; a word makes it a text.
        let has_word = text.split(|c: char| !c.is_alphabetic()).any(|word| word.len() >= 3);
        return count >= 6 && digits * 10 >= count * 3 && !has_word;
    }
    let is_alphabetic_somewhere = text.chars().any(char::is_alphabetic);
    !is_alphabetic_somewhere || (count >= 4 && digits * 10 >= count * 3)
}

/// True for `the @@@hit@@@ word`: at least two runs of three punctuation characters beside words.
fn is_marked(text: &str) -> bool {
    let signs: Vec<char> = text.chars().collect();
    let is_run = |three: &[char]| {
        three[0].is_ascii_punctuation()
            && !matches!(three[0], '.' | '-' | '!' | '?')
            && three.iter().all(|sign| *sign == three[0])
    };
    let is_beside = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| signs.get(at));
        [before, signs.get(at + 3)].into_iter().flatten().any(|c| c.is_alphanumeric())
    };
    signs.windows(3).enumerate().filter(|(at, three)| is_run(three) && is_beside(*at)).count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_urls_and_codes() {
        for text in ["https://a.example/x?y#z", "http://[::1]:8/"] {
            assert!(is_url(text), "{text}");
        }
        for text in
            ["//a.example/", "/path", "a.example", "ftp://a/", "https://", "https://a b/", "see https://a/"]
        {
            assert!(!is_url(text), "{text}");
        }
        for text in [
            "123",
            "12.5",
            "9f86d081884c7d65",
            "00000000-0000-4000-8000-0000000000aa",
            "--",
            "Q7186",
            "7 K 12/23",
        ] {
            assert!(is_code(text), "{text}");
        }
        for text in ["flashwear", "C 4", "Unit 101", "C3", "水", "12 Mai 1999", "2019 第3回"] {
            assert!(!is_code(text), "{text}");
        }
    }

    #[test]
    fn recognizes_highlight_marks() {
        for (text, want) in [
            ("a @@@hl@@@solid@@@endhl@@@ one", true),
            ("a ___solid___ one", true),
            ("a <em>solid</em> one", false),
            ("wait... what...", false),
            ("*** Sale ***", false),
            ("C+++", false),
        ] {
            assert_eq!(is_marked(text), want, "{text}");
        }
    }

    #[test]
    fn shares_are_relative_to_items_with_values() {
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let values = vec![list(&["<b>one</b> two"]), list(&[]), list(&["one two"]), list(&["https://a/"])];
        let shape = Shape::of(&Column { values, ..Column::default() });
        assert_eq!((shape.coverage, shape.distinct), (0.75, 2.0 / 3.0));
        assert_eq!((shape.urls, shape.phrases), (1.0 / 3.0, 2.0 / 3.0));
        assert_eq!(Shape::of(&Column::default()).coverage, 0.0);
    }
}

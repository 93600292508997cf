//! What the values of a column look like, whatever it is called.

use super::columns::Column;
use domain::notation::dates::parse_date;
use domain::notation::markup::strip_markup;
use std::collections::HashSet;
use url::Url;

/// Shares are between 0 and 1, of the items that have a value.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// The share of all items that have a value.
    pub coverage: f64,
    /// The share of values that no other item has.
    pub distinct: f64,
    /// Several items have a value, and it is always the same.
    pub is_constant: bool,
    pub urls: f64,
    pub dates: f64,
    /// Identifiers, hashes, numbers: nothing to read.
    pub codes: f64,
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
        let counted = |test: fn(&str) -> bool| share(column.firsts().filter(|text| test(text)).count());
        let texts: Vec<String> = column.texts().iter().map(|text| strip_markup(text)).collect();
        let chars: usize = texts.iter().map(|text| text.trim().chars().count()).sum();
        let distinct: HashSet<&str> = texts.iter().map(String::as_str).collect();
        Self {
            coverage: filled as f64 / column.values.len().max(1) as f64,
            distinct: share(distinct.len()),
            is_constant: filled > 1 && distinct.len() == 1,
            urls: counted(is_web_address),
            dates: counted(|text| parse_date(text).is_some()),
            codes: counted(is_code),
            phrases: share(texts.iter().filter(|text| text.trim().contains(' ')).count()),
            chars: chars as f64 / filled as f64,
        }
    }
}

/// An address that a browser can open.
pub fn is_web_address(text: &str) -> bool {
    (text.starts_with("http://") || text.starts_with("https://"))
        && !text.contains(char::is_whitespace)
        && Url::parse(text).is_ok_and(|url| url.has_host())
}

/// Something for machines: a number, a hash, an identifier.
fn is_code(text: &str) -> bool {
    if text.contains(char::is_whitespace) {
        return false;
    }
    let count = text.chars().count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let has_letters = text.chars().any(char::is_alphabetic);
    !has_letters || (count >= 4 && digits * 10 >= count * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_addresses_and_codes() {
        for text in ["https://a.example/x?y#z", "http://[::1]:8/"] {
            assert!(is_web_address(text), "{text}");
        }
        for text in
            ["//a.example/", "/path", "a.example", "ftp://a/", "https://", "https://a b/", "see https://a/"]
        {
            assert!(!is_web_address(text), "{text}");
        }
        for text in ["123", "12.5", "9f86d081884c7d65", "00000000-0000-4000-8000-0000000000aa", "--", "Q7186"]
        {
            assert!(is_code(text), "{text}");
        }
        for text in ["flashwear", "C 4", "Room 101", "C3", "水"] {
            assert!(!is_code(text), "{text}");
        }
    }

    #[test]
    fn shares_are_of_what_is_there() {
        let list = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let values = vec![list(&["<b>one</b> two"]), list(&[]), list(&["one two"]), list(&["https://a/"])];
        let shape = Shape::of(&Column { steps: Vec::new(), values, has_numbers: false });
        assert_eq!((shape.coverage, shape.distinct), (0.75, 2.0 / 3.0));
        assert_eq!((shape.urls, shape.phrases), (1.0 / 3.0, 2.0 / 3.0));
        assert_eq!(
            Shape::of(&Column { steps: Vec::new(), values: vec![], has_numbers: false }).coverage,
            0.0
        );
    }
}

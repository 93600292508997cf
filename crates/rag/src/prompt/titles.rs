//! Query terms in the title of a result, which count for its text.

use domain::result::ResultItem;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query, TermMatch};
use std::collections::BTreeSet;
use syntax::strip_html::readable;

/// Minimum share of query terms in a title that describes its text.
const SHARE_MIN: f64 = 0.5;
/// Maximum number of words considered in a title.
const WORDS_MAX: usize = 60;

/// The query terms in a title.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct TitleMatch {
    /// Empty if the title has too few of them.
    pub terms: BTreeSet<String>,
    /// Number of terms of the query.
    term_count: usize,
}

impl TitleMatch {
    pub fn of(language: Language, query: &str, item: &ResultItem) -> Self {
        let query = Query::parse_in(language, query);
        let term_count = query.terms.len();
        if query.only_stopwords || term_count == 0 {
            return Self::default();
        }
        let title = readable(&item.title);
        let found = tokens(&title).take(WORDS_MAX);
        let found = found.filter_map(|token| query.find(&lower(token.text)).and_then(TermMatch::term));
        let terms: BTreeSet<String> = found.map(|place| query.terms[place].word.clone()).collect();
        if terms.len() as f64 / term_count as f64 >= SHARE_MIN {
            Self { terms, term_count }
        } else {
            Self { terms: BTreeSet::new(), term_count }
        }
    }

    pub fn is_about_the_query(&self) -> bool {
        !self.terms.is_empty()
    }

    /// The share of query terms that are in the title or among these.
    pub fn share_with(&self, terms: &BTreeSet<String>) -> f64 {
        self.terms.union(terms).count() as f64 / self.term_count.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_that_hold_the_query() {
        for (query, title, expected, share) in [
            (
                "solar panels under trees",
                "<em>Solar</em> Panels under Trees: A Method",
                "panels solar trees",
                1.0,
            ),
            ("antenna in wet place", "Antennas in Wet Places", "antenna place wet", 1.0),
            ("antenna cables", "Antennas in Wet Places", "antenna", 0.5),
            ("sealing antenna cables", "Antennas in Wet Places", "", 0.0),
            ("the who", "The Who", "", 0.0),
            ("", "Antennas", "", 0.0),
            ("river", "", "", 0.0),
        ] {
            let item = ResultItem { title: title.to_owned(), ..ResultItem::default() };
            let found = TitleMatch::of(Language::ENGLISH, query, &item);
            let terms: Vec<&str> = found.terms.iter().map(String::as_str).collect();
            assert_eq!(terms.join(" "), expected, "{query}: {title}");
            assert_eq!(found.is_about_the_query(), !expected.is_empty(), "{query}: {title}");
            assert!((found.share_with(&BTreeSet::new()) - share).abs() < 1e-9, "{query}: {title}");
        }
        let item = ResultItem { title: format!("{}river", "x ".repeat(WORDS_MAX)), ..ResultItem::default() };
        assert!(!TitleMatch::of(Language::ENGLISH, "river", &item).is_about_the_query());
    }

    #[test]
    fn the_text_adds_to_its_title() {
        let item = ResultItem { title: "Antennas in wet places".to_owned(), ..ResultItem::default() };
        let titled = TitleMatch::of(Language::ENGLISH, "antenna cables", &item);
        let text = BTreeSet::from(["cables".to_owned(), "antenna".to_owned()]);
        assert!((titled.share_with(&text) - 1.0).abs() < 1e-9);
    }
}

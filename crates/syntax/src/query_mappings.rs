//! `query_mappings`: values for the query template, and capabilities of the source.

use crate::error::SyntaxError;
use std::str::FromStr;

/// Maximum number of pieces in a text of mappings, also of the other kinds.
pub const PIECES_MAX: usize = 500;

/// The variables of a `PAGE` snippet. Longer names first, because one is the end of another.
const PAGE_VARIABLES: &[&str] = &["RESULT_ZERO_INDEX", "RESULT_INDEX", "RESULT_PAGE", "PAGE_INDEX"];

/// The page size of a paging source whose mappings do not name another one.
pub const PAGE_SIZE: u32 = 10;

/// The largest page size that mappings may name.
pub const PAGE_SIZE_MAX: u32 = 1000;

/// Comma-separated `key=value` pieces and flags, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueryMappings {
    pairs: Vec<(String, String)>,
    flags: Vec<String>,
}

impl QueryMappings {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut mappings = Self::default();
        for piece in text.split(',').map(str::trim).filter(|piece| !piece.is_empty()) {
            match piece.split_once('=') {
                Some(("", _)) => return Err(format!("'{piece}' has no key before '='.").into()),
                Some((key, value)) => mappings.pairs.push((key.to_owned(), value.to_owned())),
                None => mappings.flags.push(piece.to_owned()),
            }
        }
        if mappings.pairs.len() + mappings.flags.len() > PIECES_MAX {
            return Err(format!("At most {PIECES_MAX} mappings are allowed.").into());
        }
        if let Some(snippet) = mappings.page()
            && !PAGE_VARIABLES.iter().any(|variable| snippet.contains(variable))
        {
            return Err(format!("PAGE needs one of {} in its value.", PAGE_VARIABLES.join(", ")).into());
        }
        if mappings.get("PAGE_SIZE").is_some() && mappings.named_page_size().is_none() {
            return Err(format!("PAGE_SIZE needs a number from 1 to {PAGE_SIZE_MAX}.").into());
        }
        Ok(mappings)
    }

    /// The value of a key; the first one if it repeats.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    pub fn pairs(&self) -> &[(String, String)] {
        &self.pairs
    }

    pub fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|known| known == flag)
    }

    /// The snippet for chronological order.
    pub fn date_sort(&self) -> Option<&str> {
        self.filled("DATE_SORT")
    }

    /// The snippet for the source's own relevancy.
    pub fn relevancy_sort(&self) -> Option<&str> {
        self.filled("RELEVANCY_SORT")
    }

    /// The snippet for a page, with its variable.
    pub fn page(&self) -> Option<&str> {
        self.filled("PAGE")
    }

    /// The snippet for page `page`, counted from 0.
    pub fn page_snippet(&self, page: u32) -> Option<String> {
        let parameter = self.page()?;
        let start = page.saturating_mul(self.page_size());
        let number = page.saturating_add(1).to_string();
        let snippet = parameter
            .replace("RESULT_ZERO_INDEX", &start.to_string())
            .replace("RESULT_INDEX", &start.saturating_add(1).to_string())
            .replace("RESULT_PAGE", &number)
            .replace("PAGE_INDEX", &number);
        Some(snippet)
    }

    /// Number of results on a full page.
    pub fn page_size(&self) -> u32 {
        self.named_page_size().unwrap_or(PAGE_SIZE)
    }

    /// Number of pages for this many results.
    pub fn pages(&self, results_wanted: u32) -> u32 {
        if self.page().is_some() { results_wanted.div_ceil(self.page_size()).max(1) } else { 1 }
    }

    /// Whether the source supports the operator `NOT`.
    pub fn not(&self) -> bool {
        match self.get("NOT") {
            Some(value) => !value.trim().is_empty() && !value.trim().eq_ignore_ascii_case("false"),
            None => self.has_flag("NOT"),
        }
    }

    /// The prefix of an excluded term.
    pub fn not_char(&self) -> Option<&str> {
        self.filled("NOT_CHAR")
    }

    fn named_page_size(&self) -> Option<u32> {
        let size = self.get("PAGE_SIZE")?.trim().parse().ok();
        size.filter(|size| (1..=PAGE_SIZE_MAX).contains(size))
    }

    fn filled(&self, key: &str) -> Option<&str> {
        self.get(key).filter(|value| !value.is_empty())
    }
}

impl FromStr for QueryMappings {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> QueryMappings {
        QueryMappings::parse(text).expect("mappings")
    }

    #[test]
    fn reads_pairs_and_flags() {
        let mappings = parsed("cx=<code>, DATE_SORT=sort=date,PAGE=start=RESULT_INDEX,NOT_CHAR=-,MATCH_ALL,");
        assert_eq!(mappings.get("cx"), Some("<code>"));
        assert_eq!(mappings.date_sort(), Some("sort=date"));
        assert_eq!(mappings.relevancy_sort(), None);
        assert_eq!(mappings.not_char(), Some("-"));
        assert!(mappings.has_flag("MATCH_ALL") && !mappings.not());
        assert_eq!(parsed("DATE_SORT=a,DATE_SORT=b").date_sort(), Some("a"));
        assert_eq!(parsed(""), QueryMappings::default());
        assert_eq!(parsed("PROMPT='Tell me: {q}'").get("PROMPT"), Some("'Tell me: {q}'"));
    }

    #[test]
    fn knows_when_not_is_set() {
        let table = [
            ("", false),
            ("NOT=True", true),
            ("NOT=true,NOT_CHAR=-", true),
            ("NOT=false", false),
            ("NOT=False", false),
            ("NOT=", false),
            ("NOT", true),
            ("NOT=false,NOT=true", false),
        ];
        for (text, set) in table {
            assert_eq!(parsed(text).not(), set, "{text}");
        }
    }

    #[test]
    fn counts_pages() {
        let table = [
            ("start=RESULT_INDEX", ["start=1", "start=11", "start=21"]),
            ("start=RESULT_ZERO_INDEX", ["start=0", "start=10", "start=20"]),
            ("p=PAGE_INDEX", ["p=1", "p=2", "p=3"]),
            ("p=RESULT_PAGE", ["p=1", "p=2", "p=3"]),
        ];
        for (snippet, pages) in table {
            let mappings = parsed(&format!("PAGE={snippet}"));
            for (page, want) in pages.into_iter().enumerate() {
                let page = u32::try_from(page).expect("small");
                assert_eq!(mappings.page_snippet(page).as_deref(), Some(want), "{snippet}");
            }
            assert_eq!([5, 10, 11, 25].map(|wanted| mappings.pages(wanted)), [1, 1, 2, 3]);
            assert!(mappings.page_snippet(u32::MAX).is_some());
        }
        assert_eq!(parsed("").pages(100), 1);
    }

    #[test]
    fn pages_have_the_size_that_the_mappings_name() {
        let table = [
            ("start=RESULT_INDEX", ["start=1", "start=21", "start=41"]),
            ("start=RESULT_ZERO_INDEX", ["start=0", "start=20", "start=40"]),
            ("p=RESULT_PAGE", ["p=1", "p=2", "p=3"]),
        ];
        for (snippet, pages) in table {
            let mappings = parsed(&format!("PAGE_SIZE=20,PAGE={snippet}"));
            let found = [0, 1, 2].map(|page| mappings.page_snippet(page).expect("a page"));
            assert_eq!(found, pages, "{snippet}");
            assert_eq!([5, 20, 21, 50].map(|wanted| mappings.pages(wanted)), [1, 1, 2, 3]);
        }
        assert_eq!((parsed("PAGE_SIZE=20").pages(100), parsed("PAGE_SIZE=20").page_size()), (1, 20));
        assert_eq!(parsed("PAGE=p=RESULT_PAGE").page_size(), PAGE_SIZE);
        assert_eq!(parsed(&format!("PAGE_SIZE={PAGE_SIZE_MAX}")).page_size(), PAGE_SIZE_MAX);
        for wrong in ["0", "1001", "-5", "many", ""] {
            let error = QueryMappings::parse(&format!("PAGE_SIZE={wrong}")).expect_err(wrong);
            assert!(error.message().contains("1 to 1000"), "{wrong}");
        }
    }

    #[test]
    fn names_the_mistake() {
        assert!(QueryMappings::parse("a=1,=2").expect_err("no key").message().contains("'=2'"));
        assert!(
            QueryMappings::parse("PAGE=start=1").expect_err("no variable").message().contains("RESULT_INDEX")
        );
        assert!(QueryMappings::parse(&"a=b,".repeat(PIECES_MAX)).is_ok());
        assert!(QueryMappings::parse(&"a=b,".repeat(PIECES_MAX + 1)).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in "[a-zA-Z_=, {}']{0,80}|.{0,80}") {
            if let Ok(mappings) = QueryMappings::parse(&text) {
                let _ = (mappings.not(), mappings.page_snippet(3), mappings.pages(1000));
            }
        }
    }
}

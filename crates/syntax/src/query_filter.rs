//! Filters of the query in a template: `{query_string|jql}` writes it so that it stays inside a string of the source's
//! own language, whatever it contains.

use crate::error::SyntaxError;
use std::borrow::Cow;

/// The placeholder of the query, without its braces.
const QUERY: &str = "query_string";
/// How a placeholder with a filter begins.
const FILTERED: &str = "{query_string|";

/// A quoting function with a name.
#[derive(Debug)]
pub struct QueryFilter {
    /// The name behind the `|`.
    pub name: &'static str,
    /// Where in a template it belongs, for people.
    pub place: &'static str,
    /// Quotes the query for that place.
    pub quote: fn(&str) -> String,
}

/// All filters.
pub const FILTERS: &[QueryFilter] = &[
    QueryFilter {
        name: "jql",
        place: "between double quotation marks in JQL (Jira)",
        quote: in_double_quotation_marks,
    },
    QueryFilter {
        name: "cql",
        place: "between double quotation marks in CQL (Confluence)",
        quote: in_double_quotation_marks,
    },
];

/// What a placeholder of the query says about how it is written.
#[derive(Debug, Clone, Copy)]
pub enum QueryPlace {
    /// `{query_string}`
    Plain,
    /// `{query_string|<name>}`
    Filtered(&'static QueryFilter),
}

impl QueryPlace {
    /// The placeholder with this name; `None` if it is not one of the query.
    pub fn of(placeholder: &str) -> Option<Result<Self, SyntaxError>> {
        let rest = placeholder.strip_prefix(QUERY)?;
        if rest.is_empty() {
            return Some(Ok(Self::Plain));
        }
        let name = rest.strip_prefix('|')?;
        let found = filter(name).map(Self::Filtered);
        Some(found.ok_or_else(|| {
            format!("There is no filter '{name}' for {{{placeholder}}}. Filters: {}.", names()).into()
        }))
    }

    /// The query as it is written at this place, before the encoding of a URL.
    pub fn write<'q>(&self, query: &'q str) -> Cow<'q, str> {
        match self {
            Self::Plain => Cow::Borrowed(query),
            Self::Filtered(filter) => Cow::Owned((filter.quote)(query)),
        }
    }
}

/// The filter with this name.
pub fn filter(name: &str) -> Option<&'static QueryFilter> {
    FILTERS.iter().find(|filter| filter.name == name)
}

/// The names of all filters, with commas between them.
pub fn names() -> String {
    FILTERS.iter().map(|filter| filter.name).collect::<Vec<_>>().join(", ")
}

/// Refuses a filter in a template, as text or as JSON, where the query is always a value and needs none.
pub fn refuse_filter(text: &str) -> Result<(), SyntaxError> {
    if text.contains(FILTERED) {
        return Err("The query is a value here and needs no filter: use {query_string}.".into());
    }
    Ok(())
}

/// The text of a string in double quotation marks, in which a backslash escapes. A control character would end the
/// string in some languages and is rejected in others.
fn in_double_quotation_marks(query: &str) -> String {
    let mut quoted = String::with_capacity(query.len() + 8);
    for c in query.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn quotes() {
        let table = [
            ("", ""),
            ("solid state", "solid state"),
            ("\"file not found\"", "\\\"file not found\\\""),
            ("\"", "\\\""),
            ("C:\\temp\\", "C:\\\\temp\\\\"),
            ("\\\"", "\\\\\\\""),
            ("a\nb\tc\0d\u{85}e", "a b c d e"),
            ("it's 東京", "it's 東京"),
        ];
        for (query, want) in table {
            for name in ["jql", "cql"] {
                let filter = filter(name).expect("a filter");
                assert_eq!((filter.quote)(query), want, "{name} {query:?}");
            }
        }
    }

    #[test]
    fn placeholders_of_the_query_are_known() {
        for (placeholder, written) in [
            ("query_string", Some(Some("a\""))),
            ("query_string|jql", Some(Some("a\\\""))),
            ("query_string|cql", Some(Some("a\\\""))),
            ("query_string|", Some(None)),
            ("query_string|JQL", Some(None)),
            ("query_string| jql", Some(None)),
            ("query_string|jql|cql", Some(None)),
            ("query_strings", None),
            ("query", None),
            ("jql", None),
            ("", None),
        ] {
            let place = QueryPlace::of(placeholder);
            let found = place.map(|place| place.ok().map(|place| place.write("a\"").into_owned()));
            assert_eq!(found.as_ref().map(Option::as_deref), written, "{placeholder}");
        }
        let unknown = QueryPlace::of("query_string|sql").expect("a placeholder of the query");
        let message = unknown.expect_err("an unknown filter").to_string();
        assert_eq!(message, "There is no filter 'sql' for {query_string|sql}. Filters: jql, cql.");
    }

    #[test]
    fn each_filter_has_its_own_name() {
        let names: BTreeSet<&str> = FILTERS.iter().map(|filter| filter.name).collect();
        assert_eq!(names.len(), FILTERS.len());
        for filter in FILTERS {
            let is_name = filter.name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            assert!(is_name && !filter.place.is_empty(), "{filter:?}");
        }
    }

    #[test]
    fn a_filter_can_be_refused() {
        assert!(refuse_filter("{query_string} {a|jql}").is_ok());
        assert!(refuse_filter("a {query_string|jql}").is_err());
    }

    /// What a parser finds behind the opening quotation mark: the text of the string, and the rest.
    fn string(text: &str) -> Option<(String, &str)> {
        let mut value = String::new();
        let mut chars = text.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => return Some((value, &text[at + 1..])),
                '\\' => value.push(chars.next().map(|(_, c)| c).filter(|c| "\"\\".contains(*c))?),
                c => value.push(c),
            }
        }
        None
    }

    proptest! {
        #[test]
        fn a_query_stays_in_its_string(query in "[\"\\\\'a \n]{0,20}|.{0,40}") {
            let expected: String = query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            for filter in FILTERS {
                let text = format!("{}\" AND b = \"c\"", (filter.quote)(&query));
                prop_assert_eq!(string(&text), Some((expected.clone(), " AND b = \"c\"")), "{}", filter.name);
            }
        }
    }
}

//! Conventions of search requests: placeholders of the query, and names of parameters.

use crate::fields::identifier_words::words;

pub const QUERY: &str = "{query_string}";
/// Common placeholders of the query.
pub const PLACEHOLDERS: [&str; 6] = ["{query_string}", "{searchTerms}", "{query}", "{q}", "%s", "<query>"];

pub const PAGES: &str = "page p pageno pagenumber pagenum pageindex";
pub const STARTS: &str =
    "start offset from skip startindex startrecord sroffset gsroffset first firstresult resultoffset startat";
pub const SIZES: &str = "limit row count size perpage pagesize num n maxresult maxrecord hitsperpage top srlimit gsrlimit itemsperpage maximumrecord retmax resultsperpage take h";

pub const QUERY_NAMES: &[&str] = &[
    "q",
    "query",
    "search",
    "searchquery",
    "searchterm",
    "term",
    "keyword",
    "kw",
    "text",
    "qs",
    "phrase",
    "srsearch",
    "gsrsearch",
    "find",
    "what",
    "s",
];

/// Rank of a name among the names of queries; one after the last for a similar name.
pub fn query_rank(name: &str) -> usize {
    let words = words(name);
    let whole = words.concat();
    let sounds =
        words.last().is_some_and(|word| ["query", "search", "q", "keyword", "term"].contains(&word.as_str()));
    let known = QUERY_NAMES.iter().position(|known| *known == whole);
    known.unwrap_or(if sounds { QUERY_NAMES.len() } else { QUERY_NAMES.len() + 1 })
}

pub fn find_ignoring_case(text: &str, part: &str) -> Option<usize> {
    if part.is_empty() {
        return None;
    }
    text.char_indices()
        .map(|(at, _)| at)
        .find(|&at| text.get(at..at + part.len()).is_some_and(|piece| piece.eq_ignore_ascii_case(part)))
}

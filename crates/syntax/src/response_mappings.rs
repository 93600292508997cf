//! `response_mappings`: paths of the counts and the results in a response.

use crate::error::SyntaxError;
use crate::json_path::JsonPath;
use crate::split::{find_top, split_top};
use crate::suggest;
use std::str::FromStr;

const KEYS: [&str; 4] = ["FOUND", "RETRIEVED", "RESULTS", "RESULT"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResponseMappings {
    /// Total number of matches.
    pub found: Option<JsonPath>,
    /// Number of results on this page.
    pub retrieved: Option<JsonPath>,
    /// The list of results.
    pub results: Option<JsonPath>,
    /// The document inside each result, if it is wrapped.
    pub result: Option<JsonPath>,
}

impl ResponseMappings {
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut mappings = Self::default();
        for piece in split_top(text, ',') {
            let Some(at) = find_top(piece, &['=']) else {
                return Err(format!(
                    "'{piece}' is not of the form KEY=path. Known keys: {}.",
                    KEYS.join(", ")
                )
                .into());
            };
            let key = piece[..at].trim();
            let path = JsonPath::parse(&piece[at + 1..])?;
            let place = match key {
                "FOUND" => &mut mappings.found,
                "RETRIEVED" => &mut mappings.retrieved,
                "RESULTS" => &mut mappings.results,
                "RESULT" => &mut mappings.result,
                _ => return Err(suggest::unknown("response mapping", key, KEYS).into()),
            };
            // If a key repeats, the first one applies, as in the other mappings.
            place.get_or_insert(path);
        }
        Ok(mappings)
    }
}

impl FromStr for ResponseMappings {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_key() {
        let text = "FOUND=$.feed['opensearch:totalResults']['#text'], RETRIEVED= n ,RESULTS=feed.entry,RESULT=doc,RESULTS=x";
        let mappings = ResponseMappings::parse(text).expect("mappings");
        let written = |path: &Option<JsonPath>| path.as_ref().map(|path| path.as_str().to_owned());
        assert_eq!(written(&mappings.found).as_deref(), Some("$.feed['opensearch:totalResults']['#text']"));
        assert_eq!(written(&mappings.retrieved).as_deref(), Some("n"));
        assert_eq!(written(&mappings.results).as_deref(), Some("feed.entry"));
        assert_eq!(written(&mappings.result).as_deref(), Some("doc"));
        assert_eq!(ResponseMappings::parse(""), Ok(ResponseMappings::default()));
    }

    #[test]
    fn names_the_mistake() {
        let table = [
            ("RESULT_S=a", "Did you mean 'RESULTS'?"),
            ("items", "'items' is not of the form"),
            ("RESULTS=a b", "'a b' is not a path"),
            ("RESULTS=", "not a path"),
        ];
        for (text, want) in table {
            let error = ResponseMappings::parse(text).expect_err(text);
            assert!(error.message().contains(want), "{text}: {error}");
        }
    }
}

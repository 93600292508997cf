//! `response_mappings`: paths of the counts, the results and the errors in a response.

use crate::error::SyntaxError;
use crate::json_path::JsonPath;
use crate::split::{find_top, split_top};
use crate::suggest;
use std::str::FromStr;

const KEYS: [&str; 8] =
    ["FOUND", "RETRIEVED", "RESULTS", "RESULT", "ERROR", "ERROR_IF", "PARTIAL", "PARTIAL_IF"];

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
    /// What a response with status 200 says of its failure.
    pub error: Option<JsonPath>,
    /// When a response with status 200 is a failure. Without it: when there is something at `error`.
    pub error_if: Option<ErrorCondition>,
    /// What a response says of results that are missing from it.
    pub partial: Option<JsonPath>,
    /// When results are missing. Without it: when there is something at `partial`.
    pub partial_if: Option<ErrorCondition>,
}

/// `ERROR_IF=<path>=<value>` and `PARTIAL_IF=<path>=<value>`: the value at the path is this text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCondition {
    pub path: JsonPath,
    pub value: String,
}

impl ErrorCondition {
    fn parse(key: &str, text: &str) -> Result<Self, SyntaxError> {
        let Some(at) = find_top(text, &['=']) else {
            return Err(format!("{key} needs a path and a value: {key}=ok=false.").into());
        };
        Ok(Self { path: JsonPath::parse(&text[..at])?, value: text[at + 1..].trim().to_owned() })
    }
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
            let (key, value) = (piece[..at].trim(), &piece[at + 1..]);
            let condition = match key {
                "ERROR_IF" => Some(&mut mappings.error_if),
                "PARTIAL_IF" => Some(&mut mappings.partial_if),
                _ => None,
            };
            if let Some(place) = condition {
                place.get_or_insert(ErrorCondition::parse(key, value)?);
                continue;
            }
            let place = match key {
                "FOUND" => &mut mappings.found,
                "RETRIEVED" => &mut mappings.retrieved,
                "RESULTS" => &mut mappings.results,
                "RESULT" => &mut mappings.result,
                "ERROR" => &mut mappings.error,
                "PARTIAL" => &mut mappings.partial,
                _ => return Err(suggest::unknown("response mapping", key, KEYS).into()),
            };
            // If a key repeats, the first one applies, as in the other mappings.
            place.get_or_insert(JsonPath::parse(value)?);
        }
        Ok(mappings)
    }

    /// An error if the counts or the document are mapped, but not the results.
    pub fn check_results(&self) -> Result<(), SyntaxError> {
        let is_used = self.found.is_some() || self.retrieved.is_some() || self.result.is_some();
        if is_used && self.results.is_none() {
            return Err("RESULTS=<path> is required; RESULTS=$ is the whole response.".into());
        }
        Ok(())
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
    fn reads_what_an_error_is() {
        let mappings =
            ResponseMappings::parse("RESULTS=a,ERROR=error.info,ERROR_IF=['a=b'].ok = not so, ERROR=x")
                .expect("mappings");
        assert_eq!(mappings.error.as_ref().map(JsonPath::as_str), Some("error.info"));
        let condition = mappings.error_if.expect("a condition");
        assert_eq!((condition.path.as_str(), condition.value.as_str()), ("['a=b'].ok", "not so"));
        let mappings =
            ResponseMappings::parse("PARTIAL=head.details,PARTIAL_IF=head.partial=true").expect("mappings");
        assert_eq!(mappings.partial.as_ref().map(JsonPath::as_str), Some("head.details"));
        let condition = mappings.partial_if.expect("a condition");
        assert_eq!((condition.path.as_str(), condition.value.as_str()), ("head.partial", "true"));
    }

    #[test]
    fn counts_need_results() {
        for (text, is_fine) in [
            ("", true),
            ("RESULTS=a", true),
            ("ERROR=error", true),
            ("ERROR_IF=ok=false", true),
            ("PARTIAL_IF=ok=false", true),
            ("FOUND=n,RESULTS=$", true),
            ("FOUND=n", false),
            ("RETRIEVED=n,ERROR=error", false),
            ("RESULT=doc", false),
        ] {
            let mappings = ResponseMappings::parse(text).expect(text);
            assert_eq!(mappings.check_results().is_ok(), is_fine, "{text}");
        }
    }

    #[test]
    fn names_the_mistake() {
        let table = [
            ("ERROR_IF=ok", "a path and a value"),
            ("PARTIAL_IF=ok", "PARTIAL_IF needs a path and a value"),
            ("ERROR_IF=a b=c", "'a b' is not a path"),
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

//! Filters of lists of elections and pins.

use crate::error::ApiError;
use corpus::canonical::{PinQuery, RunQuery};
use domain::corpus::{RunStatus, Scope};
use domain::ids::SignalId;
use domain::search::QUERY_CHARS_MAX;
use domain::validation::FieldErrors;
use serde::Deserialize;
use syntax::suggest;

/// All statuses that can still be decided.
pub const OPEN: &str = "open";

/// Filter of elections.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct RunFilter {
    /// `pending`, `auto_elected`, `approved`, `rejected`, `superseded`, `stale`; or `open` for the first two.
    status: Option<String>,
    /// Words in their query.
    query: Option<String>,
}

impl RunFilter {
    pub fn to_query(&self, offset: u64, limit: u64) -> Result<RunQuery, ApiError> {
        let mut errors = FieldErrors::default();
        let words = text(&self.query);
        errors.check_text("query", &words, QUERY_CHARS_MAX);
        let status = match text(&self.status).as_str() {
            "" => Vec::new(),
            OPEN => RunStatus::ALL.iter().copied().filter(|status| status.is_open()).collect(),
            name => match RunStatus::parse(name) {
                Some(status) => vec![status],
                None => {
                    let known = RunStatus::ALL.iter().map(|status| status.as_str()).chain([OPEN]);
                    errors.add("status", suggest::unknown("status", name, known));
                    Vec::new()
                }
            },
        };
        let parsed = RunQuery { ids: None, status, words, offset, limit };
        errors.into_result(parsed).map_err(ApiError::invalid)
    }

    /// The path of the list with its filter, for the links to its pages.
    pub fn path(&self) -> String {
        let given = [("status", self.status.clone()), ("query", self.query.clone())];
        path("/canonical/", given)
    }
}

/// Filter of pins, or of their history.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct PinFilter {
    /// Words in their query.
    query: Option<String>,
    /// `firm`, or `matter:<tag>`.
    scope: Option<String>,
    /// Of this document.
    signal_id: Option<i64>,
}

impl PinFilter {
    pub fn to_query(&self, offset: u64, limit: u64) -> Result<PinQuery, ApiError> {
        let given = |value: String| Some(value).filter(|value| !value.is_empty());
        let (words, scope) = (text(&self.query), given(text(&self.scope)));
        let mut errors = FieldErrors::default();
        errors.check_text("query", &words, QUERY_CHARS_MAX);
        let scope = scope.map(|scope| Scope::read(&mut errors, "scope", &scope));
        let parsed = PinQuery { words, scope, signal_id: self.signal_id.map(SignalId), offset, limit };
        errors.into_result(parsed).map_err(ApiError::invalid)
    }

    /// The path of a list with its filter, for the links to its pages.
    pub fn path(&self, list: &str) -> String {
        let signal = self.signal_id.map(|id| id.to_string());
        path(list, [("query", self.query.clone()), ("scope", self.scope.clone()), ("signal_id", signal)])
    }
}

fn text(value: &Option<String>) -> String {
    value.as_deref().map(str::trim).unwrap_or_default().to_owned()
}

fn path(list: &str, given: impl IntoIterator<Item = (&'static str, Option<String>)>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(given.into_iter().filter_map(|(name, value)| Some((name, value?))));
    match query.finish() {
        none if none.is_empty() => list.to_owned(),
        query => format!("{list}?{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::corpus::MATTER_CHARS_MAX;

    fn runs(status: &str, query: &str) -> RunFilter {
        RunFilter { status: Some(status.to_owned()), query: Some(query.to_owned()) }
    }

    #[test]
    fn elections_by_state() {
        use RunStatus::{AutoElected, Pending, Rejected};
        for (status, expected) in
            [("", vec![]), (" open ", vec![Pending, AutoElected]), ("rejected", vec![Rejected])]
        {
            let parsed = runs(status, " msa ").to_query(10, 5).expect("a filter");
            assert_eq!((parsed.status, parsed.words.as_str()), (expected, "msa"), "{status}");
            assert_eq!((parsed.offset, parsed.limit), (10, 5));
        }
        let long = "x".repeat(QUERY_CHARS_MAX);
        assert!(runs("", &long).to_query(0, 1).is_ok());
        let refused = runs("opened", &(long + "x")).to_query(0, 1).expect_err("two mistakes");
        assert!(refused.detail().starts_with("query: "), "{}", refused.detail());
        let refused = runs("opened", "").to_query(0, 1).expect_err("a mistake");
        assert!(refused.detail().contains("Did you mean 'open'?"), "{}", refused.detail());
        assert_eq!(runs("open", "a b").path(), "/canonical/?status=open&query=a+b");
        assert_eq!(RunFilter::default().path(), "/canonical/");
    }

    #[test]
    fn pins_by_query_scope_and_document() {
        let filter = |scope: &str| PinFilter {
            query: Some("The MSA".to_owned()),
            scope: Some(scope.to_owned()),
            signal_id: Some(7),
        };
        let parsed = filter("acme").to_query(0, 10).expect("a filter");
        assert_eq!(parsed.words, "The MSA");
        assert_eq!(parsed.scope, Scope::parse("acme"));
        assert_eq!(parsed.signal_id, Some(SignalId(7)));
        assert_eq!(filter("").to_query(0, 10).expect("a filter").scope, None, "none said is all of them");
        assert!(filter(&"x".repeat(MATTER_CHARS_MAX)).to_query(0, 10).is_ok());
        for bad in ["matter:", &"x".repeat(MATTER_CHARS_MAX + 1)] {
            assert!(filter(bad).to_query(0, 10).is_err(), "{bad}");
        }
        let path = filter("matter:a").path("/canonical/pins/");
        assert_eq!(path, "/canonical/pins/?query=The+MSA&scope=matter%3Aa&signal_id=7");
    }
}

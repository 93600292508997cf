//! What lists and decisions are told, and its limits.

use crate::error::ApiError;
use corpus::canonical::{PinsAsked, RunsAsked};
use domain::corpus::{RunStatus, Scope};
use domain::ids::SignalId;
use domain::names;
use domain::search::{LIST_ITEM_CHARS_MAX, QUERY_CHARS_MAX};
use domain::validation::FieldErrors;
use serde::Deserialize;

/// Every state in which somebody may still decide.
const OPEN: &str = "open";

/// Which elections are wanted.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct WantedRuns {
    /// `pending`, `auto_elected`, `approved`, `rejected`, `superseded`, `stale`; or `open` for the first two.
    status: Option<String>,
    /// Words of their query.
    query: Option<String>,
}

impl WantedRuns {
    pub fn asked(&self, offset: u64, limit: u64) -> Result<RunsAsked, ApiError> {
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
                    errors.add("status", names::unknown("status", name, known));
                    Vec::new()
                }
            },
        };
        let asked = RunsAsked { ids: None, status, words, offset, limit };
        errors.into_result(asked).map_err(ApiError::invalid)
    }

    /// The list's own address, so that its pages keep the filter.
    pub fn path(&self) -> String {
        let given = [("status", self.status.clone()), ("query", self.query.clone())];
        path("/canonical/", given)
    }
}

/// Which pins are wanted, or which lines of their history.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct WantedPins {
    /// Of this query, in any case.
    query: Option<String>,
    /// `firm`, or `matter:<tag>`.
    scope: Option<String>,
    /// Of this document.
    signal_id: Option<i64>,
}

impl WantedPins {
    pub fn asked(&self, offset: u64, limit: u64) -> Result<PinsAsked, ApiError> {
        let given = |value: String| Some(value).filter(|value| !value.is_empty());
        let (query, scope) = (given(text(&self.query)), given(text(&self.scope)));
        let mut errors = FieldErrors::default();
        check(&mut errors, query.as_deref(), scope.as_deref());
        let scope = scope.map(|scope| Scope::read(&scope));
        let asked = PinsAsked { query, scope, signal_id: self.signal_id.map(SignalId), offset, limit };
        errors.into_result(asked).map_err(ApiError::invalid)
    }

    /// The same of a list under its own address.
    pub fn path(&self, list: &str) -> String {
        let signal = self.signal_id.map(|id| id.to_string());
        path(list, [("query", self.query.clone()), ("scope", self.scope.clone()), ("signal_id", signal)])
    }
}

/// The lengths of what a decision is about.
pub fn check(errors: &mut FieldErrors, query: Option<&str>, scope: Option<&str>) {
    errors.check_text("query", query.unwrap_or_default(), QUERY_CHARS_MAX);
    errors.check_text("scope", scope.unwrap_or_default(), LIST_ITEM_CHARS_MAX);
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

    fn runs(status: &str, query: &str) -> WantedRuns {
        WantedRuns { status: Some(status.to_owned()), query: Some(query.to_owned()) }
    }

    #[test]
    fn elections_by_state() {
        use RunStatus::{AutoElected, Pending, Rejected};
        for (status, expected) in
            [("", vec![]), (" open ", vec![Pending, AutoElected]), ("rejected", vec![Rejected])]
        {
            let asked = runs(status, " msa ").asked(10, 5).expect("a filter");
            assert_eq!((asked.status, asked.words.as_str()), (expected, "msa"), "{status}");
            assert_eq!((asked.offset, asked.limit), (10, 5));
        }
        let long = "x".repeat(QUERY_CHARS_MAX);
        assert!(runs("", &long).asked(0, 1).is_ok());
        let refused = runs("opened", &(long + "x")).asked(0, 1).expect_err("two mistakes");
        assert!(refused.detail().starts_with("query: "), "{}", refused.detail());
        let refused = runs("opened", "").asked(0, 1).expect_err("a mistake");
        assert!(refused.detail().contains("Did you mean 'open'?"), "{}", refused.detail());
        assert_eq!(runs("open", "a b").path(), "/canonical/?status=open&query=a+b");
        assert_eq!(WantedRuns::default().path(), "/canonical/");
    }

    #[test]
    fn pins_by_query_scope_and_document() {
        let wanted = |scope: &str| WantedPins {
            query: Some("The MSA".to_owned()),
            scope: Some(scope.to_owned()),
            signal_id: Some(7),
        };
        let asked = wanted("acme").asked(0, 10).expect("a filter");
        assert_eq!(asked.query.as_deref(), Some("The MSA"));
        assert_eq!(asked.scope, Some(Scope::Matter("acme".to_owned())));
        assert_eq!(asked.signal_id, Some(SignalId(7)));
        assert_eq!(wanted("").asked(0, 10).expect("a filter").scope, None, "none said is all of them");
        assert!(wanted(&"x".repeat(LIST_ITEM_CHARS_MAX)).asked(0, 10).is_ok());
        assert!(wanted(&"x".repeat(LIST_ITEM_CHARS_MAX + 1)).asked(0, 10).is_err());
        let path = wanted("matter:a").path("/canonical/pins/");
        assert_eq!(path, "/canonical/pins/?query=The+MSA&scope=matter%3Aa&signal_id=7");
    }
}

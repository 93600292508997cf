//! Parameters that filter a list of results.

use crate::error::ApiError;
use crate::extract::Flag;
use domain::ids::ProviderId;
use domain::search::{LIST_ITEM_CHARS_MAX, LIST_MAX};
use domain::validation::FieldErrors;
use federation::{DateFilterError, ResultFilter, split_authors};
use serde::Deserialize;

#[derive(Debug, Default, Clone, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct FilterQuery {
    /// Only the results of these providers: ids, separated by commas.
    #[param(example = "1,4")]
    pub providers: Option<String>,
    /// No results of these providers: ids, separated by commas.
    pub not_providers: Option<String>,
    /// Only results of one of these authors, separated by semicolons.
    pub author: Option<String>,
    /// `week`, `month` or `year` before now, `older`, `undated`, or dates such as `2024-05-01..2024-05-31`, of which
    /// one may be omitted.
    #[param(example = "month")]
    pub date: Option<String>,
    /// Only results with a star.
    #[param(value_type = Option<bool>)]
    pub starred: Option<Flag>,
    /// Only results that an update added.
    #[param(value_type = Option<bool>)]
    pub new: Option<Flag>,
}

impl FilterQuery {
    /// Empty parameters are ignored.
    pub fn filter(&self) -> Result<ResultFilter, ApiError> {
        let mut errors = FieldErrors::default();
        let filter = ResultFilter {
            providers: ids(&mut errors, "providers", self.providers.as_deref()),
            not_providers: ids(&mut errors, "not_providers", self.not_providers.as_deref()),
            authors: authors(&mut errors, self.author.as_deref()),
            date: non_empty(self.date.as_deref()).and_then(|text| {
                text.parse().map_err(|error: DateFilterError| errors.add("date", error.to_string())).ok()
            }),
            starred: self.starred == Some(Flag(true)),
            new: self.new == Some(Flag(true)),
        };
        errors.into_result(filter).map_err(ApiError::invalid)
    }
}

fn non_empty(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

fn authors(errors: &mut FieldErrors, text: Option<&str>) -> Vec<String> {
    let names = split_authors(text.unwrap_or_default()).take(LIST_MAX + 1);
    let names: Vec<String> = names.map(str::to_owned).collect();
    check_count(errors, "author", names.len());
    for name in &names {
        errors.check_text("author", name, LIST_ITEM_CHARS_MAX);
    }
    names
}

fn check_count(errors: &mut FieldErrors, field: &str, count: usize) {
    errors.check(count <= LIST_MAX, field, || format!("At most {LIST_MAX} entries are allowed."));
}

fn ids(errors: &mut FieldErrors, field: &str, text: Option<&str>) -> Vec<ProviderId> {
    let words = non_empty(text).unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty());
    let ids: Option<Vec<ProviderId>> =
        words.take(LIST_MAX + 1).map(|word| word.parse().ok().map(ProviderId)).collect();
    errors.check(ids.is_some(), field, || "Use ids of providers, separated by commas.".to_owned());
    let ids = ids.unwrap_or_default();
    check_count(errors, field, ids.len());
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_values_are_named() {
        let query = |name: &str, value: &str| {
            let text = Some(value.to_owned());
            let mut query = FilterQuery::default();
            match name {
                "providers" => query.providers = text,
                "not_providers" => query.not_providers = text,
                "author" => query.author = text,
                _ => query.date = text,
            }
            query.filter()
        };
        let too_many = vec!["1"; LIST_MAX + 1].join(",");
        let too_long = "x".repeat(LIST_ITEM_CHARS_MAX + 1);
        let too_many_authors = vec!["a"; LIST_MAX + 1].join(";");
        let cases = [
            ("providers", "1, 4,", true),
            ("providers", "", true),
            ("providers", "library", false),
            ("not_providers", "1;2", false),
            ("not_providers", &too_many, false),
            ("author", "Ann Lee", true),
            ("author", "Ann Lee; Ray, Bob", true),
            ("author", &too_long, false),
            ("author", &too_many_authors, false),
            ("date", "month", true),
            ("date", "", true),
            ("date", "tomorrow", false),
        ];
        for (name, value, is_fine) in cases {
            match query(name, value) {
                Ok(filter) => assert_eq!((is_fine, filter.is_none()), (true, value.is_empty()), "{name}"),
                Err(error) => {
                    assert!(!is_fine && error.detail().contains(name), "{name}: {}", error.detail())
                }
            }
        }
    }
}

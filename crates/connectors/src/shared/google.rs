//! What the Google Workspace APIs have in common.

use super::delegated_api::{DelegatedApi, ErrorCause, ReceivedPages, Service};
use super::found_rows::ListedRows;
use domain::ports::{ConnectorError, RequestDescription, SourceRequest};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::time::Duration;

pub static GOOGLE: Service = Service {
    name: "Google Workspace",
    setting: "SVC_GOOGLE_API_URL",
    address: |settings| &settings.google_api_url,
    classify_error,
};

/// A request for the entries of a list.
#[derive(Debug)]
pub struct ListRequest {
    /// The address for display.
    pub address: String,
    pub parameters: Vec<(&'static str, String)>,
    pub rows_max: u32,
    pub time_max: Duration,
}

impl ListRequest {
    pub fn parameters_json(&self) -> Value {
        let members = self.parameters.iter().map(|(name, value)| ((*name).to_owned(), json!(value)));
        Value::Object(members.collect())
    }
}

impl SourceRequest for ListRequest {
    fn description(&self) -> RequestDescription<'_> {
        let body = Cow::Owned(self.parameters_json());
        RequestDescription::Command { place: &self.address, body, rows_max: self.rows_max }
    }
}

/// Reads the pages of a list until there are `rows_max` entries under `key`.
pub async fn list(
    api: &DelegatedApi,
    path: &[&str],
    request: &ListRequest,
    key: &str,
    rows_max: usize,
) -> Result<ListedRows, ConnectorError> {
    let time_max = request.time_max;
    let parameters: Vec<(&str, &str)> =
        request.parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let rows = |page: &Value| page[key].as_array().map_or(0, Vec::len);
    let next = |page: &Value| {
        let token = page["nextPageToken"].as_str().filter(|token| !token.is_empty())?;
        let mut parameters = parameters.clone();
        parameters.push(("pageToken", token));
        Some(api.get(api.address(path, &parameters), time_max))
    };
    let first = api.get(api.address(path, &parameters), time_max);
    let is_enough = |pages: &[Value]| pages.iter().map(rows).sum::<usize>() >= rows_max;
    let ReceivedPages { pages, missing } = api.ask_all(first, next, is_enough).await?;
    let mut all = Vec::new();
    for mut page in pages {
        if let Value::Array(rows) = page[key].take() {
            all.extend(rows);
        }
    }
    all.truncate(rows_max);
    Ok(ListedRows { rows: all, missing })
}

/// Google answers 403 to rate limiting, to a missing permission and to a disabled API.
fn classify_error(status: u16, words: &Value) -> ErrorCause {
    let reasons =
        ["/error/errors", "/error/details"].iter().filter_map(|pointer| words.pointer(pointer)?.as_array());
    let reasons: Vec<&str> = reasons.flatten().filter_map(|entry| entry["reason"].as_str()).collect();
    let is_any = |known: &[&str]| reasons.iter().any(|reason| known.contains(reason));
    match status {
        403 if is_any(&[
            "rateLimitExceeded",
            "userRateLimitExceeded",
            "dailyLimitExceeded",
            "quotaExceeded",
            "RATE_LIMIT_EXCEEDED",
        ]) =>
        {
            ErrorCause::Throttled
        }
        403 if is_any(&["accessNotConfigured", "SERVICE_DISABLED"]) => ErrorCause::NotEnabled,
        _ => ErrorCause::of_status(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_has_several_meanings() {
        let errors = |reason: &str| json!({"error": {"code": 403, "errors": [{"reason": reason}]}});
        let details = |reason: &str| json!({"error": {"code": 403, "details": [{"reason": reason}]}});
        let table = [
            (403, errors("userRateLimitExceeded"), ErrorCause::Throttled),
            (403, details("RATE_LIMIT_EXCEEDED"), ErrorCause::Throttled),
            (403, errors("accessNotConfigured"), ErrorCause::NotEnabled),
            (403, details("ACCESS_TOKEN_SCOPE_INSUFFICIENT"), ErrorCause::MissingScope(None)),
            (403, Value::Null, ErrorCause::MissingScope(None)),
            (401, errors("authError"), ErrorCause::TokenRejected),
            (429, errors("rateLimitExceeded"), ErrorCause::Other),
        ];
        for (status, words, want) in table {
            assert_eq!(classify_error(status, &words), want, "{status} {words}");
        }
    }
}

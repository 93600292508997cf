//! Validation of the provider fields that all connectors share.

use domain::ports::{ConnectorError, ConnectorErrorKind};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::credentials::{SESSION_PLACE, SourceCredentials, session_name};
use syntax::error::SyntaxError;
use syntax::query_mappings::QueryMappings;
use syntax::response_mappings::ResponseMappings;

/// The parsed mappings and credentials of a provider.
#[derive(Debug, Clone, Default)]
pub struct Notations {
    pub query_mappings: Arc<QueryMappings>,
    pub response_mappings: Arc<ResponseMappings>,
    pub credentials: SourceCredentials,
}

/// Parses all mappings and credentials of a provider, adds every error under its field, and returns what could be
/// parsed.
pub fn read_notations(provider: &SearchProvider, errors: &mut FieldErrors) -> Notations {
    let (read, found) = parse_notations(provider);
    found.into_iter().for_each(|error| add_error(errors, error));
    read
}

/// Adds an error if the response mappings lack the results.
pub fn require_results(notations: &Notations, errors: &mut FieldErrors) {
    if let Err(error) = notations.response_mappings.check_results() {
        add_error(errors, ConnectorError::of_syntax("response_mappings", error));
    }
}

/// Adds an error under its field.
pub fn add_error(errors: &mut FieldErrors, error: ConnectorError) {
    errors.add(error.field.unwrap_or("connector"), error.message);
}

/// The parsed mappings and credentials of a valid provider.
pub fn valid_notations(provider: &SearchProvider) -> Result<Notations, ConnectorError> {
    let (read, mut found) = parse_notations(provider);
    found.sort_by_key(|error| error.field);
    let mut found = found.into_iter();
    match found.next() {
        None => Ok(read),
        Some(mut first) => {
            found.for_each(|other| first.message.push_str(&format!(" {other}")));
            Err(first)
        }
    }
}

/// What could be parsed, and an error for every field that could not.
fn parse_notations(provider: &SearchProvider) -> (Notations, Vec<ConnectorError>) {
    let spec = &provider.spec;
    let (mut read, mut errors) = (Notations::default(), Vec::new());
    let mut add =
        |field: &'static str, error: SyntaxError| errors.push(ConnectorError::of_syntax(field, error));
    match spec.query_mappings.parsed() {
        Ok(mappings) => read.query_mappings = Arc::clone(mappings),
        Err(error) => add("query_mappings", error.clone()),
    }
    match spec.response_mappings.parsed() {
        Ok(mappings) => read.response_mappings = Arc::clone(mappings),
        Err(error) => add("response_mappings", error.clone()),
    }
    if let Err(error) = spec.result_mappings.parsed() {
        add("result_mappings", error.clone());
    }
    match SourceCredentials::parse(&provider.credentials) {
        Ok(credentials) => read.credentials = credentials,
        Err(error) => add("credentials", error),
    }
    match session_name(&spec.eval_credentials) {
        Ok(None) if read.credentials.need_session() => {
            add("eval_credentials", format!("{SESSION_PLACE} needs the name of a session value.").into());
        }
        Ok(_) => {}
        Err(error) => add("eval_credentials", error),
    }
    (read, errors)
}

/// The parsed mappings and credentials of a valid provider, with the user's session value in the credentials.
pub fn require_notations(provider: &SearchProvider) -> Result<Notations, ConnectorError> {
    let mut notations = valid_notations(provider)?;
    let Some(token) = &provider.user_token else {
        return if notations.credentials.need_session() { Err(not_connected()) } else { Ok(notations) };
    };
    if matches!(notations.credentials, SourceCredentials::None) {
        notations.credentials =
            SourceCredentials::Bearer { token: token.clone(), verify_certs: true, ca_certs: None };
        return Ok(notations);
    }
    let name = session_name(&provider.spec.eval_credentials).ok().flatten().unwrap_or_default();
    let session = BTreeMap::from([(name.to_owned(), token.clone())]);
    let filled = notations.credentials.with_session(&provider.spec.eval_credentials, &session);
    notations.credentials = filled.ok_or_else(not_connected)?;
    Ok(notations)
}

fn not_connected() -> ConnectorError {
    let message = "the source needs a session value, and your session has none";
    ConnectorError::new(ConnectorErrorKind::NotConnected, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::provider::ProviderSpec;
    use domain::secret::Secret;

    #[test]
    fn an_error_names_its_field() {
        let spec = ProviderSpec { result_mappings: "title=".into(), ..ProviderSpec::default() };
        let provider = SearchProvider::unsaved(spec, Default::default(), Default::default());
        let mut errors = FieldErrors::default();
        read_notations(&provider, &mut errors);
        let error = valid_notations(&provider).expect_err("a mapping without a value");
        assert_eq!((error.kind, error.field), (ConnectorErrorKind::ConfigInvalid, Some("result_mappings")));
        assert_eq!(error.to_string(), errors.to_string());
    }

    /// A connector is built for each search, and each build reads the notations, some of them twice.
    #[test]
    fn the_mappings_of_a_record_are_not_parsed_again() {
        let spec = ProviderSpec {
            query_mappings: "DATE_SORT=sort=date".into(),
            response_mappings: "RESULTS=items".into(),
            ..ProviderSpec::default()
        };
        let provider = SearchProvider::unsaved(spec, Default::default(), Default::default());
        let first = valid_notations(&provider).expect("notations");
        assert_eq!(first.query_mappings.date_sort(), Some("sort=date"));
        let copy = SearchProvider { user_token: Some(Secret::new("token")), ..provider.clone() };
        for provider in [&provider, &copy] {
            let again = require_notations(provider).expect("notations");
            assert!(Arc::ptr_eq(&again.query_mappings, &first.query_mappings));
            assert!(Arc::ptr_eq(&again.response_mappings, &first.response_mappings));
        }
    }

    #[test]
    fn of_several_errors_the_first_names_its_field() {
        let spec = ProviderSpec {
            result_mappings: "title=".into(),
            eval_credentials: "no session".into(),
            ..ProviderSpec::default()
        };
        let provider = SearchProvider::unsaved(spec, Default::default(), Default::default());
        let mut errors = FieldErrors::default();
        read_notations(&provider, &mut errors);
        let error = valid_notations(&provider).expect_err("two fields are wrong");
        assert_eq!(error.field, Some("eval_credentials"));
        assert_eq!(error.to_string(), errors.to_string());
        assert_eq!(errors.iter().count(), 2, "{errors}");
    }
}

//! Validation of the provider fields that all connectors share.

use domain::ports::{ConnectorError, ConnectorErrorKind};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use std::collections::BTreeMap;
use syntax::credentials::{SESSION_PLACE, SourceCredentials, session_name};
use syntax::query_mappings::QueryMappings;
use syntax::response_mappings::ResponseMappings;
use syntax::result_mappings::ResultMappings;

/// A field of a provider and what is wrong with it.
pub type FieldError = (&'static str, String);

/// The parsed mappings and credentials of a provider.
#[derive(Debug, Clone, Default)]
pub struct Notations {
    pub query_mappings: QueryMappings,
    pub response_mappings: ResponseMappings,
    pub credentials: SourceCredentials,
}

/// Parses all mappings and credentials of a provider, adds every error under its field, and returns what could be
/// parsed.
pub fn read_notations(provider: &SearchProvider, errors: &mut FieldErrors) -> Notations {
    let spec = &provider.spec;
    let mut read = Notations::default();
    match QueryMappings::parse(&spec.query_mappings) {
        Ok(mappings) => read.query_mappings = mappings,
        Err(sentence) => errors.add("query_mappings", sentence),
    }
    match ResponseMappings::parse(&spec.response_mappings) {
        Ok(mappings) => read.response_mappings = mappings,
        Err(sentence) => errors.add("response_mappings", sentence),
    }
    if let Err(sentence) = ResultMappings::parse(&spec.result_mappings) {
        errors.add("result_mappings", sentence);
    }
    match SourceCredentials::parse(&provider.credentials) {
        Ok(credentials) => read.credentials = credentials,
        Err(sentence) => errors.add("credentials", sentence),
    }
    match session_name(&spec.eval_credentials) {
        Ok(None) if read.credentials.need_session() => {
            errors.add("eval_credentials", format!("{SESSION_PLACE} needs the name of a session value."));
        }
        Ok(_) => {}
        Err(sentence) => errors.add("eval_credentials", sentence),
    }
    read
}

/// The connector error for invalid fields of a saved provider.
pub fn config_error(errors: &FieldErrors) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, errors.to_string())
}

/// The parsed mappings and credentials of a valid provider, with the user's session value in the credentials.
pub fn require_notations(provider: &SearchProvider) -> Result<Notations, ConnectorError> {
    let mut errors = FieldErrors::default();
    let mut notations = read_notations(provider, &mut errors);
    if !errors.is_empty() {
        return Err(config_error(&errors));
    }
    let Some(token) = &provider.user_token else {
        return match notations.credentials.need_session() {
            false => Ok(notations),
            true => Err(not_connected()),
        };
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

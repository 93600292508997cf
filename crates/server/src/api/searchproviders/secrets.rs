//! Masking of a provider's secrets: a mask for users who may edit it, nothing for others.

use crate::error::ApiError;
use domain::provider::{ProviderSpec, SearchProvider};
use domain::secret::Secret;
use domain::validation::FieldErrors;
use serde_json::{Map, Value};

/// Fields that are, name or may contain secrets.
const SECRET_FIELDS: &[&str] =
    &["credentials", "eval_credentials", "http_request_headers", "page_fetch_config_json"];

/// The provider's writable fields for users who may edit it.
pub fn fields_for_editors(provider: &SearchProvider) -> Result<Map<String, Value>, ApiError> {
    let mut fields = masked_fields(provider)?;
    fields.insert("credentials".to_owned(), Value::String(provider.credentials.masked()));
    Ok(fields)
}

/// The provider's writable fields for users who may only see it.
pub fn fields_for_readers(provider: &SearchProvider) -> Result<Map<String, Value>, ApiError> {
    let mut fields = masked_fields(provider)?;
    for field in SECRET_FIELDS {
        fields.shift_remove(*field);
    }
    Ok(fields)
}

fn masked_fields(provider: &SearchProvider) -> Result<Map<String, Value>, ApiError> {
    match serde_json::to_value(provider.spec.masked()).map_err(ApiError::internal)? {
        Value::Object(fields) => Ok(fields),
        other => Err(ApiError::internal(format_args!("a provider is not an object: {other}"))),
    }
}

/// The spec to store: masked texts become the stored ones again, and an empty secret keeps the stored one. Refused if a
/// stored secret would be sent to another address than before.
pub fn keeping_secret(stored: &SearchProvider, spec: ProviderSpec) -> Result<ProviderSpec, ApiError> {
    spec.in_place_of(stored).map_err(ApiError::invalid)
}

/// A masked text without a stored value is refused: it would be sent to the source literally.
pub fn check_masks(spec: &ProviderSpec, errors: &mut FieldErrors) {
    for field in spec.masked_fields() {
        errors.add(
            field,
            "This is a masked text; send the secret itself, or the masked text of a provider that has one.",
        );
    }
}

/// The stored provider after the change, for validation: a kept secret is filled in.
pub fn changed(stored: &SearchProvider, spec: &ProviderSpec) -> SearchProvider {
    let credentials = if spec.credentials.is_empty() {
        stored.credentials.clone()
    } else {
        Secret::new(spec.credentials.clone())
    };
    let unreadable = stored.unreadable.after(spec);
    let spec = ProviderSpec { credentials: String::new(), ..spec.clone() };
    SearchProvider { spec, credentials, unreadable, ..stored.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;

    fn provider() -> SearchProvider {
        let headers = [("X-Key", "abc"), ("Accept", "text/html")];
        let config = serde_json::json!({"timeout": 5, "headers": {"Authorization": "abc"}});
        let spec = ProviderSpec {
            name: "News".to_owned(),
            credentials: "key=abc,user=me".to_owned(),
            http_request_headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            page_fetch_config_json: config.as_object().expect("an object").clone().into(),
            eval_credentials: "session['abc']".to_owned(),
            ..ProviderSpec::default()
        };
        SearchProvider::unsaved(spec, UserId(1), chrono::DateTime::UNIX_EPOCH)
    }

    #[test]
    fn editors_see_a_mask_and_others_nothing() {
        let shown = fields_for_editors(&provider()).expect("fields");
        assert_eq!(shown["credentials"], "key=••••,user=••••");
        assert_eq!(
            shown["http_request_headers"],
            serde_json::json!({"X-Key": "••••", "Accept": "text/html"})
        );
        assert_eq!(
            shown["page_fetch_config_json"],
            serde_json::json!({"timeout": 5, "headers": {"Authorization": "••••"}})
        );
        assert_eq!(shown["eval_credentials"], "session['abc']", "it names a secret, and is none");
        let hidden = fields_for_readers(&provider()).expect("fields");
        assert_eq!(hidden["name"], "News");
        assert!(!Value::Object(hidden.clone()).to_string().contains("abc"));
        for field in SECRET_FIELDS {
            assert!(!hidden.contains_key(*field), "{field}");
        }
    }

    #[test]
    fn masked_or_empty_keeps_and_anything_else_replaces() {
        let table =
            [("", "key=abc,user=me"), ("key=••••,user=••••", "key=abc,user=me"), ("key=new", "key=new")];
        for (given, expected) in table {
            let spec = ProviderSpec { credentials: given.to_owned(), ..provider().spec };
            let after = changed(&provider(), &keeping_secret(&provider(), spec).expect("kept"));
            assert_eq!(after.credentials.expose(), expected, "{given}");
            assert!(after.spec.credentials.is_empty());
        }
    }

    #[test]
    fn a_spec_as_it_was_shown_changes_nothing() {
        let shown = Value::Object(fields_for_editors(&provider()).expect("fields"));
        let spec: ProviderSpec = serde_json::from_value(shown).expect("a spec");
        assert_eq!(changed(&provider(), &keeping_secret(&provider(), spec).expect("kept")), provider());
    }

    #[test]
    fn a_mask_that_stands_for_nothing_is_refused() {
        let fields = |spec: &ProviderSpec| {
            let mut errors = FieldErrors::default();
            check_masks(spec, &mut errors);
            errors.iter().map(|(field, _)| field.to_owned()).collect::<Vec<String>>()
        };
        assert!(fields(&provider().spec).is_empty());
        let masked = ProviderSpec { credentials: "key=••••".to_owned(), ..provider().spec.masked() };
        assert_eq!(fields(&masked), ["credentials", "http_request_headers", "page_fetch_config_json"]);
    }
}

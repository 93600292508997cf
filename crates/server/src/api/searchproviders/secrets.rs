//! What leaves of a provider's secrets: a mask for who may edit it, nothing for others.

use crate::error::ApiError;
use domain::provider::{ProviderDraft, SearchProvider};
use domain::secret::Secret;
use serde_json::{Map, Value};

/// Fields that are, name or may hold secrets.
const SECRET_FIELDS: &[&str] = &["credentials", "eval_credentials", "http_request_headers"];

/// The provider's writable fields as they are shown.
pub fn shown_fields(provider: &SearchProvider, may_edit: bool) -> Result<Map<String, Value>, ApiError> {
    let mut fields = match serde_json::to_value(&provider.draft).map_err(ApiError::internal)? {
        Value::Object(fields) => fields,
        other => return Err(ApiError::internal(format_args!("a provider is no object: {other}"))),
    };
    if may_edit {
        fields.insert("credentials".to_owned(), Value::String(provider.credentials.masked()));
    } else {
        for field in SECRET_FIELDS {
            fields.shift_remove(*field);
        }
    }
    Ok(fields)
}

/// The draft as the store wants it: an empty secret keeps the stored one.
pub fn keeping_secret(draft: ProviderDraft) -> ProviderDraft {
    if Secret::is_masked(&draft.credentials) {
        ProviderDraft { credentials: String::new(), ..draft }
    } else {
        draft
    }
}

/// What the stored provider would be after the change, for checks: a kept secret is filled in.
pub fn changed(stored: &SearchProvider, draft: &ProviderDraft) -> SearchProvider {
    let credentials = match draft.credentials.is_empty() {
        true => stored.credentials.clone(),
        false => Secret::new(draft.credentials.clone()),
    };
    let draft = ProviderDraft { credentials: String::new(), ..draft.clone() };
    SearchProvider { draft, credentials, ..stored.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;

    fn provider() -> SearchProvider {
        let draft = ProviderDraft {
            name: "News".to_owned(),
            credentials: "key=abc,user=me".to_owned(),
            http_request_headers: [("X-Key".to_owned(), "abc".to_owned())].into(),
            ..ProviderDraft::default()
        };
        SearchProvider::unsaved(draft, UserId(1), chrono::DateTime::UNIX_EPOCH)
    }

    #[test]
    fn editors_see_a_mask_and_others_nothing() {
        let shown = shown_fields(&provider(), true).expect("fields");
        assert_eq!(shown["credentials"], "key=••••,user=••••");
        let hidden = shown_fields(&provider(), false).expect("fields");
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
            let draft = ProviderDraft { credentials: given.to_owned(), ..provider().draft };
            let after = changed(&provider(), &keeping_secret(draft));
            assert_eq!(after.credentials.expose(), expected, "{given}");
            assert!(after.draft.credentials.is_empty());
        }
    }
}

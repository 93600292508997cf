//! Stored secrets that cannot be decrypted with the key of this installation, for example after a restore without the
//! key.

use crate::provider::ProviderSpec;
use crate::secret::Secret;
use crate::validation::FieldErrors;
use serde::Serialize;
use serde_json::Value;

/// Error of a field that an edit must enter again.
const ENTER_AGAIN: &str = "The stored record cannot be read, because it was encrypted with another key than this \
     installation has: enter all of its fields again, including this one. If it has none, delete the record and create it again.";

/// Whether a record that is encrypted as a whole may be replaced. One that cannot be decrypted may be replaced only if
/// its secret is entered, because there is nothing that an empty or masked secret could keep.
pub fn check_replaceable(is_unreadable: bool, field: &str, secret: &str) -> Result<(), FieldErrors> {
    if is_unreadable && (secret.trim().is_empty() || Secret::is_masked(secret)) {
        Err(FieldErrors::one(field, ENTER_AGAIN))
    } else {
        Ok(())
    }
}

/// Which stored secrets of a search provider cannot be decrypted. They stay stored until they are entered again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnreadableSecrets {
    pub credentials: bool,
    /// The other fields that may contain secrets. They are encrypted together.
    pub confidential: bool,
}

impl UnreadableSecrets {
    pub fn is_any(self) -> bool {
        self.credentials || self.confidential
    }

    /// What is still unreadable after an edit to this spec. New credentials replace everything unreadable, a new value
    /// of another secret field replaces those fields, and an edit with neither keeps everything stored.
    #[must_use]
    pub fn after(self, spec: &ProviderSpec) -> Self {
        if spec.credentials.is_empty() {
            Self { confidential: self.confidential && !spec.has_confidential(), ..self }
        } else {
            Self::default()
        }
    }

    /// The fields whose stored values are missing from this spec because they cannot be decrypted.
    pub fn fields(self, spec: &ProviderSpec) -> Vec<&'static str> {
        let mut fields = Vec::new();
        if self.credentials {
            fields.push("credentials");
        }
        if self.confidential {
            fields.extend(["http_request_headers", "page_fetch_config_json", "eval_credentials"]);
            if spec.has_no_request() {
                fields.extend(["url", "query_template", "query_mappings"]);
                fields.extend(["query_template_json", "post_query_template"]);
            }
        }
        fields
    }
}

/// The fields of a record that is encrypted as a whole, without those that are stored beside it.
pub fn sealed_fields<T: Serialize>(spec: &T, beside: &[&str]) -> Vec<String> {
    match serde_json::to_value(spec) {
        Ok(Value::Object(fields)) => {
            fields.into_iter().map(|(name, _)| name).filter(|name| !beside.contains(&name.as_str())).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: UnreadableSecrets = UnreadableSecrets { credentials: true, confidential: true };

    fn spec(credentials: &str, header: Option<&str>) -> ProviderSpec {
        let headers = header.map(|value| ("X-Key".to_owned(), value.to_owned()));
        ProviderSpec {
            credentials: credentials.to_owned(),
            http_request_headers: headers.into_iter().collect(),
            ..ProviderSpec::default()
        }
    }

    #[test]
    fn only_an_edit_that_enters_secrets_replaces_unreadable_ones() {
        let only_credentials = UnreadableSecrets { credentials: true, confidential: false };
        let table = [
            (spec("", None), BOTH),
            (spec("", Some("new")), only_credentials),
            (spec("key=new", None), UnreadableSecrets::default()),
            (spec("key=new", Some("new")), UnreadableSecrets::default()),
        ];
        for (spec, left) in table {
            assert_eq!(BOTH.after(&spec), left, "{spec:?}");
            assert!(!UnreadableSecrets::default().after(&spec).is_any());
        }
        let inline = ProviderSpec { url: "https://a.example/?api_key=new".to_owned(), ..spec("", None) };
        assert_eq!(BOTH.after(&inline), only_credentials);
    }

    #[test]
    fn an_unreadable_record_is_replaced_only_when_its_secret_is_entered() {
        for (secret, is_entered) in
            [("", false), (" ", false), ("\u{2022}\u{2022}\u{2022}\u{2022}", false), ("new", true)]
        {
            let checked = check_replaceable(true, "api_key", secret);
            assert_eq!(checked.is_ok(), is_entered, "{secret:?}: {checked:?}");
            if let Err(errors) = checked {
                assert_eq!(errors.iter().next(), Some(("api_key", ENTER_AGAIN)));
            }
            assert!(check_replaceable(false, "api_key", secret).is_ok(), "a readable one keeps its secret");
        }
    }

    #[test]
    fn the_fields_that_must_be_entered_again_are_named() {
        assert!(UnreadableSecrets::default().fields(&spec("", None)).is_empty());
        assert_eq!(BOTH.fields(&spec("", None))[..2], ["credentials", "http_request_headers"]);
        let without_request = ProviderSpec { query_template: String::new(), ..spec("", None) };
        assert!(BOTH.fields(&without_request).contains(&"url"));
        assert_eq!(sealed_fields(&serde_json::json!({"name": 1, "model": 2}), &["name"]), ["model"]);
    }
}

//! Detects the kind of a record from its fields.

use serde_json::Value;

/// A kind of record, in loading order: referenced records come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Authenticator,
    QueryTransform,
    Prompt,
    AiProvider,
    SearchProvider,
    Branding,
    Search,
}

/// Why a record is not loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KindError {
    #[error("expected a JSON object")]
    NoObject,
    #[error(
        "unknown kind of record; a SearchProvider has connector, or name and url; an AIProvider defaults or model; a \
         search query_string; an authenticator idp; a query transform qrx_type; a prompt prompt; a branding product, \
         accent or a logo"
    )]
    Unknown,
    #[error("results are not loaded, because they belong to a run of their search; load the search instead")]
    Result,
    #[error(
        "this record is one of the {}, not of the {}; `tributary load` accepts every kind",
        .found.many(), .wanted.many()
    )]
    Other { found: Kind, wanted: Kind },
}

impl Kind {
    /// The kind of a record.
    pub fn of(record: &Value) -> Result<Self, KindError> {
        let Some(fields) = record.as_object() else { return Err(KindError::NoObject) };
        let has = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
        // The first matching row wins: a record with a connector is a SearchProvider, whatever else it has.
        let table: [(&[&str], Result<Self, KindError>); 8] = [
            (&["connector"], Ok(Self::SearchProvider)),
            (&["search_id"], Err(KindError::Result)),
            (&["query_string"], Ok(Self::Search)),
            (&["defaults", "model", "prompt_overrides"], Ok(Self::AiProvider)),
            (&["idp", "client_id"], Ok(Self::Authenticator)),
            (&["qrx_type", "config_content"], Ok(Self::QueryTransform)),
            (&["prompt"], Ok(Self::Prompt)),
            (
                &["product", "accent", "logo_light", "logo_dark", "ai_label", "select_label"],
                Ok(Self::Branding),
            ),
        ];
        if let Some((_, kind)) = table.into_iter().find(|(names, _)| has(names)) {
            return kind;
        }
        if has(&["name"]) && has(&["url"]) { Ok(Self::SearchProvider) } else { Err(KindError::Unknown) }
    }

    pub fn one(self) -> &'static str {
        match self {
            Self::Authenticator => "authenticator",
            Self::QueryTransform => "query transform",
            Self::Prompt => "prompt",
            Self::AiProvider => "AIProvider",
            Self::SearchProvider => "SearchProvider",
            Self::Branding => "branding",
            Self::Search => "search",
        }
    }

    pub fn many(self) -> &'static str {
        match self {
            Self::Authenticator => "authenticators",
            Self::QueryTransform => "query transforms",
            Self::Prompt => "prompts",
            Self::AiProvider => "AIProviders",
            Self::SearchProvider => "SearchProviders",
            Self::Branding => "brandings",
            Self::Search => "searches",
        }
    }

    /// Whether only administrators may add and change such records.
    pub fn is_for_administrators(self) -> bool {
        !matches!(self, Self::Prompt | Self::Search)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ai_provider::AiProviderSpec;
    use domain::authenticator::AuthenticatorSpec;
    use domain::branding::BrandingSpec;
    use domain::prompt::PromptSpec;
    use domain::provider::ProviderSpec;
    use domain::query_transform::TransformSpec;
    use domain::search::SearchSpec;
    use serde_json::json;

    #[test]
    fn kinds_are_detected_by_fields() {
        let table = [
            (json!({"name": "A", "url": "https://a.example/"}), Ok(Kind::SearchProvider)),
            (json!({"name": "A", "connector": "RequestsGet", "defaults": []}), Ok(Kind::SearchProvider)),
            (json!({"name": "A", "defaults": ["rag"]}), Ok(Kind::AiProvider)),
            (json!({"query_string": "tea"}), Ok(Kind::Search)),
            (json!({"search_id": 1, "query_string": "tea"}), Err(KindError::Result)),
            (json!({"name": "A", "idp": "a"}), Ok(Kind::Authenticator)),
            (json!({"name": "A", "qrx_type": "bag"}), Ok(Kind::QueryTransform)),
            (json!({"name": "A", "prompt": "Answer {query}"}), Ok(Kind::Prompt)),
            (json!({"name": "A", "accent": "#0f766e"}), Ok(Kind::Branding)),
            (json!({"name": "A"}), Err(KindError::Unknown)),
            (json!({}), Err(KindError::Unknown)),
            (json!("tea"), Err(KindError::NoObject)),
            (json!([{"query_string": "tea"}]), Err(KindError::NoObject)),
        ];
        for (record, want) in table {
            assert_eq!(Kind::of(&record), want, "{record}");
        }
    }

    #[test]
    fn a_complete_record_of_each_kind_is_detected() {
        let whole = [
            (serde_json::to_value(AuthenticatorSpec::default()), Kind::Authenticator),
            (serde_json::to_value(TransformSpec::default()), Kind::QueryTransform),
            (serde_json::to_value(PromptSpec::default()), Kind::Prompt),
            (serde_json::to_value(AiProviderSpec::default()), Kind::AiProvider),
            (serde_json::to_value(ProviderSpec::default()), Kind::SearchProvider),
            (serde_json::to_value(BrandingSpec::default()), Kind::Branding),
            (serde_json::to_value(SearchSpec::default()), Kind::Search),
        ];
        for (record, kind) in whole {
            assert_eq!(Kind::of(&record.unwrap()), Ok(kind));
        }
    }
}

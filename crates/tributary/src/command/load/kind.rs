//! What a record is: told by its fields, because a file of records says nothing else.

use serde_json::Value;

/// A kind of record that can be loaded, in the order of loading: what others name comes before them.
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

/// Why nothing can be done with a record that is of no kind.
const NO_KIND: &str = "its fields do not say what it is; a SearchProvider has connector, or name and url; an AIProvider \
    defaults or model; a search query_string; an authenticator idp; a query transform qrx_type; a prompt prompt; a \
    branding product, accent or a logo";
const RESULT: &str = "a result is not loaded, because it belongs to a run of its search; load the search, and it finds \
    its results itself";

impl Kind {
    /// The kind of a record, or a sentence why it has none.
    pub fn of(record: &Value) -> Result<Self, &'static str> {
        let Some(fields) = record.as_object() else { return Err("a JSON object is needed") };
        let has = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
        // The first row that fits counts: a record with a connector is a SearchProvider, whatever else it has.
        let told: [(&[&str], Result<Self, &'static str>); 8] = [
            (&["connector"], Ok(Self::SearchProvider)),
            (&["search_id"], Err(RESULT)),
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
        if let Some((_, kind)) = told.into_iter().find(|(names, _)| has(names)) {
            return kind;
        }
        if has(&["name"]) && has(&["url"]) { Ok(Self::SearchProvider) } else { Err(NO_KIND) }
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

    /// Only administrators add and change them.
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
    use domain::prompt_record::PromptSpec;
    use domain::provider::ProviderSpec;
    use domain::query_transform::TransformSpec;
    use domain::search::SearchSpec;
    use serde_json::json;

    #[test]
    fn kinds_are_told_by_fields() {
        let table = [
            (json!({"name": "A", "url": "https://a.example/"}), Ok(Kind::SearchProvider)),
            (json!({"name": "A", "connector": "RequestsGet", "defaults": []}), Ok(Kind::SearchProvider)),
            (json!({"name": "A", "defaults": ["rag"]}), Ok(Kind::AiProvider)),
            (json!({"query_string": "tea"}), Ok(Kind::Search)),
            (json!({"search_id": 1, "query_string": "tea"}), Err(RESULT)),
            (json!({"name": "A", "idp": "a"}), Ok(Kind::Authenticator)),
            (json!({"name": "A", "qrx_type": "bag"}), Ok(Kind::QueryTransform)),
            (json!({"name": "A", "prompt": "Answer {query}"}), Ok(Kind::Prompt)),
            (json!({"name": "A", "accent": "#0f766e"}), Ok(Kind::Branding)),
            (json!({"name": "A"}), Err(NO_KIND)),
            (json!({}), Err(NO_KIND)),
            (json!("tea"), Err("a JSON object is needed")),
            (json!([{"query_string": "tea"}]), Err("a JSON object is needed")),
        ];
        for (record, want) in table {
            assert_eq!(Kind::of(&record), want, "{record}");
        }
    }

    #[test]
    fn a_whole_record_of_each_kind_is_told() {
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

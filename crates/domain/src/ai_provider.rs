//! AI providers: models, where they are reached, and what they may be used for.

use crate::ids::{AiProviderId, UserId};
use crate::instant::Instant;
use crate::prompt::{self, PromptParts};
use crate::provider_secrets::{holds_mask, keep, masked_object};
use crate::secret::Secret;
use crate::secret_binding::{self, Destinations};
use crate::unreadable_secrets::{check_replaceable, sealed_fields};
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use syntax::suggest;
use url::Url;

pub const NAME_CHARS_MAX: usize = 255;
pub const API_KEY_CHARS_MAX: usize = 512;
/// Maximum size of `config` and of `prompt_overrides` as JSON, in bytes.
pub const OBJECT_BYTES_MAX: usize = 64 * 1024;
/// Name of the record of the built-in embedding model.
pub const LOCAL: &str = "local";
const API_BASE_NEEDED: &str = "api_base is an http or https URL, such as https://models.example/v1.";
/// The model that extracts sentences from the sources instead of generating text.
pub const EXTRACTIVE_MODEL: &str = "local/extractive";

/// What a model may be used for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Embeddings for ranking.
    Reader,
    /// Rewrites queries.
    Query,
    /// Answers as a source.
    Connector,
    /// Generates AI summaries.
    Rag,
    Chat,
    /// Reranks results.
    Reranker,
}

impl Role {
    pub const ALL: [Self; 6] =
        [Self::Reader, Self::Query, Self::Connector, Self::Rag, Self::Chat, Self::Reranker];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Query => "query",
            Self::Connector => "connector",
            Self::Rag => "rag",
            Self::Chat => "chat",
            Self::Reranker => "reranker",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str().eq_ignore_ascii_case(name.trim()))
    }
}

/// The writable fields of an AIProvider.
#[derive(Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = AIProviderInput)]
pub struct AiProviderSpec {
    /// Unique. `local` is the built-in reader.
    #[schema(example = "OpenAI")]
    pub name: String,
    /// Available to all users. False: only to its owner.
    pub shared: bool,
    /// The model may be used. False: never.
    pub active: bool,
    /// Write-only. An empty or masked text keeps the stored key.
    pub api_key: String,
    /// The model's name at its service, with the service as a prefix unless it is OpenAI: `gpt-5`,
    /// `azure/<deployment>`, `anthropic/…`, `gemini/…`, `ollama/…`, `cohere/…`, `bedrock/…`.
    #[schema(example = "gpt-5")]
    pub model: String,
    /// `api_base`, `api_version`, `max_tokens`, `family`, `roles` and whatever else the model's service needs, such as
    /// `{"api_base": "http://localhost:11434"}`.
    #[schema(value_type = Object)]
    pub config: Map<String, Value>,
    /// Roles that it may serve: `rag` writes summaries, `chat` chats, `query` rewrites queries, `connector` answers as
    /// a source, `reader` creates embeddings and `reranker` ranks results.
    #[schema(value_type = Vec<Role>)]
    pub tags: Vec<String>,
    /// Roles for which it is the default model.
    #[schema(value_type = Vec<Role>)]
    pub defaults: Vec<String>,
    /// Replaces parts of a prompt by its tag when this provider is used, such as `{"search-rag": {"footer": "Answer in
    /// one sentence."}}`.
    pub prompt_overrides: BTreeMap<String, PromptParts>,
}

impl Default for AiProviderSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            shared: true,
            active: true,
            api_key: String::new(),
            model: String::new(),
            config: Map::new(),
            tags: Vec::new(),
            defaults: Vec::new(),
            prompt_overrides: BTreeMap::new(),
        }
    }
}

impl AiProviderSpec {
    /// The readable part of a stored spec that cannot be decrypted. It is inactive.
    pub fn unreadable(name: String, shared: bool) -> Self {
        Self { name, shared, active: false, ..Self::default() }
    }

    pub fn check(&self) -> FieldErrors {
        self.check_with("tags")
    }

    /// `roles_field` is where the roles were given.
    fn check_with(&self, roles_field: &str) -> FieldErrors {
        let mut errors = FieldErrors::default();
        for (field, text) in [("name", &self.name), ("model", &self.model)] {
            errors.check(!text.trim().is_empty(), field, || format!("A {field} is needed."));
            errors.check_name(field, text, NAME_CHARS_MAX);
        }
        errors.check_text("api_key", &self.api_key, API_KEY_CHARS_MAX);
        for (field, roles) in [(roles_field, &self.tags), ("defaults", &self.defaults)] {
            for role in roles.iter().filter(|role| Role::of_name(role).is_none()) {
                errors.add(field, suggest::unknown("role", role, Role::ALL.map(Role::as_str)));
            }
        }
        for (field, bytes) in [
            ("config", serde_json::to_vec(&self.config)),
            ("prompt_overrides", serde_json::to_vec(&self.prompt_overrides)),
        ] {
            let fits = bytes.is_ok_and(|bytes| bytes.len() <= OBJECT_BYTES_MAX);
            errors.check(fits, field, || format!("At most {OBJECT_BYTES_MAX} bytes are allowed."));
        }
        for (field, is_masked) in
            [("api_key", Secret::is_masked(&self.api_key)), ("config", self.config.values().any(holds_mask))]
        {
            errors.check(!is_masked, field, || "This is a masked secret, not the secret itself.".to_owned());
        }
        errors
    }

    /// The spec as it is stored, or its errors.
    pub fn checked(self) -> Result<Self, FieldErrors> {
        let mut errors = FieldErrors::default();
        // An invalid value must not be ignored silently.
        errors.check(self.config.get("roles").is_none_or(is_list_of_texts), "config", || {
            "roles is a list of texts, such as [\"rag\"].".to_owned()
        });
        let roles_field = if self.config.contains_key("roles") { "config" } else { "tags" };
        if let Some(sentence) = self.api_base_mistake() {
            errors.add("config", sentence);
        }
        let tags = prompt::TAGS;
        for tag in self.prompt_overrides.keys().filter(|tag| !tags.contains(&tag.as_str())) {
            errors.add("prompt_overrides", suggest::unknown("tag", tag, tags));
        }
        let mut spec = self.with_roles_from_config();
        spec.name = spec.name.trim().to_owned();
        spec.model = spec.model.trim().to_owned();
        errors.merge(spec.check_with(roles_field));
        errors.into_result(spec)
    }

    /// A prepared record has placeholders such as `<resource>` until they are filled in.
    fn api_base_mistake(&self) -> Option<&'static str> {
        let given = self.config.get("api_base").filter(|given| !given.is_null())?;
        let Some(address) = given.as_str().map(str::trim) else { return Some(API_BASE_NEEDED) };
        let is_web = || Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let is_fine = address.is_empty() || address.contains('<') || is_web();
        (!is_fine).then_some(API_BASE_NEEDED)
    }

    /// The spec completed with what only the stored one has: its secrets, and its roles if they are sent back as they
    /// were shown. The errors name each field whose stored secret would be sent to a different destination, or cannot
    /// be kept because it cannot be decrypted.
    pub fn in_place_of(self, stored: &AiProvider) -> Result<Self, FieldErrors> {
        check_replaceable(stored.is_unreadable, "api_key", &self.api_key)?;
        let stored = &stored.spec;
        let mut fields = Vec::new();
        if (self.api_key.is_empty() || Secret::is_masked(&self.api_key)) && !stored.api_key.is_empty() {
            fields.push("api_key");
        }
        if self.config.values().any(holds_mask) {
            fields.push("config");
        }
        let mut spec = self.keeping(stored);
        let places = [stored, &spec].map(Destinations::of_ai_provider);
        secret_binding::check(&places[0], &places[1], &fields)?;
        // Roles that are sent back as they were shown express no change; `tags` decides.
        if spec.config.get("roles") == Some(&Value::from(stored.tags.clone())) {
            spec.config.remove("roles");
        }
        Ok(spec)
    }

    /// Moves `config.roles`, if given, to `tags`.
    pub fn with_roles_from_config(mut self) -> Self {
        if let Some(Value::Array(roles)) = self.config.remove("roles") {
            self.tags = roles.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        for list in [&mut self.tags, &mut self.defaults] {
            for name in list.iter_mut() {
                if let Some(role) = Role::of_name(name) {
                    role.as_str().clone_into(name);
                }
            }
        }
        self
    }

    /// The spec as shown to administrators, with the roles in `config`.
    pub fn masked(&self) -> Self {
        let mut config = masked_object(&self.config);
        // A number of tokens is not a secret.
        let counts =
            self.config.iter().filter(|(name, value)| name.ends_with("_tokens") && value.is_number());
        config.extend(counts.map(|(name, value)| (name.clone(), value.clone())));
        config.insert("roles".to_owned(), self.tags.iter().cloned().collect());
        Self { api_key: Secret::new(self.api_key.clone()).masked(), config, ..self.clone() }
    }

    /// Replaces masked values by the stored ones of the same name; an empty key keeps the stored one.
    pub fn keeping(mut self, stored: &Self) -> Self {
        if self.api_key.is_empty() || Secret::is_masked(&self.api_key) {
            stored.api_key.clone_into(&mut self.api_key);
        }
        keep(&mut self.config, &stored.config);
        self
    }

    pub fn serves(&self, role: Role) -> bool {
        self.tags.iter().any(|tag| Role::of_name(tag) == Some(role))
    }

    pub fn is_default_for(&self, role: Role) -> bool {
        self.defaults.iter().any(|name| Role::of_name(name) == Some(role))
    }

    /// Providers of the same family are fallbacks for each other.
    pub fn family(&self) -> String {
        self.config_text("family").filter(|family| !family.is_empty()).unwrap_or(&self.name).to_lowercase()
    }

    pub fn config_text(&self, key: &str) -> Option<&str> {
        self.config.get(key)?.as_str()
    }
}

fn is_list_of_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

/// Masked, because it appears in error messages.
impl fmt::Debug for AiProviderSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = serde_json::to_string(&self.masked()).map_err(|_| fmt::Error)?;
        write!(f, "AiProviderDraft {shown}")
    }
}

/// A stored AI provider. Its spec contains the key.
#[derive(Debug, Clone, PartialEq)]
pub struct AiProvider {
    pub id: AiProviderId,
    /// None: it is shipped with the program.
    pub owner: Option<UserId>,
    pub spec: AiProviderSpec,
    /// The stored spec cannot be decrypted: only name and sharing are known until it is entered again.
    pub is_unreadable: bool,
    pub date_created: Instant,
    pub date_updated: Instant,
}

impl AiProvider {
    /// The fields whose stored values are missing from the spec because they cannot be decrypted.
    pub fn unreadable_fields(&self) -> Vec<String> {
        if self.is_unreadable { sealed_fields(&self.spec, &["name", "shared"]) } else { Vec::new() }
    }

    /// The starting point of a partial edit. An unreadable record that is entered again becomes active.
    pub fn spec_to_edit(&self) -> AiProviderSpec {
        AiProviderSpec { active: self.spec.active || self.is_unreadable, ..self.spec.clone() }
    }

    /// The user may be None: an unknown one, such as a schedule.
    pub fn is_for(&self, user: Option<UserId>) -> bool {
        self.spec.shared || (user.is_some() && self.owner == user)
    }

    /// The author of a summary item.
    pub fn label(&self) -> String {
        format!("{}-{}", self.spec.name, self.spec.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(more: Value) -> AiProviderSpec {
        let mut fields = json!({"name": "A", "model": "gpt-5", "api_key": "canary"});
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value::<AiProviderSpec>(fields).unwrap().with_roles_from_config()
    }

    #[test]
    fn mistakes_are_named() {
        assert!(spec(json!({"tags": ["RAG", "chat"]})).check().is_empty());
        for (more, field) in [
            (json!({"name": " "}), "name"),
            (json!({"model": ""}), "model"),
            (json!({"name": "x".repeat(NAME_CHARS_MAX + 1)}), "name"),
            (json!({"api_key": "x".repeat(API_KEY_CHARS_MAX + 1)}), "api_key"),
            (json!({"api_key": "••••"}), "api_key"),
            (json!({"tags": ["rga"]}), "tags"),
            (json!({"defaults": ["writer"]}), "defaults"),
            (json!({"config": {"note": "x".repeat(OBJECT_BYTES_MAX)}}), "config"),
            (json!({"config": {"AWS_SECRET_ACCESS_KEY": "••••"}}), "config"),
        ] {
            let errors = spec(more.clone()).check();
            assert!(errors.iter().any(|(name, _)| name == field), "{more}: {errors}");
        }
    }

    #[test]
    fn mistakes_in_config_are_named_there() {
        let errors_of = |config: Value| {
            let fields = json!({"name": "A", "model": "gpt-5", "config": config});
            let checked = serde_json::from_value::<AiProviderSpec>(fields).unwrap().checked();
            checked.err().map(|errors| errors.iter().map(|(field, _)| field.to_owned()).collect::<Vec<_>>())
        };
        for config in [
            json!({"roles": ["rga"]}),
            json!({"roles": "rag"}),
            json!({"api_base": "no address"}),
            json!({"api_base": "ftp://models.example"}),
            json!({"api_base": "models.example/v1"}),
            json!({"api_base": 5}),
        ] {
            assert_eq!(errors_of(config.clone()), Some(vec!["config".to_owned()]), "{config}");
        }
        for config in [
            json!({"roles": ["rag"], "api_base": " https://models.example/v1 "}),
            json!({"api_base": "https://<resource>.models.example"}),
            json!({"api_base": ""}),
            json!({"api_base": null}),
        ] {
            assert_eq!(errors_of(config.clone()), None, "{config}");
        }
    }

    #[test]
    fn roles_stand_in_two_places_and_are_one_list() {
        let given = spec(json!({"tags": ["query"], "config": {"roles": ["Rag", "CHAT"], "max_tokens": 5}}));
        assert_eq!(given.tags, ["rag", "chat"]);
        assert!(given.serves(Role::Rag) && !given.serves(Role::Query));
        assert_eq!(
            given.masked().config,
            *json!({"max_tokens": 5, "roles": ["rag", "chat"]}).as_object().unwrap()
        );
    }

    #[test]
    fn a_key_is_kept_and_never_shown() {
        let stored = spec(json!({"config": {"AWS_SECRET_ACCESS_KEY": "canary"}}));
        assert!(!format!("{stored:?}").contains("canary"));
        for key in ["", "••••"] {
            let changed = AiProviderSpec { api_key: key.to_owned(), ..stored.masked() };
            let kept = changed.keeping(&stored).with_roles_from_config();
            assert_eq!((kept.api_key.as_str(), &kept.config), ("canary", &stored.config));
        }
    }

    #[test]
    fn an_unreadable_record_is_not_overwritten_without_its_key() {
        let at = Instant::default();
        let stored = AiProvider {
            id: AiProviderId(1),
            owner: None,
            spec: AiProviderSpec::unreadable("A".to_owned(), true),
            is_unreadable: true,
            date_created: at,
            date_updated: at,
        };
        for (key, is_entered) in [("", false), ("••••", false), ("new", true)] {
            let replaced = spec(json!({"api_key": key})).in_place_of(&stored);
            assert_eq!(replaced.is_ok(), is_entered, "{key:?}: {replaced:?}");
        }
    }
}

//! Prompts: the text for a model around the sources.

use crate::ids::{PromptId, UserId};
use crate::instant::Instant;
use crate::user::Principal;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use syntax::suggest;

pub const NAME_CHARS_MAX: usize = 255;
/// Maximum number of prompts of one user.
pub const OWN_MAX: usize = 100;
/// Maximum length of one part, in characters.
pub const PART_CHARS_MAX: usize = 20_000;

/// Tags: what a prompt may be used for.
pub const SEARCH_RAG: &str = "search-rag";
pub const CHAT: &str = "chat";
pub const CHAT_RAG: &str = "chat-rag";
pub const TAGS: [&str; 3] = [SEARCH_RAG, CHAT, CHAT_RAG];

/// The texts of a prompt. `prompt` may use `{query}` and `{header}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
pub struct PromptParts {
    /// Text before the sources. `{query}` is the query, `{header}` names the sources.
    pub prompt: String,
    /// Text directly after the sources. May be empty.
    pub note: String,
    /// Text at the end, such as the format of the answer.
    pub footer: String,
}

impl PromptParts {
    /// These parts, with the others for those that are empty.
    pub fn over(&self, other: &Self) -> Self {
        let pick = |own: &String, other: &String| if own.is_empty() { other.clone() } else { own.clone() };
        Self {
            prompt: pick(&self.prompt, &other.prompt),
            note: pick(&self.note, &other.note),
            footer: pick(&self.footer, &other.footer),
        }
    }
}

/// The writable fields of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = PromptInput)]
pub struct PromptSpec {
    /// Unique. A search selects it with `prompt:<name>`.
    #[schema(example = "search_rag_standard")]
    pub name: String,
    #[serde(flatten)]
    pub parts: PromptParts,
    /// What it is used for: `search-rag` for summaries of a search, `chat` for the behavior of the assistant,
    /// `chat-rag` for its answers from sources.
    pub tags: Vec<String>,
    /// It may be used and selected. False: never.
    pub active: bool,
    /// Available to all users. False: only to its owner.
    pub shared: bool,
}

impl Default for PromptSpec {
    fn default() -> Self {
        Self {
            name: String::new(),
            parts: PromptParts::default(),
            tags: Vec::new(),
            active: true,
            shared: false,
        }
    }
}

impl PromptSpec {
    /// The spec as it is stored, or its errors.
    pub fn checked(mut self) -> Result<Self, FieldErrors> {
        self.name = self.name.trim().to_owned();
        self.check().into_result(self)
    }

    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        let is_word = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        errors.check(!self.name.is_empty() && self.name.chars().all(is_word), "name", || {
            "Use letters, digits, -, _ and . for the name: a search picks it by prompt:<name>.".to_owned()
        });
        errors.check_text("name", &self.name, NAME_CHARS_MAX);
        errors.check(!self.parts.prompt.trim().is_empty(), "prompt", || "A prompt is needed.".to_owned());
        for (field, text) in
            [("prompt", &self.parts.prompt), ("note", &self.parts.note), ("footer", &self.parts.footer)]
        {
            errors.check_text(field, text, PART_CHARS_MAX);
        }
        errors.check(!self.tags.is_empty(), "tags", || format!("Give one or more of {}.", TAGS.join(", ")));
        for tag in self.tags.iter().filter(|tag| !TAGS.contains(&tag.as_str())) {
            errors.add("tags", suggest::unknown("tag", tag, TAGS));
        }
        errors
    }
}

/// A stored prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRecord {
    pub id: PromptId,
    /// None: a standard prompt, restored at every start.
    pub owner: Option<UserId>,
    pub spec: PromptSpec,
    pub date_created: Instant,
    pub date_updated: Instant,
}

impl PromptRecord {
    pub fn is_for(&self, user: Option<UserId>) -> bool {
        self.spec.shared || self.owner.is_none() || (user.is_some() && self.owner == user)
    }

    /// An administrator, or the owner of one that is not shared, may edit it. Nobody may edit a standard prompt.
    pub fn is_editable_by(&self, principal: &Principal) -> bool {
        let is_own = self.owner == Some(principal.user) && !self.spec.shared;
        self.owner.is_some() && self.is_for(Some(principal.user)) && (principal.is_admin || is_own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn mistakes_are_named() {
        let spec = |more: serde_json::Value| {
            let mut fields =
                json!({"name": "company_style", "prompt": "Answer {query}", "tags": ["search-rag"]});
            fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value::<PromptSpec>(fields).unwrap()
        };
        assert!(spec(json!({})).check().is_empty());
        for (more, field) in [
            (json!({"name": ""}), "name"),
            (json!({"name": "a b"}), "name"),
            (json!({"name": "x".repeat(NAME_CHARS_MAX + 1)}), "name"),
            (json!({"prompt": " "}), "prompt"),
            (json!({"footer": "x".repeat(PART_CHARS_MAX + 1)}), "footer"),
            (json!({"tags": []}), "tags"),
            (json!({"tags": ["rag"]}), "tags"),
        ] {
            let errors = spec(more.clone()).check();
            assert!(errors.iter().any(|(name, _)| name == field), "{more}: {errors}");
        }
    }
}

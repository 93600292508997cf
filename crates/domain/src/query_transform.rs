//! Query Transform: a reusable rewrite or synonym rule, as the house keeps it.

use crate::ids::{TransformId, UserId};
use crate::instant::Instant;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};

pub const NAME_CHARS_MAX: usize = 255;
/// Largest CSV text.
pub const CONTENT_BYTES_MAX: usize = 1024 * 1024;

/// What the rules do.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum TransformType {
    /// Patterns are replaced or removed.
    #[default]
    Rewrite,
    /// A term becomes `(term OR synonym)`.
    Synonym,
    /// A member of a bag becomes an OR expression of itself and the others.
    #[serde(alias = "synonym bag")]
    Bag,
}

impl TransformType {
    pub const ALL: [Self; 3] = [Self::Rewrite, Self::Synonym, Self::Bag];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rewrite => "rewrite",
            Self::Synonym => "synonym",
            Self::Bag => "bag",
        }
    }

    /// The stored word, or the interface's `synonym bag`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "synonym bag" => Some(Self::Bag),
            word => Self::ALL.into_iter().find(|kind| kind.as_str() == word),
        }
    }
}

/// The writable fields of a Query Transform.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = QueryTransformInput)]
pub struct TransformDraft {
    /// Referenced as `<name>.<type>`; unique together with the type; without a dot.
    #[schema(example = "phones", max_length = 255)]
    pub name: String,
    /// False: only its owner may use it.
    pub shared: bool,
    pub qrx_type: TransformType,
    /// The rules as CSV.
    #[schema(example = "mobiles; ombile; mo bile,mobile")]
    pub config_content: String,
}

impl TransformDraft {
    /// Checks what needs no parser of the rules.
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(!self.name.trim().is_empty(), "name", || "A name is needed.".to_owned());
        errors.check(!self.name.contains('.'), "name", || {
            "A dot is not allowed: it parts name and type.".to_owned()
        });
        errors.check_text("name", &self.name, NAME_CHARS_MAX);
        errors.check(self.config_content.len() <= CONTENT_BYTES_MAX, "config_content", || {
            format!("At most {CONTENT_BYTES_MAX} bytes are allowed.")
        });
        errors.check(!self.config_content.contains('\0'), "config_content", || {
            "The NUL character is not allowed.".to_owned()
        });
        errors
    }

    /// How searches and providers name it.
    pub fn reference(&self) -> String {
        format!("{}.{}", self.name, self.qrx_type.as_str())
    }
}

/// A Query Transform as the house keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTransform {
    pub id: TransformId,
    pub owner: UserId,
    pub draft: TransformDraft,
    pub date_created: Instant,
    pub date_updated: Instant,
}

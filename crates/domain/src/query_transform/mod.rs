//! Query transforms: reusable rewrite and synonym rules for queries.

mod bag;
#[doc(hidden)] // Public for its fuzz target.
pub mod csv;
mod limits;
#[cfg(test)]
mod property_tests;
mod rewrite;
mod rules;
mod synonym;
mod terms;
mod transformed_query;
mod words;

pub use csv::LineError;
pub use limits::{OUTPUT_CHARS_MAX, ROWS_MAX};
pub use rules::Rules;
pub use transformed_query::TransformedQuery;

use crate::ids::{TransformId, UserId};
use crate::instant::Instant;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};

pub const NAME_CHARS_MAX: usize = 255;
/// Maximum size of the CSV text, in bytes.
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
/// What the rules do.
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

    /// The stored name, or `synonym bag` as in the interface.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim() {
            "synonym bag" => Some(Self::Bag),
            word => Self::ALL.into_iter().find(|kind| kind.as_str() == word),
        }
    }
}

/// A reference in its stored form: `phones.synonym bag` becomes `phones.bag`; other texts are unchanged.
pub fn canonical(reference: &str) -> String {
    match reference.split_once('.').map(|(name, kind)| (name.trim(), TransformType::parse(kind))) {
        Some((name, Some(kind))) => format!("{name}.{}", kind.as_str()),
        _ => reference.to_owned(),
    }
}

/// The writable fields of a Query Transform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = QueryTransformInput)]
pub struct TransformSpec {
    /// Referenced as `<name>.<type>`; unique together with the type; without a dot.
    #[schema(example = "phones")]
    pub name: String,
    /// Available to all users. False: only to its owner.
    pub shared: bool,
    /// `rewrite` replaces words, `synonym` adds one in place, `bag` adds several.
    pub qrx_type: TransformType,
    /// The rules as CSV. rewrite: `pattern; pattern,replacement` · synonym: `term,synonym` · bag: `term,synonym,synonym`.
    #[schema(example = "mobiles; ombile; mo bile,mobile")]
    pub config_content: String,
}

impl Default for TransformSpec {
    /// Shared like a provider: administrators write transforms for other users.
    fn default() -> Self {
        Self {
            name: String::new(),
            shared: true,
            qrx_type: TransformType::default(),
            config_content: String::new(),
        }
    }
}

impl TransformSpec {
    /// Checks everything but the rules.
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(!self.name.trim().is_empty(), "name", || "A name is needed.".to_owned());
        errors.check(!self.name.contains('.'), "name", || {
            "A dot is not allowed: it separates name and type.".to_owned()
        });
        errors.check_name("name", &self.name, NAME_CHARS_MAX);
        errors.check(self.config_content.len() <= CONTENT_BYTES_MAX, "config_content", || {
            format!("At most {CONTENT_BYTES_MAX} bytes are allowed.")
        });
        errors.check(!self.config_content.contains('\0'), "config_content", || {
            "The NUL character is not allowed.".to_owned()
        });
        errors
    }

    /// The name by which searches and providers refer to it.
    pub fn reference(&self) -> String {
        format!("{}.{}", self.name, self.qrx_type.as_str())
    }
}

/// A Query Transform as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTransform {
    pub id: TransformId,
    pub owner: UserId,
    pub spec: TransformSpec,
    pub date_created: Instant,
    pub date_updated: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        let cases = [
            ("phones.rewrite", "phones.rewrite"),
            ("phones.synonym bag", "phones.bag"),
            (" phones . bag ", "phones.bag"),
            ("phones.other", "phones.other"),
            ("a.b.rewrite", "a.b.rewrite"),
            ("AdaptiveQueryProcessor", "AdaptiveQueryProcessor"),
        ];
        for (given, expected) in cases {
            assert_eq!(canonical(given), expected);
        }
    }

    #[test]
    fn specs_are_checked() {
        let spec = |name: &str, content: &str| TransformSpec {
            name: name.into(),
            config_content: content.into(),
            ..TransformSpec::default()
        };
        let largest = "a".repeat(CONTENT_BYTES_MAX);
        let cases = [
            (spec("phones", "a,b"), ""),
            (spec(&"n".repeat(NAME_CHARS_MAX), &largest), ""),
            (spec(" ", "a,b"), "name"),
            (spec("a.b", "a,b"), "name"),
            (spec(&"n".repeat(NAME_CHARS_MAX + 1), "a,b"), "name"),
            (spec("phones", &(largest.clone() + "a")), "config_content"),
            (spec("phones", "a\0"), "config_content"),
        ];
        for (spec, field) in cases {
            let errors = spec.check();
            let fields: Vec<&str> = errors.iter().map(|(field, _)| field).collect();
            let expected: Vec<&str> = [field].into_iter().filter(|field| !field.is_empty()).collect();
            assert_eq!(fields, expected, "{}", spec.name.len());
        }
    }
}

//! Branding: name, logos, colors and labels.

mod color;
mod logo;

pub use color::{CONTRAST_MIN, Color};
pub use logo::{LOGO_BYTES_MAX, LOGO_SIDE_MAX, picture};

use crate::ids::BrandingId;
use crate::instant::Instant;
use crate::validation::FieldErrors;
use serde::{Deserialize, Serialize};

/// Maximum length of the name and of a label, in characters.
pub const LABEL_CHARS_MAX: usize = 100;
/// Maximum number of stored brandings.
pub const BRANDINGS_MAX: usize = 20;

/// The writable fields of a branding. Empty fields keep the program's default.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = BrandingInput)]
pub struct BrandingSpec {
    /// Unique; visible to administrators only.
    #[schema(example = "Spring 2026")]
    pub name: String,
    /// The product name on pages.
    #[schema(example = "Tributary")]
    pub product: String,
    /// Color of controls. It must be dark enough to be readable on light pages; dark pages use a lighter variant.
    #[schema(example = "#0f766e")]
    pub accent: String,
    /// Label of the search button.
    pub button: String,
    /// Placeholder of the search field.
    pub placeholder: String,
    /// Name of the AI summary.
    pub ai_label: String,
    /// Label of the selection of results for a summary.
    pub select_label: String,
    /// `data:image/png;base64,…` of at most 500 kB, for light pages; 818 by 214 pixels work best.
    pub logo_light: String,
    /// Logo for dark pages, in the same format.
    pub logo_dark: String,
}

/// A stored branding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branding {
    pub id: BrandingId,
    pub spec: BrandingSpec,
    /// It is the active branding.
    pub active: bool,
    pub date_created: Instant,
    pub date_updated: Instant,
}

impl BrandingSpec {
    pub fn check(&self) -> FieldErrors {
        let mut errors = FieldErrors::default();
        errors.check(!self.name.trim().is_empty(), "name", || "A name is needed.".to_owned());
        for (field, text) in self.labels() {
            errors.check_name(field, text, LABEL_CHARS_MAX);
        }
        if !self.accent.is_empty() {
            match Color::parse(&self.accent).map(Color::contrast_on_light) {
                None => errors.add("accent", "Use the format #rrggbb."),
                Some(contrast) => errors.check(contrast >= CONTRAST_MIN, "accent", || {
                    format!(
                        "This color is too light to be readable on light pages: its contrast is {contrast:.1}, {CONTRAST_MIN} is needed."
                    )
                }),
            }
        }
        for (field, text) in [("logo_light", &self.logo_light), ("logo_dark", &self.logo_dark)] {
            if let Some(Err(sentence)) = (!text.is_empty()).then(|| picture(text)) {
                errors.add(field, sentence);
            }
        }
        errors
    }

    fn labels(&self) -> [(&'static str, &str); 6] {
        [
            ("name", &self.name),
            ("product", &self.product),
            ("button", &self.button),
            ("placeholder", &self.placeholder),
            ("ai_label", &self.ai_label),
            ("select_label", &self.select_label),
        ]
    }
}

/// Without the images, which are too long for a log.
impl std::fmt::Debug for BrandingSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BrandingDraft")
            .field("name", &self.name)
            .field("product", &self.product)
            .field("accent", &self.accent)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_named() {
        let good = BrandingSpec {
            name: "Ours".to_owned(),
            accent: "#0f766e".to_owned(),
            logo_light: logo::tests::png(818, 214, 9),
            ..BrandingSpec::default()
        };
        assert!(good.check().is_empty(), "{}", good.check());
        let long = "x".repeat(LABEL_CHARS_MAX + 1);
        let table = [
            (BrandingSpec { name: " ".to_owned(), ..good.clone() }, "name"),
            (BrandingSpec { button: long.clone(), ..good.clone() }, "button"),
            (BrandingSpec { select_label: long, ..good.clone() }, "select_label"),
            (BrandingSpec { accent: "teal".to_owned(), ..good.clone() }, "accent"),
            (BrandingSpec { accent: "#ffdd00".to_owned(), ..good.clone() }, "accent"),
            (BrandingSpec { logo_dark: "data:,".to_owned(), ..good }, "logo_dark"),
        ];
        for (spec, field) in table {
            let fields: Vec<String> = spec.check().into_map().into_keys().collect();
            assert_eq!(fields, [field]);
        }
    }
}

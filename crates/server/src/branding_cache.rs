//! Cache of the active branding, which every page shows.

use bytes::Bytes;
use domain::branding::{Branding, Color, picture};
use domain::ports::{BrandingStore, chain};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long it is cached. A change by another process is visible after that.
const REMEMBERED: Duration = Duration::from_secs(5);

/// Branding as templates see it. Values that were not chosen are empty, and the templates have defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrandView {
    pub name: String,
    pub button: String,
    pub placeholder: String,
    pub ai_label: String,
    pub select_label: String,
    pub has_logo_light: bool,
    pub has_logo_dark: bool,
    pub has_accent: bool,
    /// Changes with every edit, so that browsers load the files again.
    pub version: String,
}

/// A branding with its logos.
#[derive(Debug, Clone, Default)]
pub struct Brand {
    pub view: BrandView,
    pub accent: Option<Color>,
    pub logo_light: Option<Bytes>,
    pub logo_dark: Option<Bytes>,
}

/// The active branding, and when it was read.
#[derive(Debug, Default)]
pub struct BrandingCache(Mutex<Option<(Instant, Arc<Brand>)>>);

impl Default for BrandView {
    fn default() -> Self {
        Self {
            name: domain::SERVICE_NAME.to_owned(),
            button: String::new(),
            placeholder: String::new(),
            ai_label: String::new(),
            select_label: String::new(),
            has_logo_light: false,
            has_logo_dark: false,
            has_accent: false,
            version: String::new(),
        }
    }
}

impl BrandingCache {
    /// The active branding, or the default one if it cannot be read.
    pub async fn load(&self, store: &dyn BrandingStore) -> Arc<Brand> {
        if let Some(brand) = self.recent() {
            return brand;
        }
        let brand = match store.active_branding().await {
            Ok(found) => Arc::new(found.map(Brand::of).unwrap_or_default()),
            Err(error) => {
                tracing::warn!("the branding cannot be read: {}", chain(&error));
                return Arc::default();
            }
        };
        self.remember(&brand);
        brand
    }

    /// Makes the next request read it again.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn recent(&self) -> Option<Arc<Brand>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(read, _)| read.elapsed() < REMEMBERED).map(|(_, brand)| Arc::clone(brand))
    }

    fn remember(&self, brand: &Arc<Brand>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), Arc::clone(brand)));
    }
}

impl Brand {
    fn of(branding: Branding) -> Self {
        let Branding { id, spec, date_updated, .. } = branding;
        let logo = |text: &str| picture(text).ok().map(Bytes::from);
        let (logo_light, logo_dark) = (logo(&spec.logo_light), logo(&spec.logo_dark));
        let accent = Color::parse(&spec.accent);
        let own = BrandView::default();
        let view = BrandView {
            name: if spec.product.trim().is_empty() { own.name } else { spec.product },
            button: spec.button,
            placeholder: spec.placeholder,
            ai_label: spec.ai_label,
            select_label: spec.select_label,
            has_logo_light: logo_light.is_some(),
            has_logo_dark: logo_dark.is_some(),
            has_accent: accent.is_some(),
            version: format!("{id}-{:x}", date_updated.timestamp_micros()),
        };
        Self { view, accent, logo_light, logo_dark }
    }

    /// CSS custom properties with the accent color, for light and dark pages.
    pub fn colors(&self) -> String {
        let Some(accent) = self.accent else {
            return String::new();
        };
        let light =
            format!("--accent:{accent};--accent-soft:{};--on-accent:#fff;--c0:{accent}", accent.soft());
        let pale = accent.for_dark();
        let dark =
            format!("--accent:{pale};--accent-soft:{};--on-accent:#0b1214;--c0:{pale}", pale.soft_for_dark());
        format!(
            ":root{{{light}}}\n@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n\
             :root[data-theme=dark]{{{dark}}}\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::branding::BrandingSpec;
    use domain::ids::BrandingId;

    fn brand(spec: BrandingSpec) -> Brand {
        let now = chrono::DateTime::from_timestamp(1, 0).expect("a time");
        Brand::of(Branding { id: BrandingId(7), spec, active: true, date_created: now, date_updated: now })
    }

    #[test]
    fn defaults_replace_what_was_not_chosen() {
        let plain = brand(BrandingSpec::default());
        assert_eq!(plain.view, BrandView { version: "7-f4240".to_owned(), ..BrandView::default() });
        assert_eq!(plain.colors(), "");
    }

    #[test]
    fn colors_are_css_tokens_only() {
        let ours = brand(BrandingSpec { accent: "#7c0000".to_owned(), ..BrandingSpec::default() });
        let css = ours.colors();
        assert!(css.starts_with(":root{--accent:#7c0000;--accent-soft:#"), "{css}");
        assert_eq!(css.matches("--on-accent:").count(), 3);
        let hostile =
            brand(BrandingSpec { accent: "red}body{display:none".to_owned(), ..BrandingSpec::default() });
        assert_eq!(hostile.colors(), "");
    }
}

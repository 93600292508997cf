//! Why a chat cannot be exported as PDF.

use super::scripts::{by_script, package};
use std::collections::BTreeSet;

/// Maximum number of pages.
pub(super) const PAGES_MAX: usize = 2000;
/// Maximum numbers of scripts, and of characters of each, that a message names.
const SCRIPTS_MAX: usize = 10;
const CHARACTERS_MAX: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// No font has the characters of these scripts; some of them, in their order.
    #[error(
        "No font on this server has the characters of these scripts: {scripts}. Install fonts of them (on Debian: apt \
         install {packages}), or use format=html or format=md, which support all scripts."
    )]
    MissingFonts { scripts: String, packages: String },
    /// These characters change their form or order in ways that are not supported.
    #[error(
        "The PDF export does not support these scripts: {0}. Use format=html or format=md, which support all scripts."
    )]
    ComplexScript(String),
    #[error("The chat has more than {PAGES_MAX} pages; use format=html or format=md.")]
    TooLong,
    /// The used part of a font cannot be taken out of it.
    #[error("A font on this server cannot be embedded; use format=html or format=md.")]
    DamagedFont,
}

impl PdfError {
    pub(super) fn missing(characters: &BTreeSet<char>) -> Self {
        let packages: BTreeSet<&str> = characters.iter().map(|c| package(*c)).collect();
        let packages = packages.into_iter().collect::<Vec<_>>().join(" ");
        Self::MissingFonts { scripts: named(characters), packages }
    }

    pub(super) fn complex(characters: &BTreeSet<char>) -> Self {
        Self::ComplexScript(named(characters))
    }
}

/// `Chinese (‘水’), Thai (‘ข’, ‘น’)`.
fn named(characters: &BTreeSet<char>) -> String {
    let named = by_script(characters).into_iter().map(|(script, characters)| {
        let some = characters.iter().map(|c| format!("\u{2018}{c}\u{2019}"));
        format!("{script} ({})", some_of(some.collect(), CHARACTERS_MAX))
    });
    some_of(named.collect(), SCRIPTS_MAX)
}

fn some_of(mut names: Vec<String>, maximum: usize) -> String {
    if names.len() > maximum {
        names.truncate(maximum);
        names.push("\u{2026}".to_owned());
    }
    names.join(", ")
}

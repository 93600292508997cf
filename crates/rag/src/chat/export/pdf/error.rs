//! Why a chat cannot be exported as PDF.

use std::collections::BTreeSet;

/// Maximum number of pages.
pub(super) const PAGES_MAX: usize = 2000;
/// Maximum number of characters that a message names.
const CHARACTERS_MAX: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// No installed font has these characters; some of them, in their order.
    #[error(
        "No font on this server has the characters {0}. Install fonts of their script, or use format=html or \
         format=md, which support all scripts."
    )]
    MissingCharacters(String),
    /// These characters change their form or order in ways that are not supported.
    #[error(
        "The PDF export does not support the script of the characters {0}. Use format=html or format=md, which support \
         all scripts."
    )]
    ComplexScript(String),
    #[error("The chat has more than {PAGES_MAX} pages; use format=html or format=md.")]
    TooLong,
    /// An installed font is damaged.
    #[error("A font on this server cannot be embedded; use format=html or format=md.")]
    DamagedFont,
}

impl PdfError {
    pub(super) fn missing(characters: &BTreeSet<char>) -> Self {
        Self::MissingCharacters(named(characters))
    }

    pub(super) fn complex(characters: &BTreeSet<char>) -> Self {
        Self::ComplexScript(named(characters))
    }
}

fn named(characters: &BTreeSet<char>) -> String {
    let mut named: Vec<String> =
        characters.iter().take(CHARACTERS_MAX).map(|c| format!("\u{2018}{c}\u{2019}")).collect();
    if characters.len() > CHARACTERS_MAX {
        named.push("\u{2026}".to_owned());
    }
    named.join(", ")
}

//! Why a chat cannot be exported as PDF.

/// Maximum number of pages.
pub(super) const PAGES_MAX: usize = 2000;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PdfError {
    /// The first unsupported character.
    #[error(
        "The chat contains characters that the PDF export does not support, such as '{0}'; use format=md."
    )]
    UnsupportedCharacter(char),
    #[error("The chat has more than {PAGES_MAX} pages; use format=md.")]
    TooLong,
}

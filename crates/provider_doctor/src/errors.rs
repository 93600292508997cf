//! Errors of a diagnosis: a kind, a sentence for people, and the cause for the log.

use domain::ports::PortError;

/// What a diagnosis failed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagnosisErrorKind {
    /// The request cannot be sent.
    Request,
    /// The source did not respond, or with an error.
    Source,
    /// The response cannot be parsed, or has no results.
    Response,
    Internal,
}

/// Why there is no diagnosis.
pub type DiagnosisError = PortError<DiagnosisErrorKind>;

/// The error after a panic of the analysis.
pub fn analysis_failed<T>() -> Result<T, DiagnosisError> {
    let sentence = "The response could not be analyzed because of an internal error.";
    Err(DiagnosisError::new(DiagnosisErrorKind::Internal, sentence))
}

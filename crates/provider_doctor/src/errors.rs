//! Errors that several modules share.

/// The error after a panic of the analysis.
pub fn analysis_failed<T>() -> Result<T, String> {
    Err("The response could not be analyzed because of an internal error.".to_owned())
}

//! The error of parsers: a sentence for the author of the text, and the cause for the log.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Why a text of the configuration cannot be read. It contains no secret.
#[derive(Debug, Clone)]
pub struct SyntaxError {
    message: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl SyntaxError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// Keeps the error behind this one.
    #[must_use]
    pub fn caused_by(self, cause: impl Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(cause)), ..self }
    }

    /// The sentence for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Equal if people see no difference: causes are not compared.
impl PartialEq for SyntaxError {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for SyntaxError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}

impl From<String> for SyntaxError {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<&str> for SyntaxError {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

/// For lists of errors by field, which have sentences only.
impl From<SyntaxError> for String {
    fn from(error: SyntaxError) -> Self {
        error.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let number = "x".parse::<i64>().expect_err("no number");
        let error = SyntaxError::new("'x' is not a range").caused_by(number.clone());
        assert_eq!(
            (error.to_string(), error.message()),
            ("'x' is not a range".to_owned(), "'x' is not a range")
        );
        assert_eq!(error.source().map(ToString::to_string), Some(number.to_string()));
        assert_eq!(error, SyntaxError::from("'x' is not a range"), "causes are not compared");
        assert_eq!(String::from(error), "'x' is not a range");
    }
}

//! The error of a file that cannot be used as a model.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Why a file cannot be used as a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReaderFileError(String);

impl ReaderFileError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl Display for ReaderFileError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Error for ReaderFileError {}

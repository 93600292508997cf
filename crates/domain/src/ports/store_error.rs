//! Errors of the store, and pages of its lists.

use super::Cause;
use std::borrow::Cow;

/// Why a store operation did not succeed. `NotFound` is a normal answer; the others are failures.
///
/// The texts contain tables and codes, never values. `source` is the error of the database, for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("there is no such record")]
    NotFound,
    /// A unique value is already in use; contains the field.
    #[error("this {0} is already taken")]
    Taken(&'static str),
    /// Contains the name of what does not exist.
    #[error("there is no {0}")]
    UnknownReference(String),
    /// No administrator would be left.
    #[error("there must be an administrator")]
    LastAdministrator,
    /// The user has the maximum number of tokens; contains that number.
    #[error("a user may have at most {0} tokens")]
    TooManyTokens(u64),
    /// The record does not have the version that the edit was made for; nothing was changed.
    #[error("the record was changed meanwhile")]
    Stale,
    #[error("the database is not reachable: {message}")]
    Unreachable { message: String, source: Option<Cause> },
    /// The database can be read, but has no space for the write. Nothing was written.
    #[error("the database cannot write: {message}")]
    Full { message: String, source: Option<Cause> },
    #[error("the database failed: {message}")]
    Failed { message: String, source: Option<Cause> },
}

impl StoreError {
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::Unreachable { message: message.into(), source: None }
    }

    pub fn full(message: impl Into<String>) -> Self {
        Self::Full { message: message.into(), source: None }
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }

    /// Keeps the error behind a failure of the database; the other errors have none.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Some(source) = self.source_mut() {
            *source = Some(cause.into());
        }
        self
    }

    /// Names the operation that failed, as the first cause of a failure of the database.
    #[must_use]
    pub fn during(mut self, operation: impl Into<Cow<'static, str>>) -> Self {
        if let Some(source) = self.source_mut() {
            *source = Some(Cause::of_operation(operation, source.take()));
        }
        self
    }

    /// The request was valid: it may succeed when the database is back or has space.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Full { .. })
    }

    fn source_mut(&mut self) -> Option<&mut Option<Cause>> {
        match self {
            Self::Unreachable { source, .. } | Self::Full { source, .. } | Self::Failed { source, .. } => {
                Some(source)
            }
            Self::NotFound
            | Self::Taken(_)
            | Self::UnknownReference(_)
            | Self::LastAdministrator
            | Self::TooManyTokens(_)
            | Self::Stale => None,
        }
    }
}

/// A page of a list, in the order of the list. `total` is the length of the whole list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub total: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::chain;
    use std::error::Error;
    use std::io;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let table = [
            (StoreError::unreachable("no answer"), "the database is not reachable: no answer"),
            (StoreError::full("no space"), "the database cannot write: no space"),
            (StoreError::failed("column \"a\""), "the database failed: column \"a\""),
        ];
        for (error, text) in table {
            assert!(error.source().is_none());
            let caused = error.clone().caused_by(io::Error::other("code 14")).during("migration 7");
            assert_eq!((error.to_string().as_str(), caused.to_string().as_str()), (text, text));
            assert_eq!(chain(&caused), format!("{text}: migration 7: code 14"));
            let cause = caused.source().and_then(Error::source);
            assert!(cause.is_some_and(|cause| cause.is::<io::Error>()), "{caused:?}");
        }
    }

    #[test]
    fn answers_have_a_text_and_no_cause() {
        let table = [
            (StoreError::NotFound, "there is no such record"),
            (StoreError::Taken("name"), "this name is already taken"),
            (StoreError::UnknownReference("group 'a'".to_owned()), "there is no group 'a'"),
            (StoreError::LastAdministrator, "there must be an administrator"),
            (StoreError::TooManyTokens(7), "a user may have at most 7 tokens"),
            (StoreError::Stale, "the record was changed meanwhile"),
        ];
        for (error, text) in table {
            let error = error.caused_by(io::Error::other("a value")).during("an edit");
            assert_eq!(chain(&error), text);
            assert!(error.source().is_none() && !error.is_transient());
        }
    }
}

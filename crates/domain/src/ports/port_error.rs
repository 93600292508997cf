//! Errors of ports: a kind that callers decide on, a sentence for people, and the cause for the log.

use super::Cause;
use std::error::Error;
use std::fmt;

/// An error with a kind. Its text is the sentence for people; [`super::chain`] adds the causes for the log.
#[derive(Debug, Clone)]
pub struct PortError<K> {
    /// Callers decide by the kind, never by the text.
    pub kind: K,
    message: String,
    source: Option<Cause>,
}

impl<K> PortError<K> {
    pub fn new(kind: K, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// An error that says the same as its cause.
    pub fn from_cause(kind: K, cause: impl Error + Send + Sync + 'static) -> Self {
        Self::new(kind, cause.to_string()).caused_by(cause)
    }

    #[must_use]
    pub fn caused_by(self, cause: impl Into<Cause>) -> Self {
        Self { source: Some(cause.into()), ..self }
    }

    /// The sentence for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Causes are not compared: equal errors lead to the same decision and the same sentence.
impl<K: PartialEq> PartialEq for PortError<K> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.message == other.message
    }
}

impl<K: Eq> Eq for PortError<K> {}

impl<K> fmt::Display for PortError<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<K: fmt::Debug> Error for PortError<K> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::chain;
    use std::io;

    #[test]
    fn people_see_the_message_and_the_log_the_causes() {
        let disk = io::Error::other("disk full");
        let store = PortError::new("store", "the database failed").caused_by(disk);
        let corpus = PortError::new("corpus", format!("the cache cannot be read: {store}")).caused_by(store);
        assert_eq!(corpus.to_string(), "the cache cannot be read: the database failed");
        assert_eq!(chain(&corpus), "the cache cannot be read: the database failed: disk full");
        assert_eq!(chain(&PortError::new("alone", "no cause")), "no cause");
        let same = PortError::from_cause("task", io::Error::other("disk full"));
        assert_eq!((same.message(), chain(&same)), ("disk full", "disk full".to_owned()));
        assert!(same.source().is_some_and(|cause| cause.is::<io::Error>()));
        assert_eq!(same, PortError::new("task", "disk full"), "causes are not compared");
    }
}

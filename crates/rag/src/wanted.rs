//! What an answer to a question has to contain.

use crate::facts::Dimension;

/// What an answer has to contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Any number, or one with one of these dimensions.
    Number(&'static [Dimension]),
    Money,
    /// How many things there are.
    Count,
    /// How long something takes or is.
    Duration,
    /// How old something is, or has to be.
    Age,
    /// How often.
    Frequency,
    Date,
    Person,
    Place,
    Reason,
    Manner,
    Definition,
    /// Any statement about the words of the query.
    Statement,
}

impl Wanted {
    /// Whether one sentence is enough.
    pub fn is_one_fact(self) -> bool {
        matches!(
            self,
            Self::Number(_)
                | Self::Money
                | Self::Age
                | Self::Count
                | Self::Duration
                | Self::Frequency
                | Self::Date
                | Self::Person
        )
    }
}

//! Facts of a text that can be compared: numbers with their units, dates, names and negations.

mod comparison;
mod dates;
mod lexemes;
mod names;
mod negation;
mod number_words;
mod quantities;
mod quantity;
mod quantity_reader;
mod units;
mod weekdays;

pub(crate) use comparison::{ClaimFacts, SourceFacts, SourceParts, is_same_quantity};
pub(crate) use dates::{PartialDate, months};
pub(crate) use names::names;
pub(crate) use quantities::Facts;
pub(crate) use quantity::Quantity;
pub(crate) use units::{Dimension, Unit};

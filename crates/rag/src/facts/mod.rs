//! Facts of a text that can be compared: numbers with their units, dates, names and negations.

mod comparison;
mod dates;
mod lexemes;
mod names;
mod negation;
mod number_words;
mod quantities;
mod quantity_reader;
mod units;

pub(crate) use comparison::{ClaimFacts, SourceFacts, SourceParts};
pub(crate) use dates::months;
pub(crate) use names::names;
pub(crate) use quantities::{Facts, Quantity};
pub(crate) use units::Dimension;

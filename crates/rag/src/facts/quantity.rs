//! A number of a text, with its unit.

use super::units::Unit;
use std::ops::Range;

/// A number of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantity {
    pub value: f64,
    /// Its other reading, if its separator is ambiguous.
    pub other: Option<f64>,
    pub unit: Option<Unit>,
    /// `about 500`.
    pub is_approximate: bool,
    /// Four digits without a unit, as a year has.
    pub is_year: bool,
    /// `an hour`, which often names a rate.
    pub is_article: bool,
    /// Which words of the text it consists of, in bytes.
    pub place: Range<usize>,
}

//! Bags: every member of a row becomes an OR expression of itself and the others, in the order of the row.

use super::terms::Terms;
use super::words;

/// Adds a row. A row of one member changes nothing; a member that stood in an earlier row belongs to this one now.
pub fn add(terms: &mut Terms, cells: &[String]) -> Result<(), String> {
    terms.add_bag(cells.iter().map(|cell| words::trimmed(cell)).filter(|member| !member.is_empty()))
}

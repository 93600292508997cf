//! Bags: every member of a row becomes an OR expression of itself and the others, in the order of the row.

use super::terms::Terms;
use super::words;
use syntax::error::SyntaxError;

/// Adds a row. A row of one member has no effect; a member of an earlier row moves to this one.
pub fn add(terms: &mut Terms, cells: &[String]) -> Result<(), SyntaxError> {
    terms.add_bag(cells.iter().map(|cell| words::trimmed(cell)).filter(|member| !member.is_empty()))
}

//! Synonyms: `term,synonym`. The term becomes `(term OR synonym)`; rows with the same term accumulate.

use super::terms::Terms;
use super::words;
use syntax::error::SyntaxError;

/// Adds a row. Cells after the second are ignored.
pub fn add(terms: &mut Terms, cells: &[String]) -> Result<(), SyntaxError> {
    let cell = |at: usize| cells.get(at).map(|cell| words::trimmed(cell)).unwrap_or_default();
    let (term, synonym) = (cell(0), cell(1));
    if term.is_empty() || synonym.is_empty() {
        return Err("A term and a synonym are needed.".into());
    }
    terms.add_synonym(&term, synonym)
}

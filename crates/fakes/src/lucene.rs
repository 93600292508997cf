//! A small parser of Lucene query syntax. Operators that are not escaped take effect, or fail like in the original.

use super::engine_documents::words;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub struct Read {
    /// Everything that is not an operator, without escapes.
    pub text: String,
    pub wanted: BTreeSet<String>,
    pub unwanted: BTreeSet<String>,
    /// A lone wildcard matches every document.
    pub is_everything: bool,
}

/// One character, and whether it was escaped.
type Mark = (char, bool);

pub fn read(query: &str) -> Result<Read, ()> {
    let marks = marks(query)?;
    balanced(&marks)?;
    let mut read = Read::default();
    let mut is_unwanted = false;
    for piece in marks.split_inclusive(|(c, _)| c.is_whitespace()) {
        let word: Vec<Mark> = piece.iter().copied().filter(|(c, _)| !c.is_whitespace()).collect();
        read.text.extend(piece.iter().map(|(c, _)| *c));
        let plain: String = word.iter().map(|(c, _)| *c).collect();
        let is_literal = |place: usize| word.get(place).is_none_or(|(_, literal)| *literal);
        match plain.as_str() {
            "" => continue,
            "NOT" if !is_literal(0) => {
                is_unwanted = true;
                continue;
            }
            "AND" | "OR" if !is_literal(0) => continue,
            _ => {}
        }
        let is_excluded =
            std::mem::take(&mut is_unwanted) || (matches!(word[0], ('-' | '!', false)) && word.len() > 1);
        // An unescaped field with a wildcard: every document that has it.
        read.is_everything |= word.contains(&('*', false)) || word.contains(&(':', false));
        let side = if is_excluded { &mut read.unwanted } else { &mut read.wanted };
        side.extend(words(&plain));
    }
    // An operator needs an operand.
    if is_unwanted { Err(()) } else { Ok(read) }
}

fn marks(query: &str) -> Result<Vec<Mark>, ()> {
    let mut marks = Vec::new();
    let mut characters = query.chars();
    while let Some(c) = characters.next() {
        marks.push(match c {
            '\\' => (characters.next().ok_or(())?, true),
            _ => (c, false),
        });
    }
    Ok(marks)
}

/// Whether brackets and quotes are balanced, ranges have a field, and no word ends in an operator.
fn balanced(marks: &[Mark]) -> Result<(), ()> {
    let count = |wanted: char| marks.iter().filter(|mark| **mark == (wanted, false)).count();
    let are_pairs =
        [('(', ')'), ('[', ']'), ('{', '}')].iter().all(|(one, other)| count(*one) == count(*other));
    let has_ranges = ['<', '>', '/', '[', '{', '^', '~'].iter().any(|c| count(*c) > 0);
    if are_pairs && count('"') % 2 == 0 && !has_ranges { Ok(()) } else { Err(()) }
}

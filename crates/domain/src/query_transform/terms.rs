//! Terms and their expansions: a trie of words that finds the longest term at a position in one pass.
//!
//! Terms match exactly, including case, as whole words, at any position, also in quotes. The name of a tag (`news:`) is
//! not a term. Expansions are not expanded again, so synonyms cannot form cycles.

use super::limits::{OUTPUT_CHARS_MAX, SYNONYMS_MAX, WORDS_MAX};
use super::transformed_query::TransformedQuery;
use super::words::{self, Piece};
use std::collections::HashMap;
use syntax::error::SyntaxError;

/// The root node.
const ROOT: usize = 0;

#[derive(Debug, Default)]
pub struct Terms {
    /// Numbers of the words and marks of all terms.
    words: HashMap<String, usize>,
    /// Edges: node and word to the next node.
    steps: HashMap<(usize, usize), usize>,
    /// The term that ends at a node.
    members: HashMap<usize, Member>,
    /// Texts that are synonyms of each other.
    groups: Vec<Vec<String>>,
}

/// A term: its group and its position there.
#[derive(Debug, Clone, Copy)]
struct Member {
    group: usize,
    place: usize,
}

impl Terms {
    /// Appends a synonym of the term.
    pub fn add_synonym(&mut self, term: &str, synonym: String) -> Result<(), SyntaxError> {
        let node = self.node_of(term)?;
        let groups = &mut self.groups;
        let member = self.members.entry(node).or_insert_with(|| {
            groups.push(vec![term.to_owned()]);
            Member { group: groups.len() - 1, place: 0 }
        });
        let texts = &mut groups[member.group];
        if texts.contains(&synonym) {
            return Ok(());
        }
        check_size(texts.len())?;
        texts.push(synonym);
        Ok(())
    }

    /// Makes all members of the row synonyms of each other.
    pub fn add_bag(&mut self, row: impl Iterator<Item = String>) -> Result<(), SyntaxError> {
        let mut texts: Vec<String> = Vec::new();
        for text in row {
            if !texts.contains(&text) {
                check_size(texts.len())?;
                texts.push(text);
            }
        }
        if texts.len() < 2 {
            return Ok(());
        }
        let group = self.groups.len();
        for (place, text) in texts.iter().enumerate() {
            let node = self.node_of(text)?;
            self.members.insert(node, Member { group, place });
        }
        self.groups.push(texts);
        Ok(())
    }

    pub fn apply(&self, query: &str) -> TransformedQuery {
        let pieces = words::pieces(query);
        let numbers: Vec<Option<usize>> =
            pieces.iter().map(|piece| self.words.get(&piece.text).copied()).collect();
        let mut length = query.chars().count();
        let mut expanded: Vec<Piece> = Vec::with_capacity(pieces.len());
        let (mut at, mut is_cut, mut is_after_expression) = (0, false, false);
        let mut is_changed = false;
        while at < pieces.len() {
            let found = if is_cut { None } else { self.longest(&pieces[at..], &numbers[at..]) };
            let Some((count, member)) = found else {
                // An expression is separated by spaces, also from an adjacent mark.
                let is_spaced = pieces[at].is_spaced || is_after_expression;
                expanded.push(Piece { is_spaced, ..pieces[at].clone() });
                is_after_expression = false;
                at += 1;
                continue;
            };
            let expression = self.expression(member);
            // Counted with two spaces and the term itself: an upper bound.
            length += expression.chars().count() + 2;
            if length > OUTPUT_CHARS_MAX {
                is_cut = true;
                continue;
            }
            expanded.push(Piece::spaced_word(expression));
            (is_after_expression, is_changed) = (true, true);
            at += count;
        }
        let query = if is_changed { words::join(&expanded) } else { query.to_owned() };
        TransformedQuery { query, is_cut }
    }

    /// The longest term at the beginning, and its number of pieces.
    fn longest(&self, pieces: &[Piece], numbers: &[Option<usize>]) -> Option<(usize, Member)> {
        let mut node = ROOT;
        let mut longest = None;
        for (at, number) in numbers.iter().enumerate() {
            let Some(next) = number.and_then(|number| self.steps.get(&(node, number))) else { break };
            node = *next;
            let is_tag = pieces.get(at + 1).is_some_and(|after| after.text == ":" && !after.is_spaced);
            if let Some(member) = self.members.get(&node)
                && !is_tag
            {
                longest = Some((at + 1, *member));
            }
        }
        longest
    }

    /// `(term OR synonym OR …)`
    fn expression(&self, member: Member) -> String {
        let texts = &self.groups[member.group];
        let mut expression = format!("({}", texts[member.place]);
        for (place, text) in texts.iter().enumerate() {
            if place != member.place {
                expression.push_str(" OR ");
                expression.push_str(text);
            }
        }
        expression.push(')');
        expression
    }

    /// The node at the end of the term's words, created if necessary.
    fn node_of(&mut self, term: &str) -> Result<usize, SyntaxError> {
        let pieces = words::pieces(term);
        if pieces.len() > WORDS_MAX {
            return Err(format!("A term may have at most {WORDS_MAX} words.").into());
        }
        let mut node = ROOT;
        for piece in pieces {
            let fresh = self.words.len();
            let number = *self.words.entry(piece.text).or_insert(fresh);
            let fresh = self.steps.len() + 1;
            node = *self.steps.entry((node, number)).or_insert(fresh);
        }
        Ok(node)
    }
}

/// Whether a synonym can be added to a group of `count` texts, one of which is the term itself.
fn check_size(count: usize) -> Result<(), SyntaxError> {
    if count > SYNONYMS_MAX {
        Err(format!("A term may have at most {SYNONYMS_MAX} synonyms.").into())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::query_transform::TransformType::{self, Bag, Synonym};
    use crate::query_transform::limits::OUTPUT_CHARS_MAX;
    use crate::query_transform::rules::Rules;

    fn applied(kind: TransformType, csv: &str, query: &str) -> String {
        Rules::parse(kind, csv).expect(csv).apply(query).query
    }

    #[test]
    fn synonyms() {
        let both = "pc,personal computer\npersonal computer,pc\nnotebook,laptop";
        let cases = [
            ("notebook,laptop", "notebook", "(notebook OR laptop)"),
            (
                "laptop,personal computer\nlaptop,notebook",
                "my laptop",
                "my (laptop OR personal computer OR notebook)",
            ),
            ("notebook,laptop", "Notebook", "Notebook"),
            ("notebook,laptop", "notebook.", "(notebook OR laptop) ."),
            ("pc,personal computer", "\"pc\"", "\" (pc OR personal computer) \""),
            // A long term is taken whole, and the search goes on behind it.
            (
                both,
                "my personal computer and notebook",
                "my (personal computer OR pc) and (notebook OR laptop)",
            ),
            (both, "personal  computer", "(personal computer OR pc)"),
            (both, "pc pc", "(pc OR personal computer) (pc OR personal computer)"),
            (both, "personal trainer", "personal trainer"),
            (both, "\"my pc\" rocks", "\"my (pc OR personal computer) \" rocks"),
            // Only whole terms.
            (both, "pcs notebooks xpc my-pc -pc", "pcs notebooks xpc my-pc -pc"),
            (both, "(pc)", "( (pc OR personal computer) )"),
            (both, "pc: pc", "pc: (pc OR personal computer)"),
            (both, "news:pc", "news: (pc OR personal computer)"),
            (both, "  nothing   here ", "  nothing   here "),
            // The longest of several terms.
            ("a,x\na b,y\na b c,z", "a b c d", "(a b c OR z) d"),
            ("a,x\na b c,z", "a b d", "(a OR x) b d"),
            // Circles end, and repeated rows say nothing new.
            ("a,b\nb,a\na,a\na,b", "a b", "(a OR b) (b OR a)"),
            ("C++,cpp\nC,see", "C++ C", "(C++ OR cpp) (C OR see)"),
            ("\"a, b\",c", "a, b", "(a, b OR c)"),
            (" a ,\" b\n c \",ignored", "a", "(a OR b c)"),
            ("größe,maß", "die größe", "die (größe OR maß)"),
        ];
        for (csv, query, expected) in cases {
            assert_eq!(applied(Synonym, csv, query), expected, "{csv:?} {query:?}");
        }
    }

    #[test]
    fn bags() {
        let cases = [
            ("car,automobile, ride", "automobile", "(automobile OR car OR ride)"),
            ("car,automobile, ride", "car", "(car OR automobile OR ride)"),
            ("car,automobile,,ride,car", "my ride", "my (ride OR car OR automobile)"),
            ("car", "car", "car"),
            ("a,b\na,c", "a", "(a OR c)"),
            ("a,b\na,c", "b", "(b OR a)"),
            ("a,b\na", "a", "(a OR b)"),
            ("sea  side,coast", "sea side", "(sea side OR coast)"),
            ("# car,auto\ncar,auto", "car", "(car OR auto)"),
        ];
        for (csv, query, expected) in cases {
            assert_eq!(applied(Bag, csv, query), expected, "{csv:?} {query:?}");
        }
    }

    #[test]
    fn what_fits_is_expanded() {
        let csv = format!("a,{}", "b".repeat(1000));
        let applied = Rules::parse(Synonym, &csv).expect("rules").apply(&"a ".repeat(20));
        assert!(applied.is_cut);
        let count = applied.query.matches(" OR ").count();
        assert!((6..=8).contains(&count), "{count}");
        assert!(applied.query.len() <= OUTPUT_CHARS_MAX && applied.query.ends_with(" a a a"));
    }
}

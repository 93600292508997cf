//! Terms and their expansions: a trie of words that finds the longest term at a position in one pass.
//!
//! Terms match exactly, including case, as whole words, at any position, also in quotes. The name of a tag (`news:`) and
//! an operator are not terms. Expansions are not expanded again, so synonyms cannot form cycles.
//!
//! A phrase with a term becomes alternatives that are phrases: `("my pc" OR "my computer")`. Only a phrase that is a term
//! has the alternatives between its quotation marks, because the specification writes it so: `" (pc OR computer) "`. All
//! code that reads queries takes that for a group.

use super::limits::{OUTPUT_CHARS_MAX, PHRASES_MAX, SYNONYMS_MAX, WORDS_MAX};
use super::transformed_query::TransformedQuery;
use super::words::{self, Piece, Role};
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

/// The rest of a query, with the numbers of its pieces.
struct Rest<'a> {
    pieces: &'a [Piece],
    numbers: &'a [Option<usize>],
}

impl<'a> Rest<'a> {
    /// What is inside of the phrase at the beginning.
    fn phrase(&self) -> Option<Self> {
        self.pieces.first().filter(|piece| piece.role == Role::PhraseStart)?;
        let end = self.pieces.iter().position(|piece| piece.role == Role::PhraseEnd)?;
        Some(Rest { pieces: &self.pieces[1..end], numbers: &self.numbers[1..end] })
    }
}

/// What a term or phrase becomes.
struct Expansion {
    text: String,
    /// How many pieces it replaces.
    pieces: usize,
    is_of_phrase: bool,
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
        let numbers: Vec<Option<usize>> = pieces.iter().map(|piece| self.number(piece)).collect();
        let mut length = query.chars().count();
        let mut expanded: Vec<Piece> = Vec::with_capacity(pieces.len());
        let (mut at, mut is_cut, mut is_after_expression) = (0, false, false);
        let mut is_changed = false;
        while at < pieces.len() {
            let rest = Rest { pieces: &pieces[at..], numbers: &numbers[at..] };
            let found = if is_cut { None } else { self.expansion(&rest) };
            let Some(found) = found else {
                // An expression is separated by spaces, also from an adjacent mark.
                let first = expanded.len();
                let end = at + self.pieces_that_stay(&rest);
                expanded.extend_from_slice(&pieces[at..end]);
                expanded[first].is_spaced |= is_after_expression;
                is_after_expression = false;
                at = end;
                continue;
            };
            // Counted with two spaces and the term itself: an upper bound.
            length += found.text.chars().count() + 2;
            if length > OUTPUT_CHARS_MAX {
                is_cut = true;
                continue;
            }
            // `news:(pc OR computer)`: the tag stays where it is.
            let is_after_colon = at > 0 && pieces[at - 1].text == ":";
            let may_touch = found.is_of_phrase || is_after_colon;
            let is_spaced = pieces[at].is_spaced || is_after_expression || !may_touch;
            expanded.push(Piece::expression(found.text, is_spaced));
            (is_after_expression, is_changed) = (true, true);
            at += found.pieces;
        }
        let query = if is_changed { words::join(&expanded) } else { query.to_owned() };
        TransformedQuery { query, is_cut }
    }

    /// How many pieces stay if nothing at the beginning is replaced: one, or a phrase that is not a term.
    fn pieces_that_stay(&self, rest: &Rest<'_>) -> usize {
        let Some(inside) = rest.phrase() else { return 1 };
        if self.is_term(&inside) { 1 } else { inside.pieces.len() + 2 }
    }

    /// Whether all of a phrase is a term, with synonyms that can stand between its quotation marks.
    fn is_term(&self, inside: &Rest<'_>) -> bool {
        self.longest(inside).is_some_and(|(pieces, member)| {
            pieces == inside.pieces.len() && !self.texts(member).any(words::has_quotation_marks)
        })
    }

    /// The number of a piece that may be part of a term.
    fn number(&self, piece: &Piece) -> Option<usize> {
        if piece.role == Role::Operator { None } else { self.words.get(&piece.text).copied() }
    }

    /// What the term or phrase at the beginning becomes.
    fn expansion(&self, rest: &Rest<'_>) -> Option<Expansion> {
        if let Some((pieces, member)) = self.longest(rest) {
            return Some(Expansion { text: self.expression(member), pieces, is_of_phrase: false });
        }
        let inside = rest.phrase().filter(|inside| !self.is_term(inside))?;
        let phrases = self.phrases(&inside);
        if phrases.len() < 2 {
            return None;
        }
        let end = inside.pieces.len() + 1;
        let (start, close) = (&rest.pieces[0].text, &rest.pieces[end].text);
        let (sign, open) = if start.starts_with('-') { start.split_at(1) } else { ("", start.as_str()) };
        let phrases: Vec<String> =
            phrases.iter().map(|phrase| format!("{open}{}{close}", words::join(phrase))).collect();
        let text = format!("{sign}({})", phrases.join(" OR "));
        Some(Expansion { text, pieces: end + 1, is_of_phrase: true })
    }

    /// A phrase and its variants with synonyms.
    fn phrases(&self, inside: &Rest<'_>) -> Vec<Vec<Piece>> {
        let mut phrases: Vec<Vec<Piece>> = vec![Vec::new()];
        let mut at = 0;
        while at < inside.pieces.len() {
            let rest = Rest { pieces: &inside.pieces[at..], numbers: &inside.numbers[at..] };
            let term = self.longest(&rest);
            let (count, texts) = match term {
                Some((count, member)) if phrases.len() * self.groups[member.group].len() <= PHRASES_MAX => {
                    (count, self.texts(member).map(words::pieces_in_phrase).collect())
                }
                _ => (1, vec![vec![inside.pieces[at].clone()]]),
            };
            let is_spaced = inside.pieces[at].is_spaced;
            phrases = texts
                .into_iter()
                .filter(|text: &Vec<Piece>| !text.is_empty())
                .flat_map(|mut text| {
                    text[0].is_spaced = is_spaced;
                    phrases
                        .iter()
                        .map(move |phrase| [phrase.as_slice(), text.as_slice()].concat())
                        .collect::<Vec<_>>()
                })
                .collect();
            at += count;
        }
        phrases
    }

    /// The longest term at the beginning, and its number of pieces.
    fn longest(&self, rest: &Rest<'_>) -> Option<(usize, Member)> {
        let mut node = ROOT;
        let mut longest = None;
        for (at, number) in rest.numbers.iter().enumerate() {
            let Some(next) = number.and_then(|number| self.steps.get(&(node, number))) else { break };
            node = *next;
            let is_tag = rest.pieces.get(at + 1).is_some_and(|after| after.text == ":" && !after.is_spaced);
            if let Some(member) = self.members.get(&node)
                && !is_tag
                && words::has_whole_phrases(&rest.pieces[..=at])
            {
                longest = Some((at + 1, *member));
            }
        }
        longest
    }

    /// `(term OR synonym OR …)`
    fn expression(&self, member: Member) -> String {
        format!("({})", self.texts(member).collect::<Vec<_>>().join(" OR "))
    }

    /// The term and then its synonyms.
    fn texts(&self, member: Member) -> impl Iterator<Item = &str> {
        let texts = &self.groups[member.group];
        let others = texts.iter().enumerate().filter(move |(place, _)| *place != member.place);
        std::iter::once(&texts[member.place]).chain(others.map(|(_, text)| text)).map(String::as_str)
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
    use crate::query_transform::limits::{OUTPUT_CHARS_MAX, PHRASES_MAX};
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
            (both, "\"my pc\" rocks", "(\"my pc\" OR \"my personal computer\") rocks"),
            (
                both,
                "rocks -“my  pc”, pc",
                "rocks -(“my pc” OR “my personal computer”) , (pc OR personal computer)",
            ),
            (both, "title:\"my pc\"", "title:(\"my pc\" OR \"my personal computer\")"),
            (
                both,
                "\"pc or notebook\"",
                "(\"pc or notebook\" OR \"personal computer or notebook\" OR \"pc or laptop\" OR \"personal computer or laptop\")",
            ),
            (
                "pc,\"\"\"personal\"\" OR computer\"",
                "\"my pc\"",
                "(\"my pc\" OR \"my personal OR computer\")",
            ),
            ("\"\"\"my pc\"\"\",computer", "a \"my pc\" my pc", "a (\"my pc\" OR computer) my pc"),
            ("pc,\"\"\"\"", "\"my pc\"", "\"my pc\""),
            ("pc,\"\"\"a b\"\"\"", "\"pc\"", "(\"pc\" OR \"a b\")"),
            (both, "-“pc” x", "-“ (pc OR personal computer) ” x"),
            // Operators are not terms.
            ("OR,Oregon\nNOT,not", "a OR b NOT \"OR c\"", "a OR b NOT (\"OR c\" OR \"Oregon c\")"),
            // Once more, on what synonyms left.
            (
                both,
                "\" (pc OR personal computer) \"",
                "\" ( (pc OR personal computer) OR (personal computer OR pc) ) \"",
            ),
            (
                "30,thirty\nvector,list",
                "10:30 std::vector http://a.example/30",
                "10:30 std::vector http://a.example/30",
            ),
            // Only whole terms.
            (both, "pcs notebooks xpc my-pc -pc", "pcs notebooks xpc my-pc -pc"),
            (both, "(pc)", "( (pc OR personal computer) )"),
            (both, "pc: pc", "pc: (pc OR personal computer)"),
            (both, "news:pc", "news:(pc OR personal computer)"),
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
    fn a_phrase_has_so_many_variants_and_no_more() {
        let row = |term: &str, count: usize| {
            let synonyms: Vec<String> = (1..count).map(|n| format!("{term}{n}")).collect();
            format!("{term},{}\n", synonyms.join(","))
        };
        let variants = |first: usize, second: usize| {
            let csv = row("a", first) + &row("b", second);
            applied(Bag, &csv, "\"a b\"").matches('"').count() / 2
        };
        assert_eq!(variants(10, PHRASES_MAX / 10), PHRASES_MAX);
        assert_eq!(variants(10, PHRASES_MAX / 10 + 1), 10, "the second term stays");
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

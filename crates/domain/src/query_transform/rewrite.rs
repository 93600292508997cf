//! Rewrites: `pattern; pattern,replacement`. Matching text is replaced, or removed if there is no replacement.
//!
//! A pattern is a phrase of whole words. `*` within a pattern matches any number of characters of one word, also none;
//! it cannot come first. A pattern in lower case matches in any case; a pattern with a capital (`IT`) matches exactly.
//! Rows apply in order, each to the result of the row before; within a row the longest pattern wins, and inserted text
//! is not matched again.
//!
//! A phrase stays a phrase: a pattern matches words inside of it, or all of it with its quotation marks. A pattern in lower
//! case does not match operators.

use super::limits::{OUTPUT_CHARS_MAX, PATTERNS_MAX, REPLACEMENTS_MAX, WORDS_MAX};
use super::transformed_query::TransformedQuery;
use super::words::{self, Piece, Role};
use syntax::error::SyntaxError;

#[derive(Debug, Default)]
pub struct Rewrite {
    rows: Vec<Row>,
    patterns: usize,
}

#[derive(Debug)]
struct Row {
    /// Patterns with more words first.
    patterns: Vec<Pattern>,
    replacement: Vec<Piece>,
    /// The replacement inside of a phrase.
    in_phrase: Vec<Piece>,
}

#[derive(Debug)]
struct Pattern {
    words: Vec<Shape>,
    is_exact: bool,
}

/// How one word of a pattern matches one word of the query.
#[derive(Debug)]
enum Shape {
    Literal(String),
    /// The text before the first `*`, the texts between, the text after the last one.
    Wild {
        head: String,
        middle: Vec<String>,
        tail: String,
    },
}

/// A match: its start and its number of pieces.
#[derive(Debug, Clone, Copy)]
struct Match {
    at: usize,
    count: usize,
}

impl Rewrite {
    /// Adds a row. Cells after the second are ignored.
    pub fn add(&mut self, cells: &[String]) -> Result<(), SyntaxError> {
        let cell = |at: usize| cells.get(at).map(String::as_str).unwrap_or_default();
        let mut patterns = Vec::new();
        for text in cell(0).split(';').map(str::trim).filter(|text| !text.is_empty()) {
            patterns.push(Pattern::parse(text)?);
        }
        if patterns.is_empty() {
            return Err("A pattern is needed.".into());
        }
        self.patterns += patterns.len();
        if self.patterns > PATTERNS_MAX {
            return Err(format!("At most {PATTERNS_MAX} patterns are allowed.").into());
        }
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.words.len()));
        let (replacement, in_phrase) = (words::pieces(cell(1)), words::pieces_in_phrase(cell(1)));
        self.rows.push(Row { patterns, replacement, in_phrase });
        Ok(())
    }

    pub fn apply(&self, query: &str) -> TransformedQuery {
        let mut pieces = words::pieces(query);
        let (mut replacements, mut is_changed, mut is_cut) = (0, false, false);
        for row in &self.rows {
            let matches = row.matches(&pieces);
            if matches.is_empty() {
                continue;
            }
            replacements += matches.len();
            is_cut =
                replacements > REPLACEMENTS_MAX || row.length_after(&pieces, &matches) > OUTPUT_CHARS_MAX;
            if is_cut {
                break;
            }
            is_changed = true;
            pieces = row.replaced(pieces, &matches);
        }
        let query = if is_changed { words::join(&pieces) } else { query.to_owned() };
        TransformedQuery { query, is_cut }
    }
}

impl Row {
    /// From left to right, without overlap.
    fn matches(&self, pieces: &[Piece]) -> Vec<Match> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < pieces.len() {
            let pattern = self.patterns.iter().find(|pattern| pattern.fits(&pieces[at..]));
            let count = pattern.map_or(0, |pattern| pattern.words.len());
            if count > 0 {
                found.push(Match { at, count });
            }
            at += count.max(1);
        }
        found
    }

    /// Upper bound of the length of the result in characters, counting a space before every piece.
    fn length_after(&self, pieces: &[Piece], matches: &[Match]) -> usize {
        let length = |pieces: &[Piece]| pieces.iter().map(|piece| piece.chars() + 1).sum::<usize>();
        let removed: usize = matches.iter().map(|one| length(&pieces[one.at..one.at + one.count])).sum();
        length(pieces) - removed + length(&self.replacement) * matches.len()
    }

    fn replaced(&self, mut pieces: Vec<Piece>, matches: &[Match]) -> Vec<Piece> {
        let mut result: Vec<Piece> = Vec::with_capacity(pieces.len());
        let (mut from, mut is_in_phrase) = (0, false);
        for one in matches {
            for piece in &mut pieces[from..one.at] {
                is_in_phrase =
                    piece.role == Role::PhraseStart || (is_in_phrase && piece.role != Role::PhraseEnd);
                result.push(std::mem::take(piece));
            }
            let is_spaced = pieces[one.at].is_spaced;
            from = one.at + one.count;
            let replacement = if is_in_phrase { &self.in_phrase } else { &self.replacement };
            match (replacement.split_first(), pieces.get_mut(from)) {
                (Some((first, rest)), _) => {
                    result.push(Piece { is_spaced, ..first.clone() });
                    result.extend_from_slice(rest);
                }
                (None, Some(next)) if next.role != Role::PhraseEnd => next.is_spaced |= is_spaced,
                (None, _) => {}
            }
        }
        result.extend(pieces.drain(from..));
        without_empty_phrases(result)
    }
}

fn without_empty_phrases(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut result: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut was_spaced = false;
    for mut piece in pieces {
        piece.is_spaced |= std::mem::take(&mut was_spaced);
        let start = result.pop_if(|last| last.role == Role::PhraseStart && piece.role == Role::PhraseEnd);
        match start {
            Some(start) => was_spaced = start.is_spaced,
            None => result.push(piece),
        }
    }
    result
}

impl Pattern {
    fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.starts_with('*') {
            return Err("A pattern may not begin with '*'.".into());
        }
        let is_exact = text.chars().any(char::is_uppercase);
        let words: Vec<Shape> = words::pattern_pieces(text)
            .into_iter()
            .map(|piece| Shape::of(if is_exact { &piece.text } else { &piece.folded }))
            .collect();
        if words.len() > WORDS_MAX {
            Err(format!("A pattern may have at most {WORDS_MAX} words.").into())
        } else {
            Ok(Self { words, is_exact })
        }
    }

    /// Whether the pieces begin with this pattern.
    fn fits(&self, pieces: &[Piece]) -> bool {
        pieces.len() >= self.words.len()
            && self.words.iter().zip(pieces).all(|(shape, piece)| shape.fits(piece, self.is_exact))
            && words::has_whole_phrases(&pieces[..self.words.len()])
    }
}

impl Shape {
    fn of(word: &str) -> Self {
        let mut parts = word.split('*').map(str::to_owned);
        match (parts.next(), parts.next_back()) {
            (Some(head), Some(tail)) => {
                Self::Wild { head, middle: parts.filter(|part| !part.is_empty()).collect(), tail }
            }
            (head, _) => Self::Literal(head.unwrap_or_default()),
        }
    }

    fn fits(&self, piece: &Piece, is_exact: bool) -> bool {
        let text = if is_exact { &piece.text } else { &piece.folded };
        if piece.role == Role::Operator && !is_exact {
            return false;
        }
        match self {
            Self::Literal(word) => word == text,
            Self::Wild { head, middle, tail } => {
                piece.role == Role::Word && fits_wild(text, head, middle, tail)
            }
        }
    }
}

/// Each part is searched for once, after the one before, so the time is linear.
fn fits_wild(text: &str, head: &str, middle: &[String], tail: &str) -> bool {
    let Some(mut rest) = text.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)) else {
        return false;
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::query_transform::TransformType;
    use crate::query_transform::TransformedQuery;
    use crate::query_transform::limits::{OUTPUT_CHARS_MAX, REPLACEMENTS_MAX};
    use crate::query_transform::rules::Rules;

    fn rules(csv: &str) -> Rules {
        Rules::parse(TransformType::Rewrite, csv).expect(csv)
    }

    #[test]
    fn rewrites() {
        let mobiles = "mobiles; ombile; mo bile,mobile";
        let cases = [
            (mobiles, "mobiles phone", "mobile phone"),
            (mobiles, "ombile or mo bile", "mobile or mobile"),
            ("of,", "off offer of", "off offer"),
            ("of,", "state of the-of-art of", "state the-of-art"),
            ("foo", "food foo", "food"),
            ("foo", "a foo b", "a b"),
            ("cheapest smartphones,cheap smartphone", "cheapest smartphones now", "cheap smartphone now"),
            // The wildcard stays within a word.
            ("tele*,phone", "telephone telex tele hotel", "phone phone phone hotel"),
            ("mo*ile,x", "mobile moile motile mo bile automobile", "x x x mo bile automobile"),
            ("a*b*c,x", "abc aXbYc acb abcd", "x x acb abcd"),
            ("ab*ba,x", "aba abba", "aba x"),
            ("cheap * phone,x", "cheap red phone cheap phone", "x cheap phone"),
            ("cheap *s,x", "cheap phones", "x"),
            // Lower case matches in any case, capitals exactly.
            ("mobiles,mobile", "MOBILES Mobiles", "mobile mobile"),
            ("IT,information technology", "IT is it", "information technology is it"),
            ("größe,x", "GRÖSSE Größe", "GRÖSSE x"),
            // In order, each on what the one before left.
            ("a,b\nb,c", "a b", "c c"),
            ("b,c\na,b", "a b", "b c"),
            // Within a row nothing is matched twice, and the longest wins.
            ("mobiles; mobile,mobile phone", "mobiles mobile", "mobile phone mobile phone"),
            ("a; a b,x", "a b a", "x x"),
            ("a,a a", "a", "a a"),
            // Marks around a word stay where they are.
            ("pc,computer", "\"pc\", pc.", "\"computer\", computer."),
            ("pc,computer", "news:pc", "news:computer"),
            ("pc,", "\"pc\" x", "x"),
            ("pc,", "x -\"pc\"y", "x y"),
            ("pc,", "\"my pc\" x", "\"my\" x"),
            (
                "pc,\"\"\"personal computer\"\" OR laptop\"",
                "\"my pc\" pc",
                "\"my personal computer OR laptop\" \"personal computer\" OR laptop",
            ),
            ("my pc,laptop", "\"my\" pc \"my\" \"pc\"", "\"my\" pc \"my\" \"pc\""),
            ("\"\"\"my pc\"\"\",laptop", "“my pc” \"my pc\" my pc", "“my pc” laptop my pc"),
            ("\"\"\"\",", "\"my pc\" 15\"", "\"my pc\" 15"),
            // Operators stay, unless the pattern is one.
            ("or; not,", "a OR b NOT c or \"x OR y\"", "a OR b NOT c \"x y\""),
            ("OR,", "a OR b or c", "a b or c"),
            ("30,x", "10:30 10:30:00", "10:30 10:30:00"),
            ("pc,", "my pc, now", "my , now"),
            ("C++,cpp\nC,see", "C++ C", "cpp see"),
            ("x,\"a, b\"", "x", "a, b"),
            ("\"a, b\",x", "a,b", "x"),
            ("a/b,x", "a/b", "x"),
            (",b\n#a,b", "a", "a"),
            ("a,b,ignored", "a", "b"),
            ("a,b", "  c   d ", "  c   d "),
            ("a,", "a", ""),
        ];
        for (csv, query, expected) in cases {
            assert_eq!(rules(csv).apply(query).query, expected, "{csv:?} {query:?}");
        }
    }

    #[test]
    fn a_query_that_would_grow_too_long_stays() {
        let doubling = "a,a a\n".repeat(40);
        let applied = rules(&doubling).apply("a");
        assert!(applied.is_cut);
        let length = applied.query.len();
        assert!(length <= OUTPUT_CHARS_MAX && length > OUTPUT_CHARS_MAX / 4, "{length}");
        let huge = format!("a,{}", "b".repeat(1000));
        let query = "a ".repeat(1000);
        assert_eq!(rules(&huge).apply(&query), TransformedQuery { query, is_cut: true });
    }

    #[test]
    fn replacements_are_counted() {
        let query = "a ".repeat(100);
        let circle = |rows: usize| "a,b\nb,a\n".repeat(rows / 2);
        let most = REPLACEMENTS_MAX / 100;
        assert!(!rules(&circle(most)).apply(&query).is_cut);
        let applied = rules(&circle(most + 2)).apply(&query);
        assert!(applied.is_cut);
        assert_eq!(applied.query, query.trim_end(), "what was done stays");
    }
}

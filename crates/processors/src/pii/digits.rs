//! Grouped digits of long numbers: `+44 20 7946 0958`, `(555) 123-4567`, `4111-1111-1111-1111`.

use std::ops::Range;

/// Most groups of one number.
const GROUPS_MAX: usize = 8;
/// Most characters between two groups: `) - `.
const BETWEEN_BYTES_MAX: usize = 3;

/// Groups that may be one number, with boundaries on both sides.
#[derive(Debug, Clone)]
pub struct Number<'a> {
    text: &'a str,
    groups: &'a [Range<usize>],
    /// Follows another group of digits after a space.
    pub is_inner: bool,
}

/// Calls `take` with every candidate, those that begin earlier first, then the longest first. If `take` accepts one,
/// candidates that begin inside it are skipped.
pub fn each_number(text: &str, mut take: impl FnMut(&Number<'_>) -> bool) {
    for run in runs(text) {
        let mut first = 0;
        while first < run.len() {
            let taken =
                if is_start(text, &run, first) { longest(text, &run, first, &mut take) } else { None };
            first += taken.unwrap_or(1);
        }
    }
}

fn longest(
    text: &str,
    run: &[Range<usize>],
    first: usize,
    take: &mut impl FnMut(&Number<'_>) -> bool,
) -> Option<usize> {
    (1..=GROUPS_MAX.min(run.len() - first)).rev().find(|count| {
        let groups = &run[first..first + count];
        is_end(text, run, first + count) && take(&Number { text, groups, is_inner: first > 0 })
    })
}

impl<'a> Number<'a> {
    /// Its range, with the `+` or `(` that belongs to it.
    pub fn range(&self) -> Range<usize> {
        self.groups[0].start - self.opening().len()..self.groups[self.groups.len() - 1].end
    }

    /// `+`, `(`, `(+`, `+(` or nothing. A `(` belongs to a number only if it is closed after the first group.
    pub fn opening(&self) -> &'a str {
        let first = &self.groups[0];
        let all = opening(self.text, first.start);
        let is_closed = self.groups.len() > 1 && self.text[first.end..].starts_with(')');
        match all {
            "(+" if !is_closed => &all[1..],
            "(" | "+(" if !is_closed => "",
            all => all,
        }
    }

    pub fn groups(&self) -> impl Iterator<Item = &'a str> {
        self.groups.iter().map(|group| &self.text[group.clone()])
    }

    pub fn lengths(&self) -> Vec<usize> {
        self.groups.iter().map(ExactSizeIterator::len).collect()
    }

    /// The text between the groups.
    pub fn between(&self) -> impl Iterator<Item = &'a str> {
        self.groups.windows(2).map(|pair| &self.text[pair[0].end..pair[1].start])
    }

    pub fn digits(&self) -> String {
        self.groups().collect()
    }
}

/// Groups of digits separated by separators only. A group next to an alphabetic character belongs to a code.
fn runs(text: &str) -> Vec<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let mut all: Vec<Vec<Range<usize>>> = Vec::new();
    let mut run: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        let is_joined = run.last().is_some_and(|last| is_between(&text[last.end..start]));
        if !is_joined && !run.is_empty() {
            all.push(std::mem::take(&mut run));
        }
        if touches_word(text, start, at) {
            if !run.is_empty() {
                all.push(std::mem::take(&mut run));
            }
        } else {
            run.push(start..at);
        }
    }
    all.extend((!run.is_empty()).then_some(run));
    all
}

fn is_between(text: &str) -> bool {
    let is_separator = |c: char| matches!(c, ' ' | '\u{a0}' | '-' | '\u{2011}' | '.' | '/' | '(' | ')');
    !text.is_empty() && text.len() <= BETWEEN_BYTES_MAX && text.chars().all(is_separator)
}

fn touches_word(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text[..start].chars().next_back().is_some_and(is_word) || text[end..].chars().next().is_some_and(is_word)
}

fn opening(text: &str, at: usize) -> &str {
    let before = &text[..at];
    let kept = before.strip_suffix("(+").or(before.strip_suffix("+(")).or(before.strip_suffix(['+', '(']));
    &before[kept.unwrap_or(before).len()..]
}

/// A number begins at the beginning of a run or after a space in it, and is not part of something longer.
fn is_start(text: &str, run: &[Range<usize>], first: usize) -> bool {
    let start = run[first].start - opening(text, run[first].start).len();
    let mut before = text[..start].chars().rev();
    match before.next() {
        None => true,
        Some(c) if c.is_whitespace() => true,
        // After a digit these are part of a time, an amount or a list of numbers.
        Some(':' | ',' | ';' | '=' | '|') => !before.next().is_some_and(|c| c.is_ascii_digit()),
        Some(c) => "([{<>\"'“‘*".contains(c),
    }
}

fn is_end(text: &str, run: &[Range<usize>], after: usize) -> bool {
    let end = run[after - 1].end;
    let mut next = text[end..].chars();
    match next.next() {
        None => true,
        Some(c) if c.is_whitespace() => true,
        Some(c) if ".,:;-/".contains(c) => !next.next().is_some_and(char::is_alphanumeric),
        Some(c) => ")]}<>\"'”’*!?|".contains(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each_number(text, |number| {
            all.push(text[number.range()].to_owned());
            false
        });
        all
    }

    #[test]
    fn finds_groups() {
        let table: &[(&str, &[&str])] = &[
            ("call 555-123 4567 now", &["555-123 4567", "555-123", "4567"]),
            ("+44 20.", &["+44 20", "+44", "20"]),
            ("(030) 12 (34)", &["(030) 12 (34", "(030) 12", "030", "12 (34", "12", "34"]),
            ("12:30", &[]),
            ("1,234", &[]),
            ("a1 2b 3_ x-4 5", &["5"]),
            ("10.1/2 3", &["10.1/2 3", "10.1/2", "3"]),
            ("7 - 8", &["7 - 8", "7", "8"]),
            ("7     8", &["7", "8"]),
            ("٣٤ é5", &[]),
            ("", &[]),
        ];
        for (text, want) in table {
            assert_eq!(candidates(text), *want, "{text}");
        }
    }

    #[test]
    fn a_number_that_is_taken_is_not_looked_into() {
        let mut taken = Vec::new();
        each_number("1 2 3", |number| {
            taken.push(number.digits());
            number.lengths().len() == 2
        });
        assert_eq!(taken, ["123", "12", "3"]);
    }

    #[test]
    fn groups_are_bounded() {
        let text = "1 ".repeat(GROUPS_MAX * 3);
        each_number(&text, |number| {
            assert!(number.lengths().len() <= GROUPS_MAX);
            false
        });
    }
}

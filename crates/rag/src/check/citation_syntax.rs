//! Citation parser: normalizes all the formats that models use to `[n]`.

use super::urls::{AllowedUrls, Cleaned};
use regex::{Captures, Regex};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Maximum number of sources in one citation.
const NUMBERS_MAX: usize = 50;

#[expect(clippy::expect_used, reason = "the pattern is part of the program, and every test reads it")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// A short bracketed text with its leading space.
static BRACKETS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"( *)[\[【［〔⟦]([^\[\]【】［］〔〕⟦⟧\n]{1,80})[\]】］〕⟧]"));
static DOUBLED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[((?:\[\d+\])+)\]"));
static CITATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[(\d{1,9})\]"));
static CLUSTER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:\[\d{1,9}\]){2,}"));
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern("`[^`]+`"));

/// Normalizes citations to `[n]` and removes those of unknown sources. Code is left unchanged.
pub(super) fn normalized(text: &str, allowed: &AllowedUrls) -> Cleaned {
    let (mut out, mut dropped, mut at) = (String::with_capacity(text.len()), false, 0);
    for code in CODE.find_iter(text) {
        push_normalized(&mut out, &text[at..code.start()], allowed, &mut dropped);
        out.push_str(code.as_str());
        at = code.end();
    }
    push_normalized(&mut out, &text[at..], allowed, &mut dropped);
    Cleaned { text: out, has_removed: dropped }
}

/// The numbers that a normalized text cites, outside of code.
pub(super) fn cites(text: &str) -> BTreeSet<u32> {
    let text = CODE.replace_all(text, "");
    CITATION.captures_iter(&text).filter_map(|found| found[1].parse().ok()).collect()
}

/// The text without its citations.
pub(crate) fn without(text: &str) -> String {
    CITATION.replace_all(text, " ").into_owned()
}

/// The cited numbers of a bracketed text; None if it is not a citation.
pub(super) fn numbers(inside: &str) -> Option<Vec<u32>> {
    let inside = inside.split('†').next().unwrap_or_default().trim();
    if is_date(inside) {
        return None;
    }
    let (mut numbers, mut is_range) = (Vec::new(), false);
    let mut rest = inside.trim_start_matches(['^', '#']);
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let is_word = first.is_alphabetic();
        let same = |c: char| match (is_digit, is_word) {
            (true, _) => c.is_ascii_digit(),
            (_, true) => c.is_alphabetic(),
            _ => !c.is_ascii_digit() && !c.is_alphabetic(),
        };
        let (piece, after) = rest.split_at(rest.find(|c| !same(c)).unwrap_or(rest.len()));
        rest = after;
        if is_digit {
            add(&mut numbers, piece.parse().unwrap_or(u32::MAX), std::mem::take(&mut is_range));
        } else if is_word {
            is_range = match piece.to_lowercase().as_str() {
                "to" | "bis" | "through" if !numbers.is_empty() => true,
                word if WORDS.contains(&word) => false,
                _ => return None,
            };
        } else {
            if piece.chars().any(|c| !c.is_whitespace() && !",;:.#&-–—/+^".contains(c)) {
                return None;
            }
            is_range = is_range || (!numbers.is_empty() && piece.contains(['-', '–', '—']));
        }
    }
    (!numbers.is_empty()).then_some(numbers)
}

/// Words that may accompany the numbers of a citation.
const WORDS: &[&str] = &[
    "source",
    "sources",
    "src",
    "ref",
    "refs",
    "reference",
    "references",
    "result",
    "results",
    "doc",
    "docs",
    "document",
    "documents",
    "citation",
    "cite",
    "see",
    "no",
    "nr",
    "and",
    "und",
    "et",
    "quelle",
    "quellen",
    "fuente",
    "fuentes",
    "fonte",
    "fonti",
];

fn add(numbers: &mut Vec<u32>, number: u32, is_range: bool) {
    let first = match numbers.last() {
        Some(last) if is_range && *last < number => last + 1,
        _ => number,
    };
    // Long ranges are truncated.
    let space = NUMBERS_MAX.saturating_sub(numbers.len());
    numbers.extend((first..=number).take(space));
}

fn is_date(inside: &str) -> bool {
    let parts: Vec<&str> = inside.split(['-', '/', '.']).collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(digits) && parts.iter().any(|part| part.len() == 4)
}

fn push_normalized(out: &mut String, text: &str, allowed: &AllowedUrls, dropped: &mut bool) {
    let text = BRACKETS.replace_all(text, |found: &Captures<'_>| {
        let Some(numbers) = numbers(&found[2]) else { return found[0].to_owned() };
        let known: Vec<u32> = numbers.iter().copied().filter(|n| allowed.has(*n)).collect();
        *dropped |= known.len() < numbers.len();
        if known.is_empty() {
            return String::new();
        }
        let citations: String = known.iter().map(|n| format!("[{n}]")).collect();
        format!("{}{citations}", &found[1])
    });
    let text = DOUBLED.replace_all(&text, "$1");
    let once = CLUSTER.replace_all(&text, |found: &Captures<'_>| {
        let mut seen = BTreeSet::new();
        let all = CITATION.captures_iter(&found[0]).filter(|one| seen.insert(one[1].to_owned()));
        all.map(|one| one[0].to_owned()).collect::<String>()
    });
    out.push_str(&once);
}

#[cfg(test)]
mod tests {
    use super::super::urls::tests::sources;
    use super::*;

    #[test]
    fn citations_are_written_in_many_ways() {
        let allowed = AllowedUrls::of(&sources(&[("", ""), ("", ""), ("", "")]));
        for (text, expected) in [
            ("A [1]. B[2] c [3]", "A [1]. B[2] c [3]"),
            ("A [1, 2]; B [1,2,3]; C [1;3] D [1 and 2]", "A [1][2]; B [1][2][3]; C [1][3] D [1][2]"),
            ("A [1-3], B [2–3], C [1 to 2]", "A [1][2][3], B [2][3], C [1][2]"),
            ("A 【1】 B 【2†source】 C ［3］", "A [1] B [2] C [3]"),
            ("A [source 1] B [Source: 2] C [Sources 1, 3] D [Quelle 2]", "A [1] B [2] C [1][3] D [2]"),
            ("A [^1] B [#2] C [[3]] D [[1], [2]]", "A [1] B [2] C [3] D [[1], [2]]"),
            ("A [1][1][2]", "A [1][2]"),
            ("A [4]. B [0] [99999999999]", "A. B"),
            ("A [1, 9]", "A [1]"),
            ("A [2-9]", "A [2][3]"),
            ("A [1-4000000000]", "A [1][2][3]"),
            ("A [sic] B [2024-05-01] C [x1] D [ ]", "A [sic] B [2024-05-01] C [x1] D [ ]"),
            ("`a[7]` and [7]", "`a[7]` and"),
        ] {
            assert_eq!(normalized(text, &allowed).text, expected, "{text}");
        }
        assert!(normalized("[9]", &allowed).has_removed && !normalized("[2]", &allowed).has_removed);
        assert_eq!(numbers("1-4000000000").map(|all| all.len()), Some(NUMBERS_MAX));
    }
}

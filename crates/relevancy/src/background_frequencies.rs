//! Document frequencies of English words. In a pool of results every text has the query's words, so frequencies within
//! the pool alone would make just those words worthless.

use std::cmp::Ordering;
use std::sync::LazyLock;

/// A compressed text. The first line has the number of texts, each other line a stem and its document frequency, sorted
/// by the bytes of the stem.
const PACKED: &[u8] = include_bytes!("../data/background-df.tsv.zst");
/// Maximum length of the text.
const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// Searched as it is, so that nothing else has to be prepared.
static COUNTED: LazyLock<String> = LazyLock::new(unpack);

#[expect(clippy::expect_used, reason = "the text is part of the program, and the tests read it")]
fn unpack() -> String {
    let text = zstd::bulk::decompress(PACKED, TEXT_BYTES_MAX).expect("a compressed text");
    String::from_utf8(text).expect("a text")
}

/// Assumed frequency of words that are not in the table.
const UNSEEN: u32 = 4;

/// Inverse document frequency of an English stem, as in BM25, never below 0.
pub fn idf(stem: &str) -> f64 {
    let documents = f64::from(documents());
    let with = f64::from(frequency(stem).unwrap_or(UNSEEN));
    (1.0 + (documents - with + 0.5) / (with + 0.5)).ln()
}

fn documents() -> u32 {
    let first = COUNTED.lines().next().and_then(row);
    first.map_or(0, |(_, documents)| documents)
}

/// How many texts have a stem, by binary search for the line; `None` for an unseen one.
pub(crate) fn frequency(stem: &str) -> Option<u32> {
    let mut rest = COUNTED.split_once('\n')?.1.as_bytes();
    while !rest.is_empty() {
        let middle = rest.len() / 2;
        let start = rest[..middle].iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
        let length = rest[start..].iter().position(|byte| *byte == b'\n').unwrap_or(rest.len() - start);
        let (known, count) = row(str::from_utf8(&rest[start..start + length]).ok()?)?;
        match stem.cmp(known) {
            Ordering::Less => rest = &rest[..start],
            Ordering::Equal => return Some(count),
            Ordering::Greater => rest = rest.get(start + length + 1..).unwrap_or_default(),
        }
    }
    None
}

fn row(line: &str) -> Option<(&str, u32)> {
    let (stem, count) = line.split_once('\t')?;
    Some((stem, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_tell_more() {
        let [the, river, gauge, unseen] = ["the", "river", "gaug", "qqxzy"].map(idf);
        assert!(
            the < 0.3 && the < river && river < gauge && gauge < unseen,
            "{the} {river} {gauge} {unseen}"
        );
        assert_eq!(documents(), 300_000);
    }

    #[test]
    fn every_stem_is_found() {
        let rows: Vec<(&str, u32)> = COUNTED.lines().skip(1).filter_map(row).collect();
        assert_eq!(rows.len(), 40_981);
        assert!(rows.is_sorted_by(|a, b| a.0 < b.0));
        for (stem, count) in rows {
            assert_eq!(frequency(stem), Some(count), "{stem}");
        }
        for unseen in ["", "!", "qqxzy", "the\t", "\u{10ffff}"] {
            assert_eq!(frequency(unseen), None, "{unseen}");
        }
    }
}

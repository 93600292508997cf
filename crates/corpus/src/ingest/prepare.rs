//! Prepares a text for storage: normalization, hash, fingerprint, language and chunks.

use super::limits::SUPPLIED_WORDS_MIN;
use crate::chunks::{Piece, pieces};
use relevancy::Language;
use relevancy::passages::count_words;
use relevancy::tokens::{lower, tokens};
use sha2::{Digest, Sha256};

/// Words beyond this do not affect the fingerprint.
const FINGERPRINT_WORDS_MAX: usize = 100_000;
/// Words per feature of the fingerprint.
const SHINGLE_WORDS: usize = 3;

/// A normalized text, with what decides whether it is cached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedText {
    pub text: String,
    /// Counted up to the limit that matters.
    pub words: usize,
    pub content_hash: String,
}

/// Normalizes a text, off the async runtime because it may be long. None if interrupted.
pub async fn prepare(raw: String) -> Option<PreparedText> {
    let prepare = move || {
        let text = cleaned(&raw);
        let words = count_words(&text, SUPPLIED_WORDS_MIN);
        PreparedText { words, content_hash: content_hash(&text), text }
    };
    tokio::task::spawn_blocking(prepare).await.ok()
}

/// The properties of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextAnalysis {
    pub text: String,
    pub content_hash: String,
    pub simhash: String,
    /// ISO 639-1, or empty.
    pub language: String,
    pub pieces: Vec<Piece>,
}

impl TextAnalysis {
    /// Analyzes a normalized text. None if interrupted.
    pub async fn analyze(text: String) -> Option<Self> {
        tokio::task::spawn_blocking(move || Self::read(text)).await.ok()
    }

    fn read(text: String) -> Self {
        Self {
            content_hash: content_hash(&text),
            simhash: simhash(&text),
            language: Language::of_text(&text)
                .and_then(Language::known)
                .map_or("", |known| known.code)
                .to_owned(),
            pieces: pieces(&text),
            text,
        }
    }
}

/// Normalizes the text, so that equal texts have equal hashes: no control characters, single spaces in a line, at most
/// one blank line between paragraphs.
fn cleaned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank_lines = 0;
    for line in text.lines() {
        let line_start = out.len();
        for word in line.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty())
        {
            if out.len() == line_start {
                match (line_start, blank_lines) {
                    (0, _) => {}
                    (_, 0) => out.push('\n'),
                    _ => out.push_str("\n\n"),
                }
            } else {
                out.push(' ');
            }
            out.push_str(word);
        }
        blank_lines = if out.len() == line_start { blank_lines + 1 } else { 0 };
    }
    out
}

/// SHA-256 in hexadecimal.
fn content_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A 64-bit fingerprint in hexadecimal: similar texts differ in few bits.
fn simhash(text: &str) -> String {
    let hashes: Vec<u64> =
        tokens(text).take(FINGERPRINT_WORDS_MAX).map(|token| fnv(lower(token.text).as_bytes())).collect();
    let mut votes = [0_i64; 64];
    for shingle in hashes.windows(SHINGLE_WORDS.min(hashes.len()).max(1)) {
        let bytes: Vec<u8> = shingle.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        let feature = mixed(fnv(&bytes));
        for (bit, vote) in votes.iter_mut().enumerate() {
            *vote += if feature >> bit & 1 == 1 { 1 } else { -1 };
        }
    }
    let bits =
        votes.iter().enumerate().filter(|(_, vote)| **vote > 0).fold(0_u64, |bits, (bit, _)| bits | 1 << bit);
    format!("{bits:016x}")
}

/// FNV-1a: stable across processes and releases, because fingerprints are stored.
fn fnv(bytes: &[u8]) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

/// Mixes the bits, which FNV alone does not do well.
fn mixed(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_one_form() {
        let table = [
            ("", ""),
            ("  one \t two\u{a0}three  ", "one two three"),
            ("a\r\nb\r\n\r\n\r\n\r\nc\n", "a\nb\n\nc"),
            ("\n\n a", "a"),
            ("a\u{0}b\u{7f}", "a b"),
            ("a\n \t \nb", "a\n\nb"),
        ];
        for (given, expected) in table {
            assert_eq!(cleaned(given), expected, "{given:?}");
            assert_eq!(cleaned(expected), expected);
        }
    }

    #[test]
    fn alike_texts_have_alike_fingerprints() {
        let text =
            "The river rose in the night and the town slept while the water came over the bridge. ".repeat(5);
        let other = "A committee of nine members decides on all questions of the budget in public session. "
            .repeat(5);
        let bits = |text: &str| u64::from_str_radix(&simhash(text), 16).unwrap();
        let apart = |a: &str, b: &str| (bits(a) ^ bits(b)).count_ones();
        assert_eq!(apart(&text, &text.to_uppercase()), 0);
        assert!(apart(&text, &format!("{text} Nobody was hurt.")) <= 12);
        assert!(apart(&text, &other) > 16);
        assert_eq!(simhash("").len(), 16);
    }

    #[test]
    fn a_reading_knows_its_language_and_its_pieces() {
        let analysis = TextAnalysis::read(cleaned("Der Fluss stieg in der Nacht, und es war kalt."));
        assert_eq!((analysis.language.as_str(), analysis.pieces.len()), ("de", 1));
        assert_eq!(analysis.content_hash.len(), 64);
        assert_eq!(TextAnalysis::read("Rhine Danube".to_owned()).language, "");
    }
}

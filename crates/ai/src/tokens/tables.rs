//! Token tables packed by `scripts/token_tables.py`: for each token its length in one byte and its bytes, ordered by
//! rank, compressed.
//!
//! The library contains them as base64 text for four tokenizers, which is seven times as large.

use std::io;
use std::sync::LazyLock;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR, Rank};

/// Maximum decompressed size of a table.
const TABLE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The pattern by which `cl100k_base` splits a text before tokenizing.
const CL100K_BASE_PATTERN: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
    r"|[^\r\n\p{L}\p{N}]?\p{L}+",
    r"|\p{N}{1,3}",
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+",
    r"|\s+(?!\S)",
    r"|\s+",
);

pub static CL100K_BASE: LazyLock<CoreBPE> =
    LazyLock::new(|| open(include_bytes!("../../data/cl100k_base.tokens.zst"), CL100K_BASE_PATTERN));

pub static O200K_BASE: LazyLock<CoreBPE> =
    LazyLock::new(|| open(include_bytes!("../../data/o200k_base.tokens.zst"), O200K_BASE_PAT_STR));

#[expect(clippy::expect_used, reason = "the tables are part of the program, and the tests open both")]
fn open(packed: &[u8], pattern: &str) -> CoreBPE {
    let table = unpack(packed).expect("a table of tokens");
    let encoder = table.into_iter().zip(0 as Rank..).collect();
    // Special tokens count as plain text.
    CoreBPE::new(encoder, Default::default(), pattern).expect("a pattern")
}

/// The tokens, ordered by rank.
fn unpack(packed: &[u8]) -> io::Result<Vec<Vec<u8>>> {
    let table = zstd::bulk::decompress(packed, TABLE_BYTES_MAX)?;
    let mut tokens = Vec::new();
    let mut rest = table.as_slice();
    while let Some((length, more)) = rest.split_first() {
        let (token, more) =
            more.split_at_checked(usize::from(*length)).ok_or(io::ErrorKind::UnexpectedEof)?;
        tokens.push(token.to_vec());
        rest = more;
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_those_of_the_library() {
        let samples = [
            "The mill's wheel, built in 1850, turns 12,345 times a day.\n\n  Größer als zuvor — 水車 \u{1f3e1}!",
            "fn main() { println!(\"{:?}\", x<y); }\r\n\t// ÇA VA? <|endoftext|> naïve I'LL we're ٣٤٥ е́ж",
        ];
        let pairs = [
            (&*CL100K_BASE, tiktoken_rs::cl100k_base().unwrap()),
            (&*O200K_BASE, tiktoken_rs::o200k_base().unwrap()),
        ];
        for (ours, theirs) in pairs {
            for sample in samples {
                assert_eq!(ours.encode_ordinary(sample), theirs.encode_ordinary(sample));
            }
        }
    }

    #[test]
    fn every_token_of_the_library_is_in_the_table() {
        for (packed, theirs, count) in [
            (&include_bytes!("../../data/cl100k_base.tokens.zst")[..], tiktoken_rs::cl100k_base(), 100_256),
            (&include_bytes!("../../data/o200k_base.tokens.zst")[..], tiktoken_rs::o200k_base(), 199_998),
        ] {
            let (tokens, theirs) = (unpack(packed).unwrap(), theirs.unwrap());
            assert_eq!(tokens.len(), count);
            for (rank, token) in tokens.iter().enumerate() {
                let rank = Rank::try_from(rank).unwrap();
                assert_eq!(
                    theirs._decode_native_and_split(vec![rank]).next().as_deref(),
                    Some(token.as_slice())
                );
            }
        }
    }

    #[test]
    fn a_table_that_ends_too_early_is_refused() {
        let packed = zstd::bulk::compress(&[1, b'a', 5, b'b'], 1).unwrap();
        assert_eq!(unpack(&packed).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(unpack(b"no table").is_err());
    }
}

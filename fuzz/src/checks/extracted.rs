//! Properties of the text of any file.

use bytes::Bytes;
use domain::ports::{ExtractError, FileToRead};
use extraction::Limits;
use std::time::Duration;

/// Small limits, so that short inputs reach them; except the time, which a busy machine must not reach.
fn limits() -> Limits {
    let time = Duration::from_secs(60);
    Limits {
        output_chars: 2_000,
        unpacked_bytes: 1024 * 1024,
        pages: 8,
        depth: 32,
        time,
        ..Limits::default()
    }
}

/// Reads the bytes as a file of this name.
pub fn check(name: &str, bytes: &[u8]) {
    let limits = limits();
    let bytes = Bytes::copy_from_slice(bytes);
    let file = FileToRead { media_type: None, name: name.to_owned(), bytes };
    match extraction::read(&file, &limits) {
        Ok(found) => {
            assert!(found.text.chars().count() <= limits.output_chars);
            assert!(found.title.chars().count() <= 500 && found.author.chars().count() <= 500);
            assert!(!found.text.contains("\n\n\n") && !found.text.contains("  "), "{:?}", found.text);
            assert_eq!(found.text.trim(), found.text);
            let is_plain = |c: char| c == '\n' || !c.is_control();
            assert!(found.text.chars().all(is_plain) && found.title.chars().all(is_plain));
        }
        Err(error) => assert_ne!(error, ExtractError::Timeout),
    }
}

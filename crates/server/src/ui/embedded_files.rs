//! The files of `web/` that are part of the program. The build script packs them.

use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::LazyLock;

/// One after another, each behind a line with its name and its length.
const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/web.gz"));
/// Maximum size of all files.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

static FILES: LazyLock<BTreeMap<&'static str, &'static [u8]>> =
    LazyLock::new(|| split(unpack().leak()).unwrap_or_default());

/// A file by its name, such as `templates/layout.html`.
pub fn read(name: &str) -> Option<&'static [u8]> {
    FILES.get(name).copied()
}

/// The names of all files, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.keys().copied()
}

fn unpack() -> Vec<u8> {
    let mut files = Vec::new();
    match GzDecoder::new(PACKED).take(BYTES_MAX).read_to_end(&mut files) {
        Ok(_) => files,
        Err(_) => Vec::new(),
    }
}

/// The files with their names; `None` if a line is wrong.
fn split(mut packed: &'static [u8]) -> Option<BTreeMap<&'static str, &'static [u8]>> {
    let mut files = BTreeMap::new();
    while !packed.is_empty() {
        let end = packed.iter().position(|byte| *byte == b'\n')?;
        let (name, length) = std::str::from_utf8(&packed[..end]).ok()?.split_once('\t')?;
        let (content, rest) = packed[end + 1..].split_at_checked(length.parse().ok()?)?;
        files.insert(name, content);
        packed = rest;
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn all_files_are_in_the_program() {
        let web = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        for name in
            ["static/tributary.css", "static/js/search/main.js", "templates/layout.html", "words/de.json"]
        {
            let expected = std::fs::read(web.join(name)).expect("a file");
            assert_eq!(read(name), Some(expected.as_slice()), "{name}");
        }
        assert!(names().count() > 200 && names().is_sorted());
        assert_eq!(read("static"), None);
    }

    #[test]
    fn wrong_lines_are_no_files() {
        let files = |packed| split(packed).map(|files| files.into_iter().collect::<Vec<_>>());
        assert_eq!(files(b"a\t2\nxyb\t0\n"), Some(vec![("a", &b"xy"[..]), ("b", &b""[..])]));
        assert_eq!(files(b""), Some(vec![]));
        for packed in [&b"a"[..], b"a\n", b"a\t3\nxy", b"a\t-1\nxy", b"\xff\t0\n"] {
            assert_eq!(files(packed), None, "{packed:?}");
        }
    }
}

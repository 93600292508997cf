//! Reads files line by line and collects errors with their line numbers.

use anyhow::{Context, bail};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Maximum size of a collection file, which is held in memory.
pub const FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Maximum number of listed errors.
pub const ERRORS_SHOWN_MAX: usize = 20;

/// Calls `take` with the number (from 1) and text of each non-blank line.
pub fn each_line(path: &Path, bytes_max: u64, mut take: impl FnMut(usize, &str)) -> anyhow::Result<()> {
    let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    // Read one byte more than allowed, to detect a file that is too large.
    let mut reader = BufReader::new(file.take(bytes_max + 1));
    let (mut line, mut read) = (Vec::new(), 0);
    for number in 1.. {
        line.clear();
        let bytes = reader
            .read_until(b'\n', &mut line)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        read += bytes as u64;
        if bytes == 0 {
            break;
        }
        if read > bytes_max {
            bail!("{} is larger than {bytes_max} bytes; use a smaller collection", path.display());
        }
        let Ok(text) = std::str::from_utf8(&line) else {
            bail!("{}:{number}: the line is not UTF-8; save the file as UTF-8", path.display());
        };
        let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\r', '\n']);
        if !text.trim().is_empty() {
            take(number, text);
        }
    }
    Ok(())
}

/// Errors with file and line.
#[derive(Debug, Default)]
pub struct Mistakes {
    shown: Vec<String>,
    count: usize,
}

impl Mistakes {
    pub fn add(&mut self, path: &Path, line: usize, problem: impl std::fmt::Display) {
        self.count += 1;
        if self.shown.len() < ERRORS_SHOWN_MAX {
            self.shown.push(format!("  {}:{line}: {problem}", path.display()));
        }
    }

    /// Fails with a list of the errors, if there are any.
    pub fn finish(self) -> anyhow::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let more = match self.count - self.shown.len() {
            0 => String::new(),
            more => format!("\n  and {more} more"),
        };
        bail!("The collection has {} error(s):\n{}{more}", self.count, self.shown.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(content: &[u8], bytes_max: u64) -> anyhow::Result<Vec<(usize, String)>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.tsv");
        std::fs::write(&path, content).unwrap();
        let mut found = Vec::new();
        each_line(&path, bytes_max, |number, text| found.push((number, text.to_owned())))?;
        Ok(found)
    }

    #[test]
    fn lines_have_their_numbers() {
        let found = lines("\u{feff}a\tb\r\n\n  \nc".as_bytes(), 100).unwrap();
        assert_eq!(found, [(1, "a\tb".to_owned()), (4, "c".to_owned())]);
        let error = lines(b"ok\n\xff\n", 100).unwrap_err().to_string();
        assert!(error.contains("x.tsv:2:"), "{error}");
    }

    #[test]
    fn a_file_may_be_so_large_and_no_larger() {
        assert_eq!(lines(b"abc\ndef\n", 8).unwrap().len(), 2);
        let error = lines(b"abc\ndef\n", 7).unwrap_err().to_string();
        assert!(error.contains("larger than 7 bytes"), "{error}");
    }

    #[test]
    fn errors_are_counted_beyond_those_shown() {
        assert!(Mistakes::default().finish().is_ok());
        let mut mistakes = Mistakes::default();
        for line in 1..=ERRORS_SHOWN_MAX + 2 {
            mistakes.add(Path::new("docs.jsonl"), line, "no id");
        }
        let text = mistakes.finish().unwrap_err().to_string();
        assert!(text.starts_with("The collection has 22 error(s):\n  docs.jsonl:1: no id"), "{text}");
        assert!(text.ends_with("docs.jsonl:20: no id\n  and 2 more"), "{text}");
    }
}

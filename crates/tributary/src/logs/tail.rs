//! Reads the lines of a log file backward from the end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Read size.
const STEP: u64 = 64 * 1024;
/// Longer data without a line break is split.
pub const LINE_BYTES_MAX: usize = 1024 * 1024;

/// The lines before an offset, backward, without empty lines.
pub struct LinesBackward {
    file: File,
    /// Start of the data read so far.
    left: u64,
    /// Read but not returned; starts somewhere in a line.
    held: Vec<u8>,
}

impl LinesBackward {
    /// Lines that end before `end`.
    pub fn before(file: File, end: u64) -> Self {
        Self { file, left: end, held: Vec::new() }
    }

    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        loop {
            let line = match self.held.iter().rposition(|byte| *byte == b'\n') {
                Some(at) => {
                    let line = self.held.split_off(at + 1);
                    self.held.truncate(at);
                    line
                }
                None if self.left > 0 && self.held.len() < LINE_BYTES_MAX => {
                    self.read_more()?;
                    continue;
                }
                None if self.left == 0 && self.held.is_empty() => return Ok(None),
                None => std::mem::take(&mut self.held),
            };
            if !line.is_empty() {
                return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
            }
        }
    }

    fn read_more(&mut self) -> io::Result<()> {
        let step = self.left.min(STEP);
        self.left -= step;
        let mut read = read_at(&mut self.file, self.left, step)?;
        read.append(&mut self.held);
        self.held = read;
        Ok(())
    }
}

/// The end of the last complete line.
pub fn end_of_lines(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let from = length.saturating_sub(STEP);
    let read = read_at(file, from, length - from)?;
    Ok(match read.iter().rposition(|byte| *byte == b'\n') {
        Some(at) => from + at as u64 + 1,
        None if from == 0 => 0,
        None => length,
    })
}

/// The result may be shorter if the file was truncated meanwhile.
fn read_at(file: &mut File, from: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut read = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(length).read_to_end(&mut read)?;
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_with(text: &str) -> File {
        use std::io::Write;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    fn backward(text: &str) -> Vec<String> {
        let mut file = file_with(text);
        let end = end_of_lines(&mut file).unwrap();
        let mut lines = LinesBackward::before(file, end);
        std::iter::from_fn(|| lines.next_line().unwrap()).collect()
    }

    #[test]
    fn whole_lines_from_the_last_to_the_first() {
        let table: [(&str, &[&str]); 5] = [
            ("a\nb\nc\n", &["c", "b", "a"]),
            ("a\n\nb\nbeing writ", &["b", "a"]),
            ("", &[]),
            ("\n", &[]),
            ("being writ", &[]),
        ];
        for (text, expected) in table {
            assert_eq!(backward(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_over_the_edge_of_a_step_stay_whole() {
        let lines: Vec<String> = (0..30_000).map(|number| format!("line {number}")).collect();
        let mut found = backward(&(lines.join("\n") + "\n"));
        found.reverse();
        assert_eq!(found, lines);
        let endless = "x".repeat(3 * LINE_BYTES_MAX) + "\n";
        assert_eq!(backward(&endless).concat().len(), endless.len() - 1, "in pieces, and to the end");
    }
}

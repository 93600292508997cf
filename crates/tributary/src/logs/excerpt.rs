//! The last lines of a log, for a support bundle.

use super::LogFile;
use super::rotation::{Identity, generation, identity};
use super::tail::{LinesBackward, end_of_lines};
use std::fs::File;
use std::io;
use std::path::Path;

/// Maximum number of rotated files to look for.
const GENERATIONS_MAX: u32 = 10_000;

/// The last lines of a log, oldest first.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    pub lines: Vec<String>,
    /// Whether earlier lines were omitted.
    pub is_cut: bool,
}

/// The last lines of a log including rotated files, at most `bytes_max`. `None` if there is no such file.
pub fn excerpt(folder: &Path, log: LogFile, bytes_max: usize) -> io::Result<Option<Excerpt>> {
    excerpt_of(&folder.join(log.file_name()), bytes_max)
}

/// The last lines of a file and its rotated files.
pub fn excerpt_of(path: &Path, bytes_max: usize) -> io::Result<Option<Excerpt>> {
    let mut found = Excerpt { lines: Vec::new(), is_cut: false };
    let (mut left, mut newer): (usize, Vec<Identity>) = (bytes_max, Vec::new());
    let mut is_there = false;
    for number in 0..GENERATIONS_MAX {
        let mut file = match File::open(generation(path, number)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound && number == 0 => continue,
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        };
        is_there = true;
        let this = identity(&file.metadata()?);
        // A concurrent rotation may present a file twice, under its next name.
        if this.is_some_and(|this| newer.contains(&this)) {
            continue;
        }
        newer.extend(this);
        let end = end_of_lines(&mut file)?;
        let mut lines = LinesBackward::before(file, end);
        while let Some(line) = lines.next_line()? {
            match left.checked_sub(line.len() + 1) {
                Some(rest) => left = rest,
                None => {
                    found.is_cut = true;
                    found.lines.reverse();
                    return Ok(Some(found));
                }
            }
            found.lines.push(line);
        }
    }
    found.lines.reverse();
    Ok(is_there.then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_of_all_generations_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LogFile::Api.file_name());
        assert_eq!(excerpt(folder.path(), LogFile::Api, 100).unwrap(), None);
        std::fs::write(generation(&path, 2), "one\n").unwrap();
        std::fs::write(generation(&path, 1), "two\nthree\n").unwrap();
        std::fs::write(&path, "four\nbeing writ").unwrap();
        for (limit, expected, is_cut) in [
            (100, vec!["one", "two", "three", "four"], false),
            (19, vec!["one", "two", "three", "four"], false),
            (18, vec!["two", "three", "four"], true),
            (5, vec!["four"], true),
            (0, vec![], true),
        ] {
            let found = excerpt(folder.path(), LogFile::Api, limit).unwrap().unwrap();
            assert_eq!(
                (found.lines, found.is_cut),
                (expected.iter().map(|&l| l.to_owned()).collect(), is_cut)
            );
        }
    }
}

//! Follows a log file across rotations: first its last lines, then each new one.

use super::rotation::{Identity, generation, identity};
use super::tail::{LINE_BYTES_MAX, LinesBackward, end_of_lines};
use super::{Line, LineFilter, LogFile};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Maximum bytes read from one file per poll.
const POLL_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Maximum number of rotated files to look for.
const GENERATIONS_MAX: u32 = 10_000;

pub struct LogFollower {
    pub log: LogFile,
    path: PathBuf,
    open: Option<Open>,
    /// The start of an incomplete line.
    partial: Vec<u8>,
}

struct Open {
    identity: Option<Identity>,
    file: File,
    position: u64,
}

impl Open {
    fn at_begin(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        Ok(Self { identity: identity(&file.metadata()?), file, position: 0 })
    }
}

impl LogFollower {
    pub fn new(folder: &Path, log: LogFile) -> Self {
        Self { log, path: folder.join(log.file_name()), open: None, partial: Vec::new() }
    }

    /// The last `count` matching lines including rotated files, oldest first. [`LogFollower::new_lines`] continues
    /// after them.
    pub fn last(&mut self, count: usize, filter: &LineFilter) -> io::Result<Vec<Line>> {
        let mut found = Vec::new();
        let mut newest = None;
        for number in 0..GENERATIONS_MAX {
            let mut open = match Open::at_begin(&generation(&self.path, number)) {
                Ok(open) => open,
                Err(error) if error.kind() == io::ErrorKind::NotFound && number == 0 => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => break,
                Err(error) => return Err(error),
            };
            open.position = end_of_lines(&mut open.file)?;
            let mut lines = LinesBackward::before(open.file.try_clone()?, open.position);
            // A concurrent rotation may present a file twice, under its next name.
            let is_second = newest
                .as_ref()
                .is_some_and(|newest: &Open| newest.identity.is_some() && newest.identity == open.identity);
            if number == 0 {
                newest = Some(open);
            }
            while !is_second && found.len() < count {
                let Some(raw) = lines.next_line()? else { break };
                let line = Line::parse(&raw);
                if filter.includes(&line) {
                    found.push(line);
                }
            }
            if found.len() >= count {
                break;
            }
        }
        self.open = newest;
        found.reverse();
        Ok(found)
    }

    /// The lines written since the last call.
    pub fn new_lines(&mut self) -> io::Result<Vec<Line>> {
        let mut lines = Vec::new();
        let mut read = 0;
        while read < POLL_BYTES_MAX {
            if self.open.is_none() {
                self.open = Open::at_begin(&self.path).ok();
            }
            let Some(open) = &mut self.open else { break };
            let mut bytes = Vec::new();
            open.file.seek(SeekFrom::Start(open.position))?;
            let step = (&open.file).take(POLL_BYTES_MAX - read).read_to_end(&mut bytes)? as u64;
            open.position += step;
            read += step;
            self.cut(bytes, &mut lines);
            if step == 0 && !self.advance()? {
                break;
            }
        }
        Ok(lines)
    }

    /// Splits the data into lines.
    fn cut(&mut self, bytes: Vec<u8>, lines: &mut Vec<Line>) {
        self.partial.extend(bytes);
        if let Some(last) = self.partial.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.partial.split_off(last + 1);
            let whole = std::mem::replace(&mut self.partial, rest);
            let texts = whole.split(|byte| *byte == b'\n').filter(|text| !text.is_empty());
            lines.extend(texts.map(|text| Line::parse(&String::from_utf8_lossy(text))));
        }
        if self.partial.len() > LINE_BYTES_MAX {
            lines.push(Line::parse(&String::from_utf8_lossy(&std::mem::take(&mut self.partial))));
        }
    }

    /// At the end of a file: switches to the next one after a rotation, or to its start after truncation. Returns
    /// whether there is more to read.
    fn advance(&mut self) -> io::Result<bool> {
        let Some(open) = &mut self.open else { return Ok(false) };
        let Ok(named) = fs::metadata(&self.path) else { return Ok(false) };
        if identity(&named) == open.identity {
            if named.len() >= open.position {
                return Ok(false);
            }
            // Truncated, or another file on a system without file identities.
            self.open = Some(Open::at_begin(&self.path)?);
            return Ok(true);
        }
        let ours = open.identity;
        let is_ours = |number: u32| {
            fs::metadata(generation(&self.path, number)).is_ok_and(|there| identity(&there) == ours)
        };
        let oldest = (1..GENERATIONS_MAX)
            .take_while(|number| generation(&self.path, *number).exists())
            .last()
            .unwrap_or(0);
        let place = (1..=oldest).find(|number| is_ours(*number));
        let next = Open::at_begin(&generation(&self.path, place.map_or(oldest, |number| number - 1)))?;
        // Rotated again meanwhile: retry.
        if place.is_some_and(|number| !is_ours(number)) {
            return Ok(true);
        }
        self.open = Some(next);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::rotation::{Limits, LogFiles};
    use super::*;
    use std::io::Write;

    fn write(files: &mut LogFiles, numbers: std::ops::Range<usize>) {
        for number in numbers {
            files.write_all(format!("{}line{number:03}\n", LogFile::Api.tag()).as_bytes()).unwrap();
            files.flush().unwrap();
        }
    }

    fn texts(lines: Vec<Line>) -> Vec<String> {
        lines.into_iter().map(|line| line.text).collect()
    }

    fn expected(numbers: std::ops::Range<usize>) -> Vec<String> {
        numbers.map(|number| format!("line{number:03}")).collect()
    }

    #[test]
    fn last_lines_then_news_over_many_rotations() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = LogFiles::open(folder.path(), Limits { bytes_max: 40, files: 50 }).unwrap();
        write(&mut files, 0..20);
        let mut followed = LogFollower::new(folder.path(), LogFile::Api);
        let last = followed.last(12, &LineFilter::default()).unwrap();
        assert_eq!(texts(last), expected(8..20));
        assert!(followed.new_lines().unwrap().is_empty());
        write(&mut files, 20..22);
        assert_eq!(texts(followed.new_lines().unwrap()), expected(20..22));
        write(&mut files, 22..90);
        assert_eq!(
            texts(followed.new_lines().unwrap()),
            expected(22..90),
            "more than ten generations in one poll"
        );
        let ninth = LineFilter { text: Some("line009".to_owned()), ..LineFilter::default() };
        let found = LogFollower::new(folder.path(), LogFile::Api).last(5, &ninth).unwrap();
        assert_eq!(texts(found), expected(9..10), "an old line is found in an old generation");
    }

    #[test]
    fn an_emptied_file_and_one_that_comes_later() {
        let folder = tempfile::tempdir().unwrap();
        let mut followed = LogFollower::new(folder.path(), LogFile::Api);
        assert!(followed.last(5, &LineFilter::default()).unwrap().is_empty());
        assert!(followed.new_lines().unwrap().is_empty());
        let mut files = LogFiles::open(folder.path(), Limits { bytes_max: 40, files: 1 }).unwrap();
        write(&mut files, 0..5);
        assert_eq!(texts(followed.new_lines().unwrap()), expected(0..5));
        write(&mut files, 5..7);
        assert_eq!(texts(followed.new_lines().unwrap()), expected(5..7));
    }

    #[test]
    fn a_line_that_is_being_written_comes_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("django.log");
        fs::write(&path, "one\ntw").unwrap();
        let mut followed = LogFollower::new(folder.path(), LogFile::Api);
        assert_eq!(texts(followed.last(5, &LineFilter::default()).unwrap()), ["one"]);
        assert!(followed.new_lines().unwrap().is_empty());
        File::options().append(true).open(&path).unwrap().write_all(b"o\nthree\n").unwrap();
        assert_eq!(texts(followed.new_lines().unwrap()), ["two", "three"]);
    }
}

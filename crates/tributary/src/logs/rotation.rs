//! Rotating log files. Several processes may share a folder: all append, and renaming excludes writing, so that no line
//! is lost.

use super::LogFile;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Size from which the lines of a file are written before the rest of a batch.
const BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Locked shared for writing, exclusively for renaming.
const LOCK_FILE: &str = ".lock";
/// Retries of a writer while another process renames. After that it writes anyway, so that a suspended process does not
/// block the others.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum size of a file.
    pub bytes_max: u64,
    /// Number of files to keep per name, including the current one.
    pub files: u32,
}

/// Identifies a file independently of its name.
pub type Identity = (u64, u64);

/// `None` if the system has no such identity.
pub fn identity(metadata: &Metadata) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _unused = metadata;
        None
    }
}

/// The path of a rotated file: 1 is the newest, 0 the current file.
pub fn generation(path: &Path, number: u32) -> PathBuf {
    match number {
        0 => path.to_owned(),
        _ => PathBuf::from(format!("{}.{number}", path.display())),
    }
}

/// All log files of a folder as one writer: each write is a batch of whole lines, each with the tag of its file.
pub struct LogFiles {
    lock: File,
    files: Vec<RotatingFile>,
}

impl LogFiles {
    pub fn open(folder: &Path, limits: Limits) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let lock = File::create(folder.join(LOCK_FILE))?;
        let mut files: Vec<RotatingFile> =
            LogFile::all().map(|log| RotatingFile::new(folder.join(log.file_name()), limits)).collect();
        // Create all files at startup, so that followers find them.
        files.iter_mut().try_for_each(|file| file.open_current().map(|_| ()))?;
        Ok(Self { lock, files })
    }

    /// Writes the waiting lines with one write per file, even if others fail.
    fn write_out(&mut self) -> io::Result<()> {
        let written = self.write_locked(RotatingFile::write_unless_full);
        let rotated = self.rotate_full();
        let written_after = self.write_locked(RotatingFile::write);
        written.and(rotated).and(written_after)
    }

    /// Calls `write` for each file with waiting lines, under one lock for all of them.
    fn write_locked(&mut self, write: fn(&mut RotatingFile) -> io::Result<()>) -> io::Result<()> {
        let mut files = self.files.iter_mut().filter(|file| !file.waiting.is_empty()).peekable();
        if files.peek().is_none() {
            return Ok(());
        }
        let is_held = (0..LOCK_TRIES).any(|attempt| {
            if attempt > 0 {
                std::thread::sleep(LOCK_PAUSE);
            }
            self.lock.try_lock_shared().is_ok()
        });
        // A failure of one file does not keep the others.
        let written: Vec<io::Result<()>> = files.map(write).collect();
        if is_held {
            self.lock.unlock()?;
        }
        written.into_iter().collect()
    }

    /// Rotates the files whose lines still wait because they are full.
    fn rotate_full(&mut self) -> io::Result<()> {
        let mut full = self.files.iter_mut().filter(|file| !file.waiting.is_empty()).peekable();
        // If others are writing, rotation is postponed.
        if full.peek().is_none() || self.lock.try_lock().is_err() {
            return Ok(());
        }
        let rotated: Vec<io::Result<()>> = full.map(RotatingFile::rotate_if_full).collect();
        self.lock.unlock()?;
        rotated.into_iter().collect()
    }
}

impl Write for LogFiles {
    fn write(&mut self, batch: &[u8]) -> io::Result<usize> {
        let mut written = Ok(());
        for tagged in batch.split_inclusive(|byte| *byte == b'\n') {
            let (log, line) = match tagged.split_first().map(|(tag, line)| (LogFile::of_tag(*tag), line)) {
                Some((Some(log), line)) => (log, line),
                _ => (LogFile::Api, tagged),
            };
            let waiting = &mut self.files[log as usize].waiting;
            waiting.extend_from_slice(line);
            if waiting.len() > BUFFER_BYTES_MAX {
                written = written.and(self.write_out());
            }
        }
        written.map(|()| batch.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_out()
    }
}

struct RotatingFile {
    path: PathBuf,
    limits: Limits,
    open: Option<(Option<Identity>, File)>,
    waiting: Vec<u8>,
}

impl RotatingFile {
    fn new(path: PathBuf, limits: Limits) -> Self {
        Self { path, limits, open: None, waiting: Vec::new() }
    }

    fn write(&mut self) -> io::Result<()> {
        let opened = self.open_current();
        self.append(opened)
    }

    /// Writes the waiting lines; if the file is full, they go on waiting.
    fn write_unless_full(&mut self) -> io::Result<()> {
        match self.open_current() {
            Ok(length) if self.is_full_at(length) => Ok(()),
            opened => self.append(opened),
        }
    }

    /// Appends the waiting lines with one write, so that those of another process do not come between. Discards them on
    /// failure, so that memory does not grow while the disk is full.
    fn append(&mut self, opened: io::Result<u64>) -> io::Result<()> {
        let written = opened.and_then(|_| match &mut self.open {
            Some((_, file)) => file.write_all(&self.waiting),
            None => Ok(()),
        });
        self.waiting.clear();
        written
    }

    fn is_full_at(&self, length: u64) -> bool {
        length > 0 && length + self.waiting.len() as u64 > self.limits.bytes_max
    }

    /// Opens the file again if another process has renamed it, and returns its size. A counter of what was written here
    /// would save nothing: the name has to be looked up before every write, and the size comes with it.
    fn open_current(&mut self) -> io::Result<u64> {
        let named = fs::metadata(&self.path).ok();
        let of_name = named.as_ref().and_then(identity);
        self.open.take_if(|(known, _)| of_name.is_none() || *known != of_name);
        if self.open.is_none() {
            let file = File::options().append(true).create(true).open(&self.path)?;
            self.open = Some((identity(&file.metadata()?), file));
        }
        Ok(named.map_or(0, |metadata| metadata.len()))
    }

    /// Another process may have rotated the file before the lock was taken.
    fn rotate_if_full(&mut self) -> io::Result<()> {
        let length = fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        if !self.is_full_at(length) {
            return Ok(());
        }
        let rotated = self.rotate();
        if rotated.is_err() {
            self.waiting.clear();
        }
        rotated
    }

    fn rotate(&mut self) -> io::Result<()> {
        let oldest = self.limits.files.saturating_sub(1);
        if oldest == 0 {
            return File::options().write(true).open(&self.path)?.set_len(0);
        }
        // There may be more files from a higher limit before.
        for number in oldest.. {
            if fs::remove_file(generation(&self.path, number)).is_err() {
                break;
            }
        }
        for number in (0..oldest).rev() {
            let from = generation(&self.path, number);
            if from.exists() {
                fs::rename(from, generation(&self.path, number + 1))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_in(path: &Path) -> Vec<String> {
        fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    fn write(files: &mut LogFiles, log: LogFile, line: &str) {
        files.write_all(format!("{}{line}\n", log.tag()).as_bytes()).unwrap();
        files.flush().unwrap();
    }

    #[test]
    fn a_full_file_becomes_the_first_generation_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("django.log");
        let mut files = LogFiles::open(folder.path(), Limits { bytes_max: 12, files: 3 }).unwrap();
        for number in 0..7 {
            write(&mut files, LogFile::Api, &format!("line{number}"));
        }
        let all: Vec<Vec<String>> = (0..4).map(|number| lines_in(&generation(&path, number))).collect();
        assert_eq!(all, [vec!["line6"], vec!["line4", "line5"], vec!["line2", "line3"], vec![]]);
        let mut fewer = LogFiles::open(folder.path(), Limits { bytes_max: 12, files: 2 }).unwrap();
        write(&mut fewer, LogFile::Api, "line7");
        write(&mut fewer, LogFile::Api, "line8");
        assert_eq!(lines_in(&generation(&path, 1)), ["line6", "line7"]);
        assert!(!generation(&path, 2).exists(), "a lower limit takes the older ones away");
        let mut one = LogFiles::open(folder.path(), Limits { bytes_max: 12, files: 1 }).unwrap();
        write(&mut one, LogFile::Api, "line9");
        write(&mut one, LogFile::Api, "lineA");
        assert_eq!(lines_in(&path), ["lineA"], "a single file is emptied");
    }

    #[test]
    fn lines_go_to_the_file_of_their_tag() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = LogFiles::open(folder.path(), Limits { bytes_max: 1000, files: 2 }).unwrap();
        let tagged = |log: LogFile| format!("{}{}\n", log.tag(), log.short_name());
        let batch: String = LogFile::all().chain(LogFile::all()).map(tagged).collect();
        files.write_all((batch + "no tag\n").as_bytes()).unwrap();
        files.flush().unwrap();
        for log in LogFile::all().skip(1) {
            assert_eq!(lines_in(&folder.path().join(log.file_name())), [log.short_name(); 2]);
        }
        assert_eq!(lines_in(&folder.path().join("django.log")), ["django", "django", "no tag"]);
    }

    /// All lines, the oldest first.
    fn all_lines(folder: &Path, log: LogFile, generations_max: u32) -> Vec<String> {
        let path = folder.join(log.file_name());
        (0..generations_max).rev().flat_map(|number| lines_in(&generation(&path, number))).collect()
    }

    #[test]
    fn a_large_batch_is_divided_at_line_ends() {
        let folder = tempfile::tempdir().unwrap();
        let bytes_max = BUFFER_BYTES_MAX as u64;
        let mut files = LogFiles::open(folder.path(), Limits { bytes_max, files: 20 }).unwrap();
        let lines: Vec<String> = (0..5000).map(|number| format!("{number} {}", "x".repeat(60))).collect();
        let tagged = |line: &String| format!("{}{line}\n", LogFile::Corpus.tag());
        files.write_all(lines.iter().map(tagged).collect::<String>().as_bytes()).unwrap();
        files.flush().unwrap();
        assert_eq!(all_lines(folder.path(), LogFile::Corpus, 20), lines);
        let path = folder.path().join(LogFile::Corpus.file_name());
        let sizes: Vec<u64> =
            (0..20).map_while(|n| fs::metadata(generation(&path, n)).ok()).map(|m| m.len()).collect();
        assert!(sizes.len() > 4 && sizes.iter().all(|size| *size < 2 * bytes_max), "{sizes:?}");
    }

    #[test]
    fn a_file_that_another_process_rotated_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let open = || LogFiles::open(folder.path(), Limits { bytes_max: 12, files: 2 }).unwrap();
        let (mut quiet, mut busy) = (open(), open());
        write(&mut quiet, LogFile::Api, "quiet0");
        // The file that `quiet` has open is renamed, then removed.
        (0..4).for_each(|number| write(&mut busy, LogFile::Api, &format!("busy-{number}")));
        write(&mut quiet, LogFile::Api, "quiet1");
        assert_eq!(lines_in(&folder.path().join("django.log")), ["quiet1"]);
        assert_eq!(lines_in(&folder.path().join("django.log.1")), ["busy-3"]);
    }

    #[test]
    fn nobody_renames_while_others_write() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = LogFiles::open(folder.path(), Limits { bytes_max: 6, files: 2 }).unwrap();
        let other = File::open(folder.path().join(LOCK_FILE)).unwrap();
        write(&mut files, LogFile::Api, "line0");
        other.lock_shared().unwrap();
        write(&mut files, LogFile::Api, "line1");
        assert_eq!(lines_in(&folder.path().join("django.log")), ["line0", "line1"], "rotation is postponed");
        other.unlock().unwrap();
        write(&mut files, LogFile::Api, "line2");
        assert_eq!(lines_in(&folder.path().join("django.log")), ["line2"]);
        // A process that was suspended while it renamed does not block the others.
        other.lock().unwrap();
        files.write_all(b"Aline3\nBline4\n").unwrap();
        files.flush().unwrap();
        assert_eq!(lines_in(&folder.path().join("django.log")), ["line2", "line3"]);
        assert_eq!(lines_in(&folder.path().join(LogFile::Search.file_name())), ["line4"]);
    }

    #[test]
    fn writers_that_share_a_folder_lose_no_line() {
        const WRITERS: usize = 4;
        const BATCHES: usize = 10;
        const ROUNDS: usize = 30;
        let folder = tempfile::tempdir().unwrap();
        // Space for all lines in the kept files.
        let limits = Limits { bytes_max: 100, files: 2000 };
        let open = || LogFiles::open(folder.path(), limits).unwrap();
        let mut alone = open();
        let name = |round: usize, writer: usize, number: usize| format!("r{round}w{writer}n{number}");
        for round in 0..ROUNDS {
            std::thread::scope(|scope| {
                for writer in 0..WRITERS {
                    let mut files = open();
                    scope.spawn(move || {
                        for batch in 0..BATCHES {
                            let lines = [2 * batch, 2 * batch + 1].map(|number| name(round, writer, number));
                            write(
                                &mut files,
                                LogFile::Beats,
                                &lines.join(&format!("\n{}", LogFile::Beats.tag())),
                            );
                        }
                    });
                }
            });
            // While others write nobody may rename; now the full file is renamed for certain.
            write(&mut alone, LogFile::Beats, &format!("r{round}"));
        }
        let path = folder.path().join(LogFile::Beats.file_name());
        let generations = (0..limits.files).take_while(|number| generation(&path, *number).exists()).count();
        assert!(generations > ROUNDS, "{generations} generations are too few to prove anything");
        let lines = all_lines(folder.path(), LogFile::Beats, limits.files);
        assert_eq!(lines.len(), ROUNDS * (WRITERS * BATCHES * 2 + 1));
        for (round, writer) in (0..ROUNDS).flat_map(|round| (0..WRITERS).map(move |writer| (round, writer))) {
            let prefix = format!("r{round}w{writer}n");
            let of_writer: Vec<&String> = lines.iter().filter(|line| line.starts_with(&prefix)).collect();
            let expected: Vec<String> = (0..2 * BATCHES).map(|number| name(round, writer, number)).collect();
            assert!(of_writer.into_iter().eq(&expected), "{prefix}: complete and in order");
        }
    }
}

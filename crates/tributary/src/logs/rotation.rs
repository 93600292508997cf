//! Rotating log files. Several processes may share a folder: all append, and renaming excludes writing, so that no line
//! is lost.

use super::LogFile;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Buffer size.
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

/// All log files of a folder as one writer: each write is one line with the tag of its file.
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
        files.iter_mut().try_for_each(|file| file.current().map(|_| ()))?;
        Ok(Self { lock, files })
    }
}

impl Write for LogFiles {
    fn write(&mut self, tagged: &[u8]) -> io::Result<usize> {
        let (log, line) = match tagged.split_first().map(|(tag, line)| (LogFile::of_tag(*tag), line)) {
            Some((Some(log), line)) => (log, line),
            _ => (LogFile::Api, tagged),
        };
        let file = &mut self.files[log as usize];
        file.waiting.extend_from_slice(line);
        if file.waiting.len() > BUFFER_BYTES_MAX {
            file.write_out(&self.lock)?;
        }
        Ok(tagged.len())
    }

    /// Flushes every file, even if others fail.
    fn flush(&mut self) -> io::Result<()> {
        let tried: Vec<io::Result<()>> =
            self.files.iter_mut().map(|file| file.write_out(&self.lock)).collect();
        tried.into_iter().collect()
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

    /// Writes the buffer. Discards it on failure, so that memory does not grow while the disk is full.
    fn write_out(&mut self, lock: &File) -> io::Result<()> {
        let lines = std::mem::take(&mut self.waiting);
        if lines.is_empty() {
            return Ok(());
        }
        // If others are writing, rotation is postponed.
        if self.is_full(lines.len()) && lock.try_lock().is_ok() {
            let rotated = if self.is_full(lines.len()) { self.rotate() } else { Ok(()) };
            lock.unlock()?;
            rotated?;
        }
        let is_held = (0..LOCK_TRIES).any(|attempt| {
            if attempt > 0 {
                std::thread::sleep(LOCK_PAUSE);
            }
            lock.try_lock_shared().is_ok()
        });
        let written = self.current().and_then(|file| file.write_all(&lines));
        if is_held {
            lock.unlock()?;
        }
        written
    }

    fn is_full(&self, more: usize) -> bool {
        let length = fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        length > 0 && length + more as u64 > self.limits.bytes_max
    }

    /// Reopens the file if another process has renamed it.
    fn current(&mut self) -> io::Result<&mut File> {
        let named = fs::metadata(&self.path).ok().and_then(|metadata| identity(&metadata));
        self.open.take_if(|(known, _)| named.is_none() || *known != named);
        let open = match self.open.take() {
            Some(open) => open,
            None => {
                let file = File::options().append(true).create(true).open(&self.path)?;
                (identity(&file.metadata()?), file)
            }
        };
        Ok(&mut self.open.insert(open).1)
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
        LogFile::all().for_each(|log| write(&mut files, log, log.short_name()));
        files.write_all(b"no tag\n").unwrap();
        files.flush().unwrap();
        for log in LogFile::all().skip(1) {
            assert_eq!(lines_in(&folder.path().join(log.file_name())), [log.short_name()]);
        }
        assert_eq!(lines_in(&folder.path().join("django.log")), ["django", "no tag"]);
    }

    #[test]
    fn writers_that_share_a_folder_lose_no_line() {
        const WRITERS: usize = 4;
        const LINES: usize = 20;
        const ROUNDS: usize = 30;
        let folder = tempfile::tempdir().unwrap();
        // Space for all lines in the kept files.
        let limits = Limits { bytes_max: 100, files: 2000 };
        let open = || LogFiles::open(folder.path(), limits).unwrap();
        let mut alone = open();
        for round in 0..ROUNDS {
            std::thread::scope(|scope| {
                for writer in 0..WRITERS {
                    let mut files = open();
                    scope.spawn(move || {
                        for number in 0..LINES {
                            write(&mut files, LogFile::Beats, &format!("r{round}w{writer}n{number}"));
                        }
                    });
                }
            });
            // While others write nobody may rename; now the full file is renamed for certain.
            write(&mut alone, LogFile::Beats, &format!("r{round}"));
        }
        let path = folder.path().join(LogFile::Beats.file_name());
        let generations = (0..limits.files).take_while(|number| generation(&path, *number).exists()).count();
        let mut lines: Vec<String> =
            (0..limits.files).flat_map(|number| lines_in(&generation(&path, number))).collect();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), ROUNDS * (WRITERS * LINES + 1));
        assert!(generations > ROUNDS, "{generations} generations are too few to prove anything");
    }
}

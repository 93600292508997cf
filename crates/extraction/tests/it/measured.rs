//! Reads one file in a separate process, so that its time and memory can be measured, and nothing it does affects the
//! test.

use crate::samples::{docx, file};
use domain::ports::{ExtractError, ExtractedText};
use extraction::{Limits, read};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Most memory for reading any file, in kilobytes: the file, its decompressed parts and the text. Two files are read
/// at once.
pub const PEAK_KB_MAX: u64 = 512 * 1024;
/// The time limit, and what is lost between two checks of the deadline in a test build.
pub const TIME_MAX: Duration = Duration::from_secs(25);

const CHILD: &str = "measured::one_file_is_measured";
const MARK: &str = "measured ";

#[derive(Debug, Clone)]
pub struct Measured {
    /// `text <characters> <is cut>`, or the error.
    pub outcome: String,
    pub peak_kb: u64,
    pub took: Duration,
}

impl Measured {
    /// Reads a file in a separate process, which must not crash, grow or hang.
    pub fn of(name: &str, bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", CHILD, "--nocapture", "--test-threads=1"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("a child");
        let mut input = child.stdin.take().expect("its input");
        input.write_all(path.to_str().expect("a path").as_bytes()).expect("its name");
        drop(input);
        let done = child.wait_with_output().expect("its end");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{name} broke its reader: {said}");
        let line = said.lines().find_map(|line| line.strip_prefix(MARK)).expect("a measure");
        let mut parts = line.splitn(3, ' ');
        let mut number = || parts.next().and_then(|text| text.parse().ok()).expect("a number");
        let (peak_kb, took) = (number(), Duration::from_millis(number()));
        let measured = Self { outcome: parts.next().unwrap_or_default().to_owned(), peak_kb, took };
        eprintln!("{name}: {measured:?}");
        assert!(measured.peak_kb < PEAK_KB_MAX, "{name}: {measured:?}");
        assert!(measured.took < TIME_MAX, "{name}: {measured:?}");
        measured
    }
}

/// The peak memory of this process; 0 if the system does not report it.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn shown(answer: Result<ExtractedText, ExtractError>) -> String {
    match answer {
        Ok(found) => format!("text {} {}", found.text.chars().count(), found.is_cut),
        Err(error) => error.to_string(),
    }
}

/// The child. Without a name on its input it reads a small file and measures that.
#[test]
fn one_file_is_measured() {
    let mut path = String::new();
    std::io::stdin().read_to_string(&mut path).expect("an input");
    let (name, bytes) = match path.trim() {
        "" => ("a.docx", docx()),
        path => (path, std::fs::read(path).expect("the file")),
    };
    let started = Instant::now();
    let outcome = shown(read(&file(name, bytes), &Limits::default()));
    let took = started.elapsed();
    assert!(peak_kb() > 0 || !cfg!(target_os = "linux"));
    assert!(path.trim() != "" || outcome.starts_with("text "), "{outcome}");
    eprintln!("\n{MARK}{} {} {outcome}", peak_kb(), took.as_millis());
}

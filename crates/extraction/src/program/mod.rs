//! Reading in a process of its own. A thread cannot be ended from outside; a process can, and the system bounds its memory
//! and its time. Kinds whose libraries unpack before they can be watched are read so.

mod child;
mod wire;

pub use child::read_as_program;

use crate::limits::{Limits, PROGRAM_START_MAX, PROPERTY_CHARS_MAX};
use domain::contracts::{ExtractError, ExtractedText, FileToRead};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::Semaphore;

/// The command of the program that reads one file from its input.
const READ_FILE: &str = "read-file";

/// The allocator of the program sets a gigabyte of addresses aside as soon as it starts, which the limit of memory would
/// count; this keeps it from that.
const ALLOCATOR: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "0");

/// Most bytes of one character in an answer, and of all that is around its texts.
const CHAR_BYTES_MAX: usize = 4;
const FRAME_BYTES_MAX: usize = 4 * 1024;

/// Another process of a program that knows the command.
#[derive(Debug)]
pub struct ReaderProgram {
    path: PathBuf,
    limits: Limits,
    places: Semaphore,
}

impl ReaderProgram {
    pub fn new(path: PathBuf, limits: &Limits) -> Self {
        Self { path, limits: limits.clone(), places: Semaphore::new(limits.threads.max(1)) }
    }

    /// A caller that goes away ends the process.
    pub async fn read(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        let Ok(_place) = self.places.acquire().await else { return Err(failed("there is no place for it")) };
        let time = self.limits.time + PROGRAM_START_MAX;
        tokio::time::timeout(time, self.run(file)).await.unwrap_or(Err(ExtractError::Timeout))
    }

    async fn run(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        let head = wire::head(&file, &self.limits).map_err(failed)?;
        let mut command = Command::new(&self.path);
        command.arg(READ_FILE).env_clear().env(ALLOCATOR.0, ALLOCATOR.1).current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no input"));
        };
        let give = async move {
            // One that ends before it has the whole file says why by how it ends.
            let _its_end_tells = match input.write_all(&head).await {
                Ok(()) => input.write_all(&file.bytes).await,
                failed => failed,
            };
        };
        let (mut answer, bytes_max) = (Vec::new(), answer_bytes_max(&self.limits));
        let mut output = output.take(bytes_max as u64 + 1);
        let ((), taken) = tokio::join!(give, output.read_to_end(&mut answer));
        taken.map_err(failed)?;
        if answer.len() > bytes_max {
            return Err(failed("its answer is too long"));
        }
        let end = child.wait().await.map_err(failed)?;
        if end.success() { wire::answer(&answer).map_err(failed)? } else { Err(why(end)) }
    }
}

fn answer_bytes_max(limits: &Limits) -> usize {
    limits.output_chars.saturating_add(2 * PROPERTY_CHARS_MAX).saturating_mul(CHAR_BYTES_MAX)
        + FRAME_BYTES_MAX
}

fn failed(what: impl ToString) -> ExtractError {
    ExtractError::Service(what.to_string())
}

/// How it ended says why.
#[cfg(unix)]
fn why(end: ExitStatus) -> ExtractError {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let signal = end.signal().and_then(Signal::from_named_raw);
    match signal {
        Some(Signal::XCPU) => ExtractError::Timeout,
        // So ends who gets no more memory, or who calls himself too often.
        Some(Signal::ABORT) => {
            ExtractError::Damaged("reading it takes more memory than the limits allow".to_owned())
        }
        Some(Signal::SEGV | Signal::BUS | Signal::ILL | Signal::FPE | Signal::TRAP) => {
            ExtractError::Damaged("its reader gave up".to_owned())
        }
        _ => failed(format!("its process was ended ({end})")),
    }
}

#[cfg(not(unix))]
fn why(end: ExitStatus) -> ExtractError {
    failed(format!("its process was ended ({end})"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn the_end_of_a_process_tells_why() {
        let table: &[(i32, &str)] = &[
            (24, "the file could not be read in time"),
            (6, "the file is damaged: reading it takes more memory than the limits allow"),
            (11, "the file is damaged: its reader gave up"),
            (9, "its process was ended (signal: 9 (SIGKILL))"),
            (3 << 8, "its process was ended (exit status: 3)"),
        ];
        for (raw, expected) in table {
            let sentence = why(ExitStatus::from_raw(*raw)).to_string();
            assert!(sentence.ends_with(expected), "{raw}: {sentence}");
        }
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_or_says_nonsense_is_told() {
        let file = FileToRead { media_type: None, name: "a.pdf".to_owned(), bytes: "%PDF-".into() };
        for (path, expected) in [("/nowhere/tributary", "No such file"), ("/bin/echo", "expected")] {
            let program = ReaderProgram::new(path.into(), &Limits::default());
            let error = program.read(file.clone()).await.unwrap_err();
            assert!(
                matches!(error, ExtractError::Service(_)) && error.to_string().contains(expected),
                "{error}"
            );
        }
        // The answer is longer than a text may be.
        let limits = Limits { output_chars: 0, ..Limits::default() };
        let program = ReaderProgram::new("/usr/bin/yes".into(), &limits);
        assert!(program.read(file).await.unwrap_err().to_string().contains("too long"));
    }
}

//! Extraction in a subprocess. Unlike a thread, a process can be killed, and the system limits its memory and time.
//! Used for formats whose libraries decompress without control.

mod child;
mod wire;

pub use child::read_in_subprocess;

use crate::limits::{Limits, PROPERTY_CHARS_MAX, SUBPROCESS_START_MAX};
use domain::page_starts::PAGE_STARTS_MAX;
use domain::ports::{ExtractError, ExtractedText, FileToRead};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::Semaphore;

/// The command that reads one file from standard input.
const READ_FILE: &str = "read-file";

/// Keeps the program's allocator from reserving a gigabyte of address space at start, which would count against the
/// memory limit.
const ALLOCATOR: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "0");

/// Most bytes per character and per page start in a response, and of everything around its texts.
const CHAR_BYTES_MAX: usize = 4;
/// Ten digits and a comma.
const PAGE_START_BYTES_MAX: usize = 11;
const FRAME_BYTES_MAX: usize = 4 * 1024;

/// Starts subprocesses of a program that has the command.
#[derive(Debug)]
pub struct ReaderProcess {
    path: PathBuf,
    limits: Limits,
    places: Semaphore,
}

impl ReaderProcess {
    pub fn new(path: PathBuf, limits: &Limits) -> Self {
        Self { path, limits: limits.clone(), places: Semaphore::new(limits.threads.max(1)) }
    }

    /// Dropping the future kills the process.
    pub async fn read(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        let Ok(_place) = self.places.acquire().await else { return Err(failed("there is no place for it")) };
        let time = self.limits.time + SUBPROCESS_START_MAX;
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
            // A process that ends early reports the reason by its exit status.
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
        + (PAGE_STARTS_MAX + 1) * PAGE_START_BYTES_MAX
        + FRAME_BYTES_MAX
}

fn failed(what: impl ToString) -> ExtractError {
    ExtractError::Service(what.to_string())
}

/// The error according to the exit status.
#[cfg(unix)]
fn why(end: ExitStatus) -> ExtractError {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let signal = end.signal().and_then(Signal::from_named_raw);
    match signal {
        Some(Signal::XCPU) => ExtractError::Timeout,
        // Out of memory, or stack overflow.
        Some(Signal::ABORT) => {
            ExtractError::Damaged("reading it takes more memory than the limits allow".to_owned())
        }
        Some(Signal::SEGV | Signal::BUS | Signal::ILL | Signal::FPE | Signal::TRAP) => {
            ExtractError::Damaged("its reader failed".to_owned())
        }
        _ => failed(format!("its process was ended ({end})")),
    }
}

#[cfg(not(unix))]
fn why(end: ExitStatus) -> ExtractError {
    failed(format!("its process was ended ({end})"))
}

#[cfg(all(test, unix))]
mod tests;

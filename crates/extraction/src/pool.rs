//! Extraction off the async runtime: a thread pool with a bounded queue, and subprocesses for risky formats.

use crate::kind::Kind;
use crate::limits::Limits;
use crate::reader::{self, STACK_BYTES};
use crate::subprocess::ReaderProcess;
use crate::text_builder::Deadline;
use async_trait::async_trait;
use domain::ports::{ExtractError, ExtractText, ExtractedText, FileToRead};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};

/// Reads files of every known kind.
#[derive(Debug)]
pub struct Extraction {
    jobs: mpsc::Sender<Job>,
    limits: Limits,
    subprocess: Option<ReaderProcess>,
}

#[derive(Debug)]
struct Job {
    file: FileToRead,
    is_abandoned: Arc<AtomicBool>,
    answer: oneshot::Sender<Result<ExtractedText, ExtractError>>,
}

impl Extraction {
    /// Starts the threads; they end when this is dropped.
    pub fn start(limits: Limits) -> io::Result<Self> {
        let (jobs, waiting) = mpsc::channel(limits.queue.max(1));
        let waiting = Arc::new(Mutex::new(waiting));
        for number in 0..limits.threads.max(1) {
            let (waiting, limits) = (Arc::clone(&waiting), limits.clone());
            let thread = std::thread::Builder::new();
            let thread = thread.name(format!("extraction-{number}")).stack_size(STACK_BYTES);
            thread.spawn(move || work(&waiting, &limits))?;
        }
        Ok(Self { jobs, limits, subprocess: None })
    }

    /// Reads risky formats in subprocesses of this program, which must have the command `read-file`.
    pub fn with_subprocess(self, path: PathBuf) -> Self {
        Self { subprocess: Some(ReaderProcess::new(path, &self.limits)), ..self }
    }

    async fn read(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        match &self.subprocess {
            Some(subprocess) if Kind::is_read_apart(&file) => subprocess.read(file).await,
            _ => self.read_in_thread(file).await,
        }
    }

    async fn read_in_thread(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        let (answer, answered) = oneshot::channel();
        // If the caller goes away, the thread stops at its next check of the deadline.
        let abandon = Abandon(Arc::default());
        let job = Job { file, is_abandoned: Arc::clone(&abandon.0), answer };
        let given_up = || ExtractError::Damaged("its reader failed".to_owned());
        self.jobs.send(job).await.map_err(|_| given_up())?;
        answered.await.map_err(|_| given_up())?
    }
}

#[async_trait]
impl ExtractText for Extraction {
    fn knows(&self, name: &str) -> bool {
        reader::knows(name)
    }

    async fn extract(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        if file.bytes.len() as u64 > self.limits.input_bytes {
            return Err(ExtractError::TooLarge(self.limits.input_bytes));
        }
        tokio::time::timeout(self.limits.wait, self.read(file)).await.unwrap_or(Err(ExtractError::Timeout))
    }
}

struct Abandon(Arc<AtomicBool>);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn work(waiting: &Mutex<mpsc::Receiver<Job>>, limits: &Limits) {
    loop {
        let next = match waiting.lock() {
            Ok(mut waiting) => waiting.blocking_recv(),
            // Nothing panics while holding the lock.
            Err(_poisoned) => None,
        };
        let Some(job) = next else { return };
        if job.is_abandoned.load(Ordering::Relaxed) {
            continue;
        }
        let deadline = Deadline::shared(limits.time, job.is_abandoned);
        // The caller may be gone, and then nobody needs the result.
        let _ = job.answer.send(reader::read_with_deadline(&job.file, limits, deadline));
    }
}

//! Extraction beside the async runtime: threads of its own, a bounded queue before them; and processes for the kinds that
//! need one.

use crate::kind::Kind;
use crate::limits::Limits;
use crate::program::ReaderProgram;
use crate::reading::Watch;
use async_trait::async_trait;
use domain::contracts::{ExtractError, ExtractText, ExtractedText, FileToRead};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot};

/// Readers of foreign formats call themselves; a thread has space for the depth that the limits allow.
pub const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Reads files of every kind that is known here.
#[derive(Debug)]
pub struct Extraction {
    jobs: mpsc::Sender<Job>,
    limits: Limits,
    program: Option<ReaderProgram>,
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
        Ok(Self { jobs, limits, program: None })
    }

    /// Kinds that could take more than their share are read in processes of this program, which knows the command
    /// `read-file`.
    pub fn with_program(self, path: PathBuf) -> Self {
        Self { program: Some(ReaderProgram::new(path, &self.limits)), ..self }
    }

    async fn read(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        match &self.program {
            Some(program) if Kind::is_read_apart(&file) => program.read(file).await,
            _ => self.read_in_thread(file).await,
        }
    }

    async fn read_in_thread(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        let (answer, answered) = oneshot::channel();
        // When the caller goes away, by its own time limit or ours, the thread stops at its next look.
        let abandon = Abandon(Arc::default());
        let job = Job { file, is_abandoned: Arc::clone(&abandon.0), answer };
        let given_up = || ExtractError::Damaged("its reader gave up".to_owned());
        self.jobs.send(job).await.map_err(|_| given_up())?;
        answered.await.map_err(|_| given_up())?
    }
}

#[async_trait]
impl ExtractText for Extraction {
    fn knows(&self, name: &str) -> bool {
        crate::knows(name)
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
            // Nothing panics while it holds the lock.
            Err(_poisoned) => None,
        };
        let Some(job) = next else { return };
        if job.is_abandoned.load(Ordering::Relaxed) {
            continue;
        }
        let watch = Watch::shared(limits.time, job.is_abandoned);
        // Nobody waits any more: then nobody needs the answer.
        let _ = job.answer.send(crate::read_watched(&job.file, limits, watch));
    }
}

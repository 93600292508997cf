//! Queue of log lines: the threads that log append to it, and one thread writes everything that has gathered at once.

use std::borrow::Cow;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// From this size on, lines are written without waiting for more.
const BATCH_BYTES: usize = 64 * 1024;
/// Capacity of a buffer that is kept after a larger batch.
const BUFFER_BYTES_KEPT: usize = 4 * BATCH_BYTES;

/// Limits of a queue.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    /// Maximum number of waiting lines. Further lines are dropped and counted.
    pub lines_max: usize,
    /// Maximum size of the waiting lines. Further lines are dropped and counted.
    pub bytes_max: usize,
    /// How long lines gather before they are written, so that those of one search take few writes. Warnings and errors
    /// are written at once, with all lines before them.
    pub gather_for: Duration,
    /// Maximum wait for the last batch at the end of the program: a disk that does not respond must not keep it from
    /// ending.
    pub end_wait_max: Duration,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self {
            lines_max: 16_384,
            bytes_max: 32 * 1024 * 1024,
            gather_for: Duration::from_millis(50),
            end_wait_max: Duration::from_secs(1),
        }
    }
}

/// Makes one line of an event, including the line break at its end.
pub type LineShape = for<'a> fn(&'a str) -> Cow<'a, str>;

/// Starts a thread that writes what is put into the queue. Logging never waits for it.
pub fn start(
    name: &str,
    writer: impl Write + Send + 'static,
    limits: QueueLimits,
    shape: LineShape,
) -> io::Result<(LineQueue, WriterThread)> {
    let shared = Arc::new(Shared {
        limits,
        waiting: Mutex::new(Waiting::default()),
        changed: Condvar::new(),
        ended: Condvar::new(),
    });
    let of_thread = Arc::clone(&shared);
    thread::Builder::new().name(name.to_owned()).spawn(move || of_thread.write_batches(writer))?;
    Ok((LineQueue { shared: Arc::clone(&shared), shape }, WriterThread(shared)))
}

/// The writing end of the queue, for a layer of the subscriber.
#[derive(Clone)]
pub struct LineQueue {
    shared: Arc<Shared>,
    shape: LineShape,
}

impl<'a> MakeWriter<'a> for LineQueue {
    type Writer = EventWriter<'a>;

    fn make_writer(&'a self) -> EventWriter<'a> {
        EventWriter { queue: self, level: Level::INFO }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> EventWriter<'a> {
        EventWriter { queue: self, level: *metadata.level() }
    }
}

/// Puts events into the queue. Each write is a whole event.
pub struct EventWriter<'a> {
    queue: &'a LineQueue,
    level: Level,
}

impl Write for EventWriter<'_> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = (self.queue.shape)(&text);
        self.queue.shared.push(line.as_bytes(), self.level);
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Owner of the thread: writes what is waiting when it is dropped.
pub struct WriterThread(Arc<Shared>);

impl WriterThread {
    /// Number of lines that were dropped, because the queue was full.
    pub fn dropped_lines(&self) -> u64 {
        self.0.lock().dropped
    }
}

impl Drop for WriterThread {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        waiting.is_closed = true;
        self.0.changed.notify_one();
        let is_running = |waiting: &mut Waiting| !waiting.has_ended;
        let wait_max = self.0.limits.end_wait_max;
        let _written_or_too_late = self.0.ended.wait_timeout_while(waiting, wait_max, is_running);
    }
}

struct Shared {
    limits: QueueLimits,
    waiting: Mutex<Waiting>,
    /// For the thread: there is the first line, or the lines are due.
    changed: Condvar,
    /// For the owner: the thread has ended.
    ended: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    lines: usize,
    dropped: u64,
    /// The thread sleeps until there is a line. Otherwise it needs no wake-up, which is what a line costs most.
    is_writer_idle: bool,
    /// The lines are written without waiting for more.
    is_due: bool,
    is_closed: bool,
    has_ended: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, line: &[u8], level: Level) {
        let mut waiting = self.lock();
        let QueueLimits { lines_max, bytes_max, .. } = self.limits;
        let is_full = waiting.lines >= lines_max || waiting.bytes.len() + line.len() > bytes_max;
        if is_full || waiting.is_closed {
            waiting.dropped += 1;
            return;
        }
        waiting.bytes.extend_from_slice(line);
        waiting.lines += 1;
        let is_now_due = !waiting.is_due && (level <= Level::WARN || waiting.bytes.len() >= BATCH_BYTES);
        waiting.is_due |= is_now_due;
        let was_idle = mem::take(&mut waiting.is_writer_idle);
        drop(waiting);
        if was_idle || is_now_due {
            self.changed.notify_one();
        }
    }

    /// Waits for lines and exchanges them for the empty buffer. Returns whether more may follow.
    fn take(&self, buffer: &mut Vec<u8>) -> bool {
        let mut waiting = self.lock();
        while waiting.lines == 0 && !waiting.is_closed {
            waiting.is_writer_idle = true;
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        waiting.is_writer_idle = false;
        let is_gathering = |waiting: &mut Waiting| !waiting.is_due && !waiting.is_closed;
        let gathered = self.changed.wait_timeout_while(waiting, self.limits.gather_for, is_gathering);
        let (mut waiting, _) = gathered.unwrap_or_else(PoisonError::into_inner);
        mem::swap(&mut waiting.bytes, buffer);
        waiting.lines = 0;
        waiting.is_due = false;
        !waiting.is_closed
    }

    fn write_batches(&self, mut writer: impl Write) {
        let _note_at_the_end = EndNote(self);
        let mut batch = Vec::new();
        let mut has_more = true;
        while has_more {
            has_more = self.take(&mut batch);
            if !batch.is_empty() {
                // A failure cannot be logged; the next batch is tried again.
                let _is_lost = writer.write_all(&batch);
                let _is_lost = writer.flush();
            }
            batch.clear();
            batch.shrink_to(BUFFER_BYTES_KEPT);
        }
    }
}

/// Notes the end of the thread, even if it panicked.
struct EndNote<'a>(&'a Shared);

impl Drop for EndNote<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.lock();
        (waiting.is_closed, waiting.has_ended) = (true, true);
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{self, Receiver, Sender};
    use std::time::Instant;

    /// Long enough that nothing is written because of the time.
    const NEVER: Duration = Duration::from_secs(3600);
    const HANGS: Duration = Duration::from_secs(20);
    const LIMITS: QueueLimits =
        QueueLimits { lines_max: 16_384, bytes_max: 4 * 1024 * 1024, gather_for: NEVER, end_wait_max: HANGS };

    /// Reports every write, and waits before it if it has something to wait for.
    struct Recorder {
        writes: Sender<Vec<u8>>,
        permits: Option<Receiver<()>>,
    }

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _the_test_has_enough = self.writes.send(bytes.to_owned());
            if let Some(permits) = &self.permits {
                let _all_are_permitted = permits.recv();
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn recorded(limits: QueueLimits) -> (LineQueue, WriterThread, Receiver<Vec<u8>>) {
        let (writes, written) = mpsc::channel();
        let recorder = Recorder { writes, permits: None };
        let (queue, thread) = start("test", recorder, limits, |event| event.into()).unwrap();
        (queue, thread, written)
    }

    fn log(queue: &LineQueue, level: Level, line: &str) {
        EventWriter { queue, level }.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn text(writes: Receiver<Vec<u8>>) -> String {
        String::from_utf8(writes.iter().flatten().collect()).unwrap()
    }

    #[test]
    fn a_burst_is_complete_and_in_order_with_few_writes() {
        const THREADS: usize = 8;
        const LINES: usize = 1000;
        let (queue, thread, writes) = recorded(LIMITS);
        std::thread::scope(|scope| {
            for number in 0..THREADS {
                let queue = &queue;
                scope.spawn(move || {
                    (0..LINES).for_each(|line| {
                        log(queue, Level::INFO, &format!("{number} {line} {}", "x".repeat(40)))
                    });
                });
            }
        });
        assert_eq!(thread.dropped_lines(), 0);
        drop(thread);
        let writes: Vec<Vec<u8>> = writes.try_iter().collect();
        assert!(writes.iter().all(|batch| batch.ends_with(b"\n")), "a write ends with a line");
        let bytes = writes.concat();
        assert!(writes.len() <= bytes.len() / BATCH_BYTES + 1, "{} writes", writes.len());
        let text = String::from_utf8(bytes).unwrap();
        for number in 0..THREADS {
            let prefix = format!("{number} ");
            let of_thread: Vec<usize> = text
                .lines()
                .filter_map(|line| line.strip_prefix(&prefix)?.split(' ').next()?.parse().ok())
                .collect();
            assert!(of_thread.into_iter().eq(0..LINES), "the lines of thread {number}");
        }
    }

    #[test]
    fn lines_gather_until_their_time_or_a_warning() {
        let (queue, _thread, writes) = recorded(LIMITS);
        log(&queue, Level::INFO, "one");
        log(&queue, Level::DEBUG, "two");
        log(&queue, Level::WARN, "three");
        let next = |writes: &Receiver<Vec<u8>>| writes.recv_timeout(HANGS).unwrap();
        assert_eq!(next(&writes), b"one\ntwo\nthree\n");
        log(&queue, Level::ERROR, "four");
        assert_eq!(next(&writes), b"four\n");
        log(&queue, Level::INFO, &"x".repeat(BATCH_BYTES));
        assert_eq!(next(&writes).len(), BATCH_BYTES + 1, "a full batch does not wait");

        let (queue, _thread, writes) =
            recorded(QueueLimits { gather_for: Duration::from_millis(1), ..LIMITS });
        log(&queue, Level::INFO, "one");
        assert_eq!(next(&writes), b"one\n");
        log(&queue, Level::INFO, "two");
        assert_eq!(next(&writes), b"two\n", "the thread sleeps and wakes again");
    }

    #[test]
    fn lines_beyond_a_limit_are_dropped_and_counted() {
        let (queue, thread, writes) = recorded(QueueLimits { lines_max: 4, ..LIMITS });
        (0..6).for_each(|number| log(&queue, Level::INFO, &format!("line{number}")));
        assert_eq!(thread.dropped_lines(), 2);
        drop(thread);
        log(&queue, Level::INFO, "after the end");
        drop(queue);
        assert_eq!(text(writes), "line0\nline1\nline2\nline3\n");

        let (queue, thread, writes) = recorded(QueueLimits { bytes_max: 12, ..LIMITS });
        ["line0", "line1", "line2"].iter().for_each(|line| log(&queue, Level::INFO, line));
        assert_eq!(thread.dropped_lines(), 1);
        drop((thread, queue));
        assert_eq!(text(writes), "line0\nline1\n");
    }

    #[test]
    fn a_slow_disk_delays_neither_lines_nor_the_end() {
        let (writes, written) = mpsc::channel();
        let (permit, permits) = mpsc::channel();
        let recorder = Recorder { writes, permits: Some(permits) };
        let end_wait_max = Duration::from_millis(20);
        let limits = QueueLimits { lines_max: 2, end_wait_max, ..LIMITS };
        let (queue, thread) = start("test", recorder, limits, |event| event.into()).unwrap();
        log(&queue, Level::WARN, "first");
        assert_eq!(written.recv_timeout(HANGS).unwrap(), b"first\n");
        ["second", "third", "fourth"].iter().for_each(|line| log(&queue, Level::WARN, line));
        assert_eq!(thread.dropped_lines(), 1);
        let started = Instant::now();
        drop(thread);
        assert!(started.elapsed() >= end_wait_max, "it waits for the disk, but not forever");
        drop(permit);
        assert_eq!(written.recv_timeout(HANGS).unwrap(), b"second\nthird\n");
    }

    #[test]
    fn a_panic_loses_no_line() {
        let (queue, thread, writes) = recorded(LIMITS);
        let of_panic = queue.clone();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _written_at_the_end = thread;
            log(&of_panic, Level::INFO, "before the panic");
            std::panic::resume_unwind(Box::new("without a message on the screen"));
        }));
        assert!(panicked.is_err());
        drop(queue);
        assert_eq!(text(writes), "before the panic\n");
    }

    #[test]
    fn a_failed_write_is_followed_by_others() {
        struct Failing(Recorder, u32);
        impl Write for Failing {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.1 += 1;
                if self.1 == 1 {
                    self.0.write(b"failed\n")?;
                    return Err(io::Error::from(io::ErrorKind::StorageFull));
                }
                self.0.write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (writes, written) = mpsc::channel();
        let failing = Failing(Recorder { writes, permits: None }, 0);
        let (queue, thread) = start("test", failing, LIMITS, |event| event.into()).unwrap();
        log(&queue, Level::WARN, "lost");
        assert_eq!(written.recv_timeout(HANGS).unwrap(), b"failed\n");
        log(&queue, Level::INFO, "written");
        drop((thread, queue));
        assert_eq!(text(written), "written\n");
    }
}

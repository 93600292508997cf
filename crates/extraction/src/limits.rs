//! The limits of extraction; a test reaches each of them.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Largest file that is read.
pub const INPUT_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Most parts in a package such as DOCX.
pub const ENTRIES_MAX: usize = 20_000;
/// Most bytes that all parts of a package, or the streams of one page, decompress to.
pub const UNPACKED_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// Largest compression ratio; plain text compresses to about a tenth.
pub const UNPACK_RATIO_MAX: u64 = 200;
/// The ratio is not checked below this many decompressed bytes: small repetitive files compress very well.
pub const UNPACK_RATIO_FROM_BYTES: u64 = 4 * 1024 * 1024;
/// Most pages, slides or sheets that are read; the text ends there.
pub const PAGES_MAX: usize = 5_000;
/// Deepest nesting of elements, of forms within pages, and of messages within messages.
pub const DEPTH_MAX: usize = 256;
/// Longest extracted text, in characters.
pub const OUTPUT_CHARS_MAX: usize = 4_000_000;
/// Longest title and author, in characters.
pub const PROPERTY_CHARS_MAX: usize = 500;
/// Time limit per file.
pub const TIME_MAX: Duration = Duration::from_secs(15);
/// How long a caller waits, including time in the queue.
pub const WAIT_MAX: Duration = Duration::from_secs(30);
/// Time limit of a Tika server per file.
pub const TIKA_TIME_MAX: Duration = Duration::from_secs(30);
/// Files read in parallel.
pub const THREADS: usize = 2;
/// Files waiting for a thread; further callers wait outside the queue.
pub const QUEUE_MAX: usize = 16;
/// Most address space of a subprocess: the program itself and the reader.
pub const SUBPROCESS_MEMORY_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// CPU time of a subprocess beyond the time limit of the file, to start and to write the response.
pub const SUBPROCESS_CPU_EXTRA_SECONDS: u64 = 1;
/// Wall time of a subprocess beyond the time limit of the file, on a busy machine.
pub const SUBPROCESS_START_MAX: Duration = Duration::from_secs(5);

/// The limits in effect.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Limits {
    pub input_bytes: u64,
    pub entries: usize,
    pub unpacked_bytes: u64,
    pub unpack_ratio: u64,
    pub unpack_ratio_from_bytes: u64,
    pub pages: usize,
    pub depth: usize,
    pub output_chars: usize,
    pub time: Duration,
    pub wait: Duration,
    pub threads: usize,
    pub queue: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: INPUT_BYTES_MAX,
            entries: ENTRIES_MAX,
            unpacked_bytes: UNPACKED_BYTES_MAX,
            unpack_ratio: UNPACK_RATIO_MAX,
            unpack_ratio_from_bytes: UNPACK_RATIO_FROM_BYTES,
            pages: PAGES_MAX,
            depth: DEPTH_MAX,
            output_chars: OUTPUT_CHARS_MAX,
            time: TIME_MAX,
            wait: WAIT_MAX,
            threads: THREADS,
            queue: QUEUE_MAX,
        }
    }
}

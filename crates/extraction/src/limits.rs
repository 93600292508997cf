//! The limits of reading, each with its name; a test reaches each of them.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Largest file that is looked at.
pub const INPUT_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Most parts in a package such as a word processor's.
pub const ENTRIES_MAX: usize = 20_000;
/// Most bytes that all parts of a package, or the streams of one page, unpack to.
pub const UNPACKED_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// How many times larger than the file its unpacked parts may be; text itself packs to a tenth or so.
pub const UNPACK_RATIO_MAX: u64 = 200;
/// Below so many unpacked bytes the ratio is not looked at: small files of repeated text pack very well.
pub const UNPACK_RATIO_FROM_BYTES: u64 = 4 * 1024 * 1024;
/// Most pages, slides or sheets that are read; the text ends there.
pub const PAGES_MAX: usize = 5_000;
/// Deepest nesting of elements, of forms within pages, and of messages within messages.
pub const DEPTH_MAX: usize = 256;
/// Longest text that is given back, in characters.
pub const OUTPUT_CHARS_MAX: usize = 4_000_000;
/// Longest title and author, in characters.
pub const PROPERTY_CHARS_MAX: usize = 500;
/// How long one file may be read.
pub const TIME_MAX: Duration = Duration::from_secs(15);
/// How long a caller waits for a place and for its file together.
pub const WAIT_MAX: Duration = Duration::from_secs(30);
/// How long a Tika server may take for one file.
pub const TIKA_TIME_MAX: Duration = Duration::from_secs(30);
/// Files that are read at once.
pub const THREADS: usize = 2;
/// Files that wait for a thread; further callers wait outside.
pub const QUEUE_MAX: usize = 16;
/// Most address space of a process that reads one file: that of the program itself, and what reading takes.
pub const PROGRAM_MEMORY_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// How much longer than a file may be read its process may compute: to start, and to write the answer.
pub const PROGRAM_CPU_EXTRA_SECONDS: u64 = 1;
/// How long, beside the time for the file, its process may take to start and to answer on a busy machine.
pub const PROGRAM_START_MAX: Duration = Duration::from_secs(5);

/// The limits in force.
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

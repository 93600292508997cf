//! Extraction: files of every format, limits, and damaged files.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod damaged;
mod hostile;
mod kinds;
mod limits;
mod measured;
mod page_numbers;
mod pool;
mod programs;
mod samples;
mod tika;

//! Extraction at work: files of every kind, limits that hold, damage that harms nobody.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod damaged;
mod hostile;
mod kinds;
mod limits;
mod measured;
mod pool;
mod programs;
mod samples;
mod tika;

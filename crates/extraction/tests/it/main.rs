//! Extraction at work: files of every kind, limits that hold, damage that harms nobody.

#![expect(clippy::expect_used, reason = "a test that cannot go on says so")]

mod damaged;
mod kinds;
mod libreoffice;
mod limits;
mod pool;
mod samples;

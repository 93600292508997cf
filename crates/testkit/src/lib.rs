//! What tests of every room share: a source that misbehaves on demand and a clock that stands still.

pub mod clock;
pub mod source;
pub mod suites;

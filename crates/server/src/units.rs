//! Units of settings.

pub const BYTES_PER_MB: usize = 1024 * 1024;

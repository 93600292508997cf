//! Whether the process is about to stop.

use std::sync::atomic::{AtomicBool, Ordering};

/// True once the process is about to stop. It is never reset.
#[derive(Debug, Default)]
pub struct ShutdownFlag(AtomicBool);

impl ShutdownFlag {
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

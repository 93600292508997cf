//! How long a collection that was verified need not be verified again.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a verified collection may be read without being verified again.
const VERIFIED_FOR: Duration = Duration::from_secs(30);

/// When the collection was last seen to be ours.
pub(super) struct Verified {
    at: Mutex<Option<Instant>>,
    pub(super) lasts: Duration,
}

impl Default for Verified {
    fn default() -> Self {
        Self { at: Mutex::new(None), lasts: VERIFIED_FOR }
    }
}

impl Verified {
    pub(super) fn forget(&self) {
        self.set(None);
    }

    pub(super) fn note(&self) {
        self.set(Some(Instant::now()));
    }

    pub(super) fn is_recent(&self) -> bool {
        let at = *self.at.lock().unwrap_or_else(PoisonError::into_inner);
        at.is_some_and(|at| at.elapsed() < self.lasts)
    }

    fn set(&self, at: Option<Instant>) {
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }
}

//! Locks that serialize the edits of a search within this process.

use domain::ids::SearchId;
use tokio::sync::{Mutex, MutexGuard};

/// Number of locks; searches share them.
const LOCKS: usize = 64;

/// Serializes the edits of a search in this process. The store rejects stale edits anyway; the locks only keep slow
/// edits from being overtaken repeatedly.
pub(crate) struct EditLocks([Mutex<()>; LOCKS]);

impl Default for EditLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl EditLocks {
    pub(crate) async fn lock(&self, id: SearchId) -> MutexGuard<'_, ()> {
        let lock = usize::try_from(id.0.unsigned_abs()).unwrap_or_default() % LOCKS;
        self.0[lock].lock().await
    }
}

//! One answer at a time for each chat of this process: a second message waits for nobody, it is refused.

use domain::ids::ChatId;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(super) struct Busy(Arc<Mutex<HashSet<ChatId>>>);

/// The right to answer in a chat; it ends when this is dropped.
pub(super) struct Turn {
    chat: ChatId,
    open: Arc<Mutex<HashSet<ChatId>>>,
}

impl Busy {
    /// None when somebody else has the right.
    pub fn enter(&self, chat: ChatId) -> Option<Turn> {
        lock(&self.0).insert(chat).then(|| Turn { chat, open: Arc::clone(&self.0) })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        lock(&self.open).remove(&self.chat);
    }
}

fn lock(open: &Mutex<HashSet<ChatId>>) -> MutexGuard<'_, HashSet<ChatId>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_for_each_chat() {
        let busy = Busy::default();
        let first = busy.enter(ChatId(1)).expect("nobody is there");
        assert!(busy.enter(ChatId(1)).is_none());
        assert!(busy.enter(ChatId(2)).is_some());
        drop(first);
        assert!(busy.enter(ChatId(1)).is_some());
    }
}

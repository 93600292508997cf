//! Lock per chat: a second message is rejected while a turn is in progress in this process.

use domain::ids::ChatId;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(super) struct ChatLocks(Arc<Mutex<HashSet<ChatId>>>);

/// The lock of a chat; released on drop.
pub(super) struct ChatLockGuard {
    chat: ChatId,
    locked: Arc<Mutex<HashSet<ChatId>>>,
}

impl ChatLocks {
    /// None if the chat is locked.
    pub fn try_lock(&self, chat: ChatId) -> Option<ChatLockGuard> {
        lock(&self.0).insert(chat).then(|| ChatLockGuard { chat, locked: Arc::clone(&self.0) })
    }
}

impl Drop for ChatLockGuard {
    fn drop(&mut self) {
        lock(&self.locked).remove(&self.chat);
    }
}

fn lock(locked: &Mutex<HashSet<ChatId>>) -> MutexGuard<'_, HashSet<ChatId>> {
    locked.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_for_each_chat() {
        let locks = ChatLocks::default();
        let first = locks.try_lock(ChatId(1)).expect("nobody is there");
        assert!(locks.try_lock(ChatId(1)).is_none());
        assert!(locks.try_lock(ChatId(2)).is_some());
        drop(first);
        assert!(locks.try_lock(ChatId(1)).is_some());
    }
}

//! Cache of document texts, so that reading further windows does not fetch the document again.

use domain::ids::{ResultId, UserId};
use domain::ports::PageText;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Maximum number of cached documents; the oldest is evicted first.
const DOCUMENTS_MAX: usize = 32;
/// Longer texts are not cached.
const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Time to live of an entry.
const KEPT_FOR: Duration = Duration::from_secs(300);

/// By user and result, because permissions differ.
type Key = (UserId, ResultId);

#[derive(Default)]
pub(crate) struct Documents(Mutex<VecDeque<(Key, Instant, Arc<PageText>)>>);

impl Documents {
    pub fn get(&self, user: UserId, result: ResultId) -> Option<Arc<PageText>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(_, until, _)| *until > Instant::now());
        kept.iter().find(|(key, _, _)| *key == (user, result)).map(|(_, _, text)| Arc::clone(text))
    }

    pub fn keep(&self, user: UserId, result: ResultId, text: &Arc<PageText>) {
        if text.text.len() > TEXT_BYTES_MAX {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(key, _, _)| *key != (user, result));
        while kept.len() >= DOCUMENTS_MAX {
            kept.pop_front();
        }
        kept.push_back(((user, result), Instant::now() + KEPT_FOR, Arc::clone(text)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Arc<PageText> {
        let text = text.to_owned();
        Arc::new(PageText { text, media_type: "text/html".to_owned(), ..PageText::default() })
    }

    #[tokio::test(start_paused = true)]
    async fn few_are_kept_for_a_while_and_each_for_its_reader() {
        let documents = Documents::default();
        for number in 0..=DOCUMENTS_MAX as i64 {
            documents.keep(UserId(1), ResultId(number), &text("x"));
        }
        assert!(documents.get(UserId(1), ResultId(0)).is_none(), "the oldest has left");
        assert!(documents.get(UserId(1), ResultId(1)).is_some());
        assert!(documents.get(UserId(2), ResultId(1)).is_none(), "someone else");
        documents.keep(UserId(1), ResultId(99), &text(&"x".repeat(TEXT_BYTES_MAX + 1)));
        assert!(documents.get(UserId(1), ResultId(99)).is_none(), "too long");
        tokio::time::advance(KEPT_FOR).await;
        assert!(documents.get(UserId(1), ResultId(1)).is_none());
    }
}

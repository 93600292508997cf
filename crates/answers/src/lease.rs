//! Which process may write the answer of a search: the store gives the right to one at a time.

use crate::answers::Desk;
use crate::board::Making;
use crate::error::AnswerError;
use crate::events::{AnswerEvent, Stage};
use crate::wish::is_answer_to;
use domain::answer::StoredAnswer;
use domain::contracts::StoreError;
use domain::ids::SearchId;
use domain::instant::Instant;
use domain::search::Search;
use std::time::Duration;

/// How long the right lasts without renewal: what a process that died keeps others from.
pub(crate) const LASTS: Duration = Duration::from_secs(10);
/// How often it is renewed, and so how late another process notices that it was cancelled.
pub(crate) const RENEW_EVERY: Duration = Duration::from_secs(2);
/// How often somebody who waits for another process looks.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(250);

pub(crate) enum Turn {
    /// The right is ours.
    Ours,
    /// Another process has made the answer meanwhile.
    Made(Box<StoredAnswer>),
}

impl Desk {
    /// Waits until nobody else writes. Ends with the answer if the other one made the same.
    pub(crate) async fn turn(
        &self,
        search: &Search,
        making: &Making,
        writer: &str,
    ) -> Result<Turn, AnswerError> {
        let mut has_told = false;
        loop {
            let now = self.context.clock.now();
            let is_ours = self.store.begin_answer(search.id, writer, self.until(), now).await?;
            // Also when the right is ours: somebody may have ended just before.
            if let Some(answer) = self.federation.saved_answer(search).await?
                && is_answer_to(&answer, search, &making.wish)
            {
                if is_ours {
                    self.store.end_answer(search.id, writer).await?;
                }
                return Ok(Turn::Made(Box::new(answer)));
            }
            if is_ours {
                return Ok(Turn::Ours);
            }
            if !has_told {
                making.tell(AnswerEvent::stage(Stage::Waiting));
                has_told = true;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Holds the right; ends when it was taken away.
    pub(crate) async fn hold(&self, search: SearchId, writer: &str) {
        loop {
            tokio::time::sleep(RENEW_EVERY).await;
            match self.store.renew_answer(search, writer, self.until()).await {
                Ok(true) => {}
                Ok(false) | Err(StoreError::NotFound) => return,
                // The right lasts some renewals longer; saving the answer finds out.
                Err(error) => tracing::warn!(
                    search.id = search.0,
                    %error,
                    "the right to answer search {search} could not be renewed: {error}"
                ),
            }
        }
    }

    fn until(&self) -> Instant {
        self.context.clock.now() + LASTS
    }
}

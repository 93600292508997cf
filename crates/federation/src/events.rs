//! What happens to a search while it runs, told to whoever listens in this process.

use domain::ids::{ProviderId, SearchId};
use domain::result::ResultSet;
use domain::status::SearchStatus;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// A listener that falls this far behind misses events and reads the row instead.
const EVENTS_KEPT_MAX: usize = 256;

#[derive(Debug, Clone)]
pub enum SearchEvent {
    /// One provider ended, well or not; its results as they stand, not yet ranked with the others.
    Provider(ProviderId, Arc<ResultSet>),
    Status(SearchStatus),
}

/// One channel for each search that somebody listens to.
#[derive(Debug, Default)]
pub struct SearchEvents {
    channels: Mutex<HashMap<SearchId, broadcast::Sender<SearchEvent>>>,
}

impl SearchEvents {
    /// Listens from now on. Subscribe first, then read the row, and nothing is missed.
    pub fn subscribe(&self, search: SearchId) -> broadcast::Receiver<SearchEvent> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|_, sender| sender.receiver_count() > 0);
        channels.entry(search).or_insert_with(|| broadcast::channel(EVENTS_KEPT_MAX).0).subscribe()
    }

    /// Tells the listeners, if there are any.
    pub fn publish(&self, search: SearchId, event: SearchEvent) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = channels.get(&search) {
            let _nobody_listens = sender.send(event);
        }
    }
}

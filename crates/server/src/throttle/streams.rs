//! Event streams stay open for minutes, so they are counted while they are open.

use crate::error::{ApiError, Refusal};
use domain::ids::UserId;
use domain::settings::Settings;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// When a client that has too many streams may ask again: a search ends within seconds, and its stream with it.
const RETRY_AFTER: Duration = Duration::from_secs(5);

pub struct EventStreams {
    per_user_max: u32,
    max: u32,
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    by_user: HashMap<UserId, u32>,
    count: u32,
}

/// A stream's place; it is free again when this is dropped.
#[derive(Debug)]
pub struct StreamPlace {
    user: UserId,
    open: Arc<Mutex<Open>>,
}

impl EventStreams {
    pub fn new(settings: &Settings) -> Self {
        Self {
            per_user_max: settings.event_streams_per_user,
            max: settings.event_streams_max,
            open: Arc::default(),
        }
    }

    /// 429 when the user has too many, 503 when all together have.
    pub fn enter(&self, user: UserId) -> Result<StreamPlace, ApiError> {
        let mut open = lock(&self.open);
        if open.by_user.get(&user).is_some_and(|count| *count >= self.per_user_max) || self.per_user_max == 0
        {
            tracing::warn!("Throttled: an event stream, because the user has {} open", self.per_user_max);
            return Err(ApiError::throttled(RETRY_AFTER, "You have too many event streams open."));
        }
        if open.count >= self.max {
            tracing::warn!("an event stream is refused, because {} are open", self.max);
            let sentence = "Too many event streams are open; ask for the search itself, or again shortly.";
            return Err(ApiError::saying(Refusal::Unavailable, sentence));
        }
        open.count += 1;
        *open.by_user.entry(user).or_default() += 1;
        Ok(StreamPlace { user, open: Arc::clone(&self.open) })
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.count = open.count.saturating_sub(1);
        if let Some(count) = open.by_user.get_mut(&self.user) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.by_user.remove(&self.user);
            }
        }
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_and_given_back() {
        let settings = Settings { event_streams_per_user: 3, event_streams_max: 5, ..Settings::default() };
        let streams = EventStreams::new(&settings);
        let fill = |user: i64, most: usize| {
            let places: Vec<StreamPlace> =
                (0..most).map_while(|_| streams.enter(UserId(user)).ok()).collect();
            (places, streams.enter(UserId(user)).err().map(|error| error.refusal()))
        };
        let (first, refusal) = fill(1, 9);
        assert_eq!((first.len(), refusal), (3, Some(Refusal::Throttled)));
        let (second, refusal) = fill(2, 9);
        assert_eq!((second.len(), refusal), (2, Some(Refusal::Unavailable)));
        drop(first);
        let (third, refusal) = fill(3, 9);
        assert_eq!((third.len(), refusal), (3, Some(Refusal::Throttled)));
        drop((second, third));
        assert_eq!(lock(&streams.open).count, 0);
        assert!(lock(&streams.open).by_user.is_empty(), "nobody is remembered who has none open");
    }
}

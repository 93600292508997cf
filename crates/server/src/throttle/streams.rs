//! Limits on open event streams, per user and in total.

use crate::error::{ApiError, ErrorCode};
use domain::ids::UserId;
use domain::settings::Settings;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// When a client with too many streams may retry: a search ends within seconds, and its stream with it.
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

/// Permit for an open stream, released when it is dropped.
#[derive(Debug)]
pub struct StreamPermit {
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

    /// 429 if the user has too many streams, 503 if all users together have.
    pub fn enter(&self, user: UserId) -> Result<StreamPermit, ApiError> {
        let mut open = lock(&self.open);
        if open.by_user.get(&user).is_some_and(|count| *count >= self.per_user_max) || self.per_user_max == 0
        {
            tracing::warn!("Throttled: event stream, the user has {} open", self.per_user_max);
            return Err(ApiError::throttled(RETRY_AFTER, "You have too many event streams open."));
        }
        if open.count >= self.max {
            tracing::warn!("an event stream is refused: {} are open", self.max);
            let sentence =
                "Too many event streams are open; request the search itself, or try again shortly.";
            return Err(ApiError::with_detail(ErrorCode::Unavailable, sentence));
        }
        open.count += 1;
        *open.by_user.entry(user).or_default() += 1;
        Ok(StreamPermit { user, open: Arc::clone(&self.open) })
    }
}

impl Drop for StreamPermit {
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
    fn permits_are_acquired_and_released() {
        let settings = Settings { event_streams_per_user: 3, event_streams_max: 5, ..Settings::default() };
        let streams = EventStreams::new(&settings);
        let fill = |user: i64, most: usize| {
            let places: Vec<StreamPermit> =
                (0..most).map_while(|_| streams.enter(UserId(user)).ok()).collect();
            (places, streams.enter(UserId(user)).err().map(|error| error.error_code()))
        };
        let (first, refusal) = fill(1, 9);
        assert_eq!((first.len(), refusal), (3, Some(ErrorCode::Throttled)));
        let (second, refusal) = fill(2, 9);
        assert_eq!((second.len(), refusal), (2, Some(ErrorCode::Unavailable)));
        drop(first);
        let (third, refusal) = fill(3, 9);
        assert_eq!((third.len(), refusal), (3, Some(ErrorCode::Throttled)));
        drop((second, third));
        assert_eq!(lock(&streams.open).count, 0);
        assert!(lock(&streams.open).by_user.is_empty(), "nobody is remembered who has none open");
    }
}

//! Cache of recently authenticated scrapers. They can read the metrics while the database is down, when metrics are
//! needed most.

use super::caller::{Caller, Scheme};
use super::random::fingerprint;
use crate::error::{ApiError, ErrorCode};
use axum::http::{HeaderMap, header};
use moka::sync::Cache;
use std::time::Duration;

/// How long a cached scraper waits for the database to verify its token again.
pub const SCRAPER_TIME_MAX: Duration = Duration::from_millis(200);
/// How long a token is cached after it was last verified.
const REMEMBERED_FOR: Duration = Duration::from_secs(60 * 60);
const SCRAPERS_MAX: u64 = 64;

/// Keyed by the fingerprint of their credentials.
pub struct Scrapers(Cache<String, Caller>);

impl Default for Scrapers {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(SCRAPERS_MAX).time_to_live(REMEMBERED_FOR).build())
    }
}

impl Scrapers {
    /// The caller, or the error code as `identified` returns it. A token that the database refuses is removed
    /// immediately.
    pub(super) async fn identify(
        &self,
        headers: &HeaderMap,
        identified: impl Future<Output = Result<Result<Caller, ErrorCode>, ApiError>>,
    ) -> Result<Result<Caller, ErrorCode>, ApiError> {
        let Some(credentials) = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok())
        else {
            return identified.await;
        };
        let key = fingerprint(credentials);
        let found = match self.0.get(&key) {
            None => identified.await,
            Some(remembered) => match tokio::time::timeout(SCRAPER_TIME_MAX, identified).await {
                Err(_) => return Ok(Ok(remembered)),
                Ok(Err(error)) if error.error_code() == ErrorCode::Unavailable => return Ok(Ok(remembered)),
                Ok(found) => found,
            },
        };
        match &found {
            Ok(Ok(caller)) if matches!(caller.scheme, Scheme::Token { .. }) => {
                self.0.insert(key, caller.clone());
            }
            Ok(_) => self.0.invalidate(&key),
            Err(_) => {}
        }
        found
    }
}

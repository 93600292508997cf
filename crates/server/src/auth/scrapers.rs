//! Scrapers that were let in lately. While the database does not answer they go on reading the metrics, which are needed
//! most then.

use super::random::fingerprint;
use super::{Caller, Scheme, identify};
use crate::AppState;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use axum::http::{HeaderMap, header};
use moka::sync::Cache;
use std::time::Duration;

/// How long a scraper that is remembered waits for the database to know its token again.
pub const SCRAPER_TIME_MAX: Duration = Duration::from_millis(200);
/// How long a token is remembered after it was last known to be valid.
const REMEMBERED_FOR: Duration = Duration::from_secs(60 * 60);
const SCRAPERS_MAX: u64 = 64;

/// By the fingerprint of their credentials.
pub struct Scrapers(Cache<String, Caller>);

impl Default for Scrapers {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(SCRAPERS_MAX).time_to_live(REMEMBERED_FOR).build())
    }
}

impl Scrapers {
    /// The caller, or why not, as [`identify`] says it. A token that the database refuses is forgotten at once.
    pub(super) async fn identify(
        &self,
        state: &AppState,
        headers: &HeaderMap,
        address: ClientAddress,
    ) -> Result<Result<Caller, Refusal>, ApiError> {
        let Some(credentials) = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok())
        else {
            return identify(state, headers, address).await;
        };
        let key = fingerprint(credentials);
        let found = match self.0.get(&key) {
            None => identify(state, headers, address).await,
            Some(remembered) => {
                match tokio::time::timeout(SCRAPER_TIME_MAX, identify(state, headers, address)).await {
                    Err(_) => return Ok(Ok(remembered)),
                    Ok(Err(error)) if error.refusal() == Refusal::Unavailable => return Ok(Ok(remembered)),
                    Ok(found) => found,
                }
            }
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

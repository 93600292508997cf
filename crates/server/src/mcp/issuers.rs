//! Authorization servers whose tokens are accepted.

use crate::error::ApiError;
use domain::ports::AuthenticatorStore;
use domain::settings::Settings;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long the issuers are cached, so that requests without credentials do not query the database.
const CACHED_FOR: Duration = Duration::from_secs(10);

/// Cached issuers whose tokens are accepted.
#[derive(Default)]
pub struct Issuers(Mutex<Option<(Instant, Vec<String>)>>);

impl Issuers {
    pub async fn load(
        &self,
        store: &dyn AuthenticatorStore,
        settings: &Settings,
    ) -> Result<Vec<String>, ApiError> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((until, issuers)) = cached
            && Instant::now() < until
        {
            return Ok(issuers);
        }
        let has_audience = |own: &str| !own.is_empty() || !settings.oidc_api_audience.is_empty();
        let all = store.authenticators().await?.into_iter().map(|one| one.spec);
        let taken = all.filter(|one| one.active && !one.issuer.is_empty() && has_audience(&one.audience));
        let issuers: Vec<String> = taken.map(|one| one.issuer).collect();
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((Instant::now() + CACHED_FOR, issuers.clone()));
        Ok(issuers)
    }
}

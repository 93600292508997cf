//! Who changes something: an extractor whose store notes every change in the audit log, in the same transaction.
//!
//! A handler that changes a record that steers the service takes [`Changes`] and writes through its store; one that
//! reads asks the store. A test of the architecture looks that no handler writes past it.

use crate::AppState;
use crate::auth::{Caller, RequestUser};
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use crate::request_id::RequestId;
use axum::extract::{FromRef, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use domain::audit::{Action, AuditEvent, Author, Kind};
use domain::contracts::Store;
use domain::user::{Principal, User};
use moka::sync::Cache;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// A lockout at one address is noted once in this time, however often it is run into.
const LOCKOUT_NOTED_EVERY: Duration = Duration::from_secs(10 * 60);
/// Addresses that are remembered for that.
const LOCKOUT_ADDRESSES_MAX: u64 = 10_000;
/// Most lockouts that are noted in an hour, so that who guesses from many addresses cannot fill the log.
const LOCKOUTS_PER_HOUR_MAX: u32 = 60;

/// The author of a request's changes.
pub struct Changes {
    author: Author,
    store: Arc<dyn Store>,
}

impl Changes {
    /// The records, for writing. PUT and a form replace, anything else changes.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The same, for one edit or deletion of a record that must have this version; None: any.
    pub fn at(&self, version: Option<i64>) -> Arc<dyn Store> {
        version.map_or_else(|| self.store.clone(), |version| self.store.if_version(version))
    }

    /// Notes what changes no record.
    pub async fn note(&self, event: AuditEvent) -> Result<(), ApiError> {
        self.store.note(&self.author, event).await?;
        Ok(())
    }
}

impl<S> FromRequestParts<S> for Changes
where
    S: Send + Sync,
    Arc<AppState>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let sign_in = SignIn::from_request_parts(parts, state).await?;
        Ok(sign_in.changes(&<Arc<AppState>>::from_ref(state), &caller.principal, &parts.method))
    }
}

/// Where a request comes from that will sign somebody in.
pub struct SignIn {
    address: ClientAddress,
    request_id: String,
}

impl SignIn {
    /// What the user changes by signing in.
    pub fn changes_of(&self, state: &AppState, user: &User) -> Changes {
        self.changes(state, &Principal::of(user), &Method::POST)
    }

    fn changes(&self, state: &AppState, principal: &Principal, method: &Method) -> Changes {
        let edit = if *method == Method::PATCH { Action::Changed } else { Action::Replaced };
        let (address, time) = (self.address.to_string(), state.clock.now());
        let author = Author::person(principal, address, self.request_id.clone(), time).calling_edits(edit);
        Changes { store: state.store.on_behalf_of(author.clone()), author }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SignIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let address = ClientAddress::from_request_parts(parts, state).await?;
        let request_id = parts.extensions.get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
        Ok(Self { address, request_id })
    }
}

/// Lockouts of people who sign in, on their way into the audit log.
pub struct Lockouts {
    noted: Cache<ClientAddress, ()>,
    /// When the hour began, and how many were noted in it.
    hour: Mutex<(Instant, u32)>,
}

/// Stands before the guard and notes whom it refuses after too many attempts. Which name was tried is not kept: people
/// type passwords there. A log that cannot be written lets nobody in.
pub async fn watch_lockouts(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let address = ClientAddress::of(request.extensions(), request.headers(), &state.settings.trusted_proxies);
    let request_id = request.extensions().get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
    let path = request.uri().path().to_owned();
    let response = next.run(request).await;
    // Who was let in and asks too often is another matter.
    let is_lockout = response.status() == StatusCode::TOO_MANY_REQUESTS
        && response.extensions().get::<RequestUser>().is_none();
    if is_lockout && state.lockouts.is_new(address) {
        let author = Author { request_id, ..Author::stranger(address.to_string(), state.clock.now()) };
        let event = AuditEvent::of(Action::Refused, Kind::SignIn, None, &path);
        if let Err(error) = state.store.note(&author, event).await {
            tracing::warn!("a lockout could not be noted in the audit log: {error}");
        }
    }
    response
}

impl Lockouts {
    pub fn new() -> Self {
        let noted =
            Cache::builder().max_capacity(LOCKOUT_ADDRESSES_MAX).time_to_live(LOCKOUT_NOTED_EVERY).build();
        Self { noted, hour: Mutex::new((Instant::now(), 0)) }
    }

    fn is_new(&self, address: ClientAddress) -> bool {
        if self.noted.contains_key(&address) {
            return false;
        }
        let mut hour = self.hour.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if hour.0.elapsed() >= Duration::from_secs(60 * 60) {
            *hour = (Instant::now(), 0);
        }
        if hour.1 >= LOCKOUTS_PER_HOUR_MAX {
            return false;
        }
        hour.1 += 1;
        self.noted.insert(address, ());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    #[tokio::test(start_paused = true)]
    async fn lockouts_are_noted_once_and_not_without_end() {
        let lockouts = Lockouts::new();
        let from = |number: u32| ClientAddress::block_of(Ipv4Addr::from_bits(number).into());
        assert!(lockouts.is_new(from(0)));
        assert!(!lockouts.is_new(from(0)), "the same address a moment later");
        let noted = (0..1000).filter(|number| lockouts.is_new(from(*number))).count();
        assert_eq!(noted, LOCKOUTS_PER_HOUR_MAX as usize - 1);
        tokio::time::advance(Duration::from_secs(60 * 60)).await;
        assert!(lockouts.is_new(from(2000)));
    }
}

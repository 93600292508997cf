//! Audited changes: an extractor whose store records every change in the audit log, in the same transaction.
//!
//! A handler that changes a configuration record takes [`AuditedStore`] and writes through it. An architecture test
//! verifies that no handler bypasses it.

use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use crate::request_context::RequestId;
use crate::state::AppState;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::Method;
use axum::http::request::Parts;
use domain::audit::{Action, AuditEvent, Author};
use domain::ports::{AuditStore, AuditedEdits, AuditedRecords};
use domain::user::{Principal, User};
use std::sync::Arc;

/// A store that records changes under the author of the request.
pub struct AuditedStore {
    author: Author,
    store: Arc<dyn AuditedRecords>,
    log: Arc<dyn AuditStore>,
}

impl AuditedStore {
    /// The store, for writing. PUT and a form replace a record, other methods change it.
    pub fn store(&self) -> &dyn AuditedRecords {
        &*self.store
    }

    /// One edit or deletion of a record that must have this version; None: any version.
    pub fn at(&self, version: Option<i64>) -> Arc<dyn AuditedEdits> {
        match version {
            Some(version) => self.store.if_version(version),
            None => self.store.clone(),
        }
    }

    /// Records an event that changes no record.
    pub async fn note(&self, event: AuditEvent) -> Result<(), ApiError> {
        self.log.note(&self.author, event).await?;
        Ok(())
    }
}

impl<S> FromRequestParts<S> for AuditedStore
where
    S: Send + Sync,
    Arc<AppState>: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let origin = RequestOrigin::from_request_parts(parts, state).await?;
        Ok(origin.audited_store(&<Arc<AppState>>::from_ref(state), &caller.principal, &parts.method))
    }
}

/// Client address and id of a request.
pub struct RequestOrigin {
    address: ClientAddress,
    request_id: String,
}

impl RequestOrigin {
    pub fn address(&self) -> ClientAddress {
        self.address
    }

    /// The audited store for changes that the user makes by signing in.
    pub fn store_for(&self, state: &AppState, user: &User) -> AuditedStore {
        self.audited_store(state, &Principal::of(user), &Method::POST)
    }

    fn audited_store(&self, state: &AppState, principal: &Principal, method: &Method) -> AuditedStore {
        let edit = if *method == Method::PATCH { Action::Changed } else { Action::Replaced };
        let (address, time) = (self.address.to_string(), state.clock.now());
        let author = Author::person(principal, address, self.request_id.clone(), time).with_edit_action(edit);
        let store = state.store.on_behalf_of(author.clone());
        AuditedStore { author, store, log: state.store.clone() }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RequestOrigin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let address = ClientAddress::from_request_parts(parts, state).await?;
        let request_id = parts.extensions.get::<RequestId>().map(|id| id.0.clone()).unwrap_or_default();
        Ok(Self { address, request_id })
    }
}

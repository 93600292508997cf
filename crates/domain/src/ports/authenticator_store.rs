//! Storage of authenticators, connections of users, OAuth flows in progress, and identities.

use super::StoreError;
use crate::authenticator::{
    Authenticator, AuthenticatorSpec, Connection, PendingFlow, ProvenIdentity, Tokens,
};
use crate::ids::{AuthenticatorId, UserId};
use crate::instant::Instant;
use crate::user::User;
use async_trait::async_trait;

#[async_trait]
pub trait AuthenticatorStore: AuthenticatorEdits {
    /// The whole spec is encrypted. An idp that is in use is `Taken("idp")`.
    async fn create_authenticator(
        &self,
        spec: AuthenticatorSpec,
        now: Instant,
    ) -> Result<Authenticator, StoreError>;
    async fn authenticator(&self, id: AuthenticatorId) -> Result<Authenticator, StoreError>;
    /// All authenticators by id.
    async fn authenticators(&self) -> Result<Vec<Authenticator>, StoreError>;
}

/// Edits and deletions of authenticators; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait AuthenticatorEdits: Send + Sync {
    async fn replace_authenticator(
        &self,
        id: AuthenticatorId,
        spec: AuthenticatorSpec,
        now: Instant,
    ) -> Result<Authenticator, StoreError>;
    /// Deletes the authenticator with all of its connections.
    async fn delete_authenticator(&self, id: AuthenticatorId) -> Result<(), StoreError>;
}

/// Connections of users to authenticators, and OAuth flows in progress. Tokens are encrypted.
#[async_trait]
pub trait ConnectionStore: Send + Sync {
    /// The connection of one user to one authenticator.
    async fn connection(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
    ) -> Result<Option<Connection>, StoreError>;
    /// Replaces the user's existing connection to the authenticator.
    async fn connect(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
        tokens: Tokens,
        account: String,
        now: Instant,
    ) -> Result<Connection, StoreError>;
    /// Removes the connection and returns it, so that it can be revoked. Succeeds even if its secret cannot be
    /// decrypted.
    async fn disconnect(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
    ) -> Result<Option<Connection>, StoreError>;
    /// Of all processes that read the same connection, one gets true and may use its refresh token until `until`.
    async fn begin_renewal(
        &self,
        seen: &Connection,
        until: Instant,
        now: Instant,
    ) -> Result<bool, StoreError>;
    /// Stores the new tokens. Returns None and stores nothing if the connection was removed or replaced meanwhile.
    async fn finish_renewal(
        &self,
        seen: &Connection,
        tokens: Tokens,
        now: Instant,
    ) -> Result<Option<Connection>, StoreError>;
    /// The renewal failed for now: another process may try.
    async fn release_renewal(&self, seen: &Connection) -> Result<(), StoreError>;
    /// The connection can no longer be renewed: deletes it, unless it was renewed or replaced meanwhile.
    async fn end_connection(&self, seen: &Connection) -> Result<(), StoreError>;

    /// Stores the flow. Expired flows are deleted, and the oldest ones if one user, or all sign-ins together, have too
    /// many.
    async fn begin_flow(&self, flow: PendingFlow, now: Instant) -> Result<(), StoreError>;
    /// Removes and returns the flow of a state, unless it has expired.
    async fn take_flow(&self, state_hash: &str, now: Instant) -> Result<Option<PendingFlow>, StoreError>;
}

/// Users who signed in with an identity provider, by issuer and subject. A name alone never leads to an existing user.
#[async_trait]
pub trait IdentityStore: Send + Sync {
    /// The user of an identity. At the first sign-in a user is created: never an administrator, with this password
    /// hash, and with a number appended to the name if it is in use. The groups are replaced by the given ones; unknown
    /// ones are ignored. Nothing else of an existing user changes.
    async fn user_of_identity(
        &self,
        identity: &ProvenIdentity,
        password_hash: &str,
        now: Instant,
    ) -> Result<User, StoreError>;
}

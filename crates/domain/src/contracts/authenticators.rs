//! What the store keeps of authenticators: the records, what people connected, flows on their way, and identities.

use super::StoreError;
use crate::authenticator::{
    Authenticator, AuthenticatorSpec, Connection, PendingFlow, ProvenIdentity, Tokens,
};
use crate::ids::{AuthenticatorId, UserId};
use crate::instant::Instant;
use crate::user::User;
use async_trait::async_trait;

#[async_trait]
pub trait AuthenticatorStore: Send + Sync {
    /// The spec is sealed whole. A taken idp is `Taken("idp")`.
    async fn create_authenticator(
        &self,
        spec: AuthenticatorSpec,
        now: Instant,
    ) -> Result<Authenticator, StoreError>;
    async fn authenticator(&self, id: AuthenticatorId) -> Result<Authenticator, StoreError>;
    /// All of them by id.
    async fn authenticators(&self) -> Result<Vec<Authenticator>, StoreError>;
    async fn replace_authenticator(
        &self,
        id: AuthenticatorId,
        spec: AuthenticatorSpec,
        now: Instant,
    ) -> Result<Authenticator, StoreError>;
    /// Deletes it with all that people connected by it.
    async fn delete_authenticator(&self, id: AuthenticatorId) -> Result<(), StoreError>;
}

/// What people connected, strictly by person, and the flows that lead there. Tokens are sealed.
#[async_trait]
pub trait ConnectionStore: Send + Sync {
    /// What one person connected by one authenticator.
    async fn connection(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
    ) -> Result<Option<Connection>, StoreError>;
    /// Takes the place of what the person had connected there.
    async fn connect(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
        tokens: Tokens,
        account: String,
        now: Instant,
    ) -> Result<Connection, StoreError>;
    /// Takes it away; what was there, so that it can be revoked. A secret that does not open is no hindrance.
    async fn disconnect(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
    ) -> Result<Option<Connection>, StoreError>;
    /// Of all processes that saw the same connection, one gets true and may use its refresh token until `until`.
    async fn begin_renewal(
        &self,
        seen: &Connection,
        until: Instant,
        now: Instant,
    ) -> Result<bool, StoreError>;
    /// The new tokens. None, and nothing is kept, when it was disconnected or connected anew meanwhile.
    async fn finish_renewal(
        &self,
        seen: &Connection,
        tokens: Tokens,
        now: Instant,
    ) -> Result<Option<Connection>, StoreError>;
    /// It could not be renewed now: another may try.
    async fn release_renewal(&self, seen: &Connection) -> Result<(), StoreError>;
    /// It cannot be renewed any more: it is deleted, unless it was renewed or connected anew meanwhile.
    async fn end_connection(&self, seen: &Connection) -> Result<(), StoreError>;

    /// Remembers the flow. Flows that have expired are forgotten; so are the oldest when one person, or all who sign
    /// in together, have too many.
    async fn begin_flow(&self, flow: PendingFlow, now: Instant) -> Result<(), StoreError>;
    /// The flow of a state, once, unless it has expired.
    async fn take_flow(&self, state_hash: &str, now: Instant) -> Result<Option<PendingFlow>, StoreError>;
}

/// People who signed in elsewhere, by issuer and subject. A name alone never leads to a user who is there.
#[async_trait]
pub trait IdentityStore: Send + Sync {
    /// The user of an identity. The first time a user is created: never an administrator, with this password hash,
    /// and when the name is taken with a number behind it. Groups become those that are given; unknown ones are left
    /// out. Nothing else of a user changes.
    async fn user_of_identity(
        &self,
        identity: &ProvenIdentity,
        password_hash: &str,
        now: Instant,
    ) -> Result<User, StoreError>;
}

//! Storage of users, groups, API tokens and sessions.

use super::{Page, StoreError};
use crate::ids::{GroupId, TokenId, UserId};
use crate::instant::Instant;
use crate::owner_scope::OwnerScope;
use crate::user::{ApiToken, Group, GroupSpec, TokenSpec, User, UserSpec};
use async_trait::async_trait;

#[async_trait]
pub trait UserStore: UserEdits {
    /// The caller computes `password_hash`. Groups must exist (`UnknownReference` otherwise).
    async fn create_user(
        &self,
        spec: UserSpec,
        password_hash: String,
        now: Instant,
    ) -> Result<User, StoreError>;
    async fn user(&self, id: UserId) -> Result<User, StoreError>;
    async fn user_by_name(&self, username: &str) -> Result<User, StoreError>;
    /// The user and the stored password hash, read at once; None if there is no such user.
    async fn user_with_password_hash(&self, username: &str) -> Result<Option<(User, String)>, StoreError>;
    async fn users(&self, offset: u64, limit: u64) -> Result<Page<User>, StoreError>;

    async fn create_group(&self, spec: GroupSpec, now: Instant) -> Result<Group, StoreError>;
    async fn group(&self, id: GroupId) -> Result<Group, StoreError>;
    async fn groups(&self, offset: u64, limit: u64) -> Result<Page<Group>, StoreError>;
}

/// Edits and deletions of users and groups; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait UserEdits: Send + Sync {
    /// Replaces the user. If `password_hash` is None, the stored one is kept. A new password ends the user's sessions
    /// and sign-in tokens. The last administrator cannot lose that role (`LastAdministrator`).
    async fn replace_user(
        &self,
        id: UserId,
        spec: UserSpec,
        password_hash: Option<String>,
        now: Instant,
    ) -> Result<User, StoreError>;
    /// Deletes the user with searches, results, tokens, sessions, private providers, private transforms, and cached
    /// documents that nobody else may see. The last administrator cannot be deleted (`LastAdministrator`).
    async fn delete_user(&self, id: UserId) -> Result<(), StoreError>;
    async fn replace_group(&self, id: GroupId, spec: GroupSpec) -> Result<Group, StoreError>;
    async fn delete_group(&self, id: GroupId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait TokenStore: Send + Sync {
    /// Stores only the hash, and a prefix for recognition. Removes the user's expired tokens. A user with
    /// [`TOKENS_PER_USER_MAX`](crate::user::TOKENS_PER_USER_MAX) tokens gets `TooManyTokens`; a sign-in replaces the
    /// oldest sign-in token instead, if there is one.
    async fn create_token(
        &self,
        user: UserId,
        spec: TokenSpec,
        hash: String,
        prefix: String,
        now: Instant,
    ) -> Result<ApiToken, StoreError>;
    /// The owner of a valid token; records the use.
    async fn user_by_token(&self, hash: &str, now: Instant) -> Result<Option<User>, StoreError>;
    async fn token(&self, id: TokenId) -> Result<(UserId, ApiToken), StoreError>;
    /// The tokens of these users, newest first.
    async fn tokens(&self, owner: OwnerScope, offset: u64, limit: u64) -> Result<Page<ApiToken>, StoreError>;
    /// Revokes the token.
    async fn delete_token(&self, id: TokenId) -> Result<(), StoreError>;
    /// Revokes all tokens of a user; returns their number.
    async fn delete_tokens(&self, user: UserId) -> Result<u64, StoreError>;
}

/// A browser session. Only the hash of its key is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    pub key_hash: String,
    pub user: UserId,
    pub csrf: String,
    pub expires: Instant,
    pub now: Instant,
}

/// The user and the CSRF token of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub user: User,
    pub csrf: String,
}

#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Also removes expired sessions.
    async fn create_session(&self, session: NewSession) -> Result<(), StoreError>;
    /// None if it has expired.
    async fn session(&self, key_hash: &str, now: Instant) -> Result<Option<Session>, StoreError>;
    async fn delete_session(&self, key_hash: &str) -> Result<(), StoreError>;
}

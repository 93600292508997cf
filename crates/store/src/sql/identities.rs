//! External identities: issuer and subject identify a user, never a name.

use super::user_rows::{UserRow, fold, user_columns, with_groups};
use super::{groups, names};
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::json::plain;
use async_trait::async_trait;
use domain::audit::{AuditEvent, Kind};
use domain::authenticator::ProvenIdentity;
use domain::ids::UserId;
use domain::instant::{Instant, to_micros};
use domain::ports::{IdentityStore, StoreError};
use domain::provider::is_same_name;
use domain::user::{USERNAME_CHARS_MAX, User};
use serde_json::json;
use std::collections::BTreeSet;

/// Most numbers that are tried as a suffix of a taken name.
const NAME_NUMBERS_MAX: u32 = 1000;
/// Most attempts when two people sign in for the first time at once.
const ATTEMPTS_MAX: u32 = 5;
/// Characters reserved for the suffix.
const NUMBER_CHARS_MAX: usize = 5;

#[async_trait]
impl IdentityStore for SqlStore {
    async fn user_of_identity(
        &self,
        identity: &ProvenIdentity,
        password_hash: &str,
        now: Instant,
    ) -> Result<User, StoreError> {
        let identity = ProvenIdentity {
            issuer: plain(&identity.issuer),
            subject: plain(&identity.subject),
            username: plain(&identity.username),
            email: plain(&identity.email),
            groups: identity.groups.clone(),
        };
        let mut attempt = 0;
        loop {
            if let Some(user) = self.known(&identity).await? {
                return self.with_groups(user, &identity, now).await;
            }
            attempt += 1;
            match self.create(&identity, password_hash, now).await {
                // The same name or the same person was created in the meantime.
                Err(StoreError::Taken(_)) if attempt < ATTEMPTS_MAX => {}
                created => return created,
            }
        }
    }
}

impl SqlStore {
    async fn known(&self, identity: &ProvenIdentity) -> Result<Option<User>, StoreError> {
        const TEXT: &str = concat!(
            "SELECT ",
            user_columns!(),
            " FROM identities JOIN users ON users.id = identities.user_id ",
            with_groups!(),
            " WHERE identities.issuer = $1 AND identities.subject = $2"
        );
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, UserRow>(TEXT)
            .bind(identity.issuer.as_str()).bind(identity.subject.as_str()).fetch_all(db))?;
        Ok(fold(rows).pop())
    }

    /// The user with exactly the groups of the identity.
    async fn with_groups(
        &self,
        user: User,
        identity: &ProvenIdentity,
        now: Instant,
    ) -> Result<User, StoreError> {
        let Some(wanted) = &identity.groups else { return Ok(user) };
        let current: BTreeSet<&String> = user.groups.iter().collect();
        if wanted.iter().collect::<BTreeSet<_>>() == current {
            return Ok(user);
        }
        let mut tx = self.begin_change().await?;
        let known = known_groups(&mut tx, wanted).await?;
        if known == user.groups {
            return Ok(user);
        }
        // Only claims of the token are written, so that concurrent changes by an administrator are kept.
        let date_updated = to_micros(now);
        on_tx!(&mut tx, db => rows_affected(sqlx::query("UPDATE users SET date_updated = $2, version = version + 1 WHERE id = $1")
            .bind(user.id.0).bind(date_updated).execute(db)))?;
        let groups = groups::join(&mut tx, user.id, &known).await?;
        let (from, to) = (json!({"groups": user.groups}), json!({"groups": groups}));
        let event = AuditEvent::edit(Kind::User, Some(user.id.0), &user.username, Some(&from), Some(&to));
        self.commit_change(tx, vec![event]).await?;
        Ok(User { groups, date_updated, ..user })
    }

    async fn create(
        &self,
        identity: &ProvenIdentity,
        password_hash: &str,
        now: Instant,
    ) -> Result<User, StoreError> {
        const USER: &str = "INSERT INTO users (username, email, password_hash, is_admin, date_created, date_updated) \
             VALUES ($1, $2, $3, $4, $5, $5) RETURNING id";
        const IDENTITY: &str =
            "INSERT INTO identities (issuer, subject, user_id, date_created) VALUES ($1, $2, $3, $4)";
        let now = to_micros(now);
        let mut tx = self.begin_change().await?;
        let username = free_name(&mut tx, &identity.username).await?;
        let id = on_tx!(&mut tx, db => sqlx::query_scalar(USER)
            .bind(username.as_str())
            .bind(identity.email.as_str())
            .bind(password_hash)
            .bind(false)
            .bind(now)
            .fetch_one(db))
        .map(UserId)?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query(IDENTITY)
            .bind(identity.issuer.as_str())
            .bind(identity.subject.as_str())
            .bind(id.0)
            .bind(now)
            .execute(db)))?;
        let wanted = known_groups(&mut tx, identity.groups.as_deref().unwrap_or_default()).await?;
        let groups = groups::join(&mut tx, id, &wanted).await?;
        let fields = json!({
            "username": username, "email": identity.email, "is_admin": false, "groups": groups,
            "issuer": identity.issuer, "subject": identity.subject,
        });
        let event = AuditEvent::edit(Kind::User, Some(id.0), &username, None, Some(&fields));
        self.commit_change(tx, vec![event]).await?;
        let email = identity.email.clone();
        Ok(User { id, username, email, is_admin: false, groups, date_created: now, date_updated: now })
    }
}

/// The name, or the name with the first free number.
async fn free_name(tx: &mut Tx, wanted: &str) -> Result<String, StoreError> {
    let taken = names::USERS.hold(tx).await?;
    let stem: String = wanted.chars().take(USERNAME_CHARS_MAX - NUMBER_CHARS_MAX).collect();
    for number in 1..=NAME_NUMBERS_MAX {
        let name = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
        if !taken.iter().any(|(_, other)| is_same_name(&name, other)) {
            return Ok(name);
        }
    }
    Err(StoreError::Taken("username"))
}

/// The existing ones of these groups, sorted.
async fn known_groups(tx: &mut Tx, names: &[String]) -> Result<Vec<String>, StoreError> {
    let mut known: Vec<String> = Vec::new();
    for name in names.iter().collect::<BTreeSet<_>>() {
        let name = plain(name);
        let found: i64 = on_tx!(tx, db =>
            sqlx::query_scalar("SELECT COUNT(*) FROM user_groups WHERE name = $1").bind(name.as_str()).fetch_one(db))?;
        if found > 0 {
            known.push(name);
        }
    }
    Ok(known)
}

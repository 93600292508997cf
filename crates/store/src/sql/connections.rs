//! People's connections. Tokens are encrypted for one person and one authenticator.

use super::oauth_flows;
use crate::SqlStore;
use crate::db::{first_row, on_db, on_tx, rows_affected};
use crate::encryption::{EncryptionKey, unreadable_part};
use crate::json::unwritable;
use crate::row::row;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::authenticator::{Connection, PendingFlow, Tokens};
use domain::ids::{AuthenticatorId, ConnectionId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{ConnectionStore, StoreError};
use domain::secret::Secret;
use serde::{Deserialize, Serialize};

/// A renewal with a later end was started before the clock was set back.
const RENEWAL_MAX: TimeDelta = TimeDelta::minutes(5);

macro_rules! columns {
    () => {
        "id, user_id, authenticator_id, version, tokens, expires, date_created, date_updated"
    };
}

row! {
    struct ConnectionRow {
        id: i64,
        user_id: i64,
        authenticator_id: i64,
        version: i64,
        tokens: String,
        expires: Option<Instant>,
        date_created: Instant,
        date_updated: Instant,
    }
}

/// Encrypted together.
#[derive(Serialize, Deserialize)]
struct Sealed {
    access: String,
    refresh: String,
    scopes: String,
    account: String,
}

impl ConnectionRow {
    fn open(self, key: &EncryptionKey) -> Result<Connection, StoreError> {
        let (user, authenticator) = (UserId(self.user_id), AuthenticatorId(self.authenticator_id));
        let record = record(user, authenticator);
        let sealed: Sealed = serde_json::from_str(key.open(&self.tokens, &record)?.expose())
            .map_err(|error| unreadable_part(&record, &error))?;
        Ok(Connection {
            id: ConnectionId(self.id),
            user,
            authenticator,
            version: self.version,
            tokens: Tokens {
                access: Secret::new(sealed.access),
                refresh: Secret::new(sealed.refresh),
                expires: self.expires,
                scopes: sealed.scopes,
            },
            account: sealed.account,
            date_created: self.date_created,
            date_updated: self.date_updated,
        })
    }
}

#[async_trait]
impl ConnectionStore for SqlStore {
    async fn connection(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
    ) -> Result<Option<Connection>, StoreError> {
        const TEXT: &str =
            concat!("SELECT ", columns!(), " FROM connections WHERE user_id = $1 AND authenticator_id = $2");
        let row = on_db!(self.db, read, db => sqlx::query_as::<_, ConnectionRow>(TEXT)
            .bind(user.0).bind(authenticator.0).fetch_optional(db))?;
        // Tokens that cannot be decrypted are useless: the person counts as not connected, and can connect again.
        Ok(row.and_then(|row| row.open(&self.key).ok()))
    }

    async fn connect(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
        tokens: Tokens,
        account: String,
        now: Instant,
    ) -> Result<Connection, StoreError> {
        const OLD: &str = "DELETE FROM connections WHERE user_id = $1 AND authenticator_id = $2";
        const TEXT: &str = "INSERT INTO connections \
             (user_id, authenticator_id, version, tokens, expires, date_created, date_updated) \
             VALUES ($1, $2, 1, $3, $4, $5, $5) RETURNING id";
        let now = to_micros(now);
        let tokens = Tokens { expires: tokens.expires.map(to_micros), ..tokens };
        let sealed = seal(&self.key, user, authenticator, &tokens, &account)?;
        let mut tx = self.db.begin().await?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query(OLD).bind(user.0).bind(authenticator.0).execute(db)))?;
        let id = on_tx!(&mut tx, db => sqlx::query_scalar(TEXT)
            .bind(user.0)
            .bind(authenticator.0)
            .bind(sealed.as_str())
            .bind(tokens.expires)
            .bind(now)
            .fetch_one(db))
        .map(ConnectionId)?;
        tx.commit().await?;
        Ok(Connection {
            id,
            user,
            authenticator,
            version: 1,
            tokens,
            account,
            date_created: now,
            date_updated: now,
        })
    }

    async fn disconnect(
        &self,
        user: UserId,
        authenticator: AuthenticatorId,
    ) -> Result<Option<Connection>, StoreError> {
        const TEXT: &str = concat!(
            "DELETE FROM connections WHERE user_id = $1 AND authenticator_id = $2 RETURNING ",
            columns!()
        );
        let row = on_db!(self.db, write, db => first_row(sqlx::query_as::<_, ConnectionRow>(TEXT)
            .bind(user.0).bind(authenticator.0).fetch_all(db)))?;
        Ok(row.map(|row| {
            let (id, version, at) = (ConnectionId(row.id), row.version, row.date_created);
            let nothing = Tokens {
                access: Secret::default(),
                refresh: Secret::default(),
                expires: row.expires,
                scopes: String::new(),
            };
            row.open(&self.key).unwrap_or(Connection {
                id,
                user,
                authenticator,
                version,
                tokens: nothing,
                account: String::new(),
                date_created: at,
                date_updated: at,
            })
        }))
    }

    async fn begin_renewal(
        &self,
        seen: &Connection,
        until: Instant,
        now: Instant,
    ) -> Result<bool, StoreError> {
        const TEXT: &str = "UPDATE connections SET renewing_until = $3 WHERE id = $1 AND version = $2 \
             AND (renewing_until IS NULL OR renewing_until <= $4 OR renewing_until > $5)";
        let now = to_micros(now);
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(seen.id.0)
            .bind(seen.version)
            .bind(to_micros(until))
            .bind(now)
            .bind(now + RENEWAL_MAX)
            .execute(db)))?;
        Ok(rows == 1)
    }

    async fn finish_renewal(
        &self,
        seen: &Connection,
        tokens: Tokens,
        now: Instant,
    ) -> Result<Option<Connection>, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE connections SET version = version + 1, tokens = $3, expires = $4, date_updated = $5, \
             renewing_until = NULL WHERE id = $1 AND version = $2 RETURNING ",
            columns!()
        );
        let sealed = seal(&self.key, seen.user, seen.authenticator, &tokens, &seen.account)?;
        let row = on_db!(self.db, write, db => first_row(sqlx::query_as::<_, ConnectionRow>(TEXT)
            .bind(seen.id.0)
            .bind(seen.version)
            .bind(sealed.as_str())
            .bind(tokens.expires.map(to_micros))
            .bind(to_micros(now))
            .fetch_all(db)))?;
        row.map(|row| row.open(&self.key)).transpose()
    }

    async fn release_renewal(&self, seen: &Connection) -> Result<(), StoreError> {
        const TEXT: &str = "UPDATE connections SET renewing_until = NULL WHERE id = $1 AND version = $2";
        on_db!(self.db, write, db => rows_affected(
            sqlx::query(TEXT).bind(seen.id.0).bind(seen.version).execute(db)))?;
        Ok(())
    }

    async fn end_connection(&self, seen: &Connection) -> Result<(), StoreError> {
        const TEXT: &str = "DELETE FROM connections WHERE id = $1 AND version = $2";
        on_db!(self.db, write, db => rows_affected(
            sqlx::query(TEXT).bind(seen.id.0).bind(seen.version).execute(db)))?;
        Ok(())
    }

    async fn begin_flow(&self, flow: PendingFlow, now: Instant) -> Result<(), StoreError> {
        oauth_flows::begin(self, flow, now).await
    }

    async fn take_flow(&self, state_hash: &str, now: Instant) -> Result<Option<PendingFlow>, StoreError> {
        oauth_flows::take(self, state_hash, now).await
    }
}

fn seal(
    key: &EncryptionKey,
    user: UserId,
    authenticator: AuthenticatorId,
    tokens: &Tokens,
    account: &str,
) -> Result<String, StoreError> {
    let sealed = Sealed {
        access: tokens.access.expose().to_owned(),
        refresh: tokens.refresh.expose().to_owned(),
        scopes: tokens.scopes.clone(),
        account: account.to_owned(),
    };
    let text = serde_json::to_string(&sealed).map_err(unwritable)?;
    key.seal(&text, &record(user, authenticator))
}

/// The record that encrypted tokens are bound to: copied to another person, they cannot be decrypted.
fn record(user: UserId, authenticator: AuthenticatorId) -> String {
    format!("connection:{user}:{authenticator}")
}

//! API tokens: only their hashes are stored.

use super::user_rows::{UserRow, fold, user_columns, with_groups};
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::error::failure;
use crate::json::{plain, to_column, to_count};
use crate::row::row;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::audit::{AuditEvent, Kind};
use domain::ids::{TokenId, UserId};
use domain::instant::{Instant, to_micros};
use domain::owner_scope::OwnerScope;
use domain::ports::{Page, StoreError, TokenStore};
use domain::user::{ApiToken, LOGIN_LABEL, TOKENS_PER_USER_MAX, TokenSpec, User};
use serde_json::json;
use sqlx::QueryBuilder;

/// A use is recorded at most this often, so that not every request costs a write.
const USE_NOTED_EVERY: TimeDelta = TimeDelta::minutes(1);

macro_rules! select_tokens {
    () => {
        "SELECT tokens.id, tokens.user_id, users.username, tokens.label, tokens.prefix, tokens.expires, \
         tokens.last_used, tokens.date_created FROM tokens JOIN users ON users.id = tokens.user_id"
    };
}

row! {
    struct TokenRow {
        id: i64,
        user_id: i64,
        username: String,
        label: String,
        prefix: String,
        expires: Option<Instant>,
        last_used: Option<Instant>,
        date_created: Instant,
    }
}

impl From<TokenRow> for ApiToken {
    fn from(row: TokenRow) -> Self {
        Self {
            id: TokenId(row.id),
            user: row.username,
            label: row.label,
            prefix: row.prefix,
            expires: row.expires,
            last_used: row.last_used,
            date_created: row.date_created,
        }
    }
}

row! {
    struct TokenUserRow with (user: UserRow) {
        token_id: i64,
        last_used: Option<Instant>,
    }
}

#[async_trait]
impl TokenStore for SqlStore {
    async fn create_token(
        &self,
        user: UserId,
        spec: TokenSpec,
        hash: String,
        prefix: String,
        now: Instant,
    ) -> Result<ApiToken, StoreError> {
        const TEXT: &str = "INSERT INTO tokens (user_id, label, prefix, hash, expires, date_created) \
             VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";
        let mut tx = self.begin_change().await?;
        let mut events = make_space(&mut tx, user, &spec.label, to_micros(now)).await?;
        let id: i64 = on_tx!(&mut tx, db => sqlx::query_scalar(TEXT)
            .bind(user.0)
            .bind(plain(&spec.label))
            .bind(prefix.as_str())
            .bind(hash.as_str())
            .bind(spec.expires.map(to_micros))
            .bind(to_micros(now))
            .fetch_one(db))?;
        let token = stored(&mut tx, TokenId(id)).await?;
        events.push(event(&token, TokenChange::Created));
        self.commit_change(tx, events).await?;
        Ok(token)
    }

    async fn user_by_token(&self, hash: &str, now: Instant) -> Result<Option<User>, StoreError> {
        const FIND: &str = concat!(
            "SELECT tokens.id AS token_id, tokens.last_used, ",
            user_columns!(),
            " FROM tokens JOIN users ON users.id = tokens.user_id ",
            with_groups!(),
            " WHERE tokens.hash = $1 AND (tokens.expires IS NULL OR tokens.expires > $2)"
        );
        let now = to_micros(now);
        let rows = on_db!(self.db, read, db =>
            sqlx::query_as::<_, TokenUserRow>(FIND).bind(hash).bind(now).fetch_all(db))?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        if first.last_used.is_none_or(|used| now - used >= USE_NOTED_EVERY) {
            let id = first.token_id;
            on_db!(self.db, write, db => rows_affected(
                sqlx::query("UPDATE tokens SET last_used = $2 WHERE id = $1").bind(id).bind(now).execute(db)))?;
        }
        Ok(fold(rows.into_iter().map(|row| row.user)).pop())
    }

    async fn token(&self, id: TokenId) -> Result<(UserId, ApiToken), StoreError> {
        const TEXT: &str = concat!(select_tokens!(), " WHERE tokens.id = $1");
        let row = on_db!(self.db, read, db => sqlx::query_as::<_, TokenRow>(TEXT).bind(id.0).fetch_one(db))?;
        Ok((UserId(row.user_id), row.into()))
    }

    async fn tokens(&self, owner: OwnerScope, offset: u64, limit: u64) -> Result<Page<ApiToken>, StoreError> {
        let total: i64 = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new("SELECT COUNT(*) FROM tokens");
            if let OwnerScope::Only(user) = owner {
                query.push(" WHERE user_id = ").push_bind(user.0);
            }
            query.build_query_scalar().fetch_one(db).await
        })?;
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(select_tokens!());
            if let OwnerScope::Only(user) = owner {
                query.push(" WHERE tokens.user_id = ").push_bind(user.0);
            }
            query.push(" ORDER BY tokens.date_created DESC, tokens.id DESC LIMIT ").push_bind(to_column(limit));
            query.push(" OFFSET ").push_bind(to_column(offset));
            query.build_query_as::<TokenRow>().fetch_all(db).await
        })?;
        Ok(Page { items: rows.into_iter().map(ApiToken::from).collect(), total: to_count(total) })
    }

    async fn delete_token(&self, id: TokenId) -> Result<(), StoreError> {
        let mut tx = self.begin_change().await?;
        let token = stored(&mut tx, id).await?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query("DELETE FROM tokens WHERE id = $1").bind(id.0).execute(db)))?;
        self.commit_change(tx, vec![event(&token, TokenChange::Revoked)]).await
    }

    async fn delete_tokens(&self, user: UserId) -> Result<u64, StoreError> {
        let mut tx = self.begin_change().await?;
        let events = revoke_all(&mut tx, user, None).await?;
        let count = events.len() as u64;
        self.commit_change(tx, events).await?;
        Ok(count)
    }
}

/// Revokes the user's tokens, or those with this label; returns the audit events.
pub(super) async fn revoke_all(
    tx: &mut Tx,
    user: UserId,
    label: Option<&str>,
) -> Result<Vec<AuditEvent>, StoreError> {
    const FIND: &str = concat!(
        select_tokens!(),
        " WHERE tokens.user_id = $1 AND ($2 = '' OR tokens.label = $2) ORDER BY tokens.id"
    );
    const DELETE: &str = "DELETE FROM tokens WHERE user_id = $1 AND ($2 = '' OR label = $2)";
    lock(tx, user).await?;
    let label = label.unwrap_or_default();
    let rows =
        on_tx!(&mut *tx, db => sqlx::query_as::<_, TokenRow>(FIND).bind(user.0).bind(label).fetch_all(db))?;
    on_tx!(tx, db => rows_affected(sqlx::query(DELETE).bind(user.0).bind(label).execute(db)))?;
    Ok(rows.into_iter().map(|row| event(&row.into(), TokenChange::Revoked)).collect())
}

/// Deletes expired tokens, and for a sign-in the oldest token of another sign-in if necessary.
async fn make_space(
    tx: &mut Tx,
    user: UserId,
    label: &str,
    now: Instant,
) -> Result<Vec<AuditEvent>, StoreError> {
    const OLDEST: &str = concat!(
        select_tokens!(),
        " WHERE tokens.user_id = $1 AND tokens.label = $2 ORDER BY tokens.date_created, tokens.id LIMIT 1"
    );
    lock(tx, user).await?;
    on_tx!(&mut *tx, db => rows_affected(
        sqlx::query("DELETE FROM tokens WHERE user_id = $1 AND expires <= $2").bind(user.0).bind(now).execute(db)))?;
    let count: i64 = on_tx!(&mut *tx, db =>
        sqlx::query_scalar("SELECT COUNT(*) FROM tokens WHERE user_id = $1").bind(user.0).fetch_one(db))?;
    if to_count(count) < TOKENS_PER_USER_MAX {
        return Ok(Vec::new());
    }
    let oldest = if label == LOGIN_LABEL {
        on_tx!(&mut *tx, db =>
            sqlx::query_as::<_, TokenRow>(OLDEST).bind(user.0).bind(LOGIN_LABEL).fetch_optional(db))?
    } else {
        None
    };
    let Some(oldest) = oldest else { return Err(StoreError::TooManyTokens(TOKENS_PER_USER_MAX)) };
    on_tx!(tx, db => rows_affected(sqlx::query("DELETE FROM tokens WHERE id = $1").bind(oldest.id).execute(db)))?;
    Ok(vec![event(&oldest.into(), TokenChange::Revoked)])
}

/// Serializes changes of this user's tokens until the end of the transaction. SQLite has one writer.
async fn lock(tx: &mut Tx, user: UserId) -> Result<(), StoreError> {
    if let Tx::Postgres(tx) = tx {
        let lock = sqlx::query("SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE").bind(user.0);
        lock.execute(&mut **tx).await.map_err(failure)?;
    }
    Ok(())
}

async fn stored(tx: &mut Tx, id: TokenId) -> Result<ApiToken, StoreError> {
    const TEXT: &str = concat!(select_tokens!(), " WHERE tokens.id = $1");
    on_tx!(tx, db => sqlx::query_as::<_, TokenRow>(TEXT).bind(id.0).fetch_one(db)).map(ApiToken::from)
}

enum TokenChange {
    Created,
    Revoked,
}

fn event(token: &ApiToken, change: TokenChange) -> AuditEvent {
    let ApiToken { user, label, prefix, expires, .. } = token;
    let fields = json!({"user": user, "label": label, "prefix": prefix, "expires": expires});
    let (from, to) = match change {
        TokenChange::Created => (None, Some(&fields)),
        TokenChange::Revoked => (Some(&fields), None),
    };
    AuditEvent::edit(Kind::Token, Some(token.id.0), label, from, to)
}

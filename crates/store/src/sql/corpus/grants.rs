//! Grants: who may see a document. A grant applies to one text, and gives access while the document has exactly that
//! text.

use super::{changes, signals};
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::plain;
use crate::row::row;
use crate::sql::notices::NoticeTexts;
use domain::corpus::{Grant, Signal};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::notice::{Notice, StoredNotices};
use domain::ports::{Retrieval, StoreError};
use sqlx::types::Json;

/// Most notices of one person that are kept.
const NOTICES_KEPT: usize = 10;

macro_rules! columns {
    () => {
        "signal_id, user_id, idp, account_provider_id, granted_at, last_ok, revoked_at, content_hash, \
         messages, notices"
    };
}

row! {
    struct GrantRow {
        signal_id: i64,
        user_id: i64,
        idp: String,
        account_provider_id: Option<i64>,
        granted_at: Instant,
        last_ok: Option<Instant>,
        revoked_at: Option<Instant>,
        content_hash: String,
        messages: Json<Vec<String>>,
        notices: Json<StoredNotices>,
    }
}

impl From<GrantRow> for Grant {
    fn from(row: GrantRow) -> Self {
        Self {
            signal_id: SignalId(row.signal_id),
            user_id: UserId(row.user_id),
            idp: row.idp,
            account_provider_id: row.account_provider_id.map(ProviderId),
            granted_at: row.granted_at,
            last_ok: row.last_ok,
            revoked_at: row.revoked_at,
            content_hash: row.content_hash,
            notices: row.notices.0.restore(row.messages.0),
        }
    }
}

macro_rules! of_signal {
    () => {
        concat!("SELECT ", columns!(), " FROM signal_grants WHERE signal_id = $1 ORDER BY user_id")
    };
}

/// By user id.
pub(super) async fn grants(db: &Db, id: SignalId) -> Result<Vec<Grant>, StoreError> {
    let rows = on_db!(*db, read, db =>
        sqlx::query_as::<_, GrantRow>(of_signal!()).bind(id.0).fetch_all(db))?;
    Ok(rows.into_iter().map(Grant::from).collect())
}

pub(super) async fn stored(tx: &mut Tx, id: SignalId) -> Result<Vec<Grant>, StoreError> {
    let rows = on_tx!(tx, db => sqlx::query_as::<_, GrantRow>(of_signal!()).bind(id.0).fetch_all(db))?;
    Ok(rows.into_iter().map(Grant::from).collect())
}

/// Records the access of the person who retrieved the document. True: it changed whether they may see it.
pub(super) async fn note(
    tx: &mut Tx,
    signal: &Signal,
    by: &Retrieval,
    now: Instant,
) -> Result<bool, StoreError> {
    let id = signal.signal_id;
    let before = stored(tx, id).await?.into_iter().find(|grant| grant.user_id == by.user);
    let after = retrieved(id, before.as_ref(), by, to_micros(now));
    write(tx, &after).await?;
    Ok(after.opens(signal) != before.is_some_and(|grant| grant.opens(signal)))
}

/// A revoked grant is renewed without its text: the source must return it once more.
fn retrieved(id: SignalId, before: Option<&Grant>, by: &Retrieval, now: Instant) -> Grant {
    let came = !by.content_hash.is_empty();
    let kept = before.filter(|grant| grant.revoked_at.is_none());
    let told = if came { None } else { kept };
    Grant {
        signal_id: id,
        user_id: by.user,
        idp: told.map_or(&by.idp, |grant| if grant.idp.is_empty() { &by.idp } else { &grant.idp }).clone(),
        account_provider_id: told.map_or(by.account_provider_id, |grant| grant.account_provider_id),
        granted_at: kept.map_or(now, |grant| grant.granted_at),
        last_ok: if came { Some(now) } else { kept.and_then(|grant| grant.last_ok) },
        revoked_at: None,
        content_hash: told.map_or(&by.content_hash, |grant| &grant.content_hash).clone(),
        notices: before.filter(|_| !came).map(|grant| grant.notices.clone()).unwrap_or_default(),
    }
}

/// Records why this person could not get the text.
pub(super) async fn note_failure(
    db: &Db,
    id: SignalId,
    user: UserId,
    mut notice: Notice,
) -> Result<(), StoreError> {
    const TEXT: &str =
        "UPDATE signal_grants SET messages = $3, notices = $4 WHERE signal_id = $1 AND user_id = $2";
    let mut tx = changes::begin(db).await?;
    let mut all = notices(&mut tx, id, user).await?;
    notice.kind.change_texts(|text| *text = text.chars().take(signals::LINE_CHARS_MAX).collect());
    all.push(notice);
    all.drain(..all.len().saturating_sub(NOTICES_KEPT));
    let texts = NoticeTexts::of(&all)?;
    let rows = on_tx!(&mut tx, db => rows_affected(
        sqlx::query(TEXT).bind(id.0).bind(user.0).bind(texts.lines.clone()).bind(texts.facts.clone()).execute(db)))?;
    if rows == 0 {
        return Err(StoreError::NotFound);
    }
    tx.commit().await
}

/// Why this person could not get the text, newest last.
pub(super) async fn notices(tx: &mut Tx, id: SignalId, user: UserId) -> Result<Vec<Notice>, StoreError> {
    let grant = stored(tx, id).await?.into_iter().find(|grant| grant.user_id == user);
    Ok(grant.map(|grant| grant.notices).unwrap_or_default())
}

/// Redirects the id of one record to another one for this person.
pub(super) async fn lead(
    tx: &mut Tx,
    from: SignalId,
    into: SignalId,
    user: UserId,
) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE signal_grants SET asked_as = $1 WHERE signal_id = $2 AND user_id = $3";
    on_tx!(tx, db => rows_affected(
        sqlx::query(TEXT).bind(from.0).bind(into.0).bind(user.0).execute(db)))?;
    Ok(())
}

/// The record that an id is redirected to for this person.
pub(super) async fn led(db: &Db, from: SignalId, user: UserId) -> Result<Option<SignalId>, StoreError> {
    const TEXT: &str = "SELECT signal_id FROM signal_grants WHERE asked_as = $1 AND user_id = $2 \
         AND revoked_at IS NULL ORDER BY signal_id DESC LIMIT 1";
    let found: Option<i64> = on_db!(*db, read, db =>
        sqlx::query_scalar(TEXT).bind(from.0).bind(user.0).fetch_optional(db))?;
    Ok(found.map(SignalId))
}

/// Removes the access of one person, with their tags.
pub(super) async fn drop_of(tx: &mut Tx, id: SignalId, user: UserId) -> Result<(), StoreError> {
    const TEXT: &str = "DELETE FROM signal_grants WHERE signal_id = $1 AND user_id = $2";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(id.0).bind(user.0).execute(db)))?;
    Ok(())
}

pub(super) async fn write(tx: &mut Tx, grant: &Grant) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO signal_grants (signal_id, user_id, idp, granted_at, last_ok, revoked_at, \
         content_hash, account_provider_id, messages, notices) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
         ON CONFLICT (signal_id, user_id) DO UPDATE SET idp = excluded.idp, granted_at = excluded.granted_at, \
         last_ok = excluded.last_ok, revoked_at = excluded.revoked_at, content_hash = excluded.content_hash, \
         account_provider_id = excluded.account_provider_id, messages = excluded.messages, \
         notices = excluded.notices";
    let texts = NoticeTexts::of(&grant.notices)?;
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(grant.signal_id.0)
        .bind(grant.user_id.0)
        .bind(signals::line(&grant.idp))
        .bind(grant.granted_at)
        .bind(grant.last_ok)
        .bind(grant.revoked_at)
        .bind(plain(&grant.content_hash))
        .bind(grant.account_provider_id.map(|id| id.0))
        .bind(texts.lines.clone())
        .bind(texts.facts.clone())
        .execute(db)))?;
    Ok(())
}

pub(super) async fn revoke(db: &Db, id: SignalId, user: UserId, now: Instant) -> Result<bool, StoreError> {
    const TEXT: &str = "UPDATE signal_grants SET revoked_at = $3 \
         WHERE signal_id = $1 AND user_id = $2 AND revoked_at IS NULL";
    let mut tx = changes::begin(db).await?;
    let rows = on_tx!(&mut tx, db => rows_affected(
        sqlx::query(TEXT).bind(id.0).bind(user.0).bind(to_micros(now)).execute(db)))?;
    end_if_changed(tx, id, rows).await
}

pub(super) async fn remove(db: &Db, id: SignalId, user: UserId) -> Result<bool, StoreError> {
    const TEXT: &str =
        "DELETE FROM signal_grants WHERE signal_id = $1 AND user_id = $2 AND revoked_at IS NULL";
    let mut tx = changes::begin(db).await?;
    let rows = on_tx!(&mut tx, db => rows_affected(sqlx::query(TEXT).bind(id.0).bind(user.0).execute(db)))?;
    end_if_changed(tx, id, rows).await
}

async fn end_if_changed(mut tx: Tx, id: SignalId, rows: u64) -> Result<bool, StoreError> {
    if rows > 0 {
        changes::note(&mut tx, &[id.0]).await?;
    }
    tx.commit().await?;
    Ok(rows > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    fn at(seconds: i64) -> Instant {
        DateTime::from_timestamp(seconds, 0).expect("a time")
    }

    fn grant(hash: &str, revoked: Option<i64>) -> Grant {
        Grant {
            signal_id: SignalId(1),
            user_id: UserId(2),
            idp: "old".to_owned(),
            account_provider_id: Some(ProviderId(7)),
            granted_at: at(1),
            last_ok: Some(at(2)),
            revoked_at: revoked.map(at),
            content_hash: hash.to_owned(),
            notices: vec![Notice::banner()],
        }
    }

    #[test]
    fn a_right_is_to_what_the_source_gave() {
        // Grant before, fetched hash; then hash after, since, last success, authenticator, account provider.
        let table = [
            (None, "", ("", 9, None, "new", 8)),
            (None, "a", ("a", 9, Some(9), "new", 8)),
            (Some(grant("a", None)), "", ("a", 1, Some(2), "old", 7)),
            (Some(grant("a", None)), "b", ("b", 1, Some(9), "new", 8)),
            (Some(grant("a", Some(5))), "", ("", 9, None, "new", 8)),
            (Some(grant("a", Some(5))), "b", ("b", 9, Some(9), "new", 8)),
        ];
        for (before, came, (hash, since, given, idp, account)) in table {
            let by = Retrieval {
                user: UserId(2),
                idp: "new".to_owned(),
                account_provider_id: Some(ProviderId(8)),
                content_hash: came.to_owned(),
            };
            let after = retrieved(SignalId(1), before.as_ref(), &by, at(9));
            let expected = Grant {
                content_hash: hash.to_owned(),
                granted_at: at(since),
                last_ok: given.map(at),
                idp: idp.to_owned(),
                account_provider_id: Some(ProviderId(account)),
                notices: before
                    .as_ref()
                    .filter(|_| came.is_empty())
                    .map_or(vec![], |grant| grant.notices.clone()),
                ..grant("", None)
            };
            assert_eq!(after, expected, "{before:?} {came}");
        }
    }
}

//! Identity of records: one per URL, provider and text. Other records belong to one person: a request without a text,
//! and a supplied text.

use super::signals::{SignalRow, columns};
use crate::db::{Tx, on_tx, rows_affected};
use chrono::TimeDelta;
use domain::corpus::Signal;
use domain::ids::{ProviderId, SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::StoreError;

/// No provider: the page was fetched anonymously.
pub(super) const NO_PROVIDER: i64 = 0;

/// A text from a provider, or from the URL alone.
pub(super) fn of_text(url_hash: &str, provider: Option<ProviderId>, content_hash: &str) -> String {
    format!("{url_hash}:{}:{content_hash}", number(provider))
}

/// A request of one person without a text.
pub(super) fn of_request(url_hash: &str, provider: Option<ProviderId>, user: UserId) -> String {
    format!("{url_hash}:{}:requested by {user}", number(provider))
}

/// A text supplied by one person.
pub(super) fn of_supplied(url_hash: &str, user: UserId) -> String {
    format!("{url_hash}:supplied by {user}")
}

pub(super) fn number(provider: Option<ProviderId>) -> i64 {
    provider.map_or(NO_PROVIDER, |id| id.0)
}

pub(super) async fn find(tx: &mut Tx, key: &str) -> Result<Option<Signal>, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM signals WHERE record_key = $1");
    on_tx!(tx, db => sqlx::query_as::<_, SignalRow>(TEXT).bind(key).fetch_optional(db))?
        .map(Signal::try_from)
        .transpose()
}

pub(super) async fn set(tx: &mut Tx, id: SignalId, key: &str) -> Result<(), StoreError> {
    on_tx!(tx, db => rows_affected(sqlx::query("UPDATE signals SET record_key = $2 WHERE id = $1")
        .bind(id.0).bind(key).execute(db)))?;
    Ok(())
}

/// The other texts of the same URL and provider, oldest record first.
pub(super) async fn siblings(tx: &mut Tx, signal: &Signal) -> Result<Vec<Signal>, StoreError> {
    const TEXT: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM signals WHERE url_hash = $1 AND COALESCE(source_provider_id, 0) = $2 AND NOT is_supplied \
         AND content_hash <> '' AND id <> $3 ORDER BY id"
    );
    on_tx!(tx, db => sqlx::query_as::<_, SignalRow>(TEXT)
        .bind(signal.url_hash.as_str())
        .bind(number(signal.source_provider_id))
        .bind(signal.signal_id.0)
        .fetch_all(db))?
    .into_iter()
    .map(Signal::try_from)
    .collect()
}

/// The provider returned this text now: it becomes the newest of its URL and provider, independent of other clocks.
pub(super) async fn mark_given(tx: &mut Tx, signal: &Signal, now: Instant) -> Result<(), StoreError> {
    const NEWEST: &str = "SELECT given_at FROM signals WHERE url_hash = $1 AND COALESCE(source_provider_id, 0) = $2 \
         AND NOT is_supplied AND given_at IS NOT NULL AND id <> $3 ORDER BY given_at DESC LIMIT 1";
    let newest: Option<Instant> = on_tx!(&mut *tx, db => sqlx::query_scalar(NEWEST)
        .bind(signal.url_hash.as_str())
        .bind(number(signal.source_provider_id))
        .bind(signal.signal_id.0)
        .fetch_optional(db))?;
    let after = newest.map_or(now, |other| now.max(other + TimeDelta::microseconds(1)));
    on_tx!(tx, db => rows_affected(sqlx::query("UPDATE signals SET given_at = $2 WHERE id = $1")
        .bind(signal.signal_id.0).bind(to_micros(after)).execute(db)))?;
    Ok(())
}

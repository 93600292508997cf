//! What becomes known of a document beside its text.

use super::signals::{LINE_CHARS_MAX, SignalRow, add_tags, columns, external_id, line, load, save};
use super::{changes, grants};
use crate::db::{Db, Tx, on_tx};
use crate::json::plain;
use domain::contracts::{Retrieval, StoreError};
use domain::corpus::{Liveness, NewSignal, Signal, SignalState};
use domain::ids::SignalId;
use domain::instant::{Instant, to_micros};

/// The newest messages of a document that are kept.
const MESSAGES_KEPT: usize = 10;
/// What a source says when it does not know a date.
const UNKNOWN_DATE: &str = "unknown";

pub(super) async fn note(
    db: &Db,
    seen: NewSignal,
    by: &Retrieval,
    now: Instant,
) -> Result<(Signal, bool), StoreError> {
    let now = to_micros(now);
    let mut tx = changes::begin(db).await?;
    let hash = seen.address.hash();
    let (mut signal, is_new) = match by_url_hash(&mut tx, &hash).await? {
        Some(signal) => (signal, false),
        None => (insert(&mut tx, &seen, &hash, now).await?, true),
    };
    let has_source = signal.source_provider_id;
    bring_up_to_date(&mut signal, &seen, now);
    save(&mut tx, &signal).await?;
    let is_tagged = add_tags(&mut tx, &mut signal, &seen.matter_tags).await?;
    let is_opened = grants::note(&mut tx, &signal, by, now).await?;
    if is_new || is_tagged || is_opened || has_source != signal.source_provider_id {
        changes::note(&mut tx, &[signal.signal_id.0]).await?;
    }
    tx.commit().await?;
    Ok((signal, is_new))
}

pub(super) async fn failure(db: &Db, id: SignalId, message: String) -> Result<(), StoreError> {
    change(db, id, |signal| {
        signal.messages.push(message.chars().take(LINE_CHARS_MAX).collect());
        let too_many = signal.messages.len().saturating_sub(MESSAGES_KEPT);
        signal.messages.drain(..too_many);
    })
    .await
}

pub(super) async fn liveness(
    db: &Db,
    id: SignalId,
    verdict: Liveness,
    http: Option<u16>,
    now: Instant,
) -> Result<(), StoreError> {
    let now = to_micros(now);
    change(db, id, |signal| {
        signal.liveness = verdict;
        signal.liveness_http = http;
        signal.liveness_checked = Some(now);
        if verdict == Liveness::Alive {
            signal.last_verified = Some(now);
        }
    })
    .await
}

pub(super) async fn lineage(db: &Db, id: SignalId, lineage: SignalId, label: &str) -> Result<(), StoreError> {
    change(db, id, |signal| {
        signal.lineage_id = Some(lineage);
        label.clone_into(&mut signal.version_label);
    })
    .await
}

pub(super) async fn readdress(db: &Db, id: SignalId, url: &str, url_hash: &str) -> Result<(), StoreError> {
    change(db, id, |signal| {
        signal.url = plain(url);
        signal.url_hash = plain(url_hash);
    })
    .await
}

/// A change that nobody needs to know who keeps an index: neither pieces nor access.
async fn change(db: &Db, id: SignalId, edit: impl FnOnce(&mut Signal)) -> Result<(), StoreError> {
    let mut tx = changes::begin(db).await?;
    let mut signal = load(&mut tx, id).await?;
    edit(&mut signal);
    save(&mut tx, &signal).await?;
    tx.commit().await
}

async fn by_url_hash(tx: &mut Tx, hash: &str) -> Result<Option<Signal>, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM signals WHERE url_hash = $1");
    on_tx!(tx, db => sqlx::query_as::<_, SignalRow>(TEXT).bind(hash).fetch_optional(db))?
        .map(Signal::try_from)
        .transpose()
}

async fn insert(tx: &mut Tx, seen: &NewSignal, hash: &str, now: Instant) -> Result<Signal, StoreError> {
    const TEXT: &str = concat!(
        "INSERT INTO signals (url, url_hash, state, origin, source_kind, liveness, first_seen, last_retrieved, \
         matter_tags, messages) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, '[]', '[]') RETURNING ",
        columns!()
    );
    on_tx!(tx, db => sqlx::query_as::<_, SignalRow>(TEXT)
        .bind(seen.address.as_str())
        .bind(hash)
        .bind(SignalState::Known.as_str())
        .bind(seen.origin.as_str())
        .bind(seen.source_kind.as_str())
        .bind(Liveness::Unknown.as_str())
        .bind(now)
        .fetch_one(db))?
    .try_into()
}

/// Only what is empty is filled: what one person's source says does not replace what another's said.
fn bring_up_to_date(signal: &mut Signal, seen: &NewSignal, now: Instant) {
    fn fill(place: &mut String, text: String) {
        if place.is_empty() {
            *place = text;
        }
    }
    signal.last_retrieved = signal.last_retrieved.max(now);
    // A text that is here keeps its source: who may ask another source may not see it.
    if signal.source_provider_id.is_none() && signal.content_hash.is_empty() {
        signal.source_provider_id = seen.source_provider_id;
        signal.source_provider = line(&seen.source_provider);
    }
    if signal.source_provider_id == seen.source_provider_id {
        fill(&mut signal.external_id, external_id(&seen.external_id));
    }
    fill(&mut signal.title, line(&seen.title));
    fill(&mut signal.author, line(&seen.author));
    if signal.date_published == UNKNOWN_DATE {
        signal.date_published.clear();
    }
    fill(&mut signal.date_published, line(&seen.date_published));
    fill(&mut signal.date_published, UNKNOWN_DATE.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_ids_are_bounded() {
        assert_eq!(line(&"ä".repeat(LINE_CHARS_MAX + 1)).chars().count(), LINE_CHARS_MAX);
        assert_eq!(line("a\0b"), "ab");
        assert_eq!(external_id(&"x".repeat(1_000)).len(), 1_000);
        assert_eq!(external_id(&"x".repeat(1_001)), "", "a part of an id is another id");
    }
}

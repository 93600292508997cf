//! Updates of a document besides its text.

use super::signals::{SignalRow, columns, external_id, line, load, save};
use super::{changes, grants, identity, tags};
use crate::db::{Db, Tx, on_tx, rows_affected};
use crate::json::plain;
use domain::corpus::{Liveness, NewSignal, Origin, Signal, SignalState, SourceKind};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{Retrieval, StoreError};

/// What a source says if it does not know a date.
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
    let (mut signal, is_new) = match existing(&mut tx, &seen, &hash, by.user).await? {
        Some(signal) => (signal, false),
        None => (insert(&mut tx, &seen, &hash, by.user, now).await?, true),
    };
    signal.last_retrieved = signal.last_retrieved.max(now);
    if signal.content_hash.is_empty() {
        fill(&mut signal, &seen);
    }
    save(&mut tx, &signal).await?;
    let is_opened = grants::note(&mut tx, &signal, by, now).await?;
    tags::add_own(&mut tx, signal.signal_id, by.user, &seen.matter_tags).await?;
    signal.matter_tags = tags::own(&mut tx, signal.signal_id, by.user).await?;
    signal.notices = grants::notices(&mut tx, signal.signal_id, by.user).await?;
    if is_new || is_opened {
        changes::note(&mut tx, &[signal.signal_id.0]).await?;
    }
    tx.commit().await?;
    Ok((signal, is_new))
}

/// This person's record of the URL and provider: one that they see, else an open request.
async fn existing(
    tx: &mut Tx,
    seen: &NewSignal,
    hash: &str,
    user: UserId,
) -> Result<Option<Signal>, StoreError> {
    let request = identity::of_request(hash, seen.source_provider_id, user);
    if seen.is_supplied {
        let supplied = identity::find(tx, &identity::of_supplied(hash, user)).await?;
        return match supplied {
            Some(signal) => Ok(Some(signal)),
            None => identity::find(tx, &request).await,
        };
    }
    if let Some(known) = seen.known {
        let is_it = |signal: &Signal| {
            signal.url_hash == hash
                && signal.source_provider_id == seen.source_provider_id
                && !signal.is_supplied
                && !signal.content_hash.is_empty()
        };
        match load(tx, known).await {
            Ok(signal) if is_it(&signal) => return Ok(Some(signal)),
            Ok(_) | Err(StoreError::NotFound) => {}
            Err(error) => return Err(error),
        }
    }
    match own_text(tx, hash, seen.source_provider_id, user).await? {
        Some(signal) => Ok(Some(signal)),
        None => identity::find(tx, &request).await,
    }
}

/// The newest text of the URL and provider that was given to this person.
async fn own_text(
    tx: &mut Tx,
    hash: &str,
    provider: Option<ProviderId>,
    user: UserId,
) -> Result<Option<Signal>, StoreError> {
    const TEXT: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM signals WHERE url_hash = $1 AND COALESCE(source_provider_id, 0) = $2 AND NOT is_supplied \
         AND content_hash <> '' AND EXISTS (SELECT 1 FROM signal_grants AS g WHERE g.signal_id = signals.id \
         AND g.user_id = $3 AND g.revoked_at IS NULL AND g.content_hash = signals.content_hash) \
         ORDER BY given_at DESC, id DESC LIMIT 1"
    );
    on_tx!(tx, db => sqlx::query_as::<_, SignalRow>(TEXT)
        .bind(hash)
        .bind(identity::number(provider))
        .bind(user.0)
        .fetch_optional(db))?
    .map(Signal::try_from)
    .transpose()
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
    // The part of the key after the URL hash identifies the owner of the text, and stays.
    const KEY: &str =
        "UPDATE signals SET record_key = $2 || substr(record_key, length(url_hash) + 1) WHERE id = $1";
    let mut tx = changes::begin(db).await?;
    let mut signal = load(&mut tx, id).await?;
    let hash = plain(url_hash);
    on_tx!(&mut tx, db => rows_affected(sqlx::query(KEY).bind(id.0).bind(hash.as_str()).execute(db)))?;
    signal.url = plain(url);
    signal.url_hash = hash;
    save(&mut tx, &signal).await?;
    tx.commit().await
}

/// A change that indexes need not follow: neither chunks nor access.
async fn change(db: &Db, id: SignalId, edit: impl FnOnce(&mut Signal)) -> Result<(), StoreError> {
    let mut tx = changes::begin(db).await?;
    let mut signal = load(&mut tx, id).await?;
    edit(&mut signal);
    save(&mut tx, &signal).await?;
    tx.commit().await
}

async fn insert(
    tx: &mut Tx,
    seen: &NewSignal,
    hash: &str,
    user: UserId,
    now: Instant,
) -> Result<Signal, StoreError> {
    let key = identity::of_request(hash, seen.source_provider_id, user);
    let record = EmptyRecord {
        url: seen.address.as_str(),
        hash,
        key: &key,
        origin: seen.origin,
        kind: seen.source_kind,
    };
    insert_empty(tx, record, now).await
}

/// A record next to another one of the same URL; `kind` is the kind of source.
pub(super) async fn insert_beside(
    tx: &mut Tx,
    other: &Signal,
    kind: SourceKind,
    key: &str,
    now: Instant,
) -> Result<Signal, StoreError> {
    let record = EmptyRecord { url: &other.url, hash: &other.url_hash, key, origin: other.origin, kind };
    insert_empty(tx, record, now).await
}

/// A record without a text.
struct EmptyRecord<'a> {
    url: &'a str,
    hash: &'a str,
    key: &'a str,
    origin: Origin,
    kind: SourceKind,
}

async fn insert_empty(tx: &mut Tx, record: EmptyRecord<'_>, now: Instant) -> Result<Signal, StoreError> {
    const TEXT: &str = concat!(
        "INSERT INTO signals (url, url_hash, record_key, state, origin, source_kind, liveness, first_seen, \
         last_retrieved, date_published, matter_tags, messages) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, '[]', '[]') RETURNING ",
        columns!()
    );
    on_tx!(tx, db => sqlx::query_as::<_, SignalRow>(TEXT)
        .bind(record.url)
        .bind(record.hash)
        .bind(record.key)
        .bind(SignalState::Known.as_str())
        .bind(record.origin.as_str())
        .bind(record.kind.as_str())
        .bind(Liveness::Unknown.as_str())
        .bind(now)
        .bind(UNKNOWN_DATE)
        .fetch_one(db))?
    .try_into()
}

/// Fills only empty fields, and only while there is no text: the fields belong to the text.
fn fill(signal: &mut Signal, seen: &NewSignal) {
    fn fill(place: &mut String, text: String) {
        if place.is_empty() {
            *place = text;
        }
    }
    signal.source_provider_id = seen.source_provider_id;
    if seen.source_provider_id.is_some() {
        fill(&mut signal.source_provider, line(&seen.source_provider));
    } else if !seen.is_supplied {
        // The URL was typed. What the person calls the document is not for others who get the same text.
        return;
    }
    fill(&mut signal.external_id, external_id(&seen.external_id));
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
    use super::super::signals::LINE_CHARS_MAX;
    use super::*;

    #[test]
    fn lines_and_ids_are_bounded() {
        assert_eq!(line(&"ä".repeat(LINE_CHARS_MAX + 1)).chars().count(), LINE_CHARS_MAX);
        assert_eq!(line("a\0b"), "ab");
        assert_eq!(external_id(&"x".repeat(1_000)).len(), 1_000);
        assert_eq!(external_id(&"x".repeat(1_001)), "", "a part of an id is another id");
    }
}

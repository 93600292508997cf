//! Documents read and found. Who may see a document is decided here and in `grants::acl_of`, in the same way.

use super::signals::{SignalRow, columns};
use super::{LIST_MAX, personal};
use crate::db::{Db, on_db};
use crate::json::{plain, to_column, to_count};
use crate::sql::searches::pattern;
use domain::contracts::{Page, SignalFilter, StoreError};
use domain::corpus::{AclToken, Signal};
use domain::ids::SignalId;
use domain::instant::{Instant, to_micros};
use sqlx::QueryBuilder;

/// Most words of an access list that are looked at; what is beyond opens nothing.
const TOKENS_MAX: usize = 10_000;
/// Most relatives of a document that are told.
const RELATIVES_MAX: i64 = 100;

pub(super) async fn signal(db: &Db, id: SignalId) -> Result<Signal, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM signals WHERE id = $1");
    let row = on_db!(*db, read, db => sqlx::query_as::<_, SignalRow>(TEXT).bind(id.0).fetch_one(db))?;
    let found = personal::view(db, vec![row.try_into()?], None).await?;
    found.into_iter().next().ok_or(StoreError::NotFound)
}

/// The newest text first; what has no text comes last.
pub(super) async fn at(
    db: &Db,
    url_hash: &str,
    visible_to: Option<&[AclToken]>,
) -> Result<Vec<Signal>, StoreError> {
    let hash = plain(url_hash);
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM signals WHERE url_hash = "));
        query.push_bind(hash.clone());
        push_visible(&mut query, visible_to);
        query.push(" ORDER BY CASE WHEN given_at IS NULL THEN 1 ELSE 0 END, given_at DESC, signals.id DESC");
        query.build_query_as::<SignalRow>().fetch_all(db).await
    })?;
    let found = rows.into_iter().map(Signal::try_from).collect::<Result<_, _>>()?;
    personal::view(db, found, visible_to).await
}

/// In the order of their ids.
pub(super) async fn signals(
    db: &Db,
    ids: &[SignalId],
    visible_to: Option<&[AclToken]>,
) -> Result<Vec<Signal>, StoreError> {
    let mut found = Vec::with_capacity(ids.len());
    for some in in_lists(ids) {
        let rows = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM signals WHERE signals.id IN ("));
            push_list(&mut query, some.iter().copied());
            query.push(")");
            push_visible(&mut query, visible_to);
            query.push(" ORDER BY signals.id");
            query.build_query_as::<SignalRow>().fetch_all(db).await
        })?;
        for row in rows {
            found.push(row.try_into()?);
        }
    }
    personal::view(db, found, visible_to).await
}

pub(super) async fn find(
    db: &Db,
    filter: &SignalFilter,
    offset: u64,
    limit: u64,
) -> Result<Page<Signal>, StoreError> {
    let total: i64 = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT COUNT(*) FROM signals");
        push_filter(&mut query, filter);
        query.build_query_scalar().fetch_one(db).await
    })?;
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM signals"));
        push_filter(&mut query, filter);
        query.push(" ORDER BY last_retrieved DESC, signals.id DESC LIMIT ").push_bind(to_column(limit));
        query.push(" OFFSET ").push_bind(to_column(offset));
        query.build_query_as::<SignalRow>().fetch_all(db).await
    })?;
    let items = rows.into_iter().map(Signal::try_from).collect::<Result<_, _>>()?;
    let items = personal::view(db, items, filter.visible_to.as_deref()).await?;
    Ok(Page { items, total: to_count(total) })
}

pub(super) async fn ids(db: &Db, after: Option<SignalId>, limit: u64) -> Result<Vec<SignalId>, StoreError> {
    const TEXT: &str = "SELECT id FROM signals WHERE id > $1 ORDER BY id LIMIT $2";
    let after = after.map_or(i64::MIN, |id| id.0);
    let ids: Vec<i64> = on_db!(*db, read, db =>
        sqlx::query_scalar(TEXT).bind(after).bind(to_column(limit)).fetch_all(db))?;
    Ok(ids.into_iter().map(SignalId).collect())
}

pub(super) async fn relatives(db: &Db, signal: &Signal) -> Result<Vec<SignalId>, StoreError> {
    const TEXT: &str = "SELECT id FROM (SELECT id FROM signals WHERE content_hash = $2 AND content_hash <> '' \
         UNION SELECT id FROM signals WHERE source_provider_id = $3 AND external_id = $4 AND external_id <> '') \
         AS related WHERE id <> $1 ORDER BY id LIMIT $5";
    let ids: Vec<i64> = on_db!(*db, read, db => sqlx::query_scalar(TEXT)
        .bind(signal.signal_id.0)
        .bind(plain(&signal.content_hash))
        .bind(signal.source_provider_id.map(|id| id.0))
        .bind(plain(&signal.external_id))
        .bind(RELATIVES_MAX)
        .fetch_all(db))?;
    Ok(ids.into_iter().map(SignalId).collect())
}

pub(super) async fn expired_bodies(db: &Db, now: Instant, limit: u64) -> Result<Vec<SignalId>, StoreError> {
    const TEXT: &str = "SELECT id FROM signals WHERE body_key IS NOT NULL AND body_expires <= $1 \
         AND state <> 'pinned' ORDER BY body_expires, id LIMIT $2";
    let ids: Vec<i64> = on_db!(*db, read, db =>
        sqlx::query_scalar(TEXT).bind(to_micros(now)).bind(to_column(limit)).fetch_all(db))?;
    Ok(ids.into_iter().map(SignalId).collect())
}

/// Each id once, in order, in lists that a statement can hold.
pub(in crate::sql) fn in_lists(ids: &[SignalId]) -> Vec<Vec<i64>> {
    let mut ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    ids.chunks(LIST_MAX).map(<[i64]>::to_vec).collect()
}

pub(in crate::sql) fn push_list<'a, D>(query: &mut QueryBuilder<D>, ids: impl Iterator<Item = i64>)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    let mut list = query.separated(", ");
    for id in ids {
        list.push_bind(id);
    }
}

/// What somebody with these tokens holds: their own numbers, and those of providers.
struct Held {
    users: Vec<i64>,
    providers: Vec<i64>,
}

impl Held {
    fn of(tokens: &[AclToken]) -> Self {
        let (mut users, mut providers) = (Vec::new(), Vec::new());
        for token in &tokens[..tokens.len().min(TOKENS_MAX)] {
            match token {
                AclToken::User(id) => users.push(id.0),
                AclToken::Provider(id) => providers.push(id.0),
            }
        }
        Self { users, providers }
    }
}

/// Leaves what somebody with one of these tokens may see. A document without text is seen by nobody. Of the texts of one
/// address and provider that the person may see, the newest counts: the others are superseded for this person.
pub(in crate::sql) fn push_visible<'a, D>(query: &mut QueryBuilder<D>, tokens: Option<&[AclToken]>)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    let Some(tokens) = tokens else { return };
    let held = Held::of(tokens);
    query.push(" AND signals.content_hash <> '' AND (");
    push_by_source(query, &held);
    push_by_grant(query, &held, "signals");
    query.push(
        ") AND (is_supplied OR NOT EXISTS (SELECT 1 FROM signals AS newer WHERE newer.url_hash = signals.url_hash \
         AND COALESCE(newer.source_provider_id, 0) = COALESCE(signals.source_provider_id, 0) \
         AND NOT newer.is_supplied AND newer.content_hash <> '' AND (newer.given_at > signals.given_at \
         OR (newer.given_at = signals.given_at AND newer.id > signals.id)) AND (",
    );
    // Both are of one provider.
    push_by_source(query, &held);
    push_by_grant(query, &held, "newer");
    query.push(")))");
}

/// The provider of the record gives everybody the same who holds its token.
fn push_by_source<'a, D>(query: &mut QueryBuilder<D>, held: &Held)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    if held.providers.is_empty() {
        query.push("FALSE");
        return;
    }
    query.push("(NOT signals.is_supplied AND signals.source_provider_id IN (");
    push_list(query, held.providers.iter().copied());
    query.push("))");
}

/// Or one of these people was given exactly the text of the record.
fn push_by_grant<'a, D>(query: &mut QueryBuilder<D>, held: &Held, record: &str)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    if held.users.is_empty() {
        return;
    }
    query.push(format_args!(
        " OR EXISTS (SELECT 1 FROM signal_grants AS g WHERE g.signal_id = {record}.id AND g.revoked_at IS NULL \
         AND g.content_hash = {record}.content_hash AND g.user_id IN ("
    ));
    push_list(query, held.users.iter().copied());
    query.push("))");
}

fn push_filter<'a, D>(query: &mut QueryBuilder<D>, filter: &SignalFilter)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" WHERE TRUE");
    push_visible(query, filter.visible_to.as_deref());
    if let Some(state) = filter.state {
        query.push(" AND state = ").push_bind(state.as_str().to_owned());
    }
    if let Some(tag) = &filter.matter_tag {
        push_tagged(query, tag, filter.visible_to.as_deref());
    }
    if !filter.words.is_empty() {
        query.push(" AND found_by LIKE ").push_bind(pattern(&filter.words)).push(" ESCAPE '\\'");
    }
}

/// Those to which the person gave the tag; without a person those to which anybody did.
fn push_tagged<'a, D>(query: &mut QueryBuilder<D>, tag: &str, tokens: Option<&[AclToken]>)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" AND signals.id IN (SELECT signal_id FROM signal_grant_tags WHERE tag = ");
    query.push_bind(plain(tag));
    match tokens.map(|tokens| Held::of(tokens).users) {
        None => {}
        Some(users) if users.is_empty() => {
            query.push(" AND FALSE");
        }
        Some(users) => {
            query.push(" AND user_id IN (");
            push_list(query, users.into_iter());
            query.push(")");
        }
    }
    query.push(")");
}

//! Records as one person sees them. Tags and notices are personal. Times come from the record for people who see it
//! through its provider, and from the grant for people who have only a grant. What others did with the same text is
//! hidden.

use crate::db::{Db, on_db};
use crate::row::row;
use crate::sql::text::{in_lists, push_list};
use domain::corpus::{AclToken, Signal, Visibility};
use domain::ids::SignalId;
use domain::instant::Instant;
use domain::notice::{Notice, StoredNotices};
use domain::ports::StoreError;
use sqlx::QueryBuilder;
use sqlx::types::Json;
use std::collections::BTreeMap;

row! {
    struct OwnRow {
        signal_id: i64,
        granted_at: Instant,
        last_ok: Option<Instant>,
        revoked_at: Option<Instant>,
        messages: Json<Vec<String>>,
        notices: Json<StoredNotices>,
    }
}

/// What the holders of these tokens have of one record.
#[derive(Default)]
struct Own {
    since: Option<Instant>,
    last_ok: Option<Instant>,
    tags: Vec<String>,
    notices: Vec<Notice>,
}

/// The records as this person sees them.
pub(super) async fn view(
    db: &Db,
    mut signals: Vec<Signal>,
    visible_to: Visibility<'_>,
) -> Result<Vec<Signal>, StoreError> {
    let ids: Vec<SignalId> = signals.iter().map(|signal| signal.signal_id).collect();
    let mut own = own(db, &ids, visible_to).await?;
    for signal in &mut signals {
        let own = own.remove(&signal.signal_id.0).unwrap_or_default();
        if let Visibility::To(tokens) = visible_to {
            show_times(signal, &own, tokens);
        }
        signal.matter_tags = own.tags;
        signal.notices = own.notices;
    }
    Ok(signals)
}

fn users_of(tokens: &[AclToken]) -> Vec<i64> {
    let user = |token: &AclToken| match token {
        AclToken::User(id) => Some(id.0),
        AclToken::Provider(_) => None,
    };
    tokens.iter().filter_map(user).collect()
}

/// People who see a record through a grant alone see only their own times.
fn show_times(signal: &mut Signal, own: &Own, tokens: &[AclToken]) {
    let source = signal.source_provider_id.filter(|_| !signal.is_supplied).map(AclToken::Provider);
    if !source.is_some_and(|token| tokens.contains(&token))
        && let Some(since) = own.since
    {
        signal.first_seen = since;
        signal.indexed_at = signal.indexed_at.map(|indexed| indexed.max(since));
        signal.last_retrieved = own.last_ok.unwrap_or(since);
    }
}

/// What the holders of these tokens have of each record; unrestricted, what everybody has.
async fn own(
    db: &Db,
    ids: &[SignalId],
    visible_to: Visibility<'_>,
) -> Result<BTreeMap<i64, Own>, StoreError> {
    let mut found: BTreeMap<i64, Own> = BTreeMap::new();
    if matches!(visible_to, Visibility::To(tokens) if users_of(tokens).is_empty()) {
        return Ok(found);
    }
    for some in in_lists(ids) {
        let grants = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT signal_id, granted_at, last_ok, revoked_at, messages, notices FROM signal_grants WHERE TRUE",
            );
            push_of(&mut query, &some, visible_to);
            query.push(" ORDER BY signal_id, user_id");
            query.build_query_as::<OwnRow>().fetch_all(db).await
        })?;
        for row in grants {
            let one = found.entry(row.signal_id).or_default();
            one.notices.extend(row.notices.0.restore(row.messages.0));
            if row.revoked_at.is_none() {
                (one.since, one.last_ok) = (Some(row.granted_at), row.last_ok);
            }
        }
        let tags: Vec<(i64, String)> = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new("SELECT DISTINCT signal_id, tag FROM signal_grant_tags WHERE TRUE");
            push_of(&mut query, &some, visible_to);
            query.push(" ORDER BY signal_id, tag");
            query.build_query_as().fetch_all(db).await
        })?;
        for (signal, tag) in tags {
            found.entry(signal).or_default().tags.push(tag);
        }
    }
    Ok(found)
}

/// Restricts to these records and people.
fn push_of<'a, D>(query: &mut QueryBuilder<D>, signals: &[i64], visible_to: Visibility<'_>)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    query.push(" AND signal_id IN (");
    push_list(query, signals.iter().copied());
    query.push(")");
    if let Visibility::To(tokens) = visible_to {
        query.push(" AND user_id IN (");
        push_list(query, users_of(tokens).into_iter());
        query.push(")");
    }
}

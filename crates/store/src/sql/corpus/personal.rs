//! Records as one person sees them. Whoever sees a record because of its provider has what belongs to the record; whoever
//! has a grant alone has what came with it. What others did with the same text is not shown.

use super::reading::{in_lists, push_list};
use super::tags;
use crate::db::{Db, on_db};
use domain::contracts::StoreError;
use domain::corpus::{AclToken, Signal};
use domain::ids::SignalId;
use domain::instant::Instant;
use sqlx::QueryBuilder;
use std::collections::BTreeMap;

#[derive(sqlx::FromRow)]
struct OwnRow {
    signal_id: i64,
    granted_at: Instant,
    last_ok: Option<Instant>,
}

/// What these tokens bring along of one record.
#[derive(Default)]
struct Own {
    since: Option<Instant>,
    last_ok: Option<Instant>,
    tags: Vec<String>,
}

/// The records as somebody with these tokens sees them; None: as they are.
pub(super) async fn view(
    db: &Db,
    mut signals: Vec<Signal>,
    tokens: Option<&[AclToken]>,
) -> Result<Vec<Signal>, StoreError> {
    let Some(tokens) = tokens else { return Ok(signals) };
    let ids: Vec<SignalId> = signals.iter().map(|signal| signal.signal_id).collect();
    let mut own = own(db, &ids, tokens).await?;
    for signal in &mut signals {
        show(signal, own.remove(&signal.signal_id.0).unwrap_or_default(), tokens);
    }
    Ok(signals)
}

fn show(signal: &mut Signal, own: Own, tokens: &[AclToken]) {
    let source = signal.source_provider_id.filter(|_| !signal.is_supplied).map(AclToken::Provider);
    if !source.is_some_and(|token| tokens.contains(&token)) {
        signal.matter_tags.clear();
        if let Some(since) = own.since {
            signal.first_seen = since;
            signal.indexed_at = signal.indexed_at.map(|indexed| indexed.max(since));
            signal.last_retrieved = own.last_ok.unwrap_or(since);
        }
    }
    tags::extend(&mut signal.matter_tags, &own.tags);
}

async fn own(db: &Db, ids: &[SignalId], tokens: &[AclToken]) -> Result<BTreeMap<i64, Own>, StoreError> {
    let mut found: BTreeMap<i64, Own> = BTreeMap::new();
    let users: Vec<i64> = tokens
        .iter()
        .filter_map(|token| match token {
            AclToken::User(id) => Some(id.0),
            AclToken::Provider(_) => None,
        })
        .collect();
    if users.is_empty() {
        return Ok(found);
    }
    for some in in_lists(ids) {
        let grants = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT signal_id, granted_at, last_ok FROM signal_grants WHERE revoked_at IS NULL AND signal_id IN (",
            );
            push_list(&mut query, some.iter().copied());
            query.push(") AND user_id IN (");
            push_list(&mut query, users.iter().copied());
            query.push(")");
            query.build_query_as::<OwnRow>().fetch_all(db).await
        })?;
        for OwnRow { signal_id, granted_at, last_ok } in grants {
            let one = found.entry(signal_id).or_default();
            (one.since, one.last_ok) = (Some(granted_at), last_ok);
        }
        let tags: Vec<(i64, String)> = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new("SELECT signal_id, tag FROM signal_grant_tags WHERE signal_id IN (");
            push_list(&mut query, some.iter().copied());
            query.push(") AND user_id IN (");
            push_list(&mut query, users.iter().copied());
            query.push(") ORDER BY signal_id, tag");
            query.build_query_as().fetch_all(db).await
        })?;
        for (signal, tag) in tags {
            found.entry(signal).or_default().tags.push(tag);
        }
    }
    Ok(found)
}

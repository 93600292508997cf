//! Matter tags. They are private to the person who set them, because a tag reveals what somebody works on.

use crate::db::{Tx, on_tx, rows_affected};
use crate::json::plain;
use domain::ids::{SignalId, UserId};
use domain::ports::StoreError;
use sqlx::QueryBuilder;

/// Most tags of one person on a record.
const TAGS_MAX: usize = 50;
/// Longest tag, in characters; a longer one is not stored.
const TAG_CHARS_MAX: usize = 200;

/// Adds tags of this person to the document. The person has a grant.
pub(super) async fn add_own(
    tx: &mut Tx,
    id: SignalId,
    user: UserId,
    tags: &[String],
) -> Result<(), StoreError> {
    let mut all = own(tx, id, user).await?;
    let before = all.len();
    extend(&mut all, tags);
    let new = &all[before..];
    if new.is_empty() {
        return Ok(());
    }
    on_tx!(tx, db => async {
        let mut query = QueryBuilder::new("INSERT INTO signal_grant_tags (signal_id, user_id, tag) ");
        query.push_values(new, |mut row, tag| {
            row.push_bind(id.0).push_bind(user.0).push_bind(tag.clone());
        });
        rows_affected(query.build().execute(db)).await
    })?;
    Ok(())
}

/// The tags of this person on the document, in order.
pub(super) async fn own(tx: &mut Tx, id: SignalId, user: UserId) -> Result<Vec<String>, StoreError> {
    const TEXT: &str = "SELECT tag FROM signal_grant_tags WHERE signal_id = $1 AND user_id = $2 ORDER BY tag";
    on_tx!(tx, db => sqlx::query_scalar(TEXT).bind(id.0).bind(user.0).fetch_all(db))
}

/// Moves people's tags to another record, for those with a grant there.
pub(super) async fn move_own(tx: &mut Tx, from: SignalId, into: SignalId) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO signal_grant_tags (signal_id, user_id, tag) SELECT $2, t.user_id, t.tag \
         FROM signal_grant_tags AS t WHERE t.signal_id = $1 AND EXISTS (SELECT 1 FROM signal_grants AS g \
         WHERE g.signal_id = $2 AND g.user_id = t.user_id) ON CONFLICT DO NOTHING";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(from.0).bind(into.0).execute(db)))?;
    Ok(())
}

/// Adds valid tags, unique, up to the limit.
fn extend(all: &mut Vec<String>, tags: &[String]) {
    for tag in tags.iter().map(|tag| plain(tag)) {
        let is_fit = !tag.is_empty() && tag.chars().count() <= TAG_CHARS_MAX;
        if is_fit && all.len() < TAGS_MAX && !all.contains(&tag) {
            all.push(tag);
        }
    }
}

//! What the holder of access tokens may see of the corpus, as a condition of queries. `acl::acl_of` decides in the
//! same way.

use crate::sql::text::push_list;
use domain::corpus::{AclToken, Visibility};
use sqlx::QueryBuilder;

/// Most tokens that are considered; those beyond give no access.
const TOKENS_MAX: usize = 10_000;

/// The user and provider ids in these tokens.
pub(super) struct Held {
    pub(super) users: Vec<i64>,
    providers: Vec<i64>,
}

impl Held {
    pub(super) fn of(tokens: &[AclToken]) -> Self {
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

/// Restricts to what the holder of these tokens may see. Documents without a text are visible to nobody. Of the
/// visible texts of one URL and provider only the newest counts: the others are superseded for this person.
pub(in crate::sql) fn push_visible<'a, D>(query: &mut QueryBuilder<D>, visible_to: Visibility<'_>)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    let Visibility::To(tokens) = visible_to else { return };
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
    // Both have the same provider.
    push_by_source(query, &held);
    push_by_grant(query, &held, "newer");
    query.push(")))");
}

/// The record's provider gives the same to everybody who holds its token.
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

/// Or one of these people was given exactly the record's text.
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

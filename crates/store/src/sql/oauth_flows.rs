//! Pending OAuth flows. Their secrets are encrypted, bound to the state.

use crate::SqlStore;
use crate::db::{Tx, first_row, on_db, on_tx, rows_affected};
use crate::json::unwritable;
use crate::row::row;
use domain::authenticator::{FlowPurpose, PendingFlow};
use domain::ids::{AuthenticatorId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::StoreError;
use domain::secret::Secret;
use serde::{Deserialize, Serialize};

/// Most pending flows of one person.
const FLOWS_OF_PERSON_MAX: i64 = 20;
/// Most pending sign-in flows. Anybody can start one.
const FLOWS_OF_SIGN_IN_MAX: i64 = 2000;

row! {
    struct FlowRow {
        authenticator_id: i64,
        user_id: Option<i64>,
        sealed: String,
        expires: Instant,
    }
}

/// Encrypted together.
#[derive(Serialize, Deserialize)]
struct Sealed {
    browser_hash: String,
    verifier: String,
    nonce: String,
    redirect_uri: String,
    next: String,
}

pub(super) async fn begin(store: &SqlStore, flow: PendingFlow, now: Instant) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO pending_flows \
         (state_hash, authenticator_id, user_id, sealed, expires, date_created) VALUES ($1, $2, $3, $4, $5, $6)";
    let now = to_micros(now);
    let sealed = Sealed {
        browser_hash: flow.browser_hash,
        verifier: flow.verifier.expose().to_owned(),
        nonce: flow.nonce,
        redirect_uri: flow.redirect_uri,
        next: flow.next,
    };
    let text = serde_json::to_string(&sealed).map_err(unwritable)?;
    let sealed = store.key.seal(&text, &record(&flow.state_hash))?;
    let user = match flow.purpose {
        FlowPurpose::Connect(user) => Some(user.0),
        FlowPurpose::SignIn => None,
    };
    let mut tx = store.db.begin().await?;
    on_tx!(&mut tx, db => rows_affected(
        sqlx::query("DELETE FROM pending_flows WHERE expires <= $1").bind(now).execute(db)))?;
    make_space(&mut tx, user).await?;
    on_tx!(&mut tx, db => rows_affected(sqlx::query(TEXT)
        .bind(flow.state_hash.as_str())
        .bind(flow.authenticator.0)
        .bind(user)
        .bind(sealed.as_str())
        .bind(to_micros(flow.expires))
        .bind(now)
        .execute(db)))?;
    tx.commit().await
}

pub(super) async fn take(
    store: &SqlStore,
    state_hash: &str,
    now: Instant,
) -> Result<Option<PendingFlow>, StoreError> {
    const TEXT: &str = "DELETE FROM pending_flows WHERE state_hash = $1 \
         RETURNING authenticator_id, user_id, sealed, expires";
    let row = on_db!(store.db, write, db => first_row(sqlx::query_as::<_, FlowRow>(TEXT).bind(state_hash).fetch_all(db)))?;
    let Some(row) = row.filter(|row| row.expires > now) else { return Ok(None) };
    // A flow that cannot be decrypted was started under another key, and must be restarted.
    let opened = store.key.open(&row.sealed, &record(state_hash)).ok();
    let Some(sealed) = opened.and_then(|text| serde_json::from_str::<Sealed>(text.expose()).ok()) else {
        return Ok(None);
    };
    Ok(Some(PendingFlow {
        state_hash: state_hash.to_owned(),
        authenticator: AuthenticatorId(row.authenticator_id),
        purpose: row.user_id.map_or(FlowPurpose::SignIn, |user| FlowPurpose::Connect(UserId(user))),
        browser_hash: sealed.browser_hash,
        verifier: Secret::new(sealed.verifier),
        nonce: sealed.nonce,
        redirect_uri: sealed.redirect_uri,
        next: sealed.next,
        expires: row.expires,
    }))
}

/// Deletes the oldest flows, so that one more fits.
async fn make_space(tx: &mut Tx, user: Option<i64>) -> Result<(), StoreError> {
    const OF_PERSON: &str = "DELETE FROM pending_flows WHERE state_hash IN (SELECT state_hash FROM pending_flows \
         WHERE user_id = $1 ORDER BY date_created DESC, state_hash LIMIT 1000000 OFFSET $2)";
    const OF_SIGN_IN: &str = "DELETE FROM pending_flows WHERE state_hash IN (SELECT state_hash FROM pending_flows \
         WHERE user_id IS NULL ORDER BY date_created DESC, state_hash LIMIT 1000000 OFFSET $1)";
    match user {
        Some(user) => on_tx!(tx, db => rows_affected(
            sqlx::query(OF_PERSON).bind(user).bind(FLOWS_OF_PERSON_MAX - 1).execute(db))),
        None => on_tx!(tx, db => rows_affected(
            sqlx::query(OF_SIGN_IN).bind(FLOWS_OF_SIGN_IN_MAX - 1).execute(db))),
    }?;
    Ok(())
}

/// The record that an encrypted flow is bound to.
fn record(state_hash: &str) -> String {
    format!("flow:{state_hash}")
}

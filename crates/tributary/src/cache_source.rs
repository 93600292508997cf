//! The semantic cache as a source: its record is made once, and never again after somebody deletes it.

use crate::ready;
use crate::wiring::Wired;
use anyhow::Context;
use domain::contracts::{SignalStore, StoreError, UserStore};
use domain::corpus::PROVIDER_NAME;
use domain::ids::UserId;
use domain::provider::ProviderSpec;

/// Where it is noted that the record was made.
const MADE: &str = "provider_made";
/// People that are looked at at once.
const PAGE: u64 = 100;

/// Makes the record of the source, active, for everybody and asked by every search. True when it was made now.
pub async fn ensure(wired: &Wired) -> anyhow::Result<bool> {
    if wired.store.corpus_value(MADE).await?.is_some() {
        return Ok(false);
    }
    let Some(owner) = administrator(wired).await? else { return Ok(false) };
    let spec = ProviderSpec { active: true, default: true, shared: true, ..ready::find(PROVIDER_NAME)?.spec };
    let made = match wired.by_command().create_providers(vec![spec], owner, wired.clock.now()).await {
        Ok(_) => true,
        Err(StoreError::Taken(_)) => false, // another process was first, or somebody wrote it by hand
        Err(error) => return Err(error).context("the cache cannot be made a source"),
    };
    wired.store.set_corpus_value(MADE, "true").await?;
    Ok(made)
}

/// The record is not made: a service that is measured has its own sources only.
pub async fn leave_out(wired: &Wired) -> anyhow::Result<()> {
    Ok(wired.store.set_corpus_value(MADE, "true").await?)
}

/// The first administrator; nobody before the first start.
async fn administrator(wired: &Wired) -> anyhow::Result<Option<UserId>> {
    let mut offset = 0;
    loop {
        let page = wired.store.users(offset, PAGE).await?;
        if let Some(user) = page.items.iter().find(|user| user.is_admin) {
            return Ok(Some(user.id));
        }
        offset += PAGE;
        if offset >= page.total {
            return Ok(None);
        }
    }
}

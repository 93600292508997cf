//! The provider record of the semantic cache: created once, and not again after someone deletes it.

use crate::app::App;
use crate::bundled_providers;
use anyhow::Context;
use domain::corpus::PROVIDER_NAME;
use domain::ids::UserId;
use domain::ports::{SignalStore, StoreError, UserStore};
use domain::provider::ProviderSpec;

/// The key that marks the record as created.
const MADE: &str = "provider_made";
/// Page size when listing users.
const PAGE: u64 = 100;

/// Creates the provider: active, shared and searched by default. Returns whether it was created.
pub async fn ensure(app: &App) -> anyhow::Result<bool> {
    if app.store.corpus_value(MADE).await?.is_some() {
        return Ok(false);
    }
    let Some(owner) = administrator(app).await? else { return Ok(false) };
    let spec = ProviderSpec {
        active: true,
        default: true,
        shared: true,
        ..bundled_providers::find(PROVIDER_NAME)?.spec
    };
    let made = match app.by_command().create_providers(vec![spec], owner, app.clock.now()).await {
        Ok(_) => true,
        Err(StoreError::Taken(_)) => false, // another process was first, or someone created it by hand
        Err(error) => return Err(error).context("cannot create the provider of the semantic cache"),
    };
    app.store.set_corpus_value(MADE, "true").await?;
    Ok(made)
}

/// Prevents the creation of the record: a benchmark uses only its own sources.
pub async fn skip(app: &App) -> anyhow::Result<()> {
    Ok(app.store.set_corpus_value(MADE, "true").await?)
}

/// The first administrator; `None` before the first start.
async fn administrator(app: &App) -> anyhow::Result<Option<UserId>> {
    let mut offset = 0;
    loop {
        let page = app.store.users(offset, PAGE).await?;
        if let Some(user) = page.items.iter().find(|user| user.is_admin) {
            return Ok(Some(user.id));
        }
        offset += PAGE;
        if offset >= page.total {
            return Ok(None);
        }
    }
}

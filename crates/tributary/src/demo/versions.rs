//! Seeds the demo's cache with the contracts in all versions, and creates a curator.

use super::contracts::{self, Contract};
use super::providers::PLACES;
use crate::app::App;
use anyhow::Context;
use corpus::ingest::{Document, IngestRequest};
use domain::corpus::Origin;
use domain::ports::{Corpus, ProviderStore, SignalStore, StoreError, UserStore};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::user::{CURATORS, UserSpec};

/// The user name of the curator.
pub const CURATOR: &str = "curator";
/// The key that marks the contracts as seeded; removed ones are not added again.
const SEEDED: &str = "demo_versions_kept";

/// Enqueues the ingest of every version, once.
pub async fn seed(app: &App) -> anyhow::Result<()> {
    if !app.corpus.is_open() || app.store.corpus_value(SEEDED).await?.is_some() {
        return Ok(());
    }
    let owner = app.store.user_by_name("admin").await?;
    let providers = app.store.providers().await?;
    for contract in contracts::records()? {
        let provider = provider_of(&contract, &providers).context("the contracts have no provider")?.clone();
        let mut item = item(contract);
        // The demo's own sources return exactly these contracts.
        item.mark_as_given(provider.id);
        let document = Document::Result { provider, item };
        let request =
            IngestRequest { user: owner.id, document, matter_tags: Vec::new(), origin: Origin::Ingest };
        app.corpus.ingest(request).await?;
    }
    Ok(app.store.set_corpus_value(SEEDED, "true").await?)
}

/// Creates the curator with this password, unless the user exists.
pub async fn ensure_curator(app: &App, password: &str) -> anyhow::Result<()> {
    let spec = UserSpec {
        username: CURATOR.to_owned(),
        password: Some(password.to_owned()),
        groups: vec![CURATORS.to_owned()],
        ..UserSpec::default()
    };
    if app.store.user_by_name(CURATOR).await.is_ok() || !spec.check_new().is_empty() {
        return Ok(());
    }
    let hash = server::password::hash(password)?;
    match app.by_command().create_user(spec, hash, app.clock.now()).await {
        Ok(_) | Err(StoreError::Taken(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn provider_of<'a>(contract: &Contract, providers: &'a [SearchProvider]) -> Option<&'a SearchProvider> {
    let (name, ..) = PLACES.iter().find(|(_, place, _)| *place == contract.place)?;
    providers.iter().find(|provider| provider.spec.name == *name)
}

fn item(contract: Contract) -> ResultItem {
    ResultItem {
        title: contract.title,
        body: contract.description,
        url: contract.link,
        author: contract.author,
        date_published: contract.published,
        ..ResultItem::default()
    }
}

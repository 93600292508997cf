//! The demo's cache begins with the contracts in all their versions, and there is somebody who decides which of them counts.

use super::contracts::{self, Contract};
use super::providers::PLACES;
use crate::wiring::Wired;
use anyhow::Context;
use corpus::ingest::{Document, IngestWish};
use domain::contracts::{Corpus, ProviderStore, SignalStore, StoreError, UserStore};
use domain::corpus::Origin;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use domain::user::{CURATORS, UserSpec};

/// Who decides.
pub const CURATOR: &str = "curator";
/// Where it is noted that the contracts were put in; whoever removes one is not given it again.
const KEPT: &str = "demo_versions_kept";

/// Puts every version into the cache, once. They come in by tasks, after the start.
pub async fn keep(wired: &Wired) -> anyhow::Result<()> {
    if !wired.corpus.is_open() || wired.store.corpus_value(KEPT).await?.is_some() {
        return Ok(());
    }
    let owner = wired.store.user_by_name("admin").await?;
    let providers = wired.store.providers().await?;
    for contract in contracts::records()? {
        let provider = provider_of(&contract, &providers).context("the contracts have no source")?.clone();
        let mut item = item(contract);
        // The demo's own sources give these very contracts.
        item.mark_as_given(provider.id);
        let document = Document::Result { provider, item };
        let wish = IngestWish { user: owner.id, document, matter_tags: Vec::new(), origin: Origin::Ingest };
        wired.corpus.ingest(wish).await?;
    }
    Ok(wired.store.set_corpus_value(KEPT, "true").await?)
}

/// Makes the curator, with this password; one who is there already is left alone.
pub async fn ensure_curator(wired: &Wired, password: &str) -> anyhow::Result<()> {
    let spec = UserSpec {
        username: CURATOR.to_owned(),
        password: Some(password.to_owned()),
        groups: vec![CURATORS.to_owned()],
        ..UserSpec::default()
    };
    if wired.store.user_by_name(CURATOR).await.is_ok() || !spec.check(true).is_empty() {
        return Ok(());
    }
    let hash = server::password::hash(password)?;
    match wired.by_command().create_user(spec, hash, wired.clock.now()).await {
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

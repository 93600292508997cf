//! The results that an update has added to a subscribed search with alerts.

use crate::error::FederationError;
use crate::federation::Federation;
use domain::ids::{RunNumber, SearchId};
use domain::ports::StoreError;
use domain::search::Search;
use domain::search_run::{RunEntry, compare};
use domain::user::User;
use serde::Deserialize;

/// Most results that an alert lists.
pub(super) const RESULTS_MAX: usize = 10;

/// The update of a search that may have found something: the payload of the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct AlertPayload {
    pub search: SearchId,
    pub run: RunNumber,
}

pub(super) struct NewResults {
    pub search: Search,
    pub owner: User,
    pub added: Vec<RunEntry>,
}

impl NewResults {
    /// The results that the run before did not have. None if there are none, or if nobody waits for them any more.
    pub async fn load(
        federation: &Federation,
        AlertPayload { search: id, run }: AlertPayload,
    ) -> Result<Option<Self>, FederationError> {
        let (searches, reader) = (&federation.searches, &federation.reader);
        let search = match searches.store.search(id).await {
            Err(StoreError::NotFound) => return Ok(None),
            other => other?,
        };
        let owner = match searches.store.user(search.owner).await {
            Err(StoreError::NotFound) => return Ok(None),
            other => other?,
        };
        let runs = searches.store.search_runs(id).await?;
        let before = runs.iter().map(|one| one.run).find(|one| *one < run);
        let Some(before) = before.filter(|_| search.spec.has_alerts()) else { return Ok(None) };
        let from = reader.saved_entries(&search, before).await?;
        let to = reader.saved_entries(&search, run).await?;
        let (Some(from), Some(to)) = (from, to) else { return Ok(None) };
        let added = compare(&from, &to).added;
        Ok((!added.is_empty()).then_some(Self { search, owner, added }))
    }

    /// The page with the new results; without `SVC_PUBLIC_URL`, a path.
    pub fn page(&self, public_url: &str) -> String {
        format!("{}/?search_id={}&new=true", public_url.trim_end_matches('/'), self.search.id)
    }
}

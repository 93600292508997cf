//! An election on request, over the results of a search that are kept.

use super::seen::Reader;
use super::{CanonicalError, RunSeen, is_open, tokens_of};
use crate::SemanticCache;
use crate::versions::held;
use domain::contracts::VersionsAsked;
use domain::corpus::candidates;
use domain::ids::SearchId;
use domain::user::Principal;

impl SemanticCache {
    /// Holds the elections of a saved search of this person and writes them down; the same again gives the same ones.
    /// Where elections are not automatic they wait for a decision, and nothing is shown otherwise until then. The results
    /// themselves are not changed. Clusters that a pin decides have no election.
    pub async fn elect(&self, person: &Principal, search: SearchId) -> Result<Vec<RunSeen>, CanonicalError> {
        is_open(&self.parts)?;
        let search = self.parts.store.search(search).await.map_err(CanonicalError::of)?;
        if search.owner != person.user {
            return Err(CanonicalError::NotFound);
        }
        let sets = self.parts.store.result_sets(search.id).await?;
        let candidates = candidates(&sets);
        let asked = VersionsAsked {
            asker: person.user,
            search: search.id,
            topic: search.topic(),
            candidates: &candidates,
            records: true,
            on_request: true,
        };
        let held = held(&self.parts, &self.places, asked).await?;
        let tokens = tokens_of(&self.parts, person).await?;
        Ok(Reader { parts: &self.parts, person, tokens }.runs(held.runs).await?)
    }
}

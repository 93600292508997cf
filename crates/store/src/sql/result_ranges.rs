//! The ids of the results of a run: each set has a range of them.

use super::result_ids::ResultIds;
use crate::db::Db;
use domain::ids::ResultId;
use domain::ports::StoreError;
use domain::result::ResultSet;

/// The ids assigned to one provider's new items.
pub(super) struct Range {
    pub provider: i64,
    pub first: i64,
    pub last: i64,
}

impl Range {
    pub(super) fn len(&self) -> usize {
        usize::try_from(self.last - self.first + 1).unwrap_or_default()
    }
}

/// Assigns ids to items without one, contiguous within each set.
pub(super) async fn number_items(
    db: &Db,
    ids: &ResultIds,
    sets: &mut [ResultSet],
) -> Result<Vec<Range>, StoreError> {
    let count = sets.iter().flat_map(|set| &set.items).filter(|item| item.swirl_id.0 == 0).count();
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut next = ids.take(db, count as u64).await?;
    let mut ranges = Vec::with_capacity(sets.len());
    for set in sets {
        let first = next;
        for item in set.items.iter_mut().filter(|item| item.swirl_id.0 == 0) {
            item.swirl_id = ResultId(next);
            next += 1;
        }
        if next > first {
            ranges.push(Range { provider: set.provider.0, first, last: next - 1 });
        }
    }
    Ok(ranges)
}

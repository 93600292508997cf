//! The log of a search: its own notices and those of its providers, which are stored with their results.

use super::provider_share::ProviderShare;
use super::reader::ResultReader;
use domain::ids::{RunNumber, SearchId};
use domain::instant::Instant;
use domain::notice::{self, Notice, NoticeKind};
use domain::ports::StoreError;
use domain::search::Search;
use std::collections::HashMap;

impl ResultReader {
    /// Completes the notices of these searches to their logs. The notices of a search itself are bounded where they
    /// are stored; those of its providers here: the more searches and providers, the fewer of each.
    pub async fn complete_notices(&self, searches: &mut [Search]) -> Result<(), StoreError> {
        // The first run stores the results, and with them the notices of the providers, at its end.
        let has_sets = |search: &&Search| search.status.is_final() || search.run > RunNumber::FIRST;
        let ids: Vec<SearchId> = searches.iter().filter(has_sets).map(|search| search.id).collect();
        let mut of_searches: HashMap<SearchId, Vec<Vec<Notice>>> = HashMap::new();
        let of_sets = if ids.is_empty() { Vec::new() } else { self.store.set_notices(&ids).await? };
        let share = ProviderShare::of(of_sets.len());
        for (search, notices) in of_sets {
            of_searches.entry(search).or_default().push(notices);
        }
        for search in searches {
            if let Some(of_sets) = of_searches.remove(&search.id) {
                let own = std::mem::take(&mut search.notices);
                search.notices = log(own, &of_sets, share, search.date_updated);
            }
        }
        Ok(())
    }
}

fn log(own: Vec<Notice>, of_sets: &[Vec<Notice>], share: ProviderShare, at: Instant) -> Vec<Notice> {
    let (mut notices, omitted) = collect(own, of_sets.iter().map(Vec::as_slice), share);
    if omitted > 0 {
        notices.push(Notice::new(at, NoticeKind::NoticesOmitted { count: omitted }));
    }
    notices
}

/// The banner, then the notices of the search and the shares of its providers, by time; and how many are omitted.
pub(super) fn collect<'a>(
    own: Vec<Notice>,
    of_sets: impl Iterator<Item = &'a [Notice]>,
    share: ProviderShare,
) -> (Vec<Notice>, usize) {
    let (banner, mut notices) = notice::split_banner(own);
    let mut omitted = 0;
    for of_set in of_sets {
        let selected = share.select_notices(of_set);
        omitted += of_set.len() - selected.len();
        notices.extend(selected);
    }
    notices.sort_by_key(|notice| notice.at);
    notices.insert(0, banner);
    (notices, omitted)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_log_of_a_search_is_bounded() {
        let failed =
            || Notice::new(Default::default(), NoticeKind::provider_failed("Rivers", "x".repeat(10_000)));
        let (sets, each) = (400, 200);
        let of_sets: Vec<Vec<Notice>> = (0..sets).map(|_| (0..each).map(|_| failed()).collect()).collect();
        let log = log(vec![Notice::banner()], &of_sets, ProviderShare::of(sets), Instant::UNIX_EPOCH);
        assert_eq!(log.len(), 1 + sets + 1, "the banner, one of each source, and what is left out");
        assert!(log[0].is_banner());
        assert!(log[1].to_string().len() < 300);
        assert_eq!(log[sets + 1].kind, NoticeKind::NoticesOmitted { count: sets * (each - 1) });
    }
}

//! Processes that follow searches of this one, each with a lease.

use domain::ids::SearchId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How often a lease is renewed.
pub(crate) const RENEW_INTERVAL: Duration = Duration::from_secs(2);
/// Length of a lease: two renewals may be lost.
const LEASE_TIME: Duration = Duration::from_secs(7);
/// Searches with remote followers; followers of further ones see only the end of the search.
const SEARCHES_MAX: usize = 10_000;
/// Followers of one search.
const FOLLOWERS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct RemoteFollowers(Mutex<HashMap<SearchId, Vec<FollowLease>>>);

#[derive(Debug)]
struct FollowLease {
    from: String,
    until: Instant,
}

impl RemoteFollowers {
    /// Adds or renews a lease; false if there are too many.
    pub(crate) fn note(&self, search: SearchId, from: &str) -> bool {
        let now = Instant::now();
        let mut followers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if followers.len() >= SEARCHES_MAX && !followers.contains_key(&search) {
            followers.retain(|_, of_search| of_search.iter().any(|lease| lease.until > now));
            if followers.len() >= SEARCHES_MAX {
                return false;
            }
        }
        let of_search = followers.entry(search).or_default();
        of_search.retain(|lease| lease.until > now && lease.from != from);
        let has_capacity = of_search.len() < FOLLOWERS_MAX;
        if has_capacity {
            of_search.push(FollowLease { from: from.to_owned(), until: now + LEASE_TIME });
        }
        has_capacity
    }

    /// The processes with a valid lease.
    pub(crate) fn followers(&self, search: SearchId) -> Vec<String> {
        let now = Instant::now();
        let followers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_search = followers.get(&search).into_iter().flatten();
        of_search.filter(|lease| lease.until > now).map(|lease| lease.from.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn leases_expire_unless_renewed() {
        let followers = RemoteFollowers::default();
        for from in ["a", "b", "a"] {
            assert!(followers.note(SearchId(1), from));
        }
        assert_eq!(followers.followers(SearchId(1)), ["b", "a"], "each once");
        assert_eq!(followers.followers(SearchId(2)), Vec::<String>::new());
        for _ in 0..5 {
            tokio::time::advance(RENEW_INTERVAL).await;
            assert!(followers.note(SearchId(1), "a"));
        }
        assert_eq!(followers.followers(SearchId(1)), ["a"]);
        tokio::time::advance(LEASE_TIME).await;
        assert_eq!(followers.followers(SearchId(1)), Vec::<String>::new());
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_followers_is_limited() {
        let followers = RemoteFollowers::default();
        let searches = i64::try_from(SEARCHES_MAX).unwrap_or_default();
        assert!((0..searches).all(|id| followers.note(SearchId(id), "a")));
        assert!(!followers.note(SearchId(searches), "a"));
        assert!(followers.note(SearchId(1), "b"), "a search that is followed already");
        assert!((0..FOLLOWERS_MAX - 1).all(|node| followers.note(SearchId(0), &node.to_string())));
        assert!(!followers.note(SearchId(0), "one more"));
        tokio::time::advance(LEASE_TIME).await;
        assert!(followers.note(SearchId(searches), "a"), "the earlier leases have expired");
    }
}

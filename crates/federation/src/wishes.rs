//! Which processes follow which searches. A wish that is not said again is forgotten.

use domain::ids::SearchId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How often a wish is said.
pub(crate) const ASK_EVERY: Duration = Duration::from_secs(2);
/// How long it holds: long enough that two may be lost.
const WISH_KEPT: Duration = Duration::from_secs(7);
/// Searches that are followed from elsewhere at once; those beyond are told of at their end.
const SEARCHES_MAX: usize = 10_000;
/// Processes that follow one search.
const FOLLOWERS_MAX: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Wishes(Mutex<HashMap<SearchId, Vec<Wish>>>);

#[derive(Debug)]
struct Wish {
    from: String,
    until: Instant,
}

impl Wishes {
    /// False when there are too many.
    pub(crate) fn note(&self, search: SearchId, from: &str) -> bool {
        let now = Instant::now();
        let mut wishes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if wishes.len() >= SEARCHES_MAX && !wishes.contains_key(&search) {
            wishes.retain(|_, of_search| of_search.iter().any(|wish| wish.until > now));
            if wishes.len() >= SEARCHES_MAX {
                return false;
            }
        }
        let of_search = wishes.entry(search).or_default();
        of_search.retain(|wish| wish.until > now && wish.from != from);
        let has_capacity = of_search.len() < FOLLOWERS_MAX;
        if has_capacity {
            of_search.push(Wish { from: from.to_owned(), until: now + WISH_KEPT });
        }
        has_capacity
    }

    /// Who follows this search now.
    pub(crate) fn followers(&self, search: SearchId) -> Vec<String> {
        let now = Instant::now();
        let wishes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_search = wishes.get(&search).into_iter().flatten();
        of_search.filter(|wish| wish.until > now).map(|wish| wish.from.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn wishes_are_forgotten_unless_said_again() {
        let wishes = Wishes::default();
        for from in ["a", "b", "a"] {
            assert!(wishes.note(SearchId(1), from));
        }
        assert_eq!(wishes.followers(SearchId(1)), ["b", "a"], "each once");
        assert_eq!(wishes.followers(SearchId(2)), Vec::<String>::new());
        for _ in 0..5 {
            tokio::time::advance(ASK_EVERY).await;
            assert!(wishes.note(SearchId(1), "a"));
        }
        assert_eq!(wishes.followers(SearchId(1)), ["a"]);
        tokio::time::advance(WISH_KEPT).await;
        assert_eq!(wishes.followers(SearchId(1)), Vec::<String>::new());
    }

    #[tokio::test(start_paused = true)]
    async fn there_is_space_for_so_many_and_later_for_others() {
        let wishes = Wishes::default();
        let searches = i64::try_from(SEARCHES_MAX).unwrap_or_default();
        assert!((0..searches).all(|id| wishes.note(SearchId(id), "a")));
        assert!(!wishes.note(SearchId(searches), "a"));
        assert!(wishes.note(SearchId(1), "b"), "a search that is followed already");
        assert!((0..FOLLOWERS_MAX - 1).all(|node| wishes.note(SearchId(0), &node.to_string())));
        assert!(!wishes.note(SearchId(0), "one more"));
        tokio::time::advance(WISH_KEPT).await;
        assert!(wishes.note(SearchId(searches), "a"), "those before are forgotten");
    }
}

//! Who guesses passwords or tokens is slowed down, and learns nothing about which users there are.
//! `docs/decisions/0009-throttles-in-the-process.md` says why the counts are these.

use super::limiter::{KEYS_MAX, Limiter};
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use domain::notation::rate::Rate;
use domain::settings::Throttle;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// How many times the rate all names together may fail from one address.
const ADDRESS_TIMES: u32 = 5;
/// How many times the rate one name may fail from all addresses together.
const NAME_TIMES: u32 = 100;
/// How long an address is known as one where a name, or anybody, signs in.
const KNOWN_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Most tokens from addresses that have guessed too often which wait to be looked up.
const SUSPECTS_MAX: usize = 64;

/// Counts failures; what succeeds is never counted.
pub struct SignInThrottle(Option<Arc<Counts>>);

struct Counts {
    keys: RandomState,
    /// One name from one address.
    name_here: Limiter,
    /// Everything from one address.
    address: Limiter,
    /// One name from everywhere.
    name: Limiter,
    /// Unknown tokens from one address.
    tokens: Limiter,
    /// Names and the addresses where they signed in, until when.
    known: Cache<u64, Instant>,
    /// Addresses where anybody signed in, until when.
    homes: Cache<u64, Instant>,
    /// Places in the row of tokens from addresses that have guessed too often, and the turn to be looked up.
    suspects: Arc<Semaphore>,
    suspect_turn: Arc<Semaphore>,
}

/// A token from a suspicious address is being looked up; the next one's turn comes when this is dropped.
pub struct TokenTurn {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

/// One attempt with a name and a password. It is checked before the slow hash and told the outcome after it.
#[derive(Clone)]
pub struct SignInAttempt {
    counts: Option<Arc<Counts>>,
    address: ClientAddress,
    name_here_key: u64,
    address_key: u64,
    name_key: u64,
}

/// How long to wait before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany(pub Duration);

impl SignInThrottle {
    pub fn new(throttle: Throttle) -> Self {
        Self(throttle.0.map(|rate| Arc::new(Counts::new(rate))))
    }

    /// Names are told apart as the store does it: letter by letter.
    pub fn attempt(&self, name: &str, address: ClientAddress) -> SignInAttempt {
        let keyed = |counts: &Arc<Counts>| {
            (counts.keys.hash_one((name, address)), counts.keys.hash_one(address), counts.keys.hash_one(name))
        };
        let (name_here_key, address_key, name_key) = self.0.as_ref().map(keyed).unwrap_or_default();
        SignInAttempt { counts: self.0.clone(), address, name_here_key, address_key, name_key }
    }

    /// Comes before a token is looked up. Where too many were guessed, one at a time is looked up for all such
    /// addresses together, so that guessing cannot keep the database busy. When too many wait: 429.
    pub async fn token_turn(&self, address: ClientAddress) -> Result<Option<TokenTurn>, ApiError> {
        let Some(counts) = &self.0 else {
            return Ok(None);
        };
        let Some(wait) = counts.token_wait(counts.keys.hash_one(address)) else {
            return Ok(None);
        };
        let place = Arc::clone(&counts.suspects).try_acquire_owned();
        let place = place.map_err(|_| refusal(TooMany(wait), address))?;
        let turn = Arc::clone(&counts.suspect_turn).acquire_owned().await.map_err(ApiError::internal)?;
        Ok(Some(TokenTurn { _place: place, _turn: turn }))
    }

    /// Counts an unknown token, or refuses it. A token that is known never comes here: it cannot be guessed,
    /// so nobody is safer if its owner is shut out together with a neighbour's broken script.
    pub fn token_failed(&self, address: ClientAddress) -> Result<(), ApiError> {
        let Some(counts) = &self.0 else {
            return Ok(());
        };
        let key = counts.keys.hash_one(address);
        if let Some(wait) = counts.token_wait(key) {
            return Err(refusal(TooMany(wait), address));
        }
        counts.tokens.charge(key);
        counts.address.charge(key);
        Ok(())
    }
}

impl Counts {
    fn new(rate: Rate) -> Self {
        let times = |times: u32| Limiter::new(Rate { count: rate.count.saturating_mul(times), ..rate });
        let cache = || Cache::builder().max_capacity(KEYS_MAX).eviction_policy(EvictionPolicy::lru()).build();
        Self {
            keys: RandomState::new(),
            name_here: times(1),
            address: times(ADDRESS_TIMES),
            name: times(NAME_TIMES),
            tokens: times(1),
            known: cache(),
            homes: cache(),
            suspects: Arc::new(Semaphore::new(SUSPECTS_MAX)),
            suspect_turn: Arc::new(Semaphore::new(1)),
        }
    }

    fn is_known(&self, name_here_key: u64) -> bool {
        self.known.get(&name_here_key).is_some_and(|until| Instant::now() < until)
    }

    /// How long unknown tokens from this address are refused, if they are.
    fn token_wait(&self, address_key: u64) -> Option<Duration> {
        self.tokens.wait(address_key).max(self.address.wait(address_key))
    }
}

impl SignInAttempt {
    /// Whether the attempt may go on. It depends on earlier failures alone, not on whether there is such a user
    /// or whether the password is right.
    pub fn check(&self) -> Result<(), TooMany> {
        let Some(counts) = &self.counts else {
            return Ok(());
        };
        let here = counts.name_here.wait(self.name_here_key).max(counts.address.wait(self.address_key));
        let everywhere = match counts.is_known(self.name_here_key) {
            true => None,
            false => counts.name.wait(self.name_key),
        };
        here.max(everywhere).map_or(Ok(()), |wait| Err(TooMany(wait)))
    }

    pub fn failed(&self) {
        if let Some(counts) = &self.counts {
            counts.name_here.charge(self.name_here_key);
            counts.address.charge(self.address_key);
            counts.name.charge(self.name_key);
        }
    }

    /// Clears the name's count at this address. The address keeps its own: else someone with one account
    /// could clear it at will and go on with the accounts of others.
    pub fn succeeded(&self) {
        if let Some(counts) = &self.counts {
            counts.name_here.forget(self.name_here_key);
            let until = Instant::now() + KNOWN_FOR;
            counts.known.insert(self.name_here_key, until);
            counts.homes.insert(self.address_key, until);
        }
    }

    /// Whether anybody signed in from this address lately. The name has no part in it, so nobody can learn from
    /// the time that an attempt takes which names there are.
    pub fn is_at_home(&self) -> bool {
        let until = self.counts.as_ref().and_then(|counts| counts.homes.get(&self.address_key));
        until.is_some_and(|until| Instant::now() < until)
    }

    pub fn refusal(&self, too_many: TooMany) -> ApiError {
        refusal(too_many, self.address)
    }
}

/// The name is not logged: people type passwords there.
fn refusal(TooMany(wait): TooMany, address: ClientAddress) -> ApiError {
    tracing::warn!(client.address = %address, "Throttled: sign-in from {address}");
    ApiError::throttled(wait, "Too many attempts to sign in have failed.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const RATE: u32 = 10;

    fn throttle() -> SignInThrottle {
        SignInThrottle::new(Throttle::per_minute(RATE))
    }

    fn from(number: u32) -> ClientAddress {
        ClientAddress::block_of(std::net::Ipv4Addr::from_bits(number).into())
    }

    /// Fails until it is refused, `most` times at most; how often it failed.
    fn failures(throttle: &SignInThrottle, name: &str, address: ClientAddress, most: u32) -> u32 {
        let attempt = throttle.attempt(name, address);
        (0..most).take_while(|_| attempt.check().is_ok()).inspect(|_| attempt.failed()).count() as u32
    }

    #[tokio::test(start_paused = true)]
    async fn one_name_from_one_address() {
        let throttle = throttle();
        assert_eq!(failures(&throttle, "ann", from(1), 99), RATE);
        let refused = throttle.attempt("ann", from(1)).check();
        assert_eq!(refused, Err(TooMany(Duration::from_secs(6))));
        assert_eq!(throttle.attempt("ann", from(2)).check(), Ok(()), "ann herself is somewhere else");
        assert_eq!(throttle.attempt("bob", from(1)).check(), Ok(()), "so is bob, in the same office");
        advance(Duration::from_secs(6)).await;
        assert_eq!(failures(&throttle, "ann", from(1), 99), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn many_names_from_one_address() {
        let throttle = throttle();
        let count: u32 =
            (0..999).map(|number| failures(&throttle, &format!("user {number}"), from(1), 1)).sum();
        assert_eq!(count, RATE * ADDRESS_TIMES);
        assert!(throttle.attempt("a new name", from(1)).check().is_err());
        assert_eq!(throttle.attempt("a new name", from(2)).check(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_name_from_many_addresses_but_not_where_it_is_at_home() {
        let throttle = throttle();
        let home = throttle.attempt("ann", from(0));
        home.succeeded();
        let count: u32 = (1..=999).map(|number| failures(&throttle, "ann", from(number), 99)).sum();
        assert_eq!(count, RATE * NAME_TIMES);
        assert!(throttle.attempt("ann", from(5000)).check().is_err());
        assert_eq!(home.check(), Ok(()), "who signed in from here is not shut out from afar");
        assert_eq!(failures(&throttle, "ann", from(0), 99), RATE, "but no guesses beyond the rate");
        advance(KNOWN_FOR).await;
        assert!(!home.counts.as_ref().unwrap().is_known(home.name_here_key));
    }

    #[tokio::test(start_paused = true)]
    async fn success_clears_the_name_and_not_the_address() {
        let throttle = throttle();
        let own = throttle.attempt("mallory", from(1));
        let mut count = 0;
        for _ in 0..99 {
            count += failures(&throttle, "mallory", from(1), RATE - 1);
            own.succeeded();
        }
        assert_eq!(count, RATE * ADDRESS_TIMES);
        assert!(own.check().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_by_address() {
        let throttle = throttle();
        let count = (0..99).take_while(|_| throttle.token_failed(from(1)).is_ok()).count();
        assert_eq!(count, RATE as usize);
        assert!(throttle.token_failed(from(2)).is_ok());
        assert_eq!(throttle.attempt("ann", from(1)).check(), Ok(()), "a name is another matter");
        assert_eq!(failures(&throttle, "ann", from(1), RATE), RATE);
        let rest: u32 = (0..99).map(|number| failures(&throttle, &format!("{number}"), from(1), 1)).sum();
        assert_eq!(rest, RATE * (ADDRESS_TIMES - 2), "the tokens count for the address");
    }

    #[tokio::test(start_paused = true)]
    async fn where_anybody_signed_in_all_are_at_home() {
        let throttle = throttle();
        let homes =
            |names: [(&str, u32); 3]| names.map(|(name, at)| throttle.attempt(name, from(at)).is_at_home());
        let all = [("ann", 1), ("nobody", 1), ("ann", 2)];
        throttle.attempt("ann", from(1)).failed();
        assert_eq!(homes(all), [false; 3]);
        throttle.attempt("ann", from(1)).succeeded();
        assert_eq!(homes(all), [true, true, false], "a name makes no difference");
        advance(KNOWN_FOR).await;
        assert_eq!(homes(all), [false; 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn suspicious_tokens_are_looked_up_one_at_a_time() {
        let throttle = throttle();
        for _ in 0..RATE {
            assert!(throttle.token_turn(from(1)).await.unwrap().is_none(), "no waiting below the limit");
            throttle.token_failed(from(1)).unwrap();
        }
        let first = throttle.token_turn(from(1)).await.unwrap();
        assert!(first.is_some());
        assert!(throttle.token_turn(from(2)).await.unwrap().is_none(), "others do not wait");
        let short = Duration::from_millis(10);
        let waiting: Vec<_> = (1..SUSPECTS_MAX)
            .map(|_| Box::pin(tokio::time::timeout(short, throttle.token_turn(from(1)))))
            .collect();
        let beyond = async {
            tokio::task::yield_now().await;
            throttle.token_turn(from(1)).await.map(|_| ()).unwrap_err().refusal()
        };
        let (waited, beyond) = tokio::join!(futures_util::future::join_all(waiting), beyond);
        assert!(waited.iter().all(Result::is_err), "the first is still being looked up");
        assert_eq!(beyond, crate::error::Refusal::Throttled);
        drop(first);
        assert!(throttle.token_turn(from(1)).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn none_is_without_a_limit() {
        let throttle = SignInThrottle::new(Throttle(None));
        assert_eq!(failures(&throttle, "ann", from(1), 5000), 5000);
        assert!((0..5000).all(|_| throttle.token_failed(from(1)).is_ok()));
    }
}

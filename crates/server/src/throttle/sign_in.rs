//! Throttling of password and token guessing. Attackers do not learn which users exist.
//! `docs/decisions/0009-throttles-in-the-process.md` explains the limits.

use super::limiter::{KEYS_MAX, Limiter};
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use domain::settings::Throttle;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use syntax::rate::Rate;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// All names together may fail this many times the rate from one address.
const ADDRESS_TIMES: u32 = 5;
/// One name may fail this many times the rate from all addresses together.
const NAME_TIMES: u32 = 100;
/// How long an address is known after a sign-in of a name, or of anyone.
const KNOWN_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Most tokens from suspicious addresses that wait to be looked up.
const SUSPECTS_MAX: usize = 64;

/// Most lockouts in a list.
const LOCKOUTS_LISTED_MAX: usize = 1000;

/// Counts failures; successes are never counted.
pub struct SignInThrottle(Option<Arc<Counts>>);

struct Counts {
    keys: RandomState,
    /// One name from one address.
    name_here: Limiter,
    /// All names from one address.
    address: Limiter,
    /// One name from all addresses.
    name: Limiter,
    /// Unknown tokens from one address.
    tokens: Limiter,
    /// While an address is at its limit: failed comparisons with the last right password of one name there, and of all
    /// names there.
    compared_here: Limiter,
    compared: Limiter,
    /// Recent failures, by name and address. The name itself is not stored: people type passwords there.
    failures: Cache<u64, FailedSignIn>,
    /// Names and the addresses where they signed in.
    known: Cache<u64, KnownName>,
    /// Addresses where anyone signed in, with expiry.
    known_addresses: Cache<u64, Instant>,
    /// Queue of tokens from suspicious addresses, and the permit to look one up.
    suspects: Arc<Semaphore>,
    suspect_permit: Arc<Semaphore>,
}

/// Permit to look up a token from a suspicious address; the next lookup starts when it is dropped.
pub struct TokenLookupPermit {
    _slot: OwnedSemaphorePermit,
    _permit: OwnedSemaphorePermit,
}

/// One attempt with a name and a password: checked before the slow hash, and given the outcome after it.
#[derive(Clone)]
pub struct SignInAttempt {
    counts: Option<Arc<Counts>>,
    address: ClientAddress,
    name_here_key: u64,
    address_key: u64,
    name_key: u64,
    /// Part of the keyed hash of the password.
    password: Option<PasswordPart>,
    /// The password seems to be the last right one of this name at this address.
    is_recognized: bool,
}

/// So few bits of the keyed hash of a password that they do not replace the slow hash for someone who reads the memory.
type PasswordPart = u16;

/// A name that signed in from an address.
#[derive(Clone, Copy)]
struct KnownName {
    /// When this is forgotten.
    until: Instant,
    password: Option<PasswordPart>,
}

/// Where a sign-in failed. For a token, the address replaces the name.
#[derive(Clone, Copy)]
struct FailedSignIn {
    address: ClientAddress,
    address_key: u64,
    name_key: u64,
}

/// A name, an address, or a name at an address that is locked out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lockout {
    /// The name of an existing user. None for other names, and for an address as a whole.
    pub name: Option<String>,
    /// None for a name that is locked out everywhere.
    pub address: Option<String>,
    pub wait: Duration,
}

/// How long to wait before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany(pub Duration);

impl SignInThrottle {
    pub fn new(throttle: Throttle) -> Self {
        Self(throttle.0.map(|rate| Arc::new(Counts::new(rate))))
    }

    /// Names are compared as the store does it: case-sensitive.
    pub fn attempt(&self, name: &str, address: ClientAddress) -> SignInAttempt {
        let keyed = |counts: &Arc<Counts>| {
            (counts.keys.hash_one((name, address)), counts.keys.hash_one(address), counts.keys.hash_one(name))
        };
        let (name_here_key, address_key, name_key) = self.0.as_ref().map(keyed).unwrap_or_default();
        SignInAttempt {
            counts: self.0.clone(),
            address,
            name_here_key,
            address_key,
            name_key,
            password: None,
            is_recognized: false,
        }
    }

    /// Called before a token is looked up. After too many guesses, tokens of all suspicious addresses are looked up one
    /// at a time, so that guessing cannot keep the database busy. 429 if too many wait.
    pub async fn acquire_token_lookup(
        &self,
        address: ClientAddress,
    ) -> Result<Option<TokenLookupPermit>, ApiError> {
        let Some(counts) = &self.0 else {
            return Ok(None);
        };
        let Some(wait) = counts.token_wait(counts.keys.hash_one(address)) else {
            return Ok(None);
        };
        let slot = Arc::clone(&counts.suspects).try_acquire_owned();
        let slot = slot.map_err(|_| refusal(TooMany(wait), address))?;
        let permit = Arc::clone(&counts.suspect_permit).acquire_owned().await.map_err(ApiError::internal)?;
        Ok(Some(TokenLookupPermit { _slot: slot, _permit: permit }))
    }

    /// The present lockouts: names at an address, addresses, and names everywhere. Only names in `users` are included.
    pub fn lockouts(&self, users: &[String]) -> Vec<Lockout> {
        let Some(counts) = &self.0 else {
            return Vec::new();
        };
        let known: HashMap<u64, &String> =
            users.iter().map(|name| (counts.keys.hash_one(name.as_str()), name)).collect();
        let mut found = BTreeSet::new();
        for (name_here_key, failure) in &counts.failures {
            let name = known.get(&failure.name_key).map(|name| (*name).clone());
            let address = Some(failure.address.to_string());
            let waits = [
                (name.clone(), address.clone(), counts.name_here.wait(*name_here_key)),
                (None, address, counts.token_wait(failure.address_key)),
                (name, None, counts.name.wait(failure.name_key)),
            ];
            let lockout = |(name, address, wait): (_, _, Option<Duration>)| {
                // Whole seconds, so that an address found twice is listed once.
                Some(Lockout { name, address, wait: Duration::from_secs(wait?.as_secs() + 1) })
            };
            found.extend(waits.into_iter().filter_map(lockout));
            if found.len() >= LOCKOUTS_LISTED_MAX {
                break;
            }
        }
        found.into_iter().take(LOCKOUTS_LISTED_MAX).collect()
    }

    /// Clears all failures, including those of tokens.
    pub fn forget_all(&self) {
        if let Some(counts) = &self.0 {
            let failed = [&counts.name_here, &counts.address, &counts.name, &counts.tokens];
            for limiter in failed.into_iter().chain([&counts.compared_here, &counts.compared]) {
                limiter.forget_all();
            }
            counts.failures.invalidate_all();
        }
    }

    /// Clears the failures of a name everywhere, and those of the addresses where it failed.
    pub fn forget_name(&self, name: &str) {
        let Some(counts) = &self.0 else {
            return;
        };
        let name_key = counts.keys.hash_one(name);
        counts.name.forget(name_key);
        for (name_here_key, failure) in
            counts.failures.iter().filter(|(_, failure)| failure.name_key == name_key)
        {
            counts.name_here.forget(*name_here_key);
            counts.compared_here.forget(*name_here_key);
            counts.address.forget(failure.address_key);
            counts.compared.forget(failure.address_key);
            counts.failures.invalidate(&*name_here_key);
        }
    }

    /// Counts an unknown token, or refuses it. A known token is never throttled: it cannot be guessed, and its owner
    /// must not be locked out by a broken script at the same address.
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
        counts.failures.insert(key, FailedSignIn { address, address_key: key, name_key: key });
        Ok(())
    }
}

fn cache<V: Clone + Send + Sync + 'static>() -> Cache<u64, V> {
    Cache::builder().max_capacity(KEYS_MAX).eviction_policy(EvictionPolicy::lru()).build()
}

impl Counts {
    fn new(rate: Rate) -> Self {
        let times = |times: u32| Limiter::new(Rate { count: rate.count.saturating_mul(times), ..rate });
        let places = Cache::builder().max_capacity(KEYS_MAX).eviction_policy(EvictionPolicy::lru());
        Self {
            keys: RandomState::new(),
            name_here: times(1),
            address: times(ADDRESS_TIMES),
            name: times(NAME_TIMES),
            tokens: times(1),
            compared_here: times(1),
            compared: times(ADDRESS_TIMES),
            failures: places.time_to_live(rate.per.max(Duration::from_secs(1))).build(),
            known: cache(),
            known_addresses: cache(),
            suspects: Arc::new(Semaphore::new(SUSPECTS_MAX)),
            suspect_permit: Arc::new(Semaphore::new(1)),
        }
    }

    /// The name, if it signed in from this address recently.
    fn known(&self, name_here_key: u64) -> Option<KnownName> {
        self.known.get(&name_here_key).filter(|known| Instant::now() < known.until)
    }

    /// Whether the password seems to be the last right one of its name at its address. While the address is at its limit,
    /// the answer gives away something about the password, so failed comparisons are limited.
    fn recognizes(&self, attempt: &SignInAttempt) -> bool {
        let &SignInAttempt { address, name_here_key, address_key, name_key, .. } = attempt;
        let Some(known) = self.known(name_here_key) else {
            return false;
        };
        let is_at_limit = self.address.wait(address_key).is_some();
        let wait = self.compared_here.wait(name_here_key).max(self.compared.wait(address_key));
        if is_at_limit && wait.is_some() {
            return false;
        }
        let is_same = attempt.password.is_some() && known.password == attempt.password;
        if is_at_limit && !is_same {
            self.compared_here.charge(name_here_key);
            self.compared.charge(address_key);
            self.failures.insert(name_here_key, FailedSignIn { address, address_key, name_key });
        }
        is_same
    }

    /// How long unknown tokens from this address are refused, if they are.
    fn token_wait(&self, address_key: u64) -> Option<Duration> {
        self.tokens.wait(address_key).max(self.address.wait(address_key))
    }
}

impl SignInAttempt {
    /// With the password, which the limit of the address does not refuse if it was right there within the last day.
    pub fn with_password(mut self, password: &str) -> Self {
        if let Some(counts) = self.counts.clone() {
            let [low, high, ..] = counts.keys.hash_one((self.name_here_key, password)).to_le_bytes();
            self.password = Some(PasswordPart::from_le_bytes([low, high]));
            self.is_recognized = counts.recognizes(&self);
        }
        self
    }

    /// Whether the attempt may proceed. This depends only on earlier attempts: not on whether the user exists, and on the
    /// password only if it was right at this address before.
    pub fn check(&self) -> Result<(), TooMany> {
        let Some(counts) = &self.counts else {
            return Ok(());
        };
        let name_here = counts.name_here.wait(self.name_here_key);
        let address = if self.is_recognized { None } else { counts.address.wait(self.address_key) };
        let is_known = counts.known(self.name_here_key).is_some();
        let everywhere = if is_known { None } else { counts.name.wait(self.name_key) };
        name_here.max(address).max(everywhere).map_or(Ok(()), |wait| Err(TooMany(wait)))
    }

    pub fn failed(&self) {
        if let Some(counts) = &self.counts {
            counts.name_here.charge(self.name_here_key);
            counts.address.charge(self.address_key);
            counts.name.charge(self.name_key);
            let Self { address, address_key, name_key, .. } = *self;
            counts.failures.insert(self.name_here_key, FailedSignIn { address, address_key, name_key });
        }
    }

    /// Clears the name's count at this address. The count of the address remains: otherwise someone with one account
    /// could clear it at will and continue with other accounts.
    pub fn succeeded(&self) {
        if let Some(counts) = &self.counts {
            counts.name_here.forget(self.name_here_key);
            let until = Instant::now() + KNOWN_FOR;
            counts.known.insert(self.name_here_key, KnownName { until, password: self.password });
            counts.known_addresses.insert(self.address_key, until);
        }
    }

    /// Whether anyone signed in from this address recently. The name does not matter, so the duration of an attempt
    /// does not reveal which names exist.
    pub fn is_known_address(&self) -> bool {
        let until = self.counts.as_ref().and_then(|counts| counts.known_addresses.get(&self.address_key));
        until.is_some_and(|until| Instant::now() < until)
    }

    pub fn refusal(&self, too_many: TooMany) -> ApiError {
        refusal(too_many, self.address)
    }
}

/// The name is not logged: people type passwords there.
fn refusal(TooMany(wait): TooMany, address: ClientAddress) -> ApiError {
    tracing::warn!(client.address = %address, "Throttled: sign-in from {address}");
    ApiError::throttled(wait, "Too many failed sign-in attempts.")
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

    /// Fails until it is refused, at most `most` times; returns how often it failed.
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

    /// Signs in with this password.
    fn sign_in(throttle: &SignInThrottle, name: &str, address: ClientAddress, password: &str) {
        throttle.attempt(name, address).with_password(password).succeeded();
    }

    /// Whether an attempt with this password is checked.
    fn is_checked(throttle: &SignInThrottle, name: &str, address: ClientAddress, password: &str) -> bool {
        throttle.attempt(name, address).with_password(password).check().is_ok()
    }

    /// Uses up the limit of an address with invented names; returns how many.
    fn guess_names(throttle: &SignInThrottle, address: ClientAddress) -> u32 {
        (0..999).map(|number| failures(throttle, &format!("guess {number}"), address, 1)).sum()
    }

    #[tokio::test(start_paused = true)]
    async fn invented_names_do_not_refuse_a_password_that_was_right_there() {
        let throttle = throttle();
        sign_in(&throttle, "ann", from(1), "old");
        sign_in(&throttle, "ann", from(1), "right");
        sign_in(&throttle, "bob", from(2), "right");
        assert_eq!(guess_names(&throttle, from(1)), RATE * ADDRESS_TIMES);
        for _ in 0..99 {
            assert!(is_checked(&throttle, "ann", from(1), "right"), "as often as she likes");
        }
        for (name, password) in [("ann", "wrong"), ("ann", "old"), ("bob", "right"), ("nobody", "right")] {
            assert!(!is_checked(&throttle, name, from(1), password), "{name} {password}");
        }
        assert!(is_checked(&throttle, "bob", from(2), "right"));
        // What it says is known for a day.
        advance(KNOWN_FOR).await;
        assert_eq!(guess_names(&throttle, from(1)), RATE * ADDRESS_TIMES);
        assert!(!is_checked(&throttle, "ann", from(1), "right"));
    }

    #[tokio::test(start_paused = true)]
    async fn guesses_at_known_names_are_limited_while_the_address_is_at_its_limit() {
        let throttle = throttle();
        for number in 0..9 {
            sign_in(&throttle, &format!("user {number}"), from(1), "right");
        }
        assert_eq!(guess_names(&throttle, from(1)), RATE * ADDRESS_TIMES);
        let guess = |name: usize, times: u32| {
            (0..times)
                .for_each(|_| assert!(!is_checked(&throttle, &format!("user {name}"), from(1), "wrong")));
        };
        let is_let_in = |name: usize| is_checked(&throttle, &format!("user {name}"), from(1), "right");
        // Invented names are compared with nothing, and cost nothing.
        (0..999).for_each(|number| assert!(!is_checked(&throttle, &format!("{number}"), from(1), "wrong")));
        guess(0, RATE - 1);
        assert!(is_let_in(0));
        guess(0, 1);
        assert!(!is_let_in(0), "the rate for one name");
        guess(0, 99);
        assert!(is_let_in(1), "what is refused is not counted");
        for name in 1..ADDRESS_TIMES as usize {
            guess(name, RATE);
        }
        assert!(!is_let_in(8), "the rate for all names of the address");
        throttle.forget_name("user 0");
        assert!(is_let_in(0) && is_let_in(8));
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_does_not_show_who_signed_in_there() {
        let throttle = throttle();
        sign_in(&throttle, "ann", from(1), "right");
        assert_eq!(guess_names(&throttle, from(1)), RATE * ADDRESS_TIMES);
        let attempt = |name: &str| throttle.attempt(name, from(1)).with_password("wrong").check();
        for number in 0..=RATE {
            assert_eq!(attempt("ann"), attempt("nobody"), "{number}");
        }
        advance(Duration::from_secs(60)).await;
        for name in ["ann", "nobody"] {
            assert_eq!(failures(&throttle, name, from(1), 99), RATE, "{name}: nothing was counted");
        }
    }

    /// Where the name itself was guessed too often, the right password waits as well.
    #[tokio::test(start_paused = true)]
    async fn a_password_that_was_right_there_waits_if_its_own_name_is_guessed() {
        let throttle = throttle();
        sign_in(&throttle, "ann", from(1), "right");
        assert_eq!(failures(&throttle, "ann", from(1), 99), RATE);
        assert!(!is_checked(&throttle, "ann", from(1), "right"));
        assert_eq!(guess_names(&throttle, from(1)), RATE * (ADDRESS_TIMES - 1));
        assert!(!is_checked(&throttle, "ann", from(1), "right"));
        advance(Duration::from_secs(6)).await;
        assert!(is_checked(&throttle, "ann", from(1), "right"));
    }

    #[tokio::test(start_paused = true)]
    async fn one_name_is_limited_across_addresses_except_known_ones() {
        let throttle = throttle();
        let home = throttle.attempt("ann", from(0));
        home.succeeded();
        let count: u32 = (1..=999).map(|number| failures(&throttle, "ann", from(number), 99)).sum();
        assert_eq!(count, RATE * NAME_TIMES);
        assert!(throttle.attempt("ann", from(5000)).check().is_err());
        assert_eq!(home.check(), Ok(()), "who signed in from here is not shut out from afar");
        assert_eq!(failures(&throttle, "ann", from(0), 99), RATE, "but no guesses beyond the rate");
        advance(KNOWN_FOR).await;
        assert!(home.counts.as_ref().unwrap().known(home.name_here_key).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn lockouts_can_be_listed_and_reset() {
        let throttle = throttle();
        let users = ["ann".to_owned(), "bob".to_owned()];
        failures(&throttle, "ann", from(1), RATE - 1);
        assert_eq!(throttle.lockouts(&users), [], "not yet");
        failures(&throttle, "ann", from(1), 99);
        failures(&throttle, "a password", from(2), 99);
        let lockouts = throttle.lockouts(&users);
        let names: Vec<_> = lockouts
            .iter()
            .map(|one| (one.name.as_deref(), one.address.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(names, [(None, "0.0.0.2"), (Some("ann"), "0.0.0.1")]);
        assert!(lockouts.iter().all(|one| one.wait.as_secs() == 7), "{lockouts:?}");
        throttle.forget_name("ann");
        assert_eq!(throttle.attempt("ann", from(1)).check(), Ok(()));
        assert_eq!(throttle.lockouts(&users).len(), 1);
        throttle.forget_all();
        assert_eq!(throttle.lockouts(&users), []);
        assert_eq!(throttle.attempt("a password", from(2)).check(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn the_list_of_lockouts_is_bounded() {
        let throttle = throttle();
        for number in 0..1100 {
            failures(&throttle, "somebody", from(number), 99);
            // Otherwise the name would be locked everywhere after a hundred addresses.
            let counts = throttle.0.as_ref().unwrap();
            counts.name.forget(counts.keys.hash_one("somebody"));
        }
        assert_eq!(throttle.lockouts(&[]).len(), LOCKOUTS_LISTED_MAX);
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
        let known_addresses = |names: [(&str, u32); 3]| {
            names.map(|(name, at)| throttle.attempt(name, from(at)).is_known_address())
        };
        let all = [("ann", 1), ("nobody", 1), ("ann", 2)];
        throttle.attempt("ann", from(1)).failed();
        assert_eq!(known_addresses(all), [false; 3]);
        throttle.attempt("ann", from(1)).succeeded();
        assert_eq!(known_addresses(all), [true, true, false], "a name makes no difference");
        advance(KNOWN_FOR).await;
        assert_eq!(known_addresses(all), [false; 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn suspicious_tokens_are_looked_up_one_at_a_time() {
        let throttle = throttle();
        for _ in 0..RATE {
            assert!(
                throttle.acquire_token_lookup(from(1)).await.unwrap().is_none(),
                "no waiting below the limit"
            );
            throttle.token_failed(from(1)).unwrap();
        }
        let first = throttle.acquire_token_lookup(from(1)).await.unwrap();
        assert!(first.is_some());
        assert!(throttle.acquire_token_lookup(from(2)).await.unwrap().is_none(), "others do not wait");
        let short = Duration::from_millis(10);
        let waiting: Vec<_> = (1..SUSPECTS_MAX)
            .map(|_| Box::pin(tokio::time::timeout(short, throttle.acquire_token_lookup(from(1)))))
            .collect();
        let beyond = async {
            tokio::task::yield_now().await;
            throttle.acquire_token_lookup(from(1)).await.map(|_| ()).unwrap_err().error_code()
        };
        let (waited, beyond) = tokio::join!(futures_util::future::join_all(waiting), beyond);
        assert!(waited.iter().all(Result::is_err), "the first is still being looked up");
        assert_eq!(beyond, crate::error::ErrorCode::Throttled);
        drop(first);
        assert!(throttle.acquire_token_lookup(from(1)).await.unwrap().is_some());
    }

    #[tokio::test]
    async fn none_is_without_a_limit() {
        let throttle = SignInThrottle::new(Throttle(None));
        assert_eq!(failures(&throttle, "ann", from(1), 5000), 5000);
        assert!((0..5000).all(|_| throttle.token_failed(from(1)).is_ok()));
    }
}

//! HTTP Basic authentication. A verified pair is cached for a minute, so that the slow hash is not computed every time.

use super::hash_pool::{HashPool, HashPriority};
use super::password;
use crate::error::ApiError;
use crate::throttle::SignInAttempt;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::password::PASSWORD_CHARS_MAX;
use domain::ports::UserStore;
use domain::user::{USERNAME_CHARS_MAX, User};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::time::Duration;

/// How long a verified pair is cached.
const REMEMBERED: Duration = Duration::from_secs(60);
/// Most cached pairs.
const REMEMBERED_MAX: u64 = 10_000;

/// Verifies passwords. The cache holds a keyed hash of the pair and the stored password hash, so a changed password is
/// forgotten immediately and the cache reveals nothing.
pub struct PasswordVerifier {
    key: Hmac<Sha256>,
    verified: moka::sync::Cache<[u8; 32], ()>,
    hash_pool: HashPool,
}

impl PasswordVerifier {
    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
    pub fn new() -> Self {
        Self {
            key: Hmac::new_from_slice(&rand::random::<[u8; 32]>()).expect("a key of any length fits"),
            verified: moka::sync::Cache::builder()
                .max_capacity(REMEMBERED_MAX)
                .time_to_live(REMEMBERED)
                .build(),
            hash_pool: HashPool::new(),
        }
    }

    /// The user, if the password is right. An unknown user takes the same time as a wrong password. A throttled attempt
    /// is refused before anything is looked up or hashed, whether the password is right or wrong. The limit of its address
    /// does not refuse one that was right there recently.
    pub async fn verify(
        &self,
        store: &dyn UserStore,
        attempt: SignInAttempt,
        username: &str,
        password: &str,
    ) -> Result<Option<User>, ApiError> {
        let attempt = attempt.with_password(password);
        attempt.check().map_err(|too_many| attempt.refusal(too_many))?;
        let stored = if is_possible(username, password) {
            store.user_with_password_hash(username).await?
        } else {
            None
        };
        let Some((user, hash)) = stored else {
            self.matches(attempt, None, password, password::DECOY).await?;
            return Ok(None);
        };
        let memory = self.memory_of(username, password, &hash);
        if self.verified.contains_key(&memory) {
            attempt.succeeded();
            return Ok(Some(user));
        }
        if !self.matches(attempt, Some(memory), password, &hash).await? {
            return Ok(None);
        }
        // Hashing takes a while, in which the user may have lost rights.
        match store.user_by_name(username).await {
            Ok(user) => Ok(Some(user)),
            Err(domain::ports::StoreError::NotFound) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Hashes a password for storing, without blocking other requests.
    pub async fn hash(&self, password: &str) -> Result<String, ApiError> {
        let password = password.to_owned();
        let made = self.hash_pool.run(HashPriority::KnownAddress, move || password::hash(&password)).await?;
        made.map_err(ApiError::internal)
    }

    /// The outcome is counted on the hashing thread, so that a client that disconnects early is counted too.
    async fn matches(
        &self,
        attempt: SignInAttempt,
        memory: Option<[u8; 32]>,
        password: &str,
        hash: &str,
    ) -> Result<bool, ApiError> {
        let (password, hash) = (password.to_owned(), hash.to_owned());
        let (verified, counted) = (self.verified.clone(), attempt.clone());
        let priority = if attempt.is_known_address() {
            HashPriority::KnownAddress
        } else {
            HashPriority::UnknownAddress
        };
        let outcome = self.hash_pool.run(priority, move || {
            // Another attempt may have failed, or verified the same pair, while this one was queued.
            counted.check()?;
            let is_known = memory.is_some_and(|memory| verified.contains_key(&memory));
            let is_right = is_known || password::matches(&password, &hash);
            match memory {
                Some(memory) if is_right => {
                    verified.insert(memory, ());
                    counted.succeeded();
                }
                _ => counted.failed(),
            }
            Ok(is_right)
        });
        outcome.await?.map_err(|too_many| attempt.refusal(too_many))
    }

    fn memory_of(&self, username: &str, password: &str, hash: &str) -> [u8; 32] {
        let mut mac = self.key.clone();
        for part in [username, password, hash] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

/// The credentials of a Basic header.
pub struct BasicCredentials {
    pub username: String,
    pub password: String,
}

pub fn decode(text: &str) -> Option<BasicCredentials> {
    let bytes = BASE64_STANDARD.decode(text).ok()?;
    let pair = String::from_utf8(bytes).ok()?;
    let (username, password) = pair.split_once(':')?;
    Some(BasicCredentials { username: username.to_owned(), password: password.to_owned() })
}

/// False if no stored user can have such a name or password, so that the database is not queried.
fn is_possible(username: &str, password: &str) -> bool {
    !username.is_empty()
        && username.chars().count() <= USERNAME_CHARS_MAX
        && !username.contains('\0')
        && password.chars().count() <= PASSWORD_CHARS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let table = [
            ("YWRtaW46c2VjcmV0", Some(("admin", "secret"))),
            ("YWRtaW46YTpi", Some(("admin", "a:b"))),
            ("YWRtaW4=", None),
            ("not base64", None),
            ("", None),
        ];
        for (text, expected) in table {
            let found = decode(text);
            let found = found.as_ref().map(|given| (given.username.as_str(), given.password.as_str()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_memory_is_bound_to_name_password_and_hash() {
        let verifier = PasswordVerifier::new();
        let memory = verifier.memory_of("ann", "secret", "hash-1");
        assert_eq!(memory, verifier.memory_of("ann", "secret", "hash-1"));
        for (username, password, hash) in
            [("ann", "secret", "hash-2"), ("ann", "secre", "thash-1"), ("anns", "ecret", "hash-1")]
        {
            assert_ne!(memory, verifier.memory_of(username, password, hash));
        }
        assert_ne!(memory, PasswordVerifier::new().memory_of("ann", "secret", "hash-1"));
    }

    #[test]
    fn impossible_pairs() {
        let longest = "n".repeat(USERNAME_CHARS_MAX);
        assert!(is_possible(&longest, &"p".repeat(PASSWORD_CHARS_MAX)));
        assert!(!is_possible(&format!("{longest}n"), "p"));
        assert!(!is_possible("ann", &"p".repeat(PASSWORD_CHARS_MAX + 1)));
        assert!(!is_possible("a\0nn", "p"));
        assert!(!is_possible("", "p"));
    }
}

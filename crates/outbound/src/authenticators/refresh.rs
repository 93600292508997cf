//! Access tokens of users, refreshed once for all concurrent callers in all processes.
//!
//! A refresh token often works only once. So the refreshing process holds a lease on the connection in the store while
//! others wait; and a refresh continues even if its caller goes away.

use super::context::OAuthContext;
use chrono::TimeDelta;
use domain::authenticator::{Authenticator, Connection};
use domain::ids::{AuthenticatorId, UserId};
use domain::ports::{OAuthError, ServiceError, ServiceErrorKind, SourceTokenError, StoreError, chain};
use domain::secret::Secret;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// Tokens are refreshed this long before they expire, unless their lifetime is short.
const EXPIRY_MARGIN: TimeDelta = TimeDelta::seconds(30);
/// Lifetime of the lease on a connection; longer than a request may take.
const LEASE_TTL: TimeDelta = TimeDelta::seconds(20);
/// How long to wait for a refresh in another process, and the polling interval.
const PATIENCE: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long shutdown waits for refreshes in progress.
const SETTLE_MAX: Duration = Duration::from_secs(10);

type RefreshLocks = Mutex<HashMap<(UserId, AuthenticatorId), Weak<tokio::sync::Mutex<()>>>>;
type Token = Result<Secret, SourceTokenError>;

#[derive(Default)]
pub(super) struct TokenRefresher {
    running: Mutex<JoinSet<()>>,
    locks: Arc<RefreshLocks>,
}

impl TokenRefresher {
    pub(super) async fn access_token(&self, context: &Arc<OAuthContext>, user: UserId, name: &str) -> Token {
        let authenticator = context.authenticator_called(name).await?;
        let shown = authenticator.spec.name.clone();
        let connection = context.connection_of(user, &authenticator).await?;
        if connection.is_valid(context.clock.now()) {
            return Ok(connection.tokens.access);
        }
        if connection.tokens.refresh.is_empty() {
            return Err(SourceTokenError::NotConnected(shown));
        }
        let (done, outcome) = oneshot::channel();
        let (context, refresh_lock) =
            (Arc::clone(context), refresh_lock(&self.locks, (user, authenticator.id)));
        {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            while running.try_join_next().is_some() {}
            running.spawn(async move {
                let _mine = refresh_lock.lock().await;
                let _nobody_waits = done.send(context.refreshed_token(user, &authenticator).await);
            });
        }
        outcome.await.unwrap_or_else(|_| {
            let reason = ServiceError::new(ServiceErrorKind::Unreachable, "the renewal was broken off");
            Err(SourceTokenError::Unavailable(shown, reason))
        })
    }

    pub(super) async fn settle(&self) {
        let mut running = std::mem::take(&mut *self.running.lock().unwrap_or_else(PoisonError::into_inner));
        let all = async { while running.join_next().await.is_some() {} };
        if tokio::time::timeout(SETTLE_MAX, all).await.is_err() {
            tracing::warn!("renewals of tokens are broken off; some people may have to connect again");
        }
    }
}

/// The lock of a user and authenticator, shared while it is in use.
fn refresh_lock(locks: &RefreshLocks, of: (UserId, AuthenticatorId)) -> Arc<tokio::sync::Mutex<()>> {
    let mut locks = locks.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(refresh_lock) = locks.get(&of).and_then(Weak::upgrade) {
        return refresh_lock;
    }
    locks.retain(|_, refresh_lock| refresh_lock.strong_count() > 0);
    let refresh_lock = Arc::default();
    locks.insert(of, Arc::downgrade(&refresh_lock));
    refresh_lock
}

trait Valid {
    fn is_valid(&self, now: domain::instant::Instant) -> bool;
}

impl Valid for Connection {
    fn is_valid(&self, now: domain::instant::Instant) -> bool {
        self.tokens.expires.is_none_or(|end| {
            let life = end - self.date_updated;
            end - EXPIRY_MARGIN.min(life / 5).max(TimeDelta::zero()) > now
        })
    }
}

impl OAuthContext {
    async fn authenticator_called(&self, name: &str) -> Result<Authenticator, SourceTokenError> {
        let all = self.store.authenticators().await.map_err(|error| unreadable(name, error))?;
        let mut active: Vec<Authenticator> = all.into_iter().filter(|one| one.spec.active).collect();
        // The idp is unique and takes precedence over a name.
        let found = active.iter().position(|one| one.spec.idp == name);
        let found = found.or_else(|| active.iter().position(|one| one.is_called(name)));
        found
            .map(|place| active.swap_remove(place))
            .ok_or_else(|| SourceTokenError::UnknownAuthenticator(name.to_owned()))
    }

    async fn connection_of(
        &self,
        user: UserId,
        authenticator: &Authenticator,
    ) -> Result<Connection, SourceTokenError> {
        let name = &authenticator.spec.name;
        let found = self.store.connection(user, authenticator.id).await;
        let found = found.map_err(|error| unreadable(name, error))?;
        // Defense in depth: a token of another user must never pass.
        found
            .filter(|one| one.user == user && one.authenticator == authenticator.id)
            .ok_or_else(|| SourceTokenError::NotConnected(name.clone()))
    }

    /// The token after it was refreshed, by this or another process.
    async fn refreshed_token(&self, user: UserId, authenticator: &Authenticator) -> Token {
        let name = &authenticator.spec.name;
        let started = Instant::now();
        loop {
            let connection = self.connection_of(user, authenticator).await?;
            let now = self.clock.now();
            if connection.is_valid(now) {
                return Ok(connection.tokens.access);
            }
            let is_mine = self.store.begin_renewal(&connection, now + LEASE_TTL, now).await;
            if is_mine.map_err(|error| unreadable(name, error))? {
                return self.refresh_connection(authenticator, &connection).await;
            }
            if started.elapsed() > PATIENCE {
                let reason = "another process is at it and does not end";
                let reason = ServiceError::new(ServiceErrorKind::Unreachable, reason);
                return Err(SourceTokenError::Unavailable(name.clone(), reason));
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Uses the refresh token. The caller holds the lease.
    async fn refresh_connection(&self, authenticator: &Authenticator, connection: &Connection) -> Token {
        let name = authenticator.spec.name.clone();
        match self.refresh(authenticator, &connection.tokens).await {
            Ok(tokens) => {
                let access = tokens.access.clone();
                match self.store.finish_renewal(connection, tokens.clone(), self.clock.now()).await {
                    Ok(Some(_)) => Ok(access),
                    Ok(None) => {
                        // It was disconnected meanwhile, so the new tokens are revoked.
                        self.revoke(authenticator, &tokens).await;
                        Err(SourceTokenError::NotConnected(name))
                    }
                    Err(error) => Err(unreadable(&name, error)),
                }
            }
            Err(OAuthError::Refused(..)) => {
                self.logged("ended", self.store.end_connection(connection).await);
                Err(SourceTokenError::NotConnected(name))
            }
            Err(error) => {
                self.logged("released", self.store.release_renewal(connection).await);
                let reason = match error {
                    OAuthError::Unavailable(_, reason) | OAuthError::Misconfigured(_, reason) => reason,
                    other => ServiceError::from_cause(ServiceErrorKind::Answer, other),
                };
                Err(SourceTokenError::Unavailable(name, reason))
            }
        }
    }

    fn logged(&self, what: &str, outcome: Result<(), StoreError>) {
        if let Err(error) = outcome {
            tracing::warn!("a connection could not be {what}: {}", chain(&error));
        }
    }
}

fn unreadable(name: &str, error: StoreError) -> SourceTokenError {
    tracing::warn!("what is connected cannot be read: {}", chain(&error));
    let reason = ServiceError::new(ServiceErrorKind::Records, "the records cannot be read").caused_by(error);
    SourceTokenError::Unavailable(name.to_owned(), reason)
}

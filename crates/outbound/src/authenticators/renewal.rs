//! A person's own token, valid now. It is renewed once, however many ask, in this process and in others.
//!
//! A refresh token often works once. So whoever renews holds the connection in the store meanwhile, the others wait
//! and read again; and a renewal goes on when who asked for it has gone away.

use super::Desk;
use chrono::TimeDelta;
use domain::authenticator::{Authenticator, Connection};
use domain::contracts::{OAuthError, SourceTokenError, StoreError};
use domain::ids::{AuthenticatorId, UserId};
use domain::secret::Secret;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

/// A token that ends so soon is renewed already, unless its whole life is short.
const MARGIN: TimeDelta = TimeDelta::seconds(30);
/// How long one process holds a connection for renewal; longer than a request may take.
const HELD: TimeDelta = TimeDelta::seconds(20);
/// How long one waits for a renewal in another process, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long a stop waits for renewals that have begun.
const SETTLE_MAX: Duration = Duration::from_secs(10);

type Turns = Mutex<HashMap<(UserId, AuthenticatorId), Weak<tokio::sync::Mutex<()>>>>;
type Token = Result<Secret, SourceTokenError>;

#[derive(Default)]
pub(super) struct Renewals {
    running: Mutex<JoinSet<()>>,
    turns: Arc<Turns>,
}

impl Renewals {
    pub(super) async fn access_token(&self, desk: &Arc<Desk>, user: UserId, name: &str) -> Token {
        let authenticator = desk.authenticator_called(name).await?;
        let shown = authenticator.spec.name.clone();
        let connection = desk.connection_of(user, &authenticator).await?;
        if connection.is_valid(desk.clock.now()) {
            return Ok(connection.tokens.access);
        }
        if connection.tokens.refresh.is_empty() {
            return Err(SourceTokenError::NotConnected(shown));
        }
        let (done, told) = oneshot::channel();
        let (desk, turn) = (Arc::clone(desk), turn(&self.turns, (user, authenticator.id)));
        {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            while running.try_join_next().is_some() {}
            running.spawn(async move {
                let _mine = turn.lock().await;
                let _nobody_waits = done.send(desk.renewed(user, &authenticator).await);
            });
        }
        told.await.unwrap_or_else(|_| {
            Err(SourceTokenError::Unavailable(shown, "the renewal was broken off".to_owned()))
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

/// One lock for each person and authenticator, as long as somebody has it.
fn turn(turns: &Turns, of: (UserId, AuthenticatorId)) -> Arc<tokio::sync::Mutex<()>> {
    let mut turns = turns.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(turn) = turns.get(&of).and_then(Weak::upgrade) {
        return turn;
    }
    turns.retain(|_, turn| turn.strong_count() > 0);
    let turn = Arc::default();
    turns.insert(of, Arc::downgrade(&turn));
    turn
}

/// Whether a token serves still.
trait Valid {
    fn is_valid(&self, now: domain::instant::Instant) -> bool;
}

impl Valid for Connection {
    fn is_valid(&self, now: domain::instant::Instant) -> bool {
        self.tokens.expires.is_none_or(|end| {
            let life = end - self.date_updated;
            end - MARGIN.min(life / 5).max(TimeDelta::zero()) > now
        })
    }
}

impl Desk {
    async fn authenticator_called(&self, name: &str) -> Result<Authenticator, SourceTokenError> {
        let all = self.store.authenticators().await.map_err(|error| unreadable(name, &error))?;
        let mut active: Vec<Authenticator> = all.into_iter().filter(|one| one.spec.active).collect();
        // The idp is unique and wins over a name.
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
        let found = found.map_err(|error| unreadable(name, &error))?;
        // The store looks by person already; a token of another must not pass here whatever the store does.
        found
            .filter(|one| one.user == user && one.authenticator == authenticator.id)
            .ok_or_else(|| SourceTokenError::NotConnected(name.clone()))
    }

    /// The token after it was renewed, here or elsewhere.
    async fn renewed(&self, user: UserId, authenticator: &Authenticator) -> Token {
        let name = &authenticator.spec.name;
        let started = Instant::now();
        loop {
            let connection = self.connection_of(user, authenticator).await?;
            let now = self.clock.now();
            if connection.is_valid(now) {
                return Ok(connection.tokens.access);
            }
            let is_mine = self.store.begin_renewal(&connection, now + HELD, now).await;
            if is_mine.map_err(|error| unreadable(name, &error))? {
                return self.renew(authenticator, &connection).await;
            }
            if started.elapsed() > PATIENCE {
                let reason = "another process is at it and does not end".to_owned();
                return Err(SourceTokenError::Unavailable(name.clone(), reason));
            }
            sleep(LOOK_EVERY).await;
        }
    }

    /// Uses the refresh token. Who calls holds the connection.
    async fn renew(&self, authenticator: &Authenticator, connection: &Connection) -> Token {
        let name = authenticator.spec.name.clone();
        match self.refresh(authenticator, &connection.tokens).await {
            Ok(tokens) => {
                let access = tokens.access.clone();
                match self.store.finish_renewal(connection, tokens.clone(), self.clock.now()).await {
                    Ok(Some(_)) => Ok(access),
                    Ok(None) => {
                        // It was taken away meanwhile: what was just given must not live on.
                        self.revoke(authenticator, &tokens).await;
                        Err(SourceTokenError::NotConnected(name))
                    }
                    Err(error) => Err(unreadable(&name, &error)),
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
                    other => other.to_string(),
                };
                Err(SourceTokenError::Unavailable(name, reason))
            }
        }
    }

    fn logged(&self, what: &str, outcome: Result<(), StoreError>) {
        if let Err(error) = outcome {
            tracing::warn!("a connection could not be {what}: {error}");
        }
    }
}

fn unreadable(name: &str, error: &StoreError) -> SourceTokenError {
    tracing::warn!("what is connected cannot be read: {error}");
    SourceTokenError::Unavailable(name.to_owned(), "the records cannot be read".to_owned())
}

//! News of searches by plain NATS messages: one subject for all processes, and one for each.

use super::link::Link;
use async_nats::Subscriber;
use async_trait::async_trait;
use domain::contracts::{LETTER_BYTES_MAX, NewsRelay, RelayError};
use futures_util::StreamExt;
use futures_util::stream::{Select, select};
use std::sync::Arc;
use tokio::sync::Mutex;

/// No process has this name: names are 32 digits.
const ALL: &str = "all";

pub struct NatsRelay {
    link: Arc<Link>,
    here: String,
    ear: Mutex<Option<Select<Subscriber, Subscriber>>>,
}

impl NatsRelay {
    pub(super) fn new(link: Arc<Link>) -> Self {
        Self { link, here: format!("{:032x}", rand::random::<u128>()), ear: Mutex::default() }
    }

    /// Subscriptions come back by themselves when the server does.
    async fn listen(&self) -> Result<Select<Subscriber, Subscriber>, RelayError> {
        let to_all = self.link.client.subscribe(self.link.news(ALL)).await.map_err(failed)?;
        let to_here = self.link.client.subscribe(self.link.news(&self.here)).await.map_err(failed)?;
        Ok(select(to_all, to_here))
    }
}

#[async_trait]
impl NewsRelay for NatsRelay {
    fn here(&self) -> &str {
        &self.here
    }

    fn letter_bytes_max(&self) -> usize {
        self.link.client.server_info().max_payload.min(LETTER_BYTES_MAX)
    }

    async fn send(&self, to: Option<&str>, letter: &str) -> Result<(), RelayError> {
        // The client would keep it, and news are of no use later.
        if !self.link.is_up() {
            return Err(RelayError("no server of NATS answers".to_owned()));
        }
        let subject = self.link.news(to.unwrap_or(ALL));
        self.link.client.publish(subject, letter.to_owned().into()).await.map_err(failed)
    }

    async fn hear(&self) -> Result<String, RelayError> {
        let mut ear = self.ear.lock().await;
        let messages = match &mut *ear {
            Some(messages) => messages,
            None => ear.insert(self.listen().await?),
        };
        match messages.next().await {
            Some(message) => String::from_utf8(message.payload.into()).map_err(failed),
            None => {
                *ear = None;
                Err(RelayError("the client of NATS has ended".to_owned()))
            }
        }
    }
}

fn failed(error: impl std::fmt::Display) -> RelayError {
    RelayError(error.to_string())
}

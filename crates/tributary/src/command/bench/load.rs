//! Clients that search at the same time without pauses.

use super::client::Client;
use anyhow::Context;
use domain::secret::Secret;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Time limit of a search.
const SEARCH_MAX: Duration = Duration::from_secs(60);

/// Running clients. They end when this is dropped.
pub(super) struct Load {
    searches: mpsc::Receiver<anyhow::Result<Duration>>,
    clients: JoinSet<()>,
}

impl Load {
    /// Starts a client for each user.
    pub(super) fn start(address: &str, users: &[Secret], sources: u32) -> anyhow::Result<Self> {
        let (ended, searches) = mpsc::channel(users.len().max(1));
        let mut clients = JoinSet::new();
        for user in users {
            let client = Client::new(address, user.clone())?;
            let ended = ended.clone();
            clients.spawn(async move {
                while ended.send(client.search(sources).await.map(|search| search.took)).await.is_ok() {}
            });
        }
        Ok(Self { searches, clients })
    }

    /// Waits until `count` searches have finished, and returns their times; fails on the first error.
    pub(super) async fn wait_for(&mut self, count: u32) -> anyhow::Result<Vec<Duration>> {
        let mut times = Vec::new();
        for _ in 0..count {
            let ended = tokio::time::timeout(SEARCH_MAX, self.searches.recv()).await;
            times.push(ended.context("no search finished in time")?.context("the clients have stopped")??);
        }
        Ok(times)
    }

    /// Ends the clients.
    pub(super) async fn stop(mut self) {
        self.clients.shutdown().await;
    }
}

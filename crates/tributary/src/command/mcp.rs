//! `tributary mcp`: the tools for models on standard input and output, for one client that starts this program.

use super::{Place, named_user};
use crate::logs;
use crate::service::exchange;
use crate::wiring::Wired;
use crate::workers::searches_running_max;
use anyhow::Context;
use async_trait::async_trait;
use clap::Args;
use domain::contracts::{Clock, QueueName, StoreError, TokenStore, UserStore};
use domain::ids::UserId;
use domain::user::Principal;
use mcp::{Costly, Door};
use std::sync::Arc;
use store::SqlStore;
use tasks::{Worker, WorkerConfig};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Serve the tools of the Model Context Protocol on standard input and output.
#[derive(Debug, Args)]
#[command(after_help = "\
It works on the data folder itself; no server needs to run. The person is the owner of the API
token in SVC_MCP_TOKEN, or the one that --user names. A running service has the same tools at
http://127.0.0.1:8000/mcp.

Example configuration of a desktop client:
  {
    \"mcpServers\": {
      \"tributary\": {
        \"command\": \"tributary\",
        \"args\": [\"mcp\", \"--data-dir\", \"/srv/tributary/data\"],
        \"env\": { \"SVC_MCP_TOKEN\": \"trb_…\" }
      }
    }
  }

A token is made with `tributary token add <name>`.")]
pub struct Mcp {
    /// The person on whose behalf it acts, for who owns the data folder; stands above SVC_MCP_TOKEN.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

impl Mcp {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let wired = place.open().await?;
        // Standard output is the client's; what is logged goes to the files, and warnings to standard error.
        let _logging = logs::start(&wired.settings, &wired.data_dir)?;
        let door = Arc::new(self.door(&wired).await?);
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        running.spawn(worker(&wired).serve(stopped));
        let mut background = exchange(&wired);
        let served = wired.mcp.over_stdio(door).await;
        let _worker_has_gone = stop.send(true);
        while running.join_next().await.is_some() {}
        background.shutdown().await;
        wired.authenticators.settle().await;
        wired.store.close().await;
        served.map_err(Into::into)
    }

    /// Who is not known is told at once, before a client waits for an answer.
    async fn door(&self, wired: &Wired) -> anyhow::Result<StdioDoor> {
        let token = wired.settings.mcp_token.expose().trim();
        let who = match &self.user {
            Some(name) => Who::User(named_user(wired, name).await?.id),
            None if token.is_empty() => anyhow::bail!(
                "set SVC_MCP_TOKEN to an API token (`tributary token add <name>` makes one), or give --user <name>"
            ),
            None => Who::Token(server::token::hash_of(token)),
        };
        let door = StdioDoor { store: Arc::clone(&wired.store), clock: Arc::clone(&wired.clock), who };
        door.principal().await.map_err(anyhow::Error::msg).context("SVC_MCP_TOKEN")?;
        Ok(door)
    }
}

/// A search may be run here, or by a service on the same records.
fn worker(wired: &Wired) -> Worker {
    let settings = &wired.settings;
    let config = WorkerConfig {
        queue: QueueName::Search,
        concurrency: settings.search_concurrency,
        running_max: searches_running_max(settings),
        lease: settings.task_lease.0,
        grace: settings.stop_grace.0,
    };
    Worker::new(config, Arc::clone(&wired.queue), Arc::clone(&wired.clock), wired.registry.clone())
}

/// The client that started this program.
struct StdioDoor {
    store: Arc<SqlStore>,
    clock: Arc<dyn Clock>,
    who: Who,
}

enum Who {
    /// By the hash of a token.
    Token(String),
    User(UserId),
}

#[async_trait]
impl Door for StdioDoor {
    /// Asked anew for every request: a token that was revoked, or rights that were taken away, count at once.
    async fn principal(&self) -> Result<Principal, String> {
        let user = match &self.who {
            Who::Token(hash) => self.store.user_by_token(hash, self.clock.now()).await,
            Who::User(id) => match self.store.user(*id).await {
                Err(StoreError::NotFound) => Ok(None),
                user => user.map(Some),
            },
        };
        match user {
            Ok(Some(user)) => Ok(Principal::of(&user)),
            Ok(None) => Err("The token or the user is not known any more.".to_owned()),
            Err(error) => {
                tracing::warn!("mcp: the person cannot be looked up: {error}");
                Err("The records cannot be reached at the moment.".to_owned())
            }
        }
    }

    /// Who starts the program on the data itself is not counted.
    fn take(&self, _what: Costly) -> Result<(), String> {
        Ok(())
    }
}

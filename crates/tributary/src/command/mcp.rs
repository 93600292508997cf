//! `tributary mcp`: MCP server on standard input and output, for a client that starts this program.

use super::{CliContext, named_user};
use crate::app::App;
use crate::logs;
use crate::service::spawn_background;
use crate::workers::searches_running_max;
use anyhow::Context;
use async_trait::async_trait;
use clap::Args;
use domain::ids::UserId;
use domain::ports::{Clock, QueueName, StoreError, TokenStore, UserStore, chain};
use domain::user::Principal;
use mcp::{CallerContext, CallerError, CallerErrorKind, QuotaClass};
use std::sync::Arc;
use store::SqlStore;
use tasks::{Worker, WorkerConfig};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Serve the Model Context Protocol (MCP) on standard input and output.
#[derive(Debug, Args)]
#[command(after_help = "\
It works on the data folder directly, without a running service. It acts for the owner of the API
token in SVC_MCP_TOKEN, or for the user of --user. A running service offers the same tools at
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

Create a token with `tributary token add <name>`.")]
pub struct Mcp {
    /// User to act for, without a token; takes precedence over SVC_MCP_TOKEN.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
}

impl Mcp {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let app = cli.open().await?;
        // Standard output belongs to the protocol; logs go to the files, warnings to standard error.
        let _logging = logs::start(&app.settings, &app.data_dir)?;
        let caller = Arc::new(self.caller(&app).await?);
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        running.spawn(worker(&app).serve(stopped));
        let mut background = spawn_background(&app);
        let served = app.mcp.over_stdio(caller).await;
        let _worker_has_gone = stop.send(true);
        while running.join_next().await.is_some() {}
        background.shutdown().await;
        app.authenticators.settle().await;
        app.store.close().await;
        served.map_err(Into::into)
    }

    /// Identifies the user up front, so that an unknown one fails before a client waits.
    async fn caller(&self, app: &App) -> anyhow::Result<StdioCaller> {
        let token = app.settings.mcp_token.expose().trim();
        let identity = match &self.user {
            Some(name) => Identity::User(named_user(app, name).await?.id),
            None if token.is_empty() => anyhow::bail!(
                "set SVC_MCP_TOKEN to an API token (create one with `tributary token add <name>`), or use --user <name>"
            ),
            None => Identity::Token(server::token::hash_of(token)),
        };
        let caller = StdioCaller { store: Arc::clone(&app.store), clock: Arc::clone(&app.clock), identity };
        caller.principal().await.map_err(anyhow::Error::msg).context("SVC_MCP_TOKEN")?;
        Ok(caller)
    }
}

/// A search worker; a running service on the same database may take the searches as well.
fn worker(app: &App) -> Worker {
    let settings = &app.settings;
    let config = WorkerConfig {
        queue: QueueName::Search,
        concurrency: settings.search_concurrency,
        running_max: searches_running_max(settings),
        lease: settings.task_lease.0,
        grace: settings.stop_grace.0,
    };
    Worker::new(config, Arc::clone(&app.queue), Arc::clone(&app.clock), app.registry.clone())
}

/// The user on whose behalf the MCP client acts.
struct StdioCaller {
    store: Arc<SqlStore>,
    clock: Arc<dyn Clock>,
    identity: Identity,
}

enum Identity {
    /// The hash of a token.
    Token(String),
    User(UserId),
}

#[async_trait]
impl CallerContext for StdioCaller {
    /// Looked up for every request, so that revoked tokens and changed permissions take effect at once.
    async fn principal(&self) -> Result<Principal, CallerError> {
        let user = match &self.identity {
            Identity::Token(hash) => self.store.user_by_token(hash, self.clock.now()).await,
            Identity::User(id) => match self.store.user(*id).await {
                Err(StoreError::NotFound) => Ok(None),
                user => user.map(Some),
            },
        };
        match user {
            Ok(Some(user)) => Ok(Principal::of(&user)),
            Ok(None) => {
                Err(CallerError::new(CallerErrorKind::Revoked, "The token or user no longer exists."))
            }
            Err(error) => {
                tracing::warn!("mcp: cannot look up the user: {}", chain(&error));
                let sentence = "The database is not reachable at the moment.";
                Err(CallerError::new(CallerErrorKind::Unavailable, sentence).caused_by(error))
            }
        }
    }

    /// No quota: whoever runs the program owns the data.
    fn charge(&self, _class: QuotaClass) -> Result<(), CallerError> {
        Ok(())
    }
}

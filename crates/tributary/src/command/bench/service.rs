//! The service that is measured: one process in a folder of its own, on SQLite unless servers are named.

use super::Bench;
use super::client::Client;
use super::nodes::{Callgrind, Node};
use super::servers::ensure_empty;
use super::sources::{self, Sources};
use crate::app::{App, FileReaders};
use domain::secret::Secret;
use domain::settings::Settings;
use std::path::Path;

/// Roles of a service whose work is counted: those of a search, because the others look for work every second or two,
/// and a counted search takes long.
const COUNTED_ROLES: &str = "web,search";
/// Time limits of a service under callgrind, which is fifty times slower.
const SLOW_TIMEOUTS: [&str; 3] =
    ["SVC_TIMEOUT", "SVC_SEARCH_HTTP_CONNECT_TIMEOUT", "SVC_SEARCH_HTTP_READ_TIMEOUT"];

/// What is added to a service in order to count its work.
#[derive(Clone, Copy)]
pub(super) enum Instrumentation<'a> {
    None,
    Callgrind(&'a Callgrind),
    /// Logs every statement of the database, and nothing else.
    StatementLog,
}

/// A running service.
pub(super) struct Service {
    pub node: Node,
    pub address: String,
    /// Searches as the administrator.
    pub client: Client,
    /// Tokens of the other users.
    pub users: Vec<Secret>,
}

impl Bench {
    /// Starts the service with these sources and this number of users besides the administrator.
    pub(super) async fn start_service(
        &self,
        folder: &Path,
        sources: &Sources,
        users: u32,
        instrumentation: Instrumentation<'_>,
    ) -> anyhow::Result<Service> {
        let servers = self.named_servers()?;
        let settings = Settings {
            data_dir: folder.display().to_string(),
            database_url: servers.database.clone(),
            ..Settings::default()
        };
        let app = App::build(settings, FileReaders::ChildProcesses).await?;
        ensure_empty(&app).await?;
        let token = sources.install(&app).await?;
        let users = sources::users(&app, users).await?;
        app.store.close().await;
        let program = self.program()?;
        // Clients search without pauses.
        let mut settings = vec![("SVC_THROTTLE_SEARCH", "None".to_owned())];
        settings.extend(servers.settings());
        let mut node = match instrumentation {
            Instrumentation::None => Node::start(&program, folder, None, &settings)?,
            Instrumentation::Callgrind(callgrind) => {
                settings.extend(SLOW_TIMEOUTS.map(|name| (name, "60".to_owned())));
                Node::start_under_callgrind(&program, folder, Some(COUNTED_ROLES), &settings, callgrind)?
            }
            Instrumentation::StatementLog => {
                settings.push(("SVC_LOG_LEVEL", "off,sqlx::query=debug".to_owned()));
                settings.push(("SVC_LOG_FORMAT", "json".to_owned()));
                Node::start(&program, folder, Some(COUNTED_ROLES), &settings)?
            }
        };
        let address = node.address().await?;
        let client = Client::new(&address, token)?;
        Ok(Service { node, address, client, users })
    }
}

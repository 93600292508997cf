//! The database and the queue of the measured service, if they are not in its own folder.

use super::Bench;
use crate::app::App;
use crate::command::CliContext;
use anyhow::ensure;
use domain::ports::UserStore;
use domain::secret::Secret;

/// Addresses; an empty one stands for the service's own folder, or for the queue in the database.
pub(super) struct Servers {
    pub database: Secret,
    pub queue: Secret,
}

impl Servers {
    /// The settings of the processes that use them.
    pub(super) fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let all = [("SVC_DATABASE_URL", &self.database), ("SVC_QUEUE_URL", &self.queue)];
        let named = all.into_iter().filter(|(_, url)| !url.is_empty());
        named.map(|(name, url)| (name, url.expose().to_owned()))
    }

    pub(super) fn database_name(&self) -> &'static str {
        if self.database.is_empty() { "SQLite" } else { "PostgreSQL" }
    }

    pub(super) fn queue_name(&self) -> &'static str {
        if self.queue.is_empty() { self.database_name() } else { "NATS" }
    }
}

impl Bench {
    /// The servers of a single service. Only those named on the command line: a database of the environment may be in
    /// use.
    pub(super) fn named_servers(&self) -> anyhow::Result<Servers> {
        let database = self.database_url.as_deref().unwrap_or_default();
        ensure!(
            database.is_empty() || is_postgres(database),
            "--database-url is not the URL of a PostgreSQL"
        );
        let queue = self.queue_url.as_deref().unwrap_or_default();
        Ok(Servers { database: Secret::new(database), queue: Secret::new(queue) })
    }

    /// The servers of a cluster, from the command line or from the settings.
    pub(super) fn cluster_servers(&self, cli: &CliContext) -> anyhow::Result<Servers> {
        let mut given = Vec::new();
        for (name, url) in [("SVC_DATABASE_URL", &self.database_url), ("SVC_QUEUE_URL", &self.queue_url)] {
            given.extend(url.iter().map(|url| (name, url.clone())));
        }
        let settings = cli.load_settings(&given)?.settings;
        ensure!(
            is_postgres(settings.database_url.expose()),
            "a cluster needs PostgreSQL; name an empty database with --database-url or SVC_DATABASE_URL"
        );
        Ok(Servers { database: settings.database_url, queue: settings.queue_url })
    }
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres")
}

/// Fails if the database is in use.
pub(super) async fn ensure_empty(app: &App) -> anyhow::Result<()> {
    ensure!(
        app.store.users(0, 1).await?.total == 0,
        "the database already has users; use an empty one, because the benchmark fills it with searches"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_after_their_addresses() {
        for (database, queue, expected) in [
            ("", "", ("SQLite", "SQLite")),
            ("", "nats://localhost:4222/a", ("SQLite", "NATS")),
            ("postgres://localhost/a", "", ("PostgreSQL", "PostgreSQL")),
            ("postgres://localhost/a", "nats://localhost:4222/a", ("PostgreSQL", "NATS")),
        ] {
            let servers = Servers { database: Secret::new(database), queue: Secret::new(queue) };
            assert_eq!((servers.database_name(), servers.queue_name()), expected);
            let named = [("SVC_DATABASE_URL", database), ("SVC_QUEUE_URL", queue)];
            let named = named.into_iter().filter(|(_, url)| !url.is_empty());
            let expected: Vec<_> = named.map(|(name, url)| (name, url.to_owned())).collect();
            assert_eq!(servers.settings().collect::<Vec<_>>(), expected);
        }
    }
}

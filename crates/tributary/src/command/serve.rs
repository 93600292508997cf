//! `tributary serve`: the service.

use super::Place;
use crate::service::{Role, Service, ensure_admin};
use crate::service_manager::ServiceManager;
use crate::unreadable_records::unreadable_records;
use crate::wiring::Wired;
use crate::{cache_source, keys, logs, terminal};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Run the service: web, all workers and the scheduler in one process, unless --roles splits them.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary serve
  tributary serve --port 9000 --data-dir /var/lib/tributary
  tributary serve --roles web
  tributary serve --roles search,page_fetch")]
pub struct Serve {
    /// Comma list of web, search, page_fetch, interactive, maintenance, corpus, health_check, beat.
    #[arg(long, value_delimiter = ',', value_parser = Role::parse)]
    roles: Vec<Role>,
    /// The port (SVC_PORT); 0 takes a free one.
    #[arg(long)]
    port: Option<u16>,
}

impl Serve {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let port: Vec<(&str, String)> = self.port.iter().map(|port| ("SVC_PORT", port.to_string())).collect();
        let read = place.read(&port)?;
        let roles: BTreeSet<Role> = match self.roles.is_empty() {
            true => Role::all(),
            false => self.roles.into_iter().collect(),
        };
        leave_no_dump();
        let _written_at_the_end = logs::start(&read.settings, &PathBuf::from(&read.settings.data_dir))?;
        for remark in &read.remarks {
            tracing::warn!("{remark}");
        }
        tracing::info!("{} {} starts", domain::SERVICE_NAME, domain::VERSION);
        let wired = Wired::open(read).await.inspect_err(log_failure)?;
        match wired.store.seal_clear_providers().await {
            Ok(0) => {}
            Ok(count) => tracing::info!("headers and page fetch settings of {count} providers were sealed"),
            Err(error) => tracing::warn!("clear headers of providers cannot be sealed: {error}"),
        }
        match unreadable_records(&*wired.store).await {
            Ok(records) => records.iter().for_each(|record| tracing::warn!("{record}")),
            Err(error) => tracing::warn!("records cannot be examined for unreadable secrets: {error}"),
        }
        if let Some(password) = ensure_admin(&wired).await? {
            let file = wired.data_dir.join(keys::PASSWORD_FILE);
            terminal::line(format!("User admin was created. Password: {password}"));
            terminal::line(format!(
                "It is written to {} as well; change it, then delete the file.",
                file.display()
            ));
            terminal::line(
                "Next: add sources in the console, /admin/, or by: tributary providers add wikipedia",
            );
        }
        cache_source::ensure(&wired).await?;
        let service = Service::start(wired, &roles).await.inspect_err(log_failure)?;
        if let Some(url) = service.url() {
            tracing::info!("listens on {url}");
            terminal::line(format!("{} {} listens on {url}", domain::SERVICE_NAME, domain::VERSION));
        }
        let mut manager = ServiceManager::of_environment();
        manager.ready();
        until_told_to_stop().await?;
        manager.stopping();
        terminal::note("Stopping: running searches are finished first.");
        tracing::info!("stopping: running searches are finished first");
        // A second signal cuts the drain short.
        tokio::select! {
            () = service.drain() => {}
            told = until_told_to_stop() => told?,
        }
        service.stop().await;
        tracing::info!("stopped");
        Ok(())
    }
}

/// A dump of the memory after a crash would hold every secret that is open.
fn leave_no_dump() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        if let Err(error) = setrlimit(Resource::Core, none) {
            terminal::note(format!("A crash may leave a dump of the memory: {error}"));
        }
    }
}

fn log_failure(error: &anyhow::Error) {
    tracing::error!(target: logs::START_FAILED, "the service cannot start: {error:#}");
}

/// Returns on SIGTERM or Ctrl-C.
pub async fn until_told_to_stop() -> anyhow::Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            _ = terminate.recv() => {}
            interrupted = tokio::signal::ctrl_c() => interrupted?,
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await?;
    Ok(())
}

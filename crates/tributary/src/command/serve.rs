//! `tributary serve`: runs the service.

use super::CliContext;
use crate::app::{App, FileReaders};
use crate::corpus::provider as corpus_provider;
use crate::service::{Role, Service, ensure_admin};
use crate::service_manager::ServiceManager;
use crate::unreadable_records::unreadable_records;
use crate::{logs, secret_files, terminal};
use clap::Args;
use domain::ports::chain;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Run the service: by default web, all workers and the scheduler in one process.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary serve
  tributary serve --port 9000 --data-dir /var/lib/tributary
  tributary serve --roles web
  tributary serve --roles search,page_fetch")]
pub struct Serve {
    /// Comma-separated roles: web, search, page_fetch, interactive, maintenance, corpus, health_check, beat.
    #[arg(long, value_delimiter = ',', value_parser = Role::parse)]
    roles: Vec<Role>,
    /// Port (SVC_PORT); 0 picks a free one.
    #[arg(long)]
    port: Option<u16>,
}

impl Serve {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let port: Vec<(&str, String)> = self.port.iter().map(|port| ("SVC_PORT", port.to_string())).collect();
        let read = cli.load_settings(&port)?;
        let roles: BTreeSet<Role> =
            if self.roles.is_empty() { Role::all() } else { self.roles.into_iter().collect() };
        disable_core_dumps();
        let _written_at_the_end = logs::start(&read.settings, &PathBuf::from(&read.settings.data_dir))?;
        for remark in &read.remarks {
            tracing::warn!("{remark}");
        }
        tracing::info!("{} {} starts", domain::SERVICE_NAME, domain::VERSION);
        let app = App::build(read, FileReaders::ChildProcesses).await.inspect_err(log_failure)?;
        match app.store.seal_clear_providers().await {
            Ok(0) => {}
            Ok(count) => tracing::info!("encrypted headers and page fetch settings of {count} providers"),
            Err(error) => tracing::warn!("cannot encrypt plain-text headers of providers: {}", chain(&error)),
        }
        match unreadable_records(&*app.store).await {
            Ok(records) => records.iter().for_each(|record| tracing::warn!("{record}")),
            Err(error) => tracing::warn!("cannot check records for unreadable secrets: {}", chain(&error)),
        }
        if let Some(password) = ensure_admin(&app).await? {
            let file = app.data_dir.join(secret_files::PASSWORD_FILE);
            terminal::line(format!("User admin was created. Password: {password}"));
            terminal::line(format!("It is also in {}; change it, then delete the file.", file.display()));
            terminal::line(
                "Next: add sources in the console at /admin/, or with: tributary providers add wikipedia",
            );
        }
        corpus_provider::ensure(&app).await?;
        let service = Service::start(app, &roles).await.inspect_err(log_failure)?;
        if let Some(url) = service.url() {
            tracing::info!("listens on {url}");
            terminal::line(format!("{} {} listens on {url}", domain::SERVICE_NAME, domain::VERSION));
        }
        let mut manager = ServiceManager::from_environment();
        manager.ready();
        wait_for_stop_signal().await?;
        manager.stopping();
        terminal::note("Stopping after running searches have finished.");
        tracing::info!("stopping after running searches have finished");
        // A second signal skips the drain period.
        tokio::select! {
            () = service.drain() => {}
            stopped = wait_for_stop_signal() => stopped?,
        }
        service.stop().await;
        tracing::info!("stopped");
        Ok(())
    }
}

/// Disables core dumps, which would contain decrypted secrets.
fn disable_core_dumps() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        if let Err(error) = setrlimit(Resource::Core, none) {
            terminal::note(format!("Core dumps cannot be disabled: {error}"));
        }
    }
}

fn log_failure(error: &anyhow::Error) {
    tracing::error!(target: logs::START_FAILED, "the service cannot start: {}", chain(&**error));
}

/// Returns on SIGTERM or Ctrl-C.
pub async fn wait_for_stop_signal() -> anyhow::Result<()> {
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

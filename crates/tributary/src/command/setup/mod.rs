//! `tributary setup`: creates the database and the administrator, and adds bundled providers.

mod retention;

use super::{CliContext, providers};
use crate::service::ensure_admin;
use crate::{ownership, secret_files, terminal};
use clap::Args;
use domain::retention::Retention;
use domain::settings::SettingValue;

/// Create the database and the administrator, and add bundled providers.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary setup
  tributary setup arxiv wikipedia
  tributary setup --default-retention 3
  SVC_ADMIN_PASSWORD=… tributary setup

On a terminal it asks how long to keep searches, unless SVC_DEFAULT_RETENTION is set. The answer, or the value of
--default-retention, is written to the settings file: the one of --config, or tributary.toml in the current folder. An
existing value is never changed.")]
pub struct Setup {
    /// Bundled providers to add; `tributary providers list` shows all.
    sources: Vec<String>,
    /// How long to keep unsaved searches: 0 forever, 1 one hour, 2 one day, 3 one month, 4 five minutes.
    #[arg(long, value_name = "VALUE", value_parser = Retention::parse)]
    default_retention: Option<Retention>,
}

impl Setup {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        // Reject wrong names before anything is created.
        for name in &self.sources {
            crate::bundled_providers::find(name)?;
        }
        let written = retention::decide(cli, self.default_retention)?;
        let app = cli.open().await?;
        if let Some(file) = written {
            ownership::chown_like(&app.data_dir, &file)?;
        }
        let count = app.store.migrations().len();
        terminal::line(format!("The database is ready in {}: {count} migrations.", app.data_dir.display()));
        match ensure_admin(&app).await? {
            Some(password) => {
                let file = app.data_dir.join(secret_files::PASSWORD_FILE);
                terminal::line(format!("User admin was created. Password: {password}"));
                terminal::line(format!("It is also in {}; change it, then delete the file.", file.display()));
            }
            None => terminal::line("The administrator already exists."),
        }
        if let Some(advice) = retention::advice(&cli.load_settings(&[])?) {
            terminal::line(advice);
        }
        app.store.close().await;
        if !self.sources.is_empty() {
            providers::add(cli, &self.sources, None, "admin").await?;
        }
        terminal::line(
            "Next: run `tributary serve` or `tributary start`. `tributary doctor` checks the installation.",
        );
        Ok(())
    }
}

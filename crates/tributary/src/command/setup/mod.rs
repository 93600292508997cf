//! `tributary setup`: creates the database and the administrator, and takes the first steps: sources, a search, a user.

mod first_steps;
mod questions;
mod retention;

use super::CliContext;
use crate::app::{App, PLUGINS};
use crate::service::ensure_admin;
use crate::{ownership, secret_files, terminal};
use clap::Args;
use domain::ports::{ProviderStore, ResultOrigin};
use domain::retention::Retention;
use domain::settings::SettingValue;
use first_steps::FirstSteps;
use std::io::IsTerminal;
use std::process::ExitCode;

/// Create the database and the administrator, add sources, try a search, and create a user.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary setup
  tributary setup arxiv wikipedia --search \"river level\" --user anna
  tributary setup --url https://h.example/search?q=tea
  tributary setup --default-retention 3
  SVC_ADMIN_PASSWORD=… tributary setup

On a terminal it asks how long to keep searches, unless SVC_DEFAULT_RETENTION is set. The answer, or the value of
--default-retention, is written to the settings file: the one of --config, or tributary.toml in the current folder. An
existing value is never changed.

As long as there is no source, it also asks on a terminal which sources to add, what to search for, and whom to create
as a user; each question can be skipped. With sources, --url, --search or --user it does only what they say.")]
pub struct Setup {
    /// Bundled providers to add; `tributary providers list` shows all.
    sources: Vec<String>,
    /// The URL of a search API with a query, or a curl command. It is requested once, and the source that the doctor
    /// suggests is added.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Try a search with this query.
    #[arg(long, value_name = "QUERY")]
    search: Option<String>,
    /// Create a user with this name. The password is generated and printed once.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// How long to keep unsaved searches: 0 forever, 1 one hour, 2 one day, 3 one month, 4 five minutes.
    #[arg(long, value_name = "VALUE", value_parser = Retention::parse)]
    default_retention: Option<Retention>,
}

impl Setup {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        // Reject wrong names before anything is created.
        for name in &self.sources {
            crate::bundled_providers::find(name)?;
        }
        let written = retention::decide(cli, self.default_retention)?;
        let app = cli.open().await?;
        if let Some(file) = written {
            ownership::chown_like(&app.data_dir, &file)?;
        }
        create(&app).await?;
        if let Some(advice) = retention::advice(&cli.load_settings(&[])?) {
            terminal::line(advice);
        }
        let is_new = !has_source(&app).await?;
        app.store.close().await;
        let steps = FirstSteps { sources: self.sources, url: self.url, query: self.search, user: self.user };
        let code = if steps == FirstSteps::default() && is_new && std::io::stdin().is_terminal() {
            first_steps::ask(cli).await?
        } else {
            steps.run(cli).await?
        };
        terminal::line(
            "Next: run `tributary serve` or `tributary start`. `tributary doctor` checks the installation.",
        );
        Ok(code)
    }
}

/// Creates the administrator; the database was created when it was opened.
async fn create(app: &App) -> anyhow::Result<()> {
    let count = app.store.migrations().len();
    terminal::line(format!("The database is ready in {}: {count} migrations.", app.data_dir.display()));
    match ensure_admin(app).await? {
        Some(password) => {
            let file = app.data_dir.join(secret_files::PASSWORD_FILE);
            terminal::line(format!("User admin was created. Password: {password}"));
            terminal::line(format!("It is also in {}; change it, then delete the file.", file.display()));
        }
        None => terminal::line("The administrator already exists."),
    }
    Ok(())
}

/// Whether there is something to search outside of the service.
async fn has_source(app: &App) -> anyhow::Result<bool> {
    let providers = app.store.providers().await?;
    Ok(providers.iter().any(|one| one.spec.active && PLUGINS.is_from(ResultOrigin::Live, one)))
}

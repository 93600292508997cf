//! `tributary setup`: database, administrator and the first sources, before the first start.

mod retention;

use super::{Place, providers};
use crate::service::ensure_admin;
use crate::{keys, ownership, terminal};
use clap::Args;
use domain::retention::Retention;
use domain::settings::SettingValue;

/// Create the database and the administrator, and add ready sources.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary setup
  tributary setup arxiv wikipedia
  tributary setup --default-retention 3
  SVC_ADMIN_PASSWORD=… tributary setup

On a terminal it asks how long searches are kept, unless SVC_DEFAULT_RETENTION is set. The answer, or the value of
--default-retention, is written to the settings file: the one of --config, or tributary.toml in this folder. A value that is
set already is never changed.")]
pub struct Setup {
    /// Ready sources to add; `tributary providers list` shows all.
    sources: Vec<String>,
    /// How long searches are kept that nobody saves: 0 for ever, 1 one hour, 2 one day, 3 one month, 4 five minutes.
    #[arg(long, value_name = "VALUE", value_parser = Retention::parse)]
    default_retention: Option<Retention>,
}

impl Setup {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        // A wrong name is said before anything is made.
        for name in &self.sources {
            crate::ready::find(name)?;
        }
        let written = retention::decide(place, self.default_retention)?;
        let wired = place.open().await?;
        if let Some(file) = written {
            ownership::leave_to_owner_of(&wired.data_dir, &file)?;
        }
        let count = wired.store.migrations().len();
        terminal::line(format!("The database is ready in {}: {count} migrations.", wired.data_dir.display()));
        match ensure_admin(&wired).await? {
            Some(password) => {
                let file = wired.data_dir.join(keys::PASSWORD_FILE);
                terminal::line(format!("User admin was created. Password: {password}"));
                terminal::line(format!(
                    "It is written to {} as well; change it, then delete the file.",
                    file.display()
                ));
            }
            None => terminal::line("The administrator is there."),
        }
        if let Some(advice) = retention::advice(&place.read(&[])?) {
            terminal::line(advice);
        }
        wired.store.close().await;
        if !self.sources.is_empty() {
            providers::add(place, &self.sources, None, "admin").await?;
        }
        terminal::line(
            "Next: tributary serve, or tributary start. `tributary doctor` checks the installation.",
        );
        Ok(())
    }
}

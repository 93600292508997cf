//! `tributary setup`: database, administrator and the first sources, before the first start.

use super::{Place, providers};
use crate::service::ensure_admin;
use crate::{keys, terminal};
use clap::Args;

/// Create the database and the administrator, and add ready sources.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary setup
  tributary setup arxiv wikipedia
  SVC_ADMIN_PASSWORD=… tributary setup")]
pub struct Setup {
    /// Ready sources to add; `tributary providers list` shows all.
    sources: Vec<String>,
}

impl Setup {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        // A wrong name is said before anything is made.
        for name in &self.sources {
            crate::ready::find(name)?;
        }
        let wired = place.open().await?;
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

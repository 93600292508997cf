//! `tributary setup`: database, administrator and the first sources, before the first start.

use super::{Place, providers};
use crate::service::ensure_admin;
use crate::{keys, terminal};
use clap::Args;
use domain::retention::Retention;

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

/// What to decide before the first search, while searches are kept for ever.
fn retention_advice(default: Retention) -> Option<&'static str> {
    (default == Retention::Forever).then_some(
        "Searches are kept for ever. To keep them for a month, as we recommend, set SVC_DEFAULT_RETENTION=3; saved and \
         subscribed searches stay.",
    )
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
        if let Some(advice) = retention_advice(wired.settings.default_retention) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sets_up_is_told_of_searches_that_are_kept_for_ever() {
        assert!(
            retention_advice(Retention::Forever).is_some_and(|line| line.contains("SVC_DEFAULT_RETENTION=3"))
        );
        assert_eq!(retention_advice(Retention::Month), None);
    }
}

//! `tributary migrate`: runs database migrations by opening the store.

use super::CliContext;
use crate::terminal;

pub const HELP: &str = "\
Examples:
  tributary migrate
  tributary migrate --data-dir /var/lib/tributary

The service does the same at startup. Migrations are additive, so a service of the previous version keeps working. Make a
backup first.";

pub async fn run(cli: &CliContext) -> anyhow::Result<()> {
    let app = cli.open().await?;
    let versions = app.store.migrations();
    terminal::line(format!("The database is up to date: {} migrations.", versions.len()));
    for version in versions {
        terminal::line(format!("  {version}"));
    }
    app.store.close().await;
    Ok(())
}

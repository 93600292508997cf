//! `tributary migrate`: opening the store brings the database to this version's form.

use super::Place;
use crate::terminal;

pub const HELP: &str = "\
Examples:
  tributary migrate
  tributary migrate --data-dir /var/lib/tributary

The service does the same when it starts. Migrations only add, so that a service of the version before goes on
working. Take a backup first.";

pub async fn run(place: &Place) -> anyhow::Result<()> {
    let wired = place.open().await?;
    let versions = wired.store.migrations();
    terminal::line(format!("The database is up to date: {} migrations.", versions.len()));
    for version in versions {
        terminal::line(format!("  {version}"));
    }
    wired.store.close().await;
    Ok(())
}

//! `tributary database`: maintenance of the database file.

use super::restore::lock_data_folder;
use super::{CliContext, ensure_database};
use crate::{app, ownership, terminal};
use anyhow::Context;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const BYTES_PER_MIB: u64 = 1024 * 1024;

/// Compact the database file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary database compact
  tributary database compact --data-dir /var/lib/tributary

The service must be stopped, and the disk needs as much free space as the records take. A database created by this
version releases free space while the service runs; one created by an earlier version does so once it has been compacted.
PostgreSQL manages its own space (autovacuum) and needs no compaction.")]
pub struct DatabaseCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Rewrite the SQLite file without free space.
    Compact,
}

impl DatabaseCommand {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        match self.action {
            Action::Compact => compact(cli).await,
        }
    }
}

async fn compact(cli: &CliContext) -> anyhow::Result<()> {
    let settings = cli.load_settings(&[])?.settings;
    ensure_database(&settings)?;
    let data_dir = PathBuf::from(&settings.data_dir);
    let url = app::database_url(&settings, &data_dir)?;
    let _lock = lock_data_folder(&data_dir)?;
    let compacted = store::compact(&url).await.context(
        "the database could not be compacted and was not changed; stop every program that uses it, free disk space, \
         and try again",
    )?;
    ownership::chown_to_folder_owner(&data_dir)?;
    terminal::line(match compacted {
        Some(size) => format!(
            "Compacted the database from {} MiB to {} MiB. Start the service again.",
            size.before / BYTES_PER_MIB,
            size.after / BYTES_PER_MIB
        ),
        None => "Nothing to do: PostgreSQL manages its own space (autovacuum).".to_owned(),
    });
    Ok(())
}

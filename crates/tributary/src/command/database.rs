//! `tributary database`: what can be done to the database as a whole.

use super::restore::alone;
use super::{Place, ensure_database};
use crate::{ownership, terminal, wiring};
use anyhow::Context;
use clap::{Args, Subcommand};
use std::path::PathBuf;

const BYTES_PER_MIB: u64 = 1024 * 1024;

/// Give the free space of the database back to the disk.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary database compact
  tributary database compact --data-dir /var/lib/tributary

The service must not run, and the disk needs as much free space as the records take. A database that was created by this
version gives its free space back while the service runs; one of an earlier version does so after it was compacted once.
PostgreSQL looks after its own space (autovacuum): it keeps it for new records.")]
pub struct DatabaseCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Write the SQLite file anew, as small as it can be.
    Compact,
}

impl DatabaseCommand {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        match self.action {
            Action::Compact => compact(place).await,
        }
    }
}

async fn compact(place: &Place) -> anyhow::Result<()> {
    let settings = place.read(&[])?.settings;
    ensure_database(&settings)?;
    let data_dir = PathBuf::from(&settings.data_dir);
    let url = wiring::database_url(&settings, &data_dir)?;
    let _nobody_else = alone(&data_dir)?;
    let compacted = store::compact(&url).await.context(
        "the database could not be compacted, and is as it was; stop every program that uses it, make space on the disk, \
         and try again",
    )?;
    ownership::leave_to_owner(&data_dir)?;
    terminal::line(match compacted {
        Some(size) => format!(
            "The database had {} MiB and has {} MiB now. Start the service again.",
            size.before / BYTES_PER_MIB,
            size.after / BYTES_PER_MIB
        ),
        None => "Nothing was done: PostgreSQL looks after its own space (autovacuum).".to_owned(),
    });
    Ok(())
}

//! `tributary support-bundle`: one file with what somebody needs to help, and without what is nobody's business.
//!
//! | Module | What lives there |
//! |---|---|
//! | `archive` | the file, and its limits |
//! | `database` | what it holds, and whether it may be opened |
//! | `files` | what is in it, each with the reason if it could not be had |
//! | `known` | the secrets and names that must not be in it |
//! | `redaction`, `redacted_line` | how they are masked |
//! | `machine`, `metrics`, `tasks`, `other_command` | where the figures come from |

mod archive;
mod database;
mod files;
mod known;
mod machine;
mod metrics;
mod other_command;
mod redacted_line;
mod redaction;
mod tasks;

use super::Place;
use crate::terminal;
use anyhow::{Context, bail};
use archive::{Archive, Limits};
use clap::Args;
use domain::contracts::{Clock, SystemClock};
use domain::secret::Secret;
use files::Collector;
use std::io::Read;
use std::path::PathBuf;

/// Longest token that is read.
const TOKEN_BYTES_MAX: u64 = 4096;

/// Write one file for whoever helps you: versions, settings, logs, metrics and checks, with every secret masked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary support-bundle
  tributary support-bundle --output ticket-204.zip
  tributary support-bundle --data-dir /var/lib/tributary
  tributary support-bundle --token-stdin < admin-token.txt

The service may run or not. What could not be had is named in the file and on the terminal; the exit code is 0 all the same.
Not in it: queries, results, names of users, passwords, keys, tokens, the database. Names of sources, addresses of clients
and the paths and hosts in your settings are in it: look through it before you send it. No source is asked.")]
pub struct SupportBundle {
    /// The file to write. Without it: tributary-support-<time>.zip in this folder.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,
    /// The port of the service, for its metrics (SVC_PORT).
    #[arg(long)]
    port: Option<u16>,
    /// Read the API token of an administrator from standard input, for metrics that are not open to everybody.
    #[arg(long)]
    token_stdin: bool,
}

impl SupportBundle {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let name = || format!("tributary-support-{}.zip", SystemClock.now().format("%Y%m%dT%H%M%SZ"));
        let file = self.output.clone().unwrap_or_else(|| PathBuf::from(name()));
        anyhow::ensure!(
            self.force || !file.exists(),
            "{} is there already; --force replaces it",
            file.display()
        );
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        if let Some(folder) = folder {
            bail!("there is no folder {}; make it first", folder.display());
        }
        let token = token(self.token_stdin)?;
        let mut archive = Archive::create(&file, Limits::default())?;
        let collector = Collector::new(place, self.port, token).await;
        collector.collect(&mut archive).await?;
        let files = archive.finish(&file, self.force)?;
        terminal::line(format!("{}: {} files.", file.display(), files.len()));
        for one in &files {
            if let Some(remark) = &one.remark {
                terminal::note(format!("Note: {}: {remark}", one.name));
            }
        }
        terminal::note(
            "Secrets, queries and names of users are masked; look through the file before you send it.",
        );
        Ok(())
    }
}

fn token(from_stdin: bool) -> anyhow::Result<Option<Secret>> {
    if !from_stdin {
        return Ok(None);
    }
    let mut text = String::new();
    std::io::stdin().take(TOKEN_BYTES_MAX).read_to_string(&mut text).context("the token is not text")?;
    anyhow::ensure!(!text.trim().is_empty(), "there is no token on standard input");
    Ok(Some(Secret::new(text.trim())))
}

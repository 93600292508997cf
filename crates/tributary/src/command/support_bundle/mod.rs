//! `tributary support-bundle`: an archive with diagnostic data for support, without private data.
//!
//! | Module | Content |
//! |---|---|
//! | `archive` | the ZIP file and its limits |
//! | `database` | database facts, and whether it may be opened |
//! | `files` | the files of the bundle |
//! | `known` | secrets and names to mask |
//! | `redaction`, `redacted_line` | masking |
//! | `machine`, `metrics`, `tasks`, `other_command` | data collection |

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

use super::CliContext;
use crate::terminal;
use anyhow::{Context, bail};
use archive::{Archive, Limits};
use clap::Args;
use domain::ports::{Clock, SystemClock};
use domain::secret::Secret;
use files::Collector;
use std::io::Read;
use std::path::PathBuf;

/// Maximum length of a token.
const TOKEN_BYTES_MAX: u64 = 4096;

/// Collect versions, settings, logs, metrics and checks into one archive for support, with secrets masked.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary support-bundle
  tributary support-bundle --output ticket-204.zip
  tributary support-bundle --data-dir /var/lib/tributary
  tributary support-bundle --token-stdin < admin-token.txt

The service may be running or stopped. Missing parts are listed in the archive and on the terminal; the exit code is still 0.
Not included: queries, results, user names, passwords, keys, tokens, the database. Included: names of sources, client
addresses, and the paths and hosts in your settings. Review the archive before you send it. No source is contacted.")]
pub struct SupportBundle {
    /// Output file [default: tributary-support-<time>.zip]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file.
    #[arg(long)]
    force: bool,
    /// Port of the service, for its metrics (SVC_PORT).
    #[arg(long)]
    port: Option<u16>,
    /// Read an administrator's API token from standard input, for metrics that require authentication.
    #[arg(long)]
    token_stdin: bool,
}

impl SupportBundle {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let name = || format!("tributary-support-{}.zip", SystemClock.now().format("%Y%m%dT%H%M%SZ"));
        let file = self.output.clone().unwrap_or_else(|| PathBuf::from(name()));
        anyhow::ensure!(
            self.force || !file.exists(),
            "{} already exists; use --force to overwrite it",
            file.display()
        );
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir());
        if let Some(folder) = folder {
            bail!("the folder {} does not exist", folder.display());
        }
        let token = token(self.token_stdin)?;
        let mut archive = Archive::create(&file, Limits::default())?;
        let collector = Collector::new(cli, self.port, token).await;
        collector.collect(&mut archive).await?;
        let files = archive.finish(&file, self.force)?;
        terminal::line(format!("{}: {} files.", file.display(), files.len()));
        for one in &files {
            if let Some(remark) = &one.remark {
                terminal::note(format!("Note: {}: {remark}", one.name));
            }
        }
        terminal::note("Secrets, queries and user names are masked; review the file before you send it.");
        Ok(())
    }
}

fn token(from_stdin: bool) -> anyhow::Result<Option<Secret>> {
    if !from_stdin {
        return Ok(None);
    }
    let mut text = String::new();
    std::io::stdin()
        .take(TOKEN_BYTES_MAX)
        .read_to_string(&mut text)
        .context("the token is not valid UTF-8")?;
    anyhow::ensure!(!text.trim().is_empty(), "no token on standard input");
    Ok(Some(Secret::new(text.trim())))
}

//! `tributary canonical_diag`: what is pinned, which elections wait, and whether each comes out the same again.

use super::report;
use crate::command::Place;
use crate::terminal;
use clap::Args;
use corpus::canonical::DiagnosisAsked;
use domain::contracts::{CanonicalStore, StoreError};
use domain::ids::RunId;
use std::process::ExitCode;

/// Show what is pinned and which elections wait, and compute every election again from what is stored of it: exit code 0
/// when each comes out the same, else 1. Documents are named by their id alone.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary canonical_diag
  tributary canonical_diag --query \"master services agreement\"
  tributary canonical_diag --run 12        one election, with all that its outcome follows from
  tributary canonical_diag --json")]
pub struct Diag {
    /// Only what is decided for this query.
    #[arg(long, value_name = "TEXT", conflicts_with = "run")]
    query: Option<String>,
    /// Only this election, with its members.
    #[arg(long, value_name = "ID")]
    run: Option<i64>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

impl Diag {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let wired = place.open().await?;
        let run = match self.run {
            None => None,
            Some(id) => Some(wired.store.run(RunId(id)).await.map_err(|error| match error {
                StoreError::NotFound => anyhow::anyhow!("there is no election {id}"),
                other => other.into(),
            })?),
        };
        let asked = DiagnosisAsked { query: self.query, run: self.run.map(RunId) };
        let found = wired.corpus.diagnose(&asked).await?;
        match self.json {
            true => terminal::line(serde_json::to_string_pretty(&report::json(&found, run.as_ref()))?),
            false => report::lines(&found, run.as_ref()).iter().for_each(terminal::line),
        }
        wired.store.close().await;
        Ok(if found.differing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

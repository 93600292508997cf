//! `tributary canonical_diag`: shows pins and open elections, and recomputes every election.

use super::report;
use crate::command::CliContext;
use crate::terminal;
use clap::Args;
use corpus::canonical::DiagnosisQuery;
use domain::ids::RunId;
use domain::ports::{CanonicalStore, StoreError};
use std::process::ExitCode;

/// Show pins and open elections, and recompute every election from its stored inputs: exit code 0 if all results are
/// reproduced, 1 otherwise. Documents are shown by id only.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary canonical_diag
  tributary canonical_diag --query \"master services agreement\"
  tributary canonical_diag --run 12        one election, with all that its outcome follows from
  tributary canonical_diag --json")]
pub struct Diag {
    /// Only pins and elections for this query.
    #[arg(long, value_name = "TEXT", conflicts_with = "run")]
    query: Option<String>,
    /// Only this election, with its members.
    #[arg(long, value_name = "ID")]
    run: Option<i64>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Diag {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let app = cli.open().await?;
        let run = match self.run {
            None => None,
            Some(id) => Some(app.store.run(RunId(id)).await.map_err(|error| match error {
                StoreError::NotFound => anyhow::anyhow!("no election {id}"),
                other => other.into(),
            })?),
        };
        let asked = DiagnosisQuery { query: self.query, run: self.run.map(RunId) };
        let found = app.corpus.diagnose(&asked).await?;
        if self.json {
            terminal::line(serde_json::to_string_pretty(&report::json(&found, run.as_ref()))?);
        } else {
            report::lines(&found, run.as_ref()).iter().for_each(terminal::line);
        }
        app.store.close().await;
        Ok(if found.differing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

//! `tributary load`: loads records of any kind from JSON files.

mod kind;
mod storing;

pub use kind::Kind;
use kind::KindError;

use super::load_providers::{json_files, misspelled_fields, parse_records};
use super::{CliContext, named_user};
use crate::terminal;
use anyhow::Context;
use clap::Args;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use storing::{NotLoaded, Outcome, Storing};

/// Maximum total size of the files of one call, which are in memory at once.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Maximum length of a displayed name.
const SHOWN_CHARS_MAX: usize = 100;

/// Load records from JSON files: providers, models, searches and more.
#[derive(Debug, Args)]
pub struct Load {
    /// Files with one record or a list of records, or folders of such files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Replace records with the same name instead of skipping them.
    #[arg(long)]
    replace: bool,
    /// Owner of the records. Searches and prompts may belong to any user, other records need an administrator.
    #[arg(long, default_value = "admin")]
    user: String,
}

pub const HELP: &str = "\
The kind of a record is detected from its fields: connector, or name and url: SearchProvider; defaults or model:
AIProvider; query_string: search; idp: authenticator; qrx_type: query transform; prompt: prompt; product, accent or a
logo: branding. Records are validated as by the API. Rejected records are reported, the others are loaded, and the exit
code is 1. Searches run once the service runs. A loaded branding becomes active. Results are not loaded, because they
belong to a run of their search.

Examples:
  tributary load everything.json
  tributary load records/ --replace
  tributary load my-searches.json --user anna";

pub const AUTHENTICATORS_HELP: &str = "\
Examples:
  tributary load-authenticators microsoft.json
  tributary load-authenticators authenticators/ --replace";

pub const BRANDING_HELP: &str = "\
The branding loaded last becomes active.

Examples:
  tributary load-branding spring.json
  tributary load-branding spring.json --replace";

/// A record with its file and position.
struct Found {
    kind: Kind,
    label: String,
    record: Value,
}

/// Counts of added, replaced and rejected records.
#[derive(Default)]
struct Tally {
    by_kind: BTreeMap<Kind, [usize; 3]>,
    refused: usize,
}

impl Load {
    /// Loads records of all kinds, or of one kind.
    pub async fn run(self, cli: &CliContext, only: Option<Kind>) -> anyhow::Result<ExitCode> {
        let files = json_files(&self.files)?;
        let app = cli.open().await?;
        let storing =
            Storing { owner: named_user(&app, &self.user).await?, app: &app, replace: self.replace };
        let mut tally = Tally::default();
        for Found { kind, label, record } in collect_records(&files, only, &mut tally) {
            if kind == Kind::SearchProvider {
                misspelled_fields(&record)
                    .iter()
                    .for_each(|remark| terminal::note(format!("{label}: {remark}")));
            }
            match storing.store(kind, record).await {
                Ok((outcome, name)) => tally.count(kind, outcome, &name),
                Err(NotLoaded::Refused(sentence)) => {
                    tally.refuse(&format!("{label}, {}: {sentence}", kind.one()));
                }
                Err(NotLoaded::Broken(error)) => {
                    tally.show();
                    return Err(error);
                }
            }
        }
        app.store.close().await;
        tally.show();
        Ok(if tally.refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Tally {
    fn count(&mut self, kind: Kind, outcome: Outcome, name: &str) {
        let counts = self.by_kind.entry(kind).or_default();
        let (index, word) = match outcome {
            Outcome::Added => (0, "added"),
            Outcome::Replaced => (1, "replaced"),
            Outcome::AlreadyThere => (2, "already exists:"),
        };
        counts[index] += 1;
        let shown: String =
            name.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN_CHARS_MAX).collect();
        terminal::note(format!("  {word} {} {shown}", kind.one()));
    }

    fn refuse(&mut self, sentence: &str) {
        self.refused += 1;
        terminal::note(sentence);
    }

    fn show(&self) {
        for (kind, [added, replaced, kept]) in &self.by_kind {
            let many = kind.many();
            terminal::line(format!("{many}: {added} added, {replaced} replaced, {kept} already present"));
        }
        terminal::line(format!("{} rejected", self.refused));
    }
}

/// The records of all files in loading order. Anything else is counted as rejected.
fn collect_records(files: &[PathBuf], only: Option<Kind>, tally: &mut Tally) -> Vec<Found> {
    let mut all = Vec::new();
    let mut bytes_left = BYTES_MAX;
    for file in files {
        let shown = file.display();
        let records = match read_within(file, &mut bytes_left).and_then(|text| parse_records(&text)) {
            Ok(records) => records,
            Err(error) => {
                tally.refuse(&format!("{shown}: {error:#}"));
                continue;
            }
        };
        for (position, record) in records.into_iter().enumerate() {
            let label = format!("{shown}, record {}", position + 1);
            match wanted(&record, only) {
                Ok(kind) => all.push(Found { kind, label, record }),
                Err(error) => tally.refuse(&format!("{label}: {error}")),
            }
        }
    }
    all.sort_by_key(|found| found.kind);
    all
}

fn wanted(record: &Value, only: Option<Kind>) -> Result<Kind, KindError> {
    let kind = Kind::of(record)?;
    match only {
        Some(only) if only != kind => Err(KindError::Other { found: kind, wanted: only }),
        _ => Ok(kind),
    }
}

/// Reads a file within the remaining total size.
pub(super) fn read_within(file: &Path, bytes_left: &mut usize) -> anyhow::Result<String> {
    let mut text = String::new();
    let most = u64::try_from(*bytes_left)?;
    let opened = File::open(file).context("cannot be read")?;
    opened.take(most + 1).read_to_string(&mut text).context("cannot be read")?;
    *bytes_left = bytes_left.checked_sub(text.len()).with_context(|| {
        format!("at most {BYTES_MAX} bytes can be loaded at once; load this file separately or in parts")
    })?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn referenced_records_are_loaded_first() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("1.json"), folder.path().join("2.json"));
        let text = r#"[{"query_string": "tea"}, {"name": "A", "url": "x"}, {"name": "?"}]"#;
        std::fs::write(&first, text).unwrap();
        std::fs::write(&second, r#"{"name": "T", "qrx_type": "bag"}"#).unwrap();
        let files = [first, second];
        let mut tally = Tally::default();
        let kinds: Vec<Kind> =
            collect_records(&files, None, &mut tally).into_iter().map(|found| found.kind).collect();
        assert_eq!(
            (kinds, tally.refused),
            (vec![Kind::QueryTransform, Kind::SearchProvider, Kind::Search], 1)
        );
        let mut tally = Tally::default();
        assert_eq!(collect_records(&files, Some(Kind::Branding), &mut tally).len(), 0);
        assert_eq!(tally.refused, 4);
    }

    #[test]
    fn the_total_size_is_limited() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        std::fs::write(&file, "[1234]").unwrap();
        let mut left = 12;
        assert_eq!(read_within(&file, &mut left).unwrap(), "[1234]");
        assert_eq!(read_within(&file, &mut left).unwrap(), "[1234]");
        assert!(read_within(&file, &mut left).unwrap_err().to_string().contains("at most"));
        std::fs::write(&file, vec![b' '; BYTES_MAX + 1]).unwrap();
        let mut tally = Tally::default();
        assert_eq!(collect_records(&[file], None, &mut tally).len(), 0);
        assert_eq!(tally.refused, 1);
    }
}

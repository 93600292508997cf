//! `tributary load`: records of every kind from JSON files, told apart by their fields.

mod kind;
mod storing;

pub use kind::Kind;

use super::load_providers::{json_files, misspelt, parsed};
use super::{Place, named_user};
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

/// Most bytes of all files of one call together: they are in memory at once.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// How much of a name is shown.
const SHOWN_CHARS_MAX: usize = 100;

/// Add records from JSON files: sources, models, searches and more.
#[derive(Debug, Args)]
pub struct Load {
    /// Files with one record or a list of them, or folders of such files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Replace records that have the same name; without it they are passed over.
    #[arg(long)]
    replace: bool,
    /// Whose they are. Searches and prompts may be anybody's, the others need an administrator.
    #[arg(long, default_value = "admin")]
    user: String,
}

pub const HELP: &str = "\
What a record is, is told by its fields: connector, or name and url, a SearchProvider; defaults or model an
AIProvider; query_string a search; idp an authenticator; qrx_type a query transform; prompt a prompt; product, accent or
a logo a branding. Every record is checked as the API checks it; one that is refused is named, the others are loaded, and
the exit code is 1. Searches run when the service runs. A branding is in use from then on. Results are not loaded: a
result belongs to a run of its search.

Examples:
  tributary load everything.json
  tributary load records/ --replace
  tributary load my-searches.json --user anna";

pub const HELP_OF_AUTHENTICATORS: &str = "\
Examples:
  tributary load-authenticators microsoft.json
  tributary load-authenticators authenticators/ --replace";

pub const HELP_OF_BRANDING: &str = "\
The branding that was loaded last is in use from then on.

Examples:
  tributary load-branding spring.json
  tributary load-branding spring.json --replace";

/// A record, and the file and place that it is from.
struct Found {
    kind: Kind,
    label: String,
    record: Value,
}

/// What became of the records.
#[derive(Default)]
struct Tally {
    by_kind: BTreeMap<Kind, [usize; 3]>,
    refused: usize,
}

impl Load {
    /// Loads records of all kinds, or of one.
    pub async fn run(self, place: &Place, only: Option<Kind>) -> anyhow::Result<ExitCode> {
        let files = json_files(&self.files)?;
        let wired = place.open().await?;
        let storing =
            Storing { owner: named_user(&wired, &self.user).await?, wired: &wired, replace: self.replace };
        let mut tally = Tally::default();
        for Found { kind, label, record } in gathered(&files, only, &mut tally) {
            if kind == Kind::SearchProvider {
                misspelt(&record).iter().for_each(|remark| terminal::note(format!("{label}: {remark}")));
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
        wired.store.close().await;
        tally.show();
        Ok(if tally.refused == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

impl Tally {
    fn count(&mut self, kind: Kind, outcome: Outcome, name: &str) {
        let counts = self.by_kind.entry(kind).or_default();
        let (place, word) = match outcome {
            Outcome::Added => (0, "added"),
            Outcome::Replaced => (1, "replaced"),
            Outcome::AlreadyThere => (2, "already there:"),
        };
        counts[place] += 1;
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
            terminal::line(format!("{many}: {added} added, {replaced} replaced, {kept} already there"));
        }
        terminal::line(format!("{} refused", self.refused));
    }
}

/// The records of all files in the order of loading. What is none is refused.
fn gathered(files: &[PathBuf], only: Option<Kind>, tally: &mut Tally) -> Vec<Found> {
    let mut all = Vec::new();
    let mut bytes_left = BYTES_MAX;
    for file in files {
        let shown = file.display();
        let records = match read(file, &mut bytes_left).and_then(|text| parsed(&text)) {
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
                Err(sentence) => tally.refuse(&format!("{label}: {sentence}")),
            }
        }
    }
    all.sort_by_key(|found| found.kind);
    all
}

fn wanted(record: &Value, only: Option<Kind>) -> Result<Kind, String> {
    let kind = Kind::of(record)?;
    match only {
        Some(only) if only != kind => Err(format!(
            "this is one of the {}, not of the {}; `tributary load` takes every kind",
            kind.many(),
            only.many()
        )),
        _ => Ok(kind),
    }
}

/// The text of a file, which takes its bytes from what is left for all.
fn read(file: &Path, bytes_left: &mut usize) -> anyhow::Result<String> {
    let mut text = String::new();
    let most = u64::try_from(*bytes_left)?;
    let opened = File::open(file).context("it cannot be read")?;
    opened.take(most + 1).read_to_string(&mut text).context("it cannot be read")?;
    *bytes_left = bytes_left.checked_sub(text.len()).with_context(|| {
        format!("at most {BYTES_MAX} bytes are loaded at once; load this file by itself, or in parts")
    })?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_loaded_after_what_they_name() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("1.json"), folder.path().join("2.json"));
        let text = r#"[{"query_string": "tea"}, {"name": "A", "url": "x"}, {"name": "?"}]"#;
        std::fs::write(&first, text).unwrap();
        std::fs::write(&second, r#"{"name": "T", "qrx_type": "bag"}"#).unwrap();
        let files = [first, second];
        let mut tally = Tally::default();
        let kinds: Vec<Kind> =
            gathered(&files, None, &mut tally).into_iter().map(|found| found.kind).collect();
        assert_eq!(
            (kinds, tally.refused),
            (vec![Kind::QueryTransform, Kind::SearchProvider, Kind::Search], 1)
        );
        let mut tally = Tally::default();
        assert_eq!(gathered(&files, Some(Kind::Branding), &mut tally).len(), 0);
        assert_eq!(tally.refused, 4);
    }

    #[test]
    fn files_are_bounded_together() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        std::fs::write(&file, "[1234]").unwrap();
        let mut left = 12;
        assert_eq!(read(&file, &mut left).unwrap(), "[1234]");
        assert_eq!(read(&file, &mut left).unwrap(), "[1234]");
        assert!(read(&file, &mut left).unwrap_err().to_string().contains("at most"));
        std::fs::write(&file, vec![b' '; BYTES_MAX + 1]).unwrap();
        let mut tally = Tally::default();
        assert_eq!(gathered(&[file], None, &mut tally).len(), 0);
        assert_eq!(tally.refused, 1);
    }
}

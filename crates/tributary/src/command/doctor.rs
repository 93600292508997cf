//! `tributary doctor`: the installation, or a ready SearchProvider from a curl command, an address or a sample.

use super::Place;
use super::installation::Installation;
use crate::terminal;
use crate::wiring::{self, PLUGINS};
use anyhow::{Context, bail};
use clap::Args;
use domain::contracts::SystemClock;
use federation::doctor::{Case, Diagnosis, Doctor, Proposal};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Examine the installation; with a source, propose a SearchProvider for it. The provider goes to standard output,
/// the reasons to standard error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary doctor
  tributary doctor --offline
  tributary doctor --offline --repair
  tributary doctor \"curl 'https://h.example/search?q=tea' -H 'X-Api-Key: …'\" > provider.json
  tributary doctor --query tea -- curl 'https://h.example/search?w=tea' -H 'X-Api-Key: …'
  tributary doctor https://h.example/search?q=tea --name \"Tea - Example\"
  tributary doctor answer.json
  curl https://h.example/search?q=tea | tributary doctor -
  tributary load-providers provider.json")]
pub struct DoctorCommand {
    /// A curl command, an address, a file with a sample answer, or - for standard input. A command or an
    /// address is asked once. Without any, the installation is examined.
    #[arg(value_name = "COMMAND | ADDRESS | FILE")]
    given: Vec<String>,
    /// The word that was searched for, so that its place in the request is known.
    #[arg(long, value_name = "WORD", default_value = "")]
    query: String,
    /// Name of the provider.
    #[arg(long, default_value = "")]
    name: String,
    /// A file with a sample answer, so that the command or the address is not asked.
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
    /// Print all that was found as JSON, not the provider alone.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    installation: Installation,
}

impl DoctorCommand {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        if self.given.is_empty() {
            return Ok(self.installation.examine(place).await);
        }
        let settings = Arc::new(place.read(&[])?.settings);
        let bytes_max = u64::from(settings.outbound_body_max_mb) * 1024 * 1024;
        let mut case = self.case(bytes_max)?;
        if let Some(path) = &self.sample {
            case.sample = Some(read_file(path, bytes_max)?);
        }
        case.fetch = case.sample.is_none();
        let doctor = Doctor::new(wiring::context(&settings, Arc::new(SystemClock))?, PLUGINS.read_answer);
        let diagnosis = match doctor.examine(case).await {
            Ok(diagnosis) => diagnosis,
            Err(errors) => {
                bail!("{}", errors.iter().map(|(_, sentence)| sentence).collect::<Vec<_>>().join(" "))
            }
        };
        if self.json {
            terminal::line(serde_json::to_string_pretty(&diagnosis)?);
            return Ok(ExitCode::SUCCESS);
        }
        table(&diagnosis).iter().for_each(terminal::note);
        terminal::line(serde_json::to_string_pretty(&diagnosis.provider)?);
        terminal::note("Next: keep it in a file, then add it with: tributary load-providers FILE");
        Ok(ExitCode::SUCCESS)
    }

    /// What the words on the command line are.
    fn case(&self, bytes_max: u64) -> anyhow::Result<Case> {
        let mut case = Case { query: self.query.clone(), name: self.name.clone(), ..Case::default() };
        match self.given.as_slice() {
            [one] if one == "-" => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().take(bytes_max + 1).read_to_end(&mut bytes)?;
                let text = text_of(bytes, bytes_max)?;
                match text.trim_start().starts_with("curl ") {
                    true => case.request = Case::request_of(&text).map_err(anyhow::Error::msg)?,
                    false => case.sample = Some(Value::String(text)),
                }
            }
            [one] if Path::new(one).is_file() => case.sample = Some(read_file(Path::new(one), bytes_max)?),
            [one] if is_name_of_a_file(one) => bail!("there is no file '{one}'"),
            [one] => {
                let request = Case::request_of(one).map_err(|sentence| match one.contains([' ', ':']) {
                    true => anyhow::Error::msg(sentence),
                    false => {
                        anyhow::anyhow!("there is no file '{one}', and it is no address and no curl command")
                    }
                });
                case.request = request?;
            }
            [first, rest @ ..] if first == "curl" => {
                case.request = Some(Case::command_of(rest).map_err(anyhow::Error::msg)?);
            }
            _ => bail!("give one address or file, a curl command in quotes, or -- curl …"),
        }
        Ok(case)
    }
}

/// A mistyped name of a sample is not to be asked as if it were a host.
fn is_name_of_a_file(text: &str) -> bool {
    let ends_so = |ending: &str| text.to_ascii_lowercase().ends_with(ending);
    !text.contains(['/', ':', '?', ' '])
        && [".json", ".xml", ".txt", ".rss", ".atom"].into_iter().any(ends_so)
}

fn read_file(path: &Path, bytes_max: u64) -> anyhow::Result<Value> {
    let file = std::fs::File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    text_of(bytes, bytes_max).map(Value::String)
}

fn text_of(bytes: Vec<u8>, bytes_max: u64) -> anyhow::Result<String> {
    anyhow::ensure!(
        bytes.len() as u64 <= bytes_max,
        "the sample is larger than {bytes_max} bytes (SVC_OUTBOUND_BODY_MAX_MB)"
    );
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Longest example in the table, in characters.
const EXAMPLE_CHARS: usize = 50;

/// The proposals for a person: field, path, confidence, example; then what to look at.
fn table(diagnosis: &Diagnosis) -> Vec<String> {
    let place = &diagnosis.results_path;
    let mut lines = vec![format!("{} results in the sample, at {place}", diagnosis.results)];
    let width = diagnosis.proposals.iter().map(|one| one.path.chars().count()).max().unwrap_or(0).min(60);
    let row = |one: &Proposal| {
        let example: String =
            one.example.chars().map(|c| if c.is_control() { ' ' } else { c }).take(EXAMPLE_CHARS).collect();
        format!("  {:<14} {:<width$} {:>4.0} %  {example}", one.field, one.path, one.confidence * 100.0)
    };
    for proposal in &diagnosis.proposals {
        lines.push(row(proposal).trim_end().to_owned());
        for other in diagnosis.alternatives.get(&proposal.field).into_iter().flatten() {
            lines.push(format!("    or {} ({:.0} %)", other.path, other.confidence * 100.0));
        }
    }
    lines.extend(diagnosis.warnings.iter().map(|sentence| format!("! {sentence}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_file_is_no_host() {
        let table = [
            ("answer.json", true),
            ("Answer.XML", true),
            ("api.example.org", false),
            ("api.example.org/search.json", false),
            ("https://api.example.org/search.json", false),
            ("curl api.example.org/a.json", false),
        ];
        for (text, want) in table {
            assert_eq!(is_name_of_a_file(text), want, "{text}");
        }
    }
}

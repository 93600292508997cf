//! `tributary doctor`: checks the installation, or suggests a SearchProvider from a curl command, a URL or a sample.

mod installation;

use super::CliContext;
use crate::app::{self, FileReaders, PLUGINS};
use crate::terminal;
use anyhow::{Context, bail};
use clap::Args;
use domain::ports::SystemClock;
use domain::provider::ProviderSpec;
use domain::settings::Settings;
use domain::validation::FieldErrors;
use federation::CpuPool;
use installation::Installation;
use provider_doctor::{Diagnosis, DiagnosisInput, Doctor, Proposal};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Check the installation, or suggest a SearchProvider for a source. The provider is printed to standard output, the
/// explanation to standard error.
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
    /// A curl command, a URL, a file with a sample response, or - for standard input. A command or URL is requested
    /// once. By default, check the installation.
    #[arg(value_name = "COMMAND | ADDRESS | FILE")]
    given: Vec<String>,
    /// The query in the request, to find out where it goes.
    #[arg(long, value_name = "WORD", default_value = "")]
    query: String,
    /// Name of the provider.
    #[arg(long, default_value = "")]
    name: String,
    /// A file with a sample response, to use instead of sending the request.
    #[arg(long, value_name = "FILE")]
    sample: Option<PathBuf>,
    /// Print the whole diagnosis as JSON, not only the provider.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    installation: Installation,
}

impl DoctorCommand {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        if self.given.is_empty() {
            return Ok(self.installation.examine(cli).await);
        }
        let settings = Arc::new(cli.load_settings(&[])?.settings);
        let bytes_max = u64::from(settings.outbound_body_max_mb) * 1024 * 1024;
        let mut input = self.input(bytes_max)?;
        if let Some(path) = &self.sample {
            input.sample = Some(read_file(path, bytes_max)?);
        }
        input.fetch = input.sample.is_none();
        let diagnosis = diagnose(&settings, input).await?;
        if self.json {
            terminal::line(serde_json::to_string_pretty(&diagnosis)?);
            return Ok(ExitCode::SUCCESS);
        }
        table(&diagnosis).iter().for_each(terminal::note);
        terminal::line(serde_json::to_string_pretty(&diagnosis.provider)?);
        terminal::note("Next: save it to a file, then add it with: tributary load-providers FILE");
        Ok(ExitCode::SUCCESS)
    }

    /// Interprets the positional arguments.
    fn input(&self, bytes_max: u64) -> anyhow::Result<DiagnosisInput> {
        let mut input = DiagnosisInput {
            query: self.query.clone(),
            name: self.name.clone(),
            ..DiagnosisInput::default()
        };
        match self.given.as_slice() {
            [one] if one == "-" => {
                let mut bytes = Vec::new();
                std::io::stdin().lock().take(bytes_max + 1).read_to_end(&mut bytes)?;
                let text = text_of(bytes, bytes_max)?;
                if text.trim_start().starts_with("curl ") {
                    input.request = DiagnosisInput::parse_request(&text).map_err(anyhow::Error::msg)?;
                } else {
                    input.sample = Some(Value::String(text));
                }
            }
            [one] if Path::new(one).is_file() => input.sample = Some(read_file(Path::new(one), bytes_max)?),
            [one] if looks_like_file_name(one) => bail!("no file '{one}'"),
            [one] => {
                let request = DiagnosisInput::parse_request(one).map_err(|sentence| {
                    if one.contains([' ', ':']) {
                        anyhow::Error::msg(sentence)
                    } else {
                        anyhow::anyhow!("'{one}' is not a file, URL or curl command")
                    }
                });
                input.request = request?;
            }
            [first, rest @ ..] if first == "curl" => {
                input.request = Some(DiagnosisInput::parse_command(rest).map_err(anyhow::Error::msg)?);
            }
            _ => bail!("expected one URL or file, a curl command in quotes, or -- curl …"),
        }
        Ok(input)
    }
}

async fn diagnose(settings: &Arc<Settings>, input: DiagnosisInput) -> anyhow::Result<Diagnosis> {
    let context = app::context(settings, Arc::new(SystemClock), FileReaders::ChildProcesses)?;
    let doctor = Doctor::new(context, PLUGINS.read_answer, CpuPool::new());
    let sentences = |errors: FieldErrors| {
        anyhow::Error::msg(errors.iter().map(|(_, sentence)| sentence).collect::<Vec<_>>().join(" "))
    };
    doctor.diagnose(input).await.map_err(sentences)
}

/// Suggests a provider for a URL or a curl command, which is requested once. The explanation goes to standard error.
pub(super) async fn suggest(cli: &CliContext, request: &str) -> anyhow::Result<ProviderSpec> {
    let settings = Arc::new(cli.load_settings(&[])?.settings);
    let request = DiagnosisInput::parse_request(request).map_err(anyhow::Error::msg)?;
    let input = DiagnosisInput { request, fetch: true, ..DiagnosisInput::default() };
    let diagnosis = diagnose(&settings, input).await?;
    table(&diagnosis).iter().for_each(terminal::note);
    Ok(diagnosis.provider)
}

/// Whether the text looks like a file name, so that a mistyped one is not requested as a host.
fn looks_like_file_name(text: &str) -> bool {
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

/// Maximum length of an example in the table, in characters.
const EXAMPLE_CHARS: usize = 50;

/// The suggestions as a table: field, path, confidence, example; then warnings.
fn table(diagnosis: &Diagnosis) -> Vec<String> {
    let path = &diagnosis.results_path;
    let mut lines = vec![format!("{} results in the sample, at {path}", diagnosis.results)];
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
    fn file_names_are_not_hosts() {
        let table = [
            ("answer.json", true),
            ("Answer.XML", true),
            ("api.example.org", false),
            ("api.example.org/search.json", false),
            ("https://api.example.org/search.json", false),
            ("curl api.example.org/a.json", false),
        ];
        for (text, want) in table {
            assert_eq!(looks_like_file_name(text), want, "{text}");
        }
    }
}

//! `tributary load-providers`: loads SearchProviders from JSON files, each an object or a list, into the database of this
//! machine or into a running service.

mod credentials;
mod input;
mod remote;
mod report;
mod service;

use super::{CliContext, named_user};
use crate::app::{App, PLUGINS};
use crate::terminal;
use anyhow::Context;
use clap::Args;
use domain::audit::{Action, Author};
use domain::ports::{AuditStore, ProviderStore, StoreError};
use domain::provider::{CREDENTIALS_CHARS_MAX, ProviderSpec, SearchProvider, is_same_name};
use domain::secret::{Secret, without_value};
use domain::user::{Principal, User};
use domain::validation::FieldErrors;
use remote::RemoteOptions;
use report::Tally;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use syntax::suggest;

/// Load SearchProviders from JSON files. Invalid records are reported and skipped.
#[derive(Debug, Args)]
#[command(after_help = "\
A provider that is already present is kept. If another source has its name, that is an error:
change the name in the file, or use --replace.

With --url, the records go to a running service, here or on another machine. They are checked
first: if a file or a record is invalid, nothing is sent. A record that the service refuses is
reported, and the others are loaded. The password of --user comes from --password-file, from
TRIBUTARY_PASSWORD or from a prompt; an API token, which replaces both, from TRIBUTARY_TOKEN or
--token.

Examples:
  tributary load-providers my-source.json
  tributary load-providers config/providers/ --replace
  tributary load-providers sources.json --url https://search.example.org --user admin
  tributary load-providers sources.json --url http://localhost:8000 --password-file password.txt")]
pub struct LoadProviders {
    /// Files with one provider or a list of providers, or folders of such files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Replace providers with the same name instead of skipping them.
    #[arg(long)]
    replace: bool,
    /// The administrator who will own the providers.
    #[arg(long, default_value = "admin")]
    user: String,
    #[command(flatten)]
    remote: RemoteOptions,
}

impl LoadProviders {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<ExitCode> {
        let tally = match self.remote.url() {
            Some(url) => self.remote.load(url, &self.user, &self.files, self.replace).await?,
            None => self.load_here(cli).await?,
        };
        tally.show();
        Ok(if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Loads into the database of this machine.
    async fn load_here(&self, cli: &CliContext) -> anyhow::Result<Tally> {
        let app = cli.open().await?;
        let owner = named_user(&app, &self.user).await?;
        anyhow::ensure!(
            owner.is_admin,
            "'{}' is not an administrator; only administrators may add providers",
            self.user
        );
        let mut tally = Tally::default();
        for file in json_files(&self.files)? {
            let shown = file.display().to_string();
            match records(&file) {
                Ok(records) => {
                    for (position, record) in records.into_iter().enumerate() {
                        let label = format!("{shown}, record {}", position + 1);
                        self.load(&app, &owner, &label, record, &mut tally).await?;
                    }
                }
                Err(error) => tally.failed(format!("{shown}: {error:#}")),
            }
        }
        app.store.close().await;
        Ok(tally)
    }

    async fn load(
        &self,
        app: &App,
        owner: &User,
        label: &str,
        record: Value,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        for remark in misspelled_fields(&record) {
            terminal::note(format!("{label}: {remark}"));
        }
        let mut spec: ProviderSpec = match serde_json::from_value(record) {
            Ok(spec) => spec,
            Err(error) => {
                tally.failed(format!("{label}: {}", without_value(&error.to_string())));
                return Ok(());
            }
        };
        let name = spec.name.clone();
        if self.replace {
            spec = match unmasked(app, spec).await? {
                Ok(spec) => spec,
                Err(errors) => {
                    tally.failed(format!("{label} ({name}): {errors}"));
                    return Ok(());
                }
            };
        }
        let now = app.clock.now();
        let errors = validate(app, owner, &spec).await?;
        if !errors.is_empty() {
            tally.failed(format!("{label} ({name}): {errors}"));
            return Ok(());
        }
        match app.by_command().create_providers(vec![spec.clone()], owner.id, now).await {
            Ok(_) => tally.added(&spec),
            Err(StoreError::Taken(_)) if self.replace => {
                replace_by_name(app, spec.clone()).await?;
                tally.replaced(&spec);
            }
            Err(StoreError::Taken(_)) => {
                let all = app.store.providers().await?;
                let stored = all.into_iter().find(|provider| is_same_name(&provider.spec.name, &name));
                let stored = stored.context("the provider was deleted meanwhile")?;
                tally.taken(label, &spec, &stored.spec.url);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Replaces the provider of the same name; empty credentials keep the stored ones.
pub async fn replace_by_name(app: &App, spec: ProviderSpec) -> anyhow::Result<()> {
    let all = app.store.providers().await?;
    let there = all
        .iter()
        .find(|provider| is_same_name(&provider.spec.name, &spec.name))
        .context("the provider was deleted meanwhile")?;
    let author = Author::command_line(app.clock.now()).with_edit_action(Action::Replaced);
    app.store.on_behalf_of(author).replace_provider(there.id, spec, app.clock.now()).await?;
    Ok(())
}

/// Validates a spec before it is stored.
pub(super) async fn validate(app: &App, owner: &User, spec: &ProviderSpec) -> anyhow::Result<FieldErrors> {
    let mut errors = PLUGINS.check_provider(
        &SearchProvider::unsaved(spec.clone(), owner.id, app.clock.now()),
        &app.federation.transforms.transforms_for(&Principal::of(owner)).await?,
    );
    // The validated provider has its credentials removed.
    errors.check_text("credentials", &spec.credentials, CREDENTIALS_CHARS_MAX);
    for field in spec.masked_fields() {
        errors.add(field, "Secrets are masked (••••); fill them in, or replace the provider that has them.");
    }
    Ok(errors)
}

/// Replaces masked secrets by those of the provider with the same name. Rejected if a stored secret would be sent to a
/// different host than before.
pub(super) async fn unmasked(
    app: &App,
    spec: ProviderSpec,
) -> anyhow::Result<Result<ProviderSpec, FieldErrors>> {
    let all = app.store.providers().await?;
    let Some(there) = all.iter().find(|provider| is_same_name(&provider.spec.name, &spec.name)) else {
        return Ok(Ok(spec));
    };
    let is_masked = Secret::is_masked(&spec.credentials);
    Ok(spec.in_place_of(there).map(|mut spec| {
        if is_masked && spec.credentials.is_empty() {
            there.credentials.expose().clone_into(&mut spec.credentials);
        }
        spec
    }))
}

/// Warnings about unknown fields that resemble a known field. Other unknown fields are ignored: records of the API have
/// an id, an owner and dates.
pub(super) fn misspelled_fields(record: &Value) -> Vec<String> {
    let Ok(Value::Object(known)) = serde_json::to_value(ProviderSpec::default()) else { return Vec::new() };
    let given = record.as_object().into_iter().flat_map(|fields| fields.keys());
    given
        .filter(|field| !known.contains_key(*field))
        .filter_map(|field| {
            let meant = suggest::nearest(field, known.keys().map(String::as_str))?;
            Some(format!("'{field}' is not a field of a provider and is ignored. Did you mean '{meant}'?"))
        })
        .collect()
}

/// The named files, and the JSON files in the named folders.
pub(super) fn json_files(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries =
            std::fs::read_dir(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let mut inside: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .collect();
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn records(file: &Path) -> anyhow::Result<Vec<Value>> {
    parse_records(&std::fs::read_to_string(file).context("cannot be read")?)
}

/// Parses a file: an object or a list of objects.
pub(super) fn parse_records(text: &str) -> anyhow::Result<Vec<Value>> {
    match serde_json::from_str(text).context("not valid JSON")? {
        Value::Array(records) => Ok(records),
        record @ Value::Object(_) => Ok(vec![record]),
        _ => anyhow::bail!("expected an object or a list of objects"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn misspelled_fields_are_reported() {
        let table = [
            (json!({"name": "A", "result_mappings": "title=a"}), None),
            (
                json!({"id": 3, "owner": "admin", "date_created": "", "date_updated": "", "capability": {}}),
                None,
            ),
            (json!({"result_mapping": "title=a"}), Some("'result_mappings'")),
            (json!({"query_processor": "A"}), Some("'query_processors'")),
            (json!(["name"]), None),
        ];
        for (record, want) in table {
            let said = misspelled_fields(&record).join(" ");
            assert_eq!(said.is_empty(), want.is_none(), "{record}: {said}");
            assert!(said.contains(want.unwrap_or_default()), "{record}: {said}");
        }
    }
}

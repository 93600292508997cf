//! `tributary load-providers`: SearchProviders from JSON files, each an object or a list.

use super::{Place, named_user};
use crate::terminal;
use crate::wiring::{PLUGINS, Wired};
use anyhow::Context;
use clap::Args;
use domain::audit::{Action, Author};
use domain::contracts::{AuditStore, ProviderStore, StoreError};
use domain::names;
use domain::provider::{CREDENTIALS_CHARS_MAX, ProviderSpec, SearchProvider};
use domain::secret::{Secret, without_value};
use domain::user::{Principal, User};
use domain::validation::FieldErrors;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Add SearchProviders from JSON files. A bad record is named and passed over.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary load-providers my-source.json
  tributary load-providers config/providers/ --replace")]
pub struct LoadProviders {
    /// Files with one provider or a list of them, or folders of such files.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Replace providers that have the same name; without it they are passed over.
    #[arg(long)]
    replace: bool,
    /// The administrator who will own them.
    #[arg(long, default_value = "admin")]
    user: String,
}

#[derive(Default)]
struct Tally {
    added: usize,
    replaced: usize,
    kept: usize,
    failed: usize,
}

impl LoadProviders {
    pub async fn run(self, place: &Place) -> anyhow::Result<ExitCode> {
        let wired = place.open().await?;
        let owner = named_user(&wired, &self.user).await?;
        anyhow::ensure!(
            owner.is_admin,
            "'{}' is not an administrator; providers are theirs to add",
            self.user
        );
        let mut tally = Tally::default();
        for file in json_files(&self.files)? {
            let shown = file.display().to_string();
            match records(&file) {
                Ok(records) => {
                    for (position, record) in records.into_iter().enumerate() {
                        let label = format!("{shown}, record {}", position + 1);
                        self.load(&wired, &owner, &label, record, &mut tally).await?;
                    }
                }
                Err(error) => {
                    tally.failed += 1;
                    terminal::note(format!("{shown}: {error:#}"));
                }
            }
        }
        wired.store.close().await;
        let Tally { added, replaced, kept, failed } = tally;
        terminal::line(format!("{added} added, {replaced} replaced, {kept} already there, {failed} failed"));
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    async fn load(
        &self,
        wired: &Wired,
        owner: &User,
        label: &str,
        record: Value,
        tally: &mut Tally,
    ) -> anyhow::Result<()> {
        for remark in misspelt(&record) {
            terminal::note(format!("{label}: {remark}"));
        }
        let mut spec: ProviderSpec = match serde_json::from_value(record) {
            Ok(spec) => spec,
            Err(error) => {
                tally.failed += 1;
                terminal::note(format!("{label}: {}", without_value(&error.to_string())));
                return Ok(());
            }
        };
        let name = spec.name.clone();
        if self.replace {
            spec = match unmasked(wired, spec).await? {
                Ok(spec) => spec,
                Err(errors) => {
                    tally.failed += 1;
                    terminal::note(format!("{label} ({name}): {errors}"));
                    return Ok(());
                }
            };
        }
        let now = wired.clock.now();
        let errors = mistakes(wired, owner, &spec).await?;
        if !errors.is_empty() {
            tally.failed += 1;
            terminal::note(format!("{label} ({name}): {errors}"));
            return Ok(());
        }
        match wired.by_command().create_providers(vec![spec.clone()], owner.id, now).await {
            Ok(_) => {
                tally.added += 1;
                terminal::note(format!("  added {name}"));
            }
            Err(StoreError::Taken(_)) if self.replace => {
                replace_by_name(wired, spec).await?;
                tally.replaced += 1;
                terminal::note(format!("  replaced {name}"));
            }
            Err(StoreError::Taken(_)) => tally.kept += 1,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Replaces the provider of the same name; empty credentials keep the stored ones.
pub async fn replace_by_name(wired: &Wired, spec: ProviderSpec) -> anyhow::Result<()> {
    let all = wired.store.providers().await?;
    let there =
        all.iter().find(|provider| provider.spec.name == spec.name).context("the provider has gone")?;
    let author = Author::command_line(wired.clock.now()).calling_edits(Action::Replaced);
    wired.store.on_behalf_of(author).replace_provider(there.id, spec, wired.clock.now()).await?;
    Ok(())
}

/// What is wrong with a spec that is to be stored.
pub(super) async fn mistakes(
    wired: &Wired,
    owner: &User,
    spec: &ProviderSpec,
) -> anyhow::Result<FieldErrors> {
    let mut errors = PLUGINS.check_provider(
        &SearchProvider::unsaved(spec.clone(), owner.id, wired.clock.now()),
        &wired.federation.transforms_for(&Principal::of(owner)).await?,
    );
    // The provider that was checked has them apart.
    errors.check_text("credentials", &spec.credentials, CREDENTIALS_CHARS_MAX);
    for field in spec.masked_fields() {
        errors.add(field, "Secrets are masked (••••); fill them in, or replace the provider that has them.");
    }
    Ok(errors)
}

/// A spec as the API shows it: its masks stand for what the provider of the same name has. Refused where a stored
/// secret would be sent to another place than before.
pub(super) async fn unmasked(
    wired: &Wired,
    spec: ProviderSpec,
) -> anyhow::Result<Result<ProviderSpec, FieldErrors>> {
    let all = wired.store.providers().await?;
    let Some(there) = all.iter().find(|provider| provider.spec.name == spec.name) else {
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

/// Fields that no provider has, but that look like one that it has. Others are passed over without a word: a record of
/// the API has its id, its owner and its dates.
pub(super) fn misspelt(record: &Value) -> Vec<String> {
    let Ok(Value::Object(known)) = serde_json::to_value(ProviderSpec::default()) else { return Vec::new() };
    let given = record.as_object().into_iter().flat_map(|fields| fields.keys());
    given
        .filter(|field| !known.contains_key(*field))
        .filter_map(|field| {
            let meant = names::nearest(field, known.keys().map(String::as_str))?;
            Some(format!("'{field}' is no field of a provider and is passed over. Did you mean '{meant}'?"))
        })
        .collect()
}

/// The files that are named, and those of the folders that are named.
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
    parsed(&std::fs::read_to_string(file).context("it cannot be read")?)
}

/// The records of a file's text: an object or a list of them.
pub(super) fn parsed(text: &str) -> anyhow::Result<Vec<Value>> {
    match serde_json::from_str(text).context("it is not JSON")? {
        Value::Array(records) => Ok(records),
        record @ Value::Object(_) => Ok(vec![record]),
        _ => anyhow::bail!("an object or a list of objects is needed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn misspelt_fields_are_told() {
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
            let said = misspelt(&record).join(" ");
            assert_eq!(said.is_empty(), want.is_none(), "{record}: {said}");
            assert!(said.contains(want.unwrap_or_default()), "{record}: {said}");
        }
    }
}

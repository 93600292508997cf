//! `tributary rekey`: another key for the credentials and the audit log, while the service runs.

use super::Place;
use crate::keys::{self, KEY_FILE, SecretKeys};
use crate::{terminal, wiring};
use anyhow::bail;
use clap::Args;
use domain::audit::Author;
use domain::contracts::{Clock, SystemClock};
use domain::settings::Settings;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{Resealed, SqlStore};

/// Others may just be writing what they sealed with the old key; then everything is looked at again.
const WRITERS_WAIT: Duration = Duration::from_secs(2);
/// Records that are named when no key opens them.
const NAMED_MAX: usize = 20;

/// Replace the key of the sealed credentials. The service may run, and a command that was stopped is run again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary rekey
  tributary rekey --data-dir /var/lib/tributary

Without SVC_SECRET_KEY a new key is made in secret.key of the data folder; running services take it from there. With
SVC_SECRET_KEY, as in a cluster, the new key comes from you:
  1. every process: SVC_SECRET_KEY=<old> SVC_SECRET_KEY_OLD=<new>, restarted one after the other
  2. every process: SVC_SECRET_KEY=<new> SVC_SECRET_KEY_OLD=<old>, restarted one after the other
  3. once, with the settings of step 2: tributary rekey
  4. every process: without SVC_SECRET_KEY_OLD

Older backups need the old key: keep it with them, or make a new backup.")]
pub struct Rekey {}

impl Rekey {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let settings = place.read(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        let keys = begin(&settings, &data_dir)?;
        let config = store::StoreConfig {
            url: wiring::database_url(&settings, &data_dir)?,
            pool_max: settings.database_pool_max,
            key: keys.seal_key(),
        };
        let store = SqlStore::open(config).await?;
        let resealed = reseal(&store).await;
        store.close().await;
        let resealed = resealed?;
        if settings.secret_key.is_empty() {
            let only = SecretKeys { others: Vec::new(), ..keys };
            keys::replace_key_file(&data_dir.join(KEY_FILE), &only)?;
        }
        report(&resealed, &settings, &data_dir);
        Ok(())
    }
}

/// The keys to work with: the new one first. A key file with more than one key is left from a command that was stopped.
fn begin(settings: &Settings, data_dir: &Path) -> anyhow::Result<SecretKeys> {
    let Some(keys) = keys::given_keys(settings, data_dir)? else {
        bail!("there is no key yet in {}; the first start of the service makes one", data_dir.display());
    };
    if !settings.secret_key.is_empty() {
        anyhow::ensure!(
            !settings.secret_key_old.is_empty(),
            "SVC_SECRET_KEY holds the key, so that the new one comes from you: set it there, and the old one in \
             SVC_SECRET_KEY_OLD; `tributary rekey --help` has the steps for a running service"
        );
        return Ok(keys);
    }
    let path = data_dir.join(KEY_FILE);
    let in_file = keys::read_key_file(&path)?;
    if in_file.is_some_and(|in_file| !in_file.others.is_empty()) {
        terminal::line("Going on with the new key of the command before.");
        return Ok(keys);
    }
    let others = std::iter::once(keys.current).chain(keys.others).collect();
    let keys = SecretKeys { current: keys::new_key(), others };
    keys::replace_key_file(&path, &keys)?;
    Ok(keys)
}

async fn reseal(store: &SqlStore) -> anyhow::Result<Resealed> {
    store.renew_audit_key(&Author::command_line(SystemClock.now())).await?;
    let first = store.reseal().await?;
    tokio::time::sleep(WRITERS_WAIT).await;
    let second = store.reseal().await?;
    Ok(Resealed { done: first.done + second.done, unreadable: second.unreadable })
}

fn report(resealed: &Resealed, settings: &Settings, data_dir: &Path) {
    terminal::line(format!("{} secrets are sealed with the new key.", resealed.done));
    if !resealed.unreadable.is_empty() {
        let named = resealed.unreadable.iter().take(NAMED_MAX).cloned().collect::<Vec<String>>().join(", ");
        terminal::note(format!(
            "Warning: no key opens {} of them, and they are left as they are: {named}. Enter these credentials again.",
            resealed.unreadable.len()
        ));
    }
    match settings.secret_key.is_empty() {
        true => {
            terminal::line(format!("The new key is in {}.", data_dir.join(KEY_FILE).display()));
            terminal::note("Backups that were made before need the old key; make a new one now.");
        }
        false => terminal::line("Take SVC_SECRET_KEY_OLD away from every process now."),
    }
}

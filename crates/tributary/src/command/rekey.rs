//! `tributary rekey`: replaces the key of the credentials and the audit log, while the service runs.

use super::CliContext;
use crate::secret_files::{self, FORMER_KEYS_FILE, KEY_FILE, SecretKeys};
use crate::{app, terminal};
use anyhow::bail;
use clap::Args;
use domain::audit::Author;
use domain::ports::{Clock, SystemClock};
use domain::settings::Settings;
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::{RekeyReport, SqlStore};

/// Pause between passes: another process may still be writing data encrypted with the old key.
const WRITERS_WAIT: Duration = Duration::from_secs(2);
/// Maximum number of passes before the old key is kept.
const PASSES_MAX: u32 = 5;
/// Maximum number of undecryptable records to list.
const NAMED_MAX: usize = 20;

/// Replace the key that encrypts credentials. The service may be running. If interrupted, run the command again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tributary rekey
  tributary rekey --data-dir /var/lib/tributary

Without SVC_SECRET_KEY, a new key is written to secret.key in the data folder, and running services pick it up. With
SVC_SECRET_KEY, as in a cluster, you provide the new key:
  1. Set SVC_SECRET_KEY=<old> and SVC_SECRET_KEY_OLD=<new> for every process; restart them one after the other.
  2. Set SVC_SECRET_KEY=<new> and SVC_SECRET_KEY_OLD=<old> for every process; restart them one after the other.
  3. Run `tributary rekey` once with the settings of step 2.
  4. Remove SVC_SECRET_KEY_OLD from every process.

Older backups need the old key: keep it with them, or make a new backup. A key from the data folder is saved in
secret.key.before-rekey.")]
pub struct Rekey {}

impl Rekey {
    pub async fn run(self, cli: &CliContext) -> anyhow::Result<()> {
        let settings = cli.load_settings(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        // Keys from the settings need no lock: concurrent commands use the same ones, and re-encrypting twice is
        // harmless.
        let is_in_file = settings.secret_key.is_empty();
        let _alone = if is_in_file && data_dir.is_dir() {
            Some(secret_files::lock_key_file(&data_dir)?)
        } else {
            None
        };
        let keys = begin(&settings, &data_dir)?;
        let config = store::StoreConfig {
            url: app::database_url(&settings, &data_dir)?,
            pool_max: settings.database_pool_max,
            key: keys.seal_key(),
        };
        let store = SqlStore::open(config).await?;
        let outcome = reseal(&store).await;
        store.close().await;
        let outcome = outcome?;
        report(&outcome.resealed);
        ensure_settled(&outcome, &settings, &data_dir)?;
        if is_in_file {
            let only = SecretKeys { others: Vec::new(), ..keys };
            secret_files::replace_key_file(&data_dir.join(KEY_FILE), &only)?;
        }
        report_key_locations(&settings, &data_dir);
        Ok(())
    }
}

/// The keys to use, the new one first. A key file with several keys is left over from an interrupted command.
fn begin(settings: &Settings, data_dir: &Path) -> anyhow::Result<SecretKeys> {
    let Some(keys) = secret_files::existing_keys(settings, data_dir)? else {
        bail!("no key in {}; the first start of the service creates one", data_dir.display());
    };
    if !settings.secret_key.is_empty() {
        anyhow::ensure!(
            !settings.secret_key_old.is_empty(),
            "the key is set by SVC_SECRET_KEY: set the new key there and the old one in \
             SVC_SECRET_KEY_OLD. `tributary rekey --help` lists the steps for a running service"
        );
        return Ok(keys);
    }
    let path = data_dir.join(KEY_FILE);
    let in_file = secret_files::read_key_file(&path)?;
    if let Some(in_file) = in_file.filter(|in_file| !in_file.others.is_empty()) {
        terminal::line("Continuing with the new key of the interrupted command.");
        secret_files::keep_former_keys(data_dir, &in_file.others)?;
        return Ok(keys);
    }
    let others = std::iter::once(keys.current).chain(keys.others).collect();
    let keys = SecretKeys { current: secret_files::new_key(), others };
    secret_files::keep_former_keys(data_dir, &keys.others)?;
    secret_files::replace_key_file(&path, &keys)?;
    Ok(keys)
}

/// The result of all passes.
#[derive(Debug, Default)]
struct Outcome {
    resealed: RekeyReport,
    /// Whether the last pass found nothing to do, so that the old key is no longer needed.
    is_settled: bool,
}

async fn reseal(store: &SqlStore) -> anyhow::Result<Outcome> {
    store.renew_audit_key(&Author::command_line(SystemClock.now())).await?;
    repeat_until_settled(WRITERS_WAIT, async || Ok(store.reseal().await?)).await
}

/// Repeats passes until one finds nothing to do: other processes may still write data encrypted with the old key.
async fn repeat_until_settled(
    wait: Duration,
    mut pass: impl AsyncFnMut() -> anyhow::Result<RekeyReport>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome { resealed: pass().await?, is_settled: false };
    for _ in 1..PASSES_MAX {
        tokio::time::sleep(wait).await;
        let again = pass().await?;
        outcome.is_settled = again.is_nothing();
        outcome.resealed = RekeyReport { done: outcome.resealed.done + again.done, ..again };
        if outcome.is_settled {
            break;
        }
    }
    Ok(outcome)
}

/// Fails if a process still encrypts with the old key.
fn ensure_settled(outcome: &Outcome, settings: &Settings, data_dir: &Path) -> anyhow::Result<()> {
    let stays = if settings.secret_key.is_empty() {
        format!("both keys remain in {}", data_dir.join(KEY_FILE).display())
    } else {
        "keep SVC_SECRET_KEY_OLD".to_owned()
    };
    anyhow::ensure!(
        outcome.is_settled,
        "a service still encrypts with the old key, so {stays}; no data is lost. Restart every service \
         that uses this database with the same keys as this command, then run `tributary rekey` again"
    );
    Ok(())
}

fn report(resealed: &RekeyReport) {
    terminal::line(format!("{} secrets are encrypted with the new key.", resealed.done));
    if !resealed.unreadable.is_empty() {
        let named = resealed.unreadable.iter().take(NAMED_MAX).cloned().collect::<Vec<String>>().join(", ");
        terminal::note(format!(
            "Warning: {} secrets cannot be decrypted with any key and were not changed: {named}. Enter these credentials again.",
            resealed.unreadable.len()
        ));
    }
}

fn report_key_locations(settings: &Settings, data_dir: &Path) {
    if settings.secret_key.is_empty() {
        terminal::line(format!("The new key is in {}.", data_dir.join(KEY_FILE).display()));
        terminal::note(format!(
            "Older backups need the old key, which is saved in {}. Make a new backup now, and delete \
             that file once no older backup is needed.",
            data_dir.join(FORMER_KEYS_FILE).display()
        ));
    } else {
        terminal::line("Remove SVC_SECRET_KEY_OLD from every process now.");
        terminal::note("Older backups need the old key: keep it with them, or make a new backup.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(done: u64, changed_meanwhile: u64) -> RekeyReport {
        RekeyReport { done, changed_meanwhile, unreadable: Vec::new() }
    }

    async fn outcome_of(passes: &[(u64, u64)]) -> (u64, bool, usize) {
        let mut count = 0;
        let outcome = repeat_until_settled(Duration::ZERO, async || {
            let (done, changed_meanwhile) = *passes.get(count).or(passes.last()).unwrap();
            count += 1;
            Ok(pass(done, changed_meanwhile))
        });
        let outcome = outcome.await.unwrap();
        (outcome.resealed.done, outcome.is_settled, count)
    }

    #[tokio::test]
    async fn the_old_key_is_dropped_only_after_a_pass_with_nothing_to_do() {
        assert_eq!(outcome_of(&[(7, 0), (0, 0)]).await, (7, true, 2));
        assert_eq!(outcome_of(&[(0, 0)]).await, (0, true, 2), "writers are waited for in any case");
        assert_eq!(outcome_of(&[(7, 0), (2, 0), (0, 1), (0, 0)]).await, (9, true, 4));
        assert_eq!(outcome_of(&[(7, 0), (1, 0)]).await, (11, false, PASSES_MAX as usize), "a writer goes on");
        assert_eq!(outcome_of(&[(0, 1)]).await, (0, false, PASSES_MAX as usize));
    }
}

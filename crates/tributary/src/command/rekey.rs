//! `tributary rekey`: another key for the credentials and the audit log, while the service runs.

use super::Place;
use crate::keys::{self, FORMER_KEYS_FILE, KEY_FILE, SecretKeys};
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
/// How often everything is looked at before the old key stays in place.
const PASSES_MAX: u32 = 5;
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

Older backups need the old key: keep it with them, or make a new backup. A key of the data folder is kept for them in
secret.key.before-rekey.")]
pub struct Rekey {}

impl Rekey {
    pub async fn run(self, place: &Place) -> anyhow::Result<()> {
        let settings = place.read(&[])?.settings;
        let data_dir = PathBuf::from(&settings.data_dir);
        // Keys of the settings need no lock: two commands have the same ones, and sealing anew twice changes nothing.
        let is_in_file = settings.secret_key.is_empty();
        let _alone = match is_in_file && data_dir.is_dir() {
            true => Some(keys::lock_key_file(&data_dir)?),
            false => None,
        };
        let keys = begin(&settings, &data_dir)?;
        let config = store::StoreConfig {
            url: wiring::database_url(&settings, &data_dir)?,
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
            keys::replace_key_file(&data_dir.join(KEY_FILE), &only)?;
        }
        say_where_the_keys_are(&settings, &data_dir);
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
    if let Some(in_file) = in_file.filter(|in_file| !in_file.others.is_empty()) {
        terminal::line("Going on with the new key of the command before.");
        keys::keep_former_keys(data_dir, &in_file.others)?;
        return Ok(keys);
    }
    let others = std::iter::once(keys.current).chain(keys.others).collect();
    let keys = SecretKeys { current: keys::new_key(), others };
    keys::keep_former_keys(data_dir, &keys.others)?;
    keys::replace_key_file(&path, &keys)?;
    Ok(keys)
}

/// How all passes together went.
#[derive(Debug, Default)]
struct Outcome {
    resealed: Resealed,
    /// The last pass found nothing to do, so that the old key is not needed any more.
    is_settled: bool,
}

async fn reseal(store: &SqlStore) -> anyhow::Result<Outcome> {
    store.renew_audit_key(&Author::command_line(SystemClock.now())).await?;
    repeat_until_settled(WRITERS_WAIT, async || Ok(store.reseal().await?)).await
}

/// Looks at everything until a further pass has nothing to do: others may still write what they sealed with the old key.
async fn repeat_until_settled(
    wait: Duration,
    mut pass: impl AsyncFnMut() -> anyhow::Result<Resealed>,
) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome { resealed: pass().await?, is_settled: false };
    for _ in 1..PASSES_MAX {
        tokio::time::sleep(wait).await;
        let again = pass().await?;
        outcome.is_settled = again.is_nothing();
        outcome.resealed = Resealed { done: outcome.resealed.done + again.done, ..again };
        if outcome.is_settled {
            break;
        }
    }
    Ok(outcome)
}

/// The old key must stay where somebody still seals with it.
fn ensure_settled(outcome: &Outcome, settings: &Settings, data_dir: &Path) -> anyhow::Result<()> {
    let stays = match settings.secret_key.is_empty() {
        true => format!("both keys stay in {}", data_dir.join(KEY_FILE).display()),
        false => "leave SVC_SECRET_KEY_OLD where it is".to_owned(),
    };
    anyhow::ensure!(
        outcome.is_settled,
        "a service still seals with the old key, so {stays}; nothing is lost. Restart every service that uses this \
         database, with the same keys as this command, and run `tributary rekey` again"
    );
    Ok(())
}

fn report(resealed: &Resealed) {
    terminal::line(format!("{} secrets are sealed with the new key.", resealed.done));
    if !resealed.unreadable.is_empty() {
        let named = resealed.unreadable.iter().take(NAMED_MAX).cloned().collect::<Vec<String>>().join(", ");
        terminal::note(format!(
            "Warning: no key opens {} of them, and they are left as they are: {named}. Enter these credentials again.",
            resealed.unreadable.len()
        ));
    }
}

fn say_where_the_keys_are(settings: &Settings, data_dir: &Path) {
    match settings.secret_key.is_empty() {
        true => {
            terminal::line(format!("The new key is in {}.", data_dir.join(KEY_FILE).display()));
            terminal::note(format!(
                "Backups that were made before need the old key, which is kept in {}. Make a new backup now, and delete \
                 that file when no older backup is needed.",
                data_dir.join(FORMER_KEYS_FILE).display()
            ));
        }
        false => {
            terminal::line("Take SVC_SECRET_KEY_OLD away from every process now.");
            terminal::note(
                "Backups that were made before need the old key: keep it with them, or make a new backup.",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(done: u64, changed_meanwhile: u64) -> Resealed {
        Resealed { done, changed_meanwhile, unreadable: Vec::new() }
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

//! Database facts for a support bundle, read without migrating the database or creating a key.

use super::known;
use super::redaction::Redaction;
use crate::{app, secret_files};
use anyhow::{anyhow, bail};
use domain::known_secrets::KnownSecrets;
use domain::ports::chain;
use domain::settings::Settings;
use std::path::Path;
use std::time::Duration;
use store::{DatabaseFacts, StoreConfig};

/// Time limits for connecting and for counting rows.
const DATABASE_TIME_MAX: Duration = Duration::from_secs(30);
const COUNT_TIME_MAX: Duration = Duration::from_secs(20);

/// Reads facts about the database.
pub async fn facts(settings: &Settings, data_dir: &Path) -> anyhow::Result<DatabaseFacts> {
    crate::command::ensure_database(settings)?;
    let url = app::database_url(settings, data_dir)?;
    match tokio::time::timeout(DATABASE_TIME_MAX, store::database_facts(&url, COUNT_TIME_MAX)).await {
        Ok(facts) => Ok(facts?),
        Err(_) => bail!("the database did not respond within {} seconds", DATABASE_TIME_MAX.as_secs()),
    }
}

/// Why the database must not be opened: that would migrate it or create a key.
pub fn why_closed(
    settings: &Settings,
    data_dir: &Path,
    database: &anyhow::Result<DatabaseFacts>,
) -> Option<String> {
    let newest = store::dump::schema_version();
    match database {
        Err(error) => Some(chain(&**error)),
        Ok(facts) if facts.migration != Some(newest) => {
            let found = facts.migration.map_or("none".to_owned(), |number| number.to_string());
            Some(format!("the database has migration {found}, but this program needs {newest}"))
        }
        Ok(_) => why_no_key(settings, data_dir),
    }
}

pub fn why_no_key(settings: &Settings, data_dir: &Path) -> Option<String> {
    match secret_files::existing_keys(settings, data_dir) {
        Ok(Some(_)) => None,
        Ok(None) => Some(format!("neither {} nor SVC_SECRET_KEY exists", secret_files::KEY_FILE)),
        Err(error) => Some(chain(&*error)),
    }
}

/// The redaction with the secrets and names from the database, or without them and the reason.
pub async fn redaction(
    settings: &Settings,
    data_dir: &Path,
    secrets: KnownSecrets,
) -> (Redaction, Option<String>) {
    let config = || {
        anyhow::Ok(StoreConfig {
            url: app::database_url(settings, data_dir)?,
            pool_max: 1,
            key: secret_files::seal_key(settings, data_dir)?,
        })
    };
    let opened = async {
        let reading = known::of_store(config()?, secrets.clone());
        let read = tokio::time::timeout(DATABASE_TIME_MAX, reading)
            .await
            .map_err(|_| anyhow!("the database did not respond in time"))?;
        anyhow::Ok(read?)
    };
    match opened.await {
        Ok(redaction) => (redaction, None),
        Err(error) => (Redaction::new(secrets, []), Some(chain(&*error))),
    }
}

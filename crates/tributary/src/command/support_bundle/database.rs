//! The database behind a support bundle: read as it is. It is never migrated, and no key is made for it.

use super::known;
use super::redaction::Redaction;
use crate::{keys, wiring};
use domain::known_secrets::KnownSecrets;
use domain::settings::Settings;
use std::path::Path;
use std::time::Duration;
use store::{DatabaseFacts, StoreConfig};

/// How long the database may take to answer, and to count its rows.
const DATABASE_TIME_MAX: Duration = Duration::from_secs(30);
const COUNT_TIME_MAX: Duration = Duration::from_secs(20);

/// Why they cannot be read is a sentence.
pub async fn facts(settings: &Settings, data_dir: &Path) -> Result<DatabaseFacts, String> {
    crate::command::ensure_database(settings).map_err(|error| format!("{error:#}"))?;
    let url = wiring::database_url(settings, data_dir).map_err(|error| format!("{error:#}"))?;
    match tokio::time::timeout(DATABASE_TIME_MAX, store::database_facts(&url, COUNT_TIME_MAX)).await {
        Ok(facts) => facts.map_err(|error| error.to_string()),
        Err(_) => Err(format!("the database did not answer within {} seconds", DATABASE_TIME_MAX.as_secs())),
    }
}

/// Opening a database brings it to this version and makes a key where none is. A bundle does neither.
pub fn why_closed(
    settings: &Settings,
    data_dir: &Path,
    database: &Result<DatabaseFacts, String>,
) -> Option<String> {
    let newest = store::copy::schema_version();
    match database {
        Err(why) => Some(why.clone()),
        Ok(facts) if facts.migration != Some(newest) => {
            let found = facts.migration.map_or("none".to_owned(), |number| number.to_string());
            Some(format!("the database has migration {found}, and this program works with {newest}"))
        }
        Ok(_) => why_no_key(settings, data_dir),
    }
}

pub fn why_no_key(settings: &Settings, data_dir: &Path) -> Option<String> {
    match keys::given_keys(settings, data_dir) {
        Ok(Some(_)) => None,
        Ok(None) => Some(format!("there is no {} and no SVC_SECRET_KEY", keys::KEY_FILE)),
        Err(error) => Some(format!("{error:#}")),
    }
}

/// With what the database knows; without it, and why.
pub async fn redaction(
    settings: &Settings,
    data_dir: &Path,
    secrets: KnownSecrets,
) -> (Redaction, Option<String>) {
    let config = || {
        anyhow::Ok(StoreConfig {
            url: wiring::database_url(settings, data_dir)?,
            pool_max: 1,
            key: keys::seal_key(settings, data_dir)?,
        })
    };
    let opened = match config() {
        Ok(config) => {
            let reading = known::of_store(config, secrets.clone());
            tokio::time::timeout(DATABASE_TIME_MAX, reading)
                .await
                .map_err(|_| "the database did not answer in time".to_owned())
                .and_then(|read| read.map_err(|error| error.to_string()))
        }
        Err(error) => Err(format!("{error:#}")),
    };
    match opened {
        Ok(redaction) => (redaction, None),
        Err(why) => (Redaction::new(secrets, []), Some(why)),
    }
}

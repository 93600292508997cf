//! The demo's own license, issued with a key in its data folder, to enable the semantic cache.

use super::settings::{LICENSE, PUBLIC_KEY};
use crate::license_keys::{PRIVATE_FILE, generate_keys, signing_key};
use anyhow::Context;
use chrono::{Days, NaiveDate};
use license::LicenseTerms;
use std::path::Path;

/// Subfolder of the data folder with the key.
const FOLDER: &str = "license";
const OWNER: &str = "Tributary demo";
/// Validity; the license is reissued at every start.
const VALIDITY: Days = Days::new(365);

/// The license settings for a demo without a configured license. They name no file, so that they hold for commands that
/// run in another folder.
pub fn settings(data_dir: &Path, today: NaiveDate) -> anyhow::Result<[(&'static str, String); 2]> {
    let folder = data_dir.join(FOLDER);
    let private = folder.join(PRIVATE_FILE);
    let key = if private.exists() { signing_key(&private)? } else { generate_keys(&folder)? };
    let terms = LicenseTerms {
        owner: OWNER.to_owned(),
        issued: today,
        expiration: today.checked_add_days(VALIDITY).context("the system clock is out of range")?,
        cache: true,
        cache_expiration: None,
    };
    let public = key.issuer().context("the key has no public part")?.pem();
    Ok([(LICENSE, terms.issue(&key)), (PUBLIC_KEY, public)])
}

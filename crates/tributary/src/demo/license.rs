//! The demo issues its own license, with a key of its own in its data folder, so that the semantic cache works there.

use crate::license::{PRIVATE_FILE, make_keys, signing_key, write_public};
use anyhow::Context;
use chrono::{Days, NaiveDate};
use domain::license::LicenseTerms;
use std::path::Path;

/// The folder of the key in the data folder.
const FOLDER: &str = "license";
const OWNER: &str = "Tributary demo";
/// It is issued anew at every start.
const LASTS: Days = Days::new(365);

/// The settings by which a demo without a license of its own has one.
pub fn settings(data_dir: &Path, today: NaiveDate) -> anyhow::Result<[(&'static str, String); 2]> {
    let folder = data_dir.join(FOLDER);
    let private = folder.join(PRIVATE_FILE);
    let key = match private.exists() {
        true => signing_key(&private)?,
        false => make_keys(&folder)?,
    };
    let terms = LicenseTerms {
        owner: OWNER.to_owned(),
        issued: today,
        expiration: today.checked_add_days(LASTS).context("the clock stands too late")?,
        cache: true,
        cache_expiration: None,
    };
    let public = write_public(&key, &folder)?.display().to_string();
    Ok([("SVC_LICENSE", terms.issue(&key)), ("SVC_LICENSE_PUBLIC_KEY", public)])
}

//! Settings that the demo makes up, such as its license. They are kept in its data folder, so that other commands on
//! the same data have them too.

use crate::secret_files;
use anyhow::Context;
use domain::settings::{EffectiveSetting, SettingOrigin};
use std::collections::BTreeMap;
use std::path::Path;

const FILE: &str = "demo-settings.json";
/// Nothing else is read from the file.
const NAMES: [&str; 3] = [ELECTS, LICENSE, PUBLIC_KEY];
pub const LICENSE: &str = "SVC_LICENSE";
pub const PUBLIC_KEY: &str = "SVC_LICENSE_PUBLIC_KEY";
/// Enabled by default, as in all shipped configurations; an explicit setting takes precedence.
pub const ELECTS: &str = "SVC_CANONICAL_AUTO_ELECT_ENABLED";

/// Replaces the settings of an earlier start.
pub fn write(data_dir: &Path, settings: &[(&'static str, String)]) -> anyhow::Result<()> {
    let path = data_dir.join(FILE);
    if path.exists() {
        std::fs::remove_file(&path).with_context(|| format!("{} cannot be replaced", path.display()))?;
    }
    let kept: BTreeMap<&str, &str> = settings
        .iter()
        .filter(|(name, _)| NAMES.contains(name))
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    secret_files::write_private(&path, &serde_json::to_string_pretty(&kept)?)
}

/// The stored settings that nobody has set. None if this is not the data folder of a demo.
pub fn stored(
    data_dir: &Path,
    effective: &[EffectiveSetting],
) -> anyhow::Result<Vec<(&'static str, String)>> {
    let path = data_dir.join(FILE);
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut stored: BTreeMap<String, String> = serde_json::from_str(&text)
        .with_context(|| format!("{} is not as the demo wrote it", path.display()))?;
    let is_default =
        |name: &str| effective.iter().any(|row| row.name == name && row.origin == SettingOrigin::Default);
    // A license of one's own goes with a key of one's own.
    let is_unlicensed = is_default(LICENSE) && is_default(PUBLIC_KEY);
    let is_wanted = |name: &&'static str| match *name {
        LICENSE | PUBLIC_KEY => is_unlicensed,
        name => is_default(name),
    };
    let wanted = NAMES.into_iter().filter(is_wanted);
    Ok(wanted.filter_map(|name| Some((name, stored.remove(name)?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::settings::{RawSettings, Settings};

    fn effective(given: &[(&str, &str)]) -> Vec<EffectiveSetting> {
        let environment = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let raw = RawSettings { environment: environment.collect(), ..RawSettings::default() };
        Settings::parse(&raw).expect("valid settings").effective
    }

    #[test]
    fn what_is_set_takes_precedence() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(stored(folder.path(), &effective(&[])).unwrap(), [], "no demo");
        let made = [
            ("SVC_PORT", "1".to_owned()),
            (ELECTS, "True".to_owned()),
            (LICENSE, "{}".to_owned()),
            (PUBLIC_KEY, "key".to_owned()),
        ];
        for _ in 0..2 {
            write(folder.path(), &made).unwrap();
        }
        assert_eq!(stored(folder.path(), &effective(&[])).unwrap(), made[1..], "the port is not kept");
        for (given, expected) in [
            ((LICENSE, "{\"owner\": \"Me\"}"), &made[1..2]),
            ((PUBLIC_KEY, "mine"), &made[1..2]),
            ((ELECTS, "False"), &made[2..]),
        ] {
            assert_eq!(stored(folder.path(), &effective(&[given])).unwrap(), expected, "{given:?}");
        }
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(stored(folder.path(), &effective(&[])).is_err());
    }
}

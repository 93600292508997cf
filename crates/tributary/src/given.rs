//! What settings were given: the environment, and the file `tributary.toml`. The only reader of both.

use anyhow::{Context, bail};
use domain::settings::{GivenSettings, ReadSettings, Settings};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file that is read when none is named and it is there.
pub const FILE: &str = "tributary.toml";

/// Reads all settings. `overrides` stand above the environment: they come from the command line.
pub fn read(file: Option<&Path>, overrides: &[(&str, String)]) -> anyhow::Result<ReadSettings> {
    let mut given = GivenSettings { environment: environment(), file: from_file(file)? };
    for (name, value) in overrides {
        given.environment.insert((*name).to_owned(), value.clone());
    }
    match Settings::read(&given) {
        Ok(read) => Ok(read),
        Err(mistakes) => {
            let lines: Vec<String> = mistakes.iter().map(|line| format!("  {line}")).collect();
            bail!("The settings have {} mistake(s):\n{}", mistakes.len(), lines.join("\n"))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn environment() -> BTreeMap<String, String> {
    let is_ours = |name: &str| name.starts_with("SVC_") || Settings::TABLE.iter().any(|row| row.name == name);
    std::env::vars().filter(|(name, _)| is_ours(name)).collect()
}

fn from_file(named: Option<&Path>) -> anyhow::Result<BTreeMap<String, String>> {
    let path = match named {
        Some(path) => path.to_owned(),
        None if Path::new(FILE).exists() => PathBuf::from(FILE),
        None => return Ok(BTreeMap::new()),
    };
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    parse(&text).with_context(|| format!("{} is not a settings file", path.display()))
}

/// Adds a setting to the end of the settings file, which is made if it is not there. The file, and whether it is new.
pub fn add(named: Option<&Path>, name: &str, value: &str) -> anyhow::Result<(PathBuf, bool)> {
    let path = named.unwrap_or(Path::new(FILE));
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let cannot = || format!("{} cannot be written", path.display());
    let is_new = !path.exists();
    let text = if is_new { String::new() } else { std::fs::read_to_string(&path).with_context(cannot)? };
    let has_it = parse(&text).with_context(cannot)?.contains_key(name);
    anyhow::ensure!(!has_it, "{} has {name} already; change it there", path.display());
    let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).with_context(cannot)?;
    file.write_all(format!("{line_end}# Written by `tributary setup`.\n{name} = {value}\n").as_bytes())
        .and_then(|()| file.sync_all())
        .with_context(cannot)?;
    Ok((path, is_new))
}

fn parse(text: &str) -> anyhow::Result<BTreeMap<String, String>> {
    let table: toml::Table = text.parse()?;
    table.into_iter().map(|(name, value)| Ok((name, as_text(value)?))).collect()
}

fn as_text(value: toml::Value) -> anyhow::Result<String> {
    Ok(match value {
        toml::Value::String(text) => text,
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(flag) => flag.to_string(),
        toml::Value::Array(items) => {
            items.into_iter().map(as_text).collect::<anyhow::Result<Vec<String>>>()?.join(",")
        }
        other => bail!("a {} cannot be a setting", other.type_str()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_plain_values_and_lists() {
        let read =
            parse("SVC_PORT = 9000\nSVC_EXPLAIN = false\nSVC_OUTBOUND_ALLOW = [\"a:1\", \"b\"]\n").unwrap();
        assert_eq!(read["SVC_PORT"], "9000");
        assert_eq!(read["SVC_EXPLAIN"], "false");
        assert_eq!(read["SVC_OUTBOUND_ALLOW"], "a:1,b");
        assert!(parse("[table]\nx = 1").is_err());
        assert!(parse("no toml").is_err());
    }

    #[test]
    fn a_setting_is_added_and_none_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        assert!(add(Some(&file), "SVC_PORT", "9000").unwrap().1, "the file is new");
        std::fs::write(&file, "# mine\nSVC_HOST = \"::1\"").unwrap();
        assert!(!add(Some(&file), "SVC_PORT", "9000").unwrap().1);
        let read = parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!((read["SVC_HOST"].as_str(), read["SVC_PORT"].as_str()), ("::1", "9000"));
        let before = std::fs::read_to_string(&file).unwrap();
        assert!(before.starts_with("# mine\nSVC_HOST = \"::1\"\n"), "{before}");
        assert!(add(Some(&file), "SVC_PORT", "1").is_err() && add(Some(&file), "SVC_HOST", "1").is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
        assert!(add(Some(&folder.path().join("not/there")), "SVC_PORT", "1").is_err());
    }
}

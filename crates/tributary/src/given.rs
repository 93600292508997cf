//! What settings were given: the environment, and the file `tributary.toml`. The only reader of both.

use anyhow::{Context, bail};
use domain::settings::{GivenSettings, ReadSettings, Settings};
use std::collections::BTreeMap;
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
}

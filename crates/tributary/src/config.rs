//! Loads settings from the environment and the settings file; the only code that reads either.

use anyhow::{Context, anyhow, bail};
use domain::secret::Secret;
use domain::settings::{LoadedSettings, RawSettings, SettingValue, Settings};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The default settings file, in the working directory.
pub const FILE: &str = "tributary.toml";

/// Loads all settings. `overrides` come from the command line and take precedence over the environment.
pub fn load(file: Option<&Path>, overrides: &[(&str, String)]) -> anyhow::Result<LoadedSettings> {
    let mut raw = RawSettings { environment: environment(), file: from_file(file)? };
    for (name, value) in overrides {
        raw.environment.insert((*name).to_owned(), value.clone());
    }
    match Settings::parse(&raw) {
        Ok(loaded) => Ok(loaded),
        Err(mistakes) => {
            let lines: Vec<String> = mistakes.iter().map(|line| format!("  {line}")).collect();
            bail!("The settings have {} error(s):\n{}", mistakes.len(), lines.join("\n"))
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]
fn environment() -> BTreeMap<String, String> {
    filter_settings(std::env::vars_os())
}

/// A secret that a command reads as a client of a service, from a variable that is no setting; None if it is empty.
#[expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]
pub fn client_secret(name: &str) -> Option<Secret> {
    std::env::var(name).ok().filter(|value| !value.is_empty()).map(Secret::new)
}

/// Our settings among the variables. Those of other programs need not be valid UTF-8.
fn filter_settings(variables: impl Iterator<Item = (OsString, OsString)>) -> BTreeMap<String, String> {
    let is_ours = |name: &str| name.starts_with("SVC_") || Settings::TABLE.iter().any(|row| row.name == name);
    let named = variables.filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let ours = named.filter(|(name, _)| is_ours(name));
    ours.map(|(name, value)| (name, value.to_string_lossy().into_owned())).collect()
}

/// The named settings file, or the default one if it exists.
fn file_path(named: Option<&Path>) -> Option<PathBuf> {
    let of_folder = || Path::new(FILE).exists().then(|| PathBuf::from(FILE));
    named.map(Path::to_owned).or_else(of_folder)
}

/// The secrets in the environment and in the lines of a settings file that may be invalid.
pub fn secrets(file: Option<&Path>) -> Vec<Secret> {
    let text = file_path(file).and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let of_file = secrets_of_lines(&String::from_utf8_lossy(&text));
    let environment = environment().into_iter().filter(|(name, _)| is_secret(name));
    environment.map(|(_, value)| Secret::new(value)).chain(of_file).collect()
}

fn is_secret(name: &str) -> bool {
    Settings::TABLE.iter().any(|row| row.name == name && row.kind == Secret::KIND)
}

fn secrets_of_lines(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        if is_secret(name.trim_matches(is_quote_or_space)) {
            found.push(Secret::new(value.trim_matches(is_quote_or_space)));
            found.extend(parse(line).into_iter().flat_map(BTreeMap::into_values).map(Secret::new));
        }
    }
    found
}

fn is_quote_or_space(c: char) -> bool {
    c.is_whitespace() || "\"'".contains(c)
}

fn from_file(named: Option<&Path>) -> anyhow::Result<BTreeMap<String, String>> {
    let Some(path) = file_path(named) else { return Ok(BTreeMap::new()) };
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    parse(&text).with_context(|| format!("{} is not a settings file", path.display()))
}

/// The settings file to which a setting was added.
pub struct ChangedFile {
    pub path: PathBuf,
    pub is_new: bool,
}

/// Appends a setting to the settings file, creating it if needed.
pub fn add(named: Option<&Path>, name: &str, value: &str) -> anyhow::Result<ChangedFile> {
    let path = named.unwrap_or(Path::new(FILE));
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let cannot = || format!("{} cannot be written", path.display());
    let is_new = !path.exists();
    let text = if is_new { String::new() } else { std::fs::read_to_string(&path).with_context(cannot)? };
    let has_it = parse(&text).with_context(cannot)?.contains_key(name);
    anyhow::ensure!(!has_it, "{} already has {name}; change it there", path.display());
    let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).with_context(cannot)?;
    file.write_all(format!("{line_end}# Written by `tributary setup`.\n{name} = {value}\n").as_bytes())
        .and_then(|()| file.sync_all())
        .with_context(cannot)?;
    Ok(ChangedFile { path, is_new })
}

fn parse(text: &str) -> anyhow::Result<BTreeMap<String, String>> {
    toml::de::DeTable::parse(text).map_err(|error| anyhow!(syntax_error(text, &error, error.message())))?;
    // The syntax is valid, so only a value can be wrong; the error message would quote it.
    let value = "a value that cannot be read";
    let table: toml::Table = text.parse().map_err(|error| anyhow!(syntax_error(text, &error, value)))?;
    table.into_iter().map(|(name, value)| Ok((name, as_text(value)?))).collect()
}

/// The error with its line number. The error's own text quotes that line, which may contain a password.
fn syntax_error(text: &str, error: &toml::de::Error, what: &str) -> String {
    let line = |start: usize| text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
    let position = error.span().map(|span| format!(" in line {}", line(span.start))).unwrap_or_default();
    format!("{what}{position}")
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
    fn other_variables_may_be_invalid_utf8() {
        use std::os::unix::ffi::OsStringExt;
        let bytes = || OsString::from_vec(vec![b'a', 0xff]);
        let variables = [(bytes(), "1".into()), ("OTHER".into(), bytes()), ("SVC_PORT".into(), "1".into())];
        let found = filter_settings(variables.into_iter());
        assert_eq!(found, BTreeMap::from([("SVC_PORT".to_owned(), "1".to_owned())]));
    }

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
    fn an_error_names_its_line_without_quoting_it() {
        let table = [
            ("SVC_ADMIN_PASSWORD = \"hunter2-planted", 1),
            ("SVC_PORT = 1\nSVC_ADMIN_PASSWORD = \"hunter2-planted\nSVC_HOST = \"::1\"\n", 2),
            ("SVC_ADMIN_PASSWORD = hunter2-planted\n", 1),
            ("\n\nSVC_ADMIN_PASSWORD = 'hunter2-planted\n", 3),
            ("SVC_ADMIN_PASSWORD \"hunter2-planted\"\n", 1),
            ("SVC_ADMIN_PASSWORD: hunter2-planted\n", 1),
            ("SVC_ADMIN_PASSWORD = \"hunter2-planted\" \"x\"\n", 1),
            ("SVC_ADMIN_PASSWORD = \"hunter2-planted\\q\"\n", 1),
            ("SVC_ADMIN_PASSWORD = \"é\"\r\nSVC_ADMIN_PASSWORD = \"hunter2-planted\"\r\n", 2),
            ("SVC_ADMIN_PASSWORD.x = \"hunter2-planted\"\nSVC_ADMIN_PASSWORD = \"hunter2-planted\"\n", 2),
            ("SVC_OUTBOUND_ALLOW = [\"a\"\nSVC_ADMIN_PASSWORD = \"hunter2-planted\"\n", 2),
            ("SVC_ADMIN_PASSWORD = 99999999999999999999 # hunter2-planted\n", 1),
        ];
        for (text, line) in table {
            let error = parse(text).unwrap_err();
            let shown = format!("{error:#}");
            assert!(!shown.contains("hunter2") && !shown.contains("999"), "{shown}");
            assert!(shown.contains(&format!("in line {line}")), "{text}: {shown}");
        }
    }

    #[test]
    fn secrets_of_an_invalid_file_are_found() {
        let text = "SVC_ADMIN_PASSWORD = \"planted-1\n  \"SVC_MCP_TOKEN\" = 'planted-2'  \nSVC_PORT = 1\n\
                    SVC_SECRET_KEY = \"planted\\u0033\" # mine\nSVC_STORAGE_SECRET_KEY = planted-4\n";
        let known: Vec<String> = secrets_of_lines(text).iter().map(|one| one.expose().to_owned()).collect();
        for secret in ["planted-1", "planted-2", "planted3", "planted-4"] {
            assert!(known.iter().any(|one| one == secret), "{secret}: {known:?}");
        }
        assert!(!known.iter().any(|one| one == "1"), "{known:?}");
    }

    #[test]
    fn a_setting_is_added_and_none_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        assert!(add(Some(&file), "SVC_PORT", "9000").unwrap().is_new);
        std::fs::write(&file, "# mine\nSVC_HOST = \"::1\"").unwrap();
        assert!(!add(Some(&file), "SVC_PORT", "9000").unwrap().is_new);
        let read = parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!((read["SVC_HOST"].as_str(), read["SVC_PORT"].as_str()), ("::1", "9000"));
        let before = std::fs::read_to_string(&file).unwrap();
        assert!(before.starts_with("# mine\nSVC_HOST = \"::1\"\n"), "{before}");
        assert!(add(Some(&file), "SVC_PORT", "1").is_err() && add(Some(&file), "SVC_HOST", "1").is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
        assert!(add(Some(&folder.path().join("not/there")), "SVC_PORT", "1").is_err());
    }
}

//! The files of `deploy/`: they name existing settings, roles and ports, run nothing as root, and pass the installed
//! linters.

mod chart;
mod compose;
mod image;
mod release;
mod unit;

use domain::settings::{LoadedSettings, RawSettings, Settings};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tributary::service::Role;

/// The user id of the image.
const USER: u64 = 65_532;
/// The port of the image.
const PORT: u64 = 8000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file of a folder, as paths from the root.
fn files(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The documents of a YAML file, merge keys (`<<`) resolved.
fn yaml(text: &str) -> Vec<Value> {
    let document = |one| {
        let mut value = serde_norway::Value::deserialize(one).unwrap();
        value.apply_merge().unwrap();
        serde_json::to_value(value).unwrap()
    };
    serde_norway::Deserializer::from_str(text).map(document).filter(|value| !value.is_null()).collect()
}

/// Text, numbers and booleans as they appear in an environment.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Reads these settings as the program does: a wrong name or value fails.
fn settings(place: &str, given: impl IntoIterator<Item = (String, String)>) -> Settings {
    let environment: BTreeMap<String, String> = given.into_iter().collect();
    assert!(!environment.is_empty(), "{place} sets nothing");
    match Settings::parse(&RawSettings { environment, file: BTreeMap::new() }) {
        Ok(LoadedSettings { settings, remarks, .. }) => {
            assert!(remarks.is_empty(), "{place}: {remarks:?}");
            settings
        }
        Err(mistakes) => panic!("{place}: {mistakes:?}"),
    }
}

fn roles(text: &str) -> BTreeSet<Role> {
    text.split(',').map(|name| Role::parse(name).unwrap()).collect()
}

/// What the program needs after its drain and its grace period: tasks are returned to the queue, connections are
/// closed.
const SHUTDOWN_OVERHEAD: Duration = Duration::from_secs(5);

/// The supervisor must wait longer than the program needs to stop.
fn assert_grace(place: &str, waits: Duration, settings: &Settings) {
    let grace = settings.drain.0 + settings.stop_grace.0 + SHUTDOWN_OVERHEAD;
    assert!(waits > grace, "{place} waits {waits:?}, the program needs {grace:?}");
}

/// A load balancer has time to notice that a web process drains, or at least to close its connections.
fn assert_drain(place: &str, roles: &BTreeSet<Role>, settings: &Settings) {
    assert!(!roles.contains(&Role::Web) || !settings.drain.0.is_zero(), "{place} does not drain");
}

/// Runs a linter; skips if it is not installed.
pub fn lint(command: &mut Command) -> Option<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            testkit::skip("linting of deployment files", &format!("{name} is not installed"));
            return None;
        }
        Err(error) => panic!("{name}: {error}"),
    };
    let said = format!("{}{}", crate::program::text(&output.stdout), crate::program::text(&output.stderr));
    assert!(output.status.success(), "{name} refuses: {said}");
    Some(crate::program::text(&output.stdout))
}

/// The words that look like names of settings.
fn setting_names(text: &str) -> BTreeSet<&str> {
    let in_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = text.split(|c| !in_name(c));
    words.filter(|word| word.starts_with("SVC_") || word.starts_with("DOCS_")).collect()
}

#[test]
fn every_named_setting_exists() {
    let known: BTreeSet<&str> = Settings::TABLE.iter().map(|row| row.name).collect();
    let mut named = BTreeSet::new();
    let documents = ["docs/deployment.md".to_owned()];
    for path in files("deploy").into_iter().chain(documents) {
        let text = read(&path);
        for name in setting_names(&text) {
            assert!(known.contains(name), "{path} names {name}, which is not a setting");
            named.insert(name.to_owned());
        }
    }
    assert!(named.len() > 15, "the files name only {named:?}");
}

#[test]
fn every_version_is_that_of_the_program() {
    let chart = &yaml(&read("deploy/helm/tributary/Chart.yaml"))[0];
    assert_eq!(chart["appVersion"], domain::VERSION);
    assert_eq!(chart["version"], domain::VERSION);
    for path in ["deploy/compose.yaml", "deploy/compose.cluster.yaml"] {
        for (name, service) in yaml(&read(path))[0]["services"].as_object().unwrap() {
            let image = service["image"].as_str().unwrap();
            let (image, version) = image.split_once(':').unwrap();
            assert!(image != "tributary" || version == domain::VERSION, "{path}: {name} is {version}");
        }
    }
}

#[test]
fn no_file_holds_a_secret() {
    for path in files("deploy").into_iter().filter(|path| path.ends_with(".env.example")) {
        for line in read(&path).lines().filter(|line| !line.starts_with("# ")) {
            let Some((name, value)) = line.trim_start_matches('#').split_once('=') else { continue };
            let is_secret = ["PASSWORD", "SECRET", "_URL"].iter().any(|part| name.contains(part));
            let is_secret = is_secret && name != "SVC_PUBLIC_URL";
            assert!(!is_secret || value.is_empty(), "{path} gives {name} a value");
        }
    }
    let values = &yaml(&read("deploy/helm/tributary/values.yaml"))[0];
    for (name, value) in values["secrets"].as_object().unwrap() {
        assert_eq!(value, "", "values.yaml gives {name} a value");
    }
    // The filled-in environment file is beside its example.
    assert!(read(".gitignore").lines().any(|line| line == "/deploy/*.env"));
}

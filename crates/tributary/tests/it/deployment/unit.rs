//! The systemd unit.

use super::{assert_drain, assert_grace, lint, read, settings, yaml};
use domain::settings::Settings;
use std::process::Command;
use std::time::Duration;
use tributary::service::Role;

const UNIT: &str = "deploy/systemd/tributary.service";
/// The highest allowed exposure of `systemd-analyze security`, in tenths; 100 is a service without any protection.
const EXPOSURE_MAX: &str = "15";

/// Every value of a key, in the order of the file.
fn values(key: &str) -> Vec<String> {
    let text = read(UNIT);
    let lines = text.lines().filter_map(|line| line.split_once('='));
    lines.filter(|(name, _)| *name == key).map(|(_, value)| value.to_owned()).collect()
}

#[test]
fn the_unit_is_hardened_and_waits_for_what_runs() {
    for (key, expected) in [
        ("ExecStart", "/usr/local/bin/tributary serve"),
        ("Type", "notify"),
        ("NotifyAccess", "main"),
        ("WatchdogSec", "60"),
        ("DynamicUser", "yes"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("StateDirectory", "tributary"),
        ("Restart", "on-failure"),
    ] {
        assert_eq!(values(key), [expected], "{key}");
    }
    let given = values("Environment").join(" ");
    let pairs = given.split(' ').filter_map(|pair| pair.split_once('='));
    let set = settings(UNIT, pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(set.data_dir, "/var/lib/tributary", "the folder that StateDirectory makes");
    assert_eq!(values("WorkingDirectory")[0], set.data_dir);
    assert_drain(UNIT, &Role::all(), &set);
    assert_grace(UNIT, Duration::from_secs(values("TimeoutStopSec")[0].parse().unwrap()), &set);
}

#[test]
fn environment_examples_hold_valid_settings() {
    for path in ["deploy/systemd/tributary.env.example", "deploy/one.env.example"] {
        let text = read(path);
        // Commented-out lines are settings too.
        let lines = text.lines().filter_map(|line| line.trim_start_matches('#').split_once('='));
        let given = lines.filter(|(name, _)| !name.contains(' '));
        settings(path, given.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}

/// Elections are off by default, and on in every shipped environment.
#[test]
fn every_environment_puts_versions_to_an_election() {
    assert!(!Settings::default().canonical_auto_elect_enabled);
    for path in ["deploy/systemd/tributary.env.example", "deploy/one.env.example"] {
        let text = read(path);
        // Commented-out lines set nothing.
        let pairs =
            text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
        let set = settings(path, pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(set.canonical_auto_elect_enabled, "{path}");
    }
    for (path, pointer) in [
        ("deploy/compose.yaml", "/services/tributary/environment"),
        ("deploy/compose.cluster.yaml", "/services/web1/environment"),
        ("deploy/compose.cluster.yaml", "/services/web2/environment"),
        ("deploy/compose.cluster.yaml", "/services/worker/environment"),
        ("deploy/helm/tributary/values.yaml", "/settings"),
    ] {
        let file = &yaml(&read(path))[0];
        let given = file.pointer(pointer).unwrap_or_else(|| panic!("{path} has no {pointer}"));
        assert_eq!(given["SVC_CANONICAL_AUTO_ELECT_ENABLED"], "True", "{path}{pointer}");
    }
}

#[test]
fn systemd_accepts_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tributary.service");
    // The check requires that the program exists.
    let here = read(UNIT).replace("/usr/local/bin/tributary", env!("CARGO_BIN_EXE_tributary"));
    std::fs::write(&path, here).unwrap();
    let Some(_) = lint(Command::new("systemd-analyze").arg("verify").arg(&path)) else { return };
    let threshold = format!("--threshold={EXPOSURE_MAX}");
    lint(Command::new("systemd-analyze").args(["security", "--offline=yes", &threshold]).arg(&path));
}

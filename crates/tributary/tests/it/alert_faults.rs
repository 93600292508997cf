//! The fault table in `deploy/prometheus`: each alert fires for its own faults and for no other. promtool evaluates the
//! rules.

use crate::alerts::{alerts, file};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Seconds between two samples of a series.
const SAMPLE_S: u64 = 30;
/// A series has this many samples after the evaluated moment.
const MORE: u64 = 4;

pub fn table() -> Value {
    serde_norway::from_str::<serde_norway::Value>(&file("prometheus/faults.yaml"))
        .and_then(|mut table| table.apply_merge().map(|()| table))
        .and_then(serde_norway::from_value)
        .unwrap()
}

fn faults(table: &Value) -> &[Value] {
    table["faults"].as_array().unwrap()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

/// Converts `90m` or `7h` to a number of samples.
fn samples(time: &str) -> u64 {
    let (number, unit) = time.split_at(time.len() - 1);
    let minutes = number.parse::<u64>().unwrap() * if unit == "h" { 60 } else { 1 };
    minutes * 60 / SAMPLE_S
}

/// The series of a fault in promtool's notation.
fn series(healthy: &Map<String, Value>, fault: &Value) -> Vec<Value> {
    let mut all = if fault["alone"] == true { Map::new() } else { healthy.clone() };
    all.extend(fault["series"].as_object().cloned().unwrap_or_default());
    let count = samples(fault["after"].as_str().unwrap()) + MORE;
    let line = |(name, values): (String, Value)| {
        let values = values.as_str().map_or_else(|| values.to_string(), str::to_owned);
        let values = if values.contains('x') { values } else { format!("{values}x{count}") };
        json!({"series": name, "values": values})
    };
    all.into_iter().map(line).collect()
}

/// Counts everything that fired up to that moment, so that an alert that has already resolved is seen too.
fn check(fault: &Value) -> Value {
    let after = &fault["after"].as_str().unwrap();
    let expected = |name: &str| json!({"labels": format!("{{alertname=\"{name}\"}}"), "value": 1});
    json!([{
        "expr": format!("count by (alertname) (count_over_time(ALERTS{{alertstate=\"firing\"}}[{after}]))"),
        "eval_time": after,
        "exp_samples": names(&fault["fires"]).into_iter().map(expected).collect::<Vec<_>>(),
    }])
}

#[test]
fn each_alert_fires_in_its_fault_and_in_no_other() {
    let table = table();
    let healthy = table["healthy"].as_object().unwrap();
    let test = |fault: &Value| {
        json!({
            "name": fault["fault"],
            "interval": format!("{SAMPLE_S}s"),
            "input_series": series(healthy, fault),
            "promql_expr_test": check(fault),
        })
    };
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/prometheus/rules.yaml");
    let tests = json!({
        "rule_files": [rules.canonicalize().unwrap()],
        "evaluation_interval": "1m",
        "tests": faults(&table).iter().map(test).collect::<Vec<_>>(),
    });
    let folder = tempfile::tempdir().unwrap();
    // JSON is valid YAML.
    let path = folder.path().join("tests.yaml");
    std::fs::write(&path, tests.to_string()).unwrap();
    crate::deployment::lint(Command::new("promtool").args(["test", "rules"]).arg(path));
}

#[test]
fn every_alert_has_its_fault_and_its_entry_in_the_runbook() {
    let table = table();
    let known: BTreeSet<String> =
        alerts().iter().map(|alert| alert["alert"].as_str().unwrap().to_owned()).collect();
    let fired: BTreeSet<String> =
        faults(&table).iter().flat_map(|fault| names(&fault["fires"])).map(str::to_owned).collect();
    assert_eq!(known, fired, "an alert without a fault, or a fault of an unknown alert");
    for fault in faults(&table) {
        assert!(names(&fault["fires"]).len() <= 1, "{}: an outage has one alert", fault["fault"]);
    }
    let runbook =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runbook.md")).unwrap();
    let entries: BTreeSet<String> =
        runbook.lines().filter_map(|line| line.strip_prefix("### ")).map(str::to_owned).collect();
    assert_eq!(known, entries, "an alert without an entry, or an entry of an unknown alert");
    for alert in alerts() {
        let name = alert["alert"].as_str().unwrap();
        let link = format!("docs/runbook.md#{}", name.to_lowercase());
        assert_eq!(alert["annotations"]["runbook_url"], link.as_str(), "{name}");
    }
}

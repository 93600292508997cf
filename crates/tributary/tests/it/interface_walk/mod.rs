//! Conformance to the interface specification: every endpoint of its tables is called under both prefixes, and every
//! setting, processor, mixer, command, field and metric that it names exists.

mod cache;
mod call;
mod egress;
mod search;
mod tables;

use crate::program;
use call::Walk;
use domain::settings::Settings;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use tables::{Table, quoted};
use tributary::app::PLUGINS;

/// The table whose heading ends with this text.
fn table<'a>(tables: &'a [Table], heading: &str) -> &'a Table {
    tables.iter().find(|table| table.heading.ends_with(heading)).unwrap_or_else(|| panic!("no {heading}"))
}

/// The names in the first column; a cell may contain several.
fn fields(table: &Table) -> Vec<&str> {
    table.rows.iter().flat_map(|row| row[0].split(',').map(str::trim)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_endpoint_under_both_prefixes() {
    let Some(text) = tables::interface("the walk through the endpoints") else { return };
    let endpoints = tables::endpoints(&text);
    assert!(endpoints.len() >= 32, "{}", endpoints.len());
    for prefix in ["/svc", "/api/svc"] {
        let walk = Walk::start(prefix).await;
        // Every row is called, and all failures are reported together.
        let mut failed = Vec::new();
        for endpoint in &endpoints {
            let called = async {
                walk.assert_requires_authentication(endpoint).await;
                walk.call(&endpoint.name()).await;
            };
            if AssertUnwindSafe(called).catch_unwind().await.is_err() {
                failed.push(endpoint.name());
            }
        }
        assert_eq!(failed, Vec::<String>::new(), "under {prefix}");
        walk.app.stop().await;
    }
}

#[test]
fn every_setting_with_its_default() {
    let Some(text) = tables::interface("the settings of the interface") else { return };
    let named = tables::settings(&text);
    let mut with_default = 0;
    for (name, documented) in &named {
        let row = Settings::TABLE.iter().find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("{name} is no setting"));
        let Some(documented) = documented else { continue };
        with_default += 1;
        let default = (row.default)();
        match (documented.parse::<f64>(), default.parse::<f64>()) {
            (Ok(documented), Ok(default)) => assert_eq!(documented, default, "{name}"),
            _ => assert_eq!(documented.replace("empty", ""), default, "{name}"),
        }
    }
    let names: BTreeSet<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.len() >= 33 && with_default >= 24, "{} names, {with_default} defaults", names.len());
    let settings = Settings::default();
    assert!(!settings.canonical_auto_elect_enabled, "on in the shipped environment, off in code");
    assert_eq!(settings.canonical_weights.0.egress_external, 1.5);
    assert_eq!(settings.default_query_language, "english");
}

#[test]
fn every_processor_mixer_and_connector() {
    let Some(text) = tables::interface("the catalogues of the interface") else { return };
    let known = |line: &str, name: &str| match line {
        "- Query" => PLUGINS.query_processor(name).is_some(),
        "- Result" => PLUGINS.result_processor(name).is_some(),
        "- Post-result" => PLUGINS.post_result_processor(name).is_some(),
        _ => PLUGINS.mixers.iter().any(|kind| kind.name == name),
    };
    let mut count = 0;
    for start in ["- Query", "- Result", "- Post-result", "- Mixers"] {
        let is_it = |line: &&str| {
            line.starts_with(&format!("{start}:")) || line.starts_with(&format!("{start} (per"))
        };
        let line = text.lines().find(is_it).unwrap_or_else(|| panic!("no line {start}"));
        for name in
            quoted(line).into_iter().filter(|name| name.ends_with("Processor") || name.ends_with("Mixer"))
        {
            assert!(known(start, name), "{start}: {name}");
            count += 1;
        }
    }
    assert!(count >= 24, "{count}");
    let order: Vec<&str> =
        ["CosineRelevancy", "DedupeByField", "DedupeBySimilarity", "VersionClustering"].to_vec();
    let default: Vec<&str> =
        PLUGINS.default_post_result.iter().map(|name| name.trim_end_matches("PostResultProcessor")).collect();
    assert_eq!(default, order, "the order of the default pipeline");
    for name in ["RequestsGet", "RequestsPost", "TributaryCorpusConnector"] {
        assert!(PLUGINS.connector(name).is_some(), "{name}");
    }
}

#[test]
fn every_command_with_its_options() {
    let Some(text) = tables::interface("the commands of the interface") else { return };
    let line = text.lines().find(|line| line.starts_with("Management commands")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut command = "";
    let mut count = 0;
    for name in quoted(line) {
        if !name.starts_with("--") {
            command = name;
            count += 1;
        }
        let help = program::run(folder.path(), &[command, "--help"]);
        let said = program::text(&help.stdout);
        assert!(help.status.success(), "{command}: {}", program::text(&help.stderr));
        assert!(said.contains(name), "{command} {name}: {said}");
    }
    assert_eq!(count, 6, "{line}");
    assert!(program::run(folder.path(), &["logs", "--help"]).status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_and_every_metric() {
    let Some(text) = tables::interface("the fields of the interface") else { return };
    let tables = tables::tables(&text);
    let walk = Walk::start("/svc").await;
    let admin = &walk.app.admin;
    let assert_has = |thing: &Value, heading: &str| {
        let names = fields(table(&tables, heading));
        assert!(names.len() > 10, "{heading}: {names:?}");
        // Only results that an update added have `new`; the endpoint test checks it.
        let is_missing = |name: &&&str| **name != "new" && thing.get(*name).is_none();
        let missing: Vec<&&str> = names.iter().filter(is_missing).collect();
        assert!(missing.is_empty(), "{heading}: {missing:?} of {thing}");
    };
    let search = admin.search(&json!({"query_string": "river"})).await;
    assert_has(&search, ": Search");
    let providers = admin.get("/svc/searchproviders/").await.body;
    assert_has(&providers[0], ": SearchProvider");
    let (found, _) = walk.elected("river gauge agreement").await;
    assert_has(&found, ": Result (mixed form)");
    let explain = &found["explain"];
    assert!(["stems", "title", "body", "hits"].iter().all(|key| explain.get(key).is_some()), "{explain}");

    let page = admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    assert!(
        ["messages", "info", "results", "ai_summary"].iter().all(|key| page.get(key).is_some()),
        "{page}"
    );
    let totals = ["found_total", "retrieved_total", "retrieved", "federation_time", "result_blocks"];
    assert!(totals.iter().all(|key| page["info"]["results"].get(key).is_some()), "{page}");
    let of_provider = ["found", "retrieved", "filter_url", "query_string_to_provider", "search_time"];
    assert!(of_provider.iter().all(|key| page["info"]["Rivers"].get(key).is_some()), "{page}");

    let metrics = admin.get("/svc/metrics/tasks/").await;
    let told = metrics.body.as_str().unwrap();
    for row in &table(&tables, "Monitoring").rows {
        assert_eq!(quoted(&row[1])[0].split('/').nth(1), Some("svc"), "{row:?}");
    }
    let named = tables.iter().find(|table| table.columns[0] == "Metric").unwrap();
    assert_eq!(named.rows.len(), 6);
    for metric in fields(named) {
        assert!(told.contains(&format!("\n{metric}")), "{metric}: {told}");
        for queue in
            ["health_check", "search", "page_fetch", "interactive", "maintenance", "corpus", "totals"]
        {
            let line = format!("{metric}{{queue=\"{queue}\"}}");
            assert!(told.contains(&line) || metric.ends_with("error"), "{line}");
        }
    }
    walk.app.stop().await;
}

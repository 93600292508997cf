//! Plug-ins are named where they are defined; other code decides by the fields of their registry entries.

use crate::architecture::{ARROWS, root};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tributary::app::PLUGINS;

/// Crates that name plug-ins: those that define them, `domain` with the defaults of the interface, the program with its
/// samples, and those for tests.
const NAMES_PLUG_INS: [&str; 7] =
    ["connectors", "domain", "fakes", "mixers", "processors", "testkit", "tributary"];

/// Files and folders that contain the name of a plug-in and do not decide by it.
const DECIDES_NOTHING: &[(&str, &str)] = &[
    // The mail service of egress scans.
    ("crates/corpus/src/egress/", "Gmail"),
    ("crates/server/src/api/egress/", "Gmail"),
    ("web/static/js/egress/", "Gmail"),
    // The vector store of the corpus.
    ("crates/corpus/src/statistics.rs", "PgVector"),
    // The database of the service.
    ("crates/store/src/", "PostgreSQL"),
    // The connector that is proposed for a request with a body.
    ("crates/provider_doctor/src/request/body.rs", "RequestsPost"),
    // The format with which browsers add a search engine.
    ("crates/server/src/ui/opensearch.rs", "OpenSearch"),
    ("web/templates/opensearch.xml", "OpenSearchDescription"),
    // The response of a source, mapped to itself.
    ("web/static/js/admin/doctor/sample.js", "MappingResultProcessor"),
    // Examples for people.
    ("crates/server/src/ui/admin/resources/search.rs", "DedupeByFieldResultProcessor"),
    ("crates/server/src/ui/admin/resources/search.rs", "RequestsGet"),
    ("crates/server/src/api/plugins.rs", "RequestsGet"),
    ("crates/server/src/api/results/mod.rs", "RelevancyMixer"),
    ("web/static/js/admin/records/paste.js", "RequestsGet"),
    // `domain::search::DEFAULT_MIXER`, which a link does not repeat.
    ("web/static/js/history/actions.js", "RelevancyConfidenceMixer"),
];

/// Whether a file is compiled for tests only.
fn is_test_file(path: &str) -> bool {
    path.split('/').any(|part| {
        let stem = part.strip_suffix(".rs").unwrap_or(part);
        stem.ends_with("tests") || stem.ends_with("fixtures")
    })
}

/// The code of a file without its tests and without the labels of the mixers.
fn product_code(text: &str) -> String {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_label = |line: &&str| line.starts_with("{% set names = ");
    product.lines().filter(|line| !is_label(line)).collect::<Vec<_>>().join("\n")
}

fn all_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all_files(&path, found) } else { found.push(path) }
    }
}

#[test]
fn only_their_crates_name_plug_ins() {
    let plugins = PLUGINS.connectors.iter().map(|kind| kind.name);
    let plugins = plugins.chain(PLUGINS.query_processors.iter().map(|kind| kind.name));
    let plugins = plugins.chain(PLUGINS.result_processors.iter().map(|kind| kind.name));
    let plugins = plugins.chain(PLUGINS.post_result_processors.iter().map(|kind| kind.name));
    let names: BTreeSet<&str> = plugins.chain(PLUGINS.mixers.iter().map(|kind| kind.name)).collect();
    let crates = ARROWS.iter().map(|(krate, _)| *krate).filter(|krate| !NAMES_PLUG_INS.contains(krate));
    let folders = crates.map(|krate| format!("crates/{krate}/src"));
    let folders = folders.chain(["web/templates".to_owned(), "web/static/js".to_owned()]);
    let (mut files, mut unused) = (Vec::new(), DECIDES_NOTHING.iter().collect::<BTreeSet<_>>());
    folders.for_each(|folder| all_files(&root().join(folder), &mut files));
    let mut read = 0;
    for file in files {
        let path = file.strip_prefix(root()).unwrap().display().to_string();
        if is_test_file(&path) {
            continue;
        }
        let code = product_code(&std::fs::read_to_string(&file).unwrap());
        let words: BTreeSet<&str> = code.split(|c: char| !c.is_alphanumeric()).collect();
        for name in names.intersection(&words) {
            let allowed =
                DECIDES_NOTHING.iter().find(|(place, word)| path.starts_with(place) && word == name);
            unused.remove(allowed.unwrap_or_else(|| panic!("{path} names {name}")));
        }
        assert!(!code.contains("CONNECTOR_NAME"), "{path} names the connector of the corpus");
        read += 1;
    }
    assert!(unused.is_empty(), "remove from DECIDES_NOTHING: {unused:?}");
    assert!(read > 800, "{read} files were read");
}

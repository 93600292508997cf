//! Rules of the codebase that the compiler does not check: dependencies between crates, and the location of files.

use cargo_metadata::DependencyKind;
use domain::ports::PostResultProcessorKind;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tributary::app::PLUGINS;

/// Crates for tests only: each may be a dev-dependency of any crate.
pub const TEST_CRATES: [&str; 2] = ["fakes", "testkit"];

/// The allowed dependencies between crates, without dev-dependencies.
pub const ARROWS: &[(&str, &[&str])] = &[
    ("syntax", &[]),
    ("domain", &["syntax"]),
    ("api_auth", &["domain", "syntax"]),
    ("license", &["domain"]),
    ("relevancy", &["domain", "syntax"]),
    ("outbound", &["domain", "syntax"]),
    ("extraction", &["domain", "syntax"]),
    ("connectors", &["api_auth", "domain", "syntax"]),
    ("mixers", &["domain", "syntax"]),
    ("store", &["api_auth", "domain"]),
    ("federation", &["domain", "syntax"]),
    ("provider_doctor", &["domain", "federation", "syntax"]),
    ("processors", &["domain", "relevancy", "syntax"]),
    ("tasks", &["domain"]),
    ("ai", &["api_auth", "domain", "relevancy", "syntax"]),
    ("page_fetch", &["domain", "relevancy", "syntax"]),
    ("corpus", &["domain", "license", "relevancy", "syntax"]),
    ("rag", &["domain", "federation", "relevancy", "syntax"]),
    ("mcp", &["rag", "corpus", "domain", "federation", "license", "relevancy", "syntax"]),
    (
        "server",
        &["ai", "rag", "corpus", "domain", "federation", "license", "mcp", "provider_doctor", "syntax"],
    ),
    ("testkit", &["domain", "syntax"]),
    ("fakes", &["domain", "testkit"]),
    (
        "tributary",
        &[
            "ai",
            "rag",
            "connectors",
            "corpus",
            "domain",
            "extraction",
            "federation",
            "license",
            "mcp",
            "mixers",
            "outbound",
            "page_fetch",
            "processors",
            "provider_doctor",
            "relevancy",
            "server",
            "store",
            "syntax",
            "tasks",
        ],
    ),
];

/// Large dependencies, each restricted to the crates that may use it.
const LOCKED: &[(&str, &[&str])] = &[
    // The relational connector has its own driver in its own file; the demo writes a sample database.
    ("sqlx", &["store", "connectors", "testkit", "tributary"]),
    ("reqwest", &["outbound"]),
    ("lettre", &["outbound"]),
    ("axum", &["server", "fakes", "tributary"]),
    ("prometheus-client", &["server"]),
    ("clap", &["tributary"]),
    ("tracing-subscriber", &["tributary"]),
    ("utoipa-axum", &["server"]),
    // The token tables are large.
    ("tiktoken-rs", &["ai"]),
    // Its service is mounted on a route of the server.
    ("rmcp", &["mcp", "server"]),
    ("zstd", &["ai", "processors", "rag", "relevancy", "store"]),
];

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Maps each crate to its normal dependencies.
pub fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    dependencies_of(DependencyKind::Normal)
}

/// Maps each crate to its dependencies of this kind.
pub fn dependencies_of(kind: DependencyKind) -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .unwrap();
    metadata
        .packages
        .iter()
        .map(|package| {
            let needs = package.dependencies.iter().filter(|one| one.kind == kind);
            (package.name.to_string(), needs.map(|one| one.name.clone()).collect())
        })
        .collect()
}

#[test]
fn crates_depend_on_what_the_arrows_say() {
    let crates = dependencies();
    let known: BTreeSet<&str> = ARROWS.iter().map(|(krate, _)| *krate).collect();
    let there: BTreeSet<&str> = crates.keys().map(String::as_str).collect();
    assert_eq!(there, known, "ARROWS lists every crate and nothing else");
    for (krate, expected) in ARROWS {
        let ours: BTreeSet<&str> =
            crates[*krate].iter().map(String::as_str).filter(|name| known.contains(name)).collect();
        let expected: BTreeSet<&str> = expected.iter().copied().collect();
        assert_eq!(ours, expected, "the dependencies of {krate} in ARROWS and ARCHITECTURE.md");
    }
}

#[test]
fn heavy_dependencies_stay_in_their_crates() {
    for (krate, needs) in dependencies() {
        for (heavy, crates) in LOCKED {
            let allowed = !needs.contains(*heavy) || crates.contains(&krate.as_str());
            assert!(allowed, "{krate} imports {heavy}, which belongs to {crates:?}");
        }
    }
}

/// `DedupeByFieldPostResultProcessor` is in `dedupe_by_field.rs`.
fn plug_in_file(wire_name: &str, suffix: &str) -> String {
    let stem = wire_name.strip_suffix(suffix).unwrap_or(wire_name);
    let mut name = String::new();
    let mut previous_is_lower = false;
    for c in stem.chars() {
        if c.is_uppercase() && previous_is_lower {
            name.push('_');
        }
        previous_is_lower = c.is_lowercase();
        name.extend(c.to_lowercase());
    }
    name + ".rs"
}

/// The name of a post-result processor, or that of the wrapper if the name is a result processor's.
fn own_or_wrapped(name: &'static str) -> &'static str {
    if PLUGINS.result_processor(name).is_some() { "PerProvider" } else { name }
}

/// The plug-ins of a folder; each is a file or a folder.
fn plug_ins(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() { name + ".rs" } else { name }
        })
        .filter(|name| name.ends_with(".rs") && !name.ends_with("_tests.rs"))
        .filter(|name| !["lib.rs", "mod.rs", "shared.rs"].contains(&name.as_str()))
        .collect()
}

#[test]
fn a_plug_in_is_one_file_and_one_row() {
    let names = |list: Vec<&'static str>, suffix: &str| -> BTreeSet<String> {
        list.into_iter().map(|name| plug_in_file(name, suffix)).collect()
    };
    let crates = root().join("crates");
    let checks = [
        ("connectors/src", PLUGINS.connectors.iter().map(|kind| format!("{}.rs", kind.module)).collect()),
        (
            "processors/src/query",
            names(PLUGINS.query_processors.iter().map(|kind| kind.name).collect(), "QueryProcessor"),
        ),
        (
            "processors/src/result",
            names(PLUGINS.result_processors.iter().map(|kind| kind.name).collect(), "ResultProcessor"),
        ),
        (
            "processors/src/post_result",
            // `per_provider.rs` wraps a result processor that may also be used in this pipeline.
            names(
                PLUGINS.post_result_processors.iter().map(|kind| kind.name).map(own_or_wrapped).collect(),
                "PostResultProcessor",
            ),
        ),
        ("mixers/src", names(PLUGINS.mixers.iter().map(|kind| kind.name).collect(), "Mixer")),
    ];
    for (folder, expected) in checks {
        assert_eq!(
            plug_ins(&crates.join(folder)),
            expected,
            "{folder}: each row has its file, each file its row"
        );
    }
}

/// A new connector needs its documentation page and a ready source.
#[test]
fn every_connector_has_its_page_and_a_ready_source() {
    let used: BTreeSet<String> = tributary::bundled_providers::all()
        .unwrap()
        .into_iter()
        .map(|source| source.spec.connector)
        .collect();
    for kind in PLUGINS.connectors {
        let page = root().join(format!("docs/connectors/{}.md", kind.name));
        let text = std::fs::read_to_string(&page).unwrap_or_else(|_| panic!("{} has no page", kind.name));
        assert!(
            text.starts_with(&format!("# {}\n", kind.name)) && text.contains("\"connector\""),
            "{page:?}"
        );
        assert!(used.contains(kind.name), "{} has no ready source in config/providers", kind.name);
    }
}

/// Excludes the result processors, which are listed under their own names.
fn own_post_result() -> impl Iterator<Item = &'static PostResultProcessorKind> {
    PLUGINS.post_result_processors.iter().filter(|kind| PLUGINS.result_processor(kind.name).is_none())
}

#[test]
fn catalogue_names_are_unique_and_summed_up() {
    let rows: Vec<(&str, &str)> = PLUGINS
        .connectors
        .iter()
        .map(|kind| (kind.name, kind.summary))
        .chain(PLUGINS.query_processors.iter().map(|kind| (kind.name, kind.summary)))
        .chain(PLUGINS.result_processors.iter().map(|kind| (kind.name, kind.summary)))
        .chain(own_post_result().map(|kind| (kind.name, kind.summary)))
        .chain(PLUGINS.mixers.iter().map(|kind| (kind.name, kind.summary)))
        .collect();
    let names: BTreeSet<&str> = rows.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), rows.len(), "a name is listed twice");
    for (name, summary) in rows {
        assert!(summary.len() > 15 && summary.ends_with('.'), "{name} needs a sentence: '{summary}'");
    }
    for name in PLUGINS.default_post_result {
        assert!(
            PLUGINS.post_result_processor(name).is_some(),
            "{name} is in the pipeline but not in the catalogue"
        );
    }
}

#[test]
fn migrations_are_paired() {
    let folder = root().join("crates/store/migrations");
    let names = |database: &str| -> BTreeSet<String> {
        let entries = std::fs::read_dir(folder.join(database)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names("sqlite"), names("postgres"), "both databases have the same migrations");
    assert!(!names("sqlite").is_empty());
}

#[test]
fn generated_documents_are_fresh() {
    let stale = tributary::docs::stale(&root()).unwrap();
    let paths: Vec<&str> = stale.iter().map(|document| document.path).collect();
    assert!(paths.is_empty(), "not fresh: {paths:?}; run `cargo run -- docs`");
}

/// Crates whose changes to records are audited, and folders in them that write only their own records.
const AUDITED: [&str; 2] = ["crates/server/src", "crates/tributary/src"];
const NOT_AUDITED: [&str; 2] = ["tributary/src/command/bench", "tributary/src/eval"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Every change to a record that controls the service has an author, so that the audit log contains it.
#[test]
fn nobody_changes_records_past_the_audit_log() {
    let records = [
        "provider",
        "providers",
        "ai_provider",
        "prompt",
        "authenticator",
        "branding",
        "user",
        "group",
        "token",
        "transform",
        "pipeline",
        "schedule",
    ];
    let writes: Vec<String> = ["create", "replace", "change", "delete"]
        .iter()
        .flat_map(|verb| records.map(|record| format!("store.{verb}_{record}(")))
        .collect();
    let (mut files, mut seen) = (Vec::new(), 0);
    AUDITED.iter().for_each(|folder| rust_files(&root().join(folder), &mut files));
    for file in files {
        let shown = file.display().to_string();
        // A call may be split over several lines.
        let code: String = std::fs::read_to_string(&file).unwrap().split_whitespace().collect();
        let through = ["store().", "audited.at(", "by_command()."];
        seen += through.iter().map(|way| code.matches(way).count()).sum::<usize>();
        if NOT_AUDITED.iter().any(|folder| shown.contains(folder)) {
            continue;
        }
        for write in &writes {
            assert!(
                !code.contains(write.as_str()),
                "{shown} calls {write}…); write through `AuditedStore` or `by_command`"
            );
        }
    }
    assert!(seen > 20, "{seen} changes are noted");
}

/// The files that start another program, each with its reason.
const STARTS_PROGRAMS: [&str; 7] = [
    // The build script asks which C library the machine has.
    "crates/tributary/build.rs",
    // Reads one file in a subprocess with limits that the operating system enforces.
    "crates/extraction/src/subprocess/mod.rs",
    // Starts the service in the background.
    "crates/tributary/src/command/control/start.rs",
    // Collects the state of the installation for a support bundle; the subprocess may fail or hang without harm.
    "crates/tributary/src/command/support_bundle/other_command.rs",
    // Starts the processes that are measured.
    "crates/tributary/src/command/bench/nodes.rs",
    // Measures the memory of an index in a process of its own.
    "crates/store/benches/vectors.rs",
    // A test that reads an exported PDF with another program.
    "crates/rag/src/chat/export/pdf/tests.rs",
];

#[test]
fn programs_are_started_in_few_places() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    let is_product = |file: &&PathBuf| {
        let shown = file.display().to_string();
        !shown.contains("/tests/") && !TEST_CRATES.iter().any(|name| shown.contains(&format!("/{name}/")))
    };
    let starts = |file: &&PathBuf| std::fs::read_to_string(file).unwrap().contains("Command::new(");
    let found: BTreeSet<PathBuf> = files.iter().filter(is_product).filter(starts).cloned().collect();
    let allowed: BTreeSet<PathBuf> = STARTS_PROGRAMS.iter().map(|path| root().join(path)).collect();
    assert_eq!(found, allowed, "name the place in STARTS_PROGRAMS, with its reason");
}

/// The crates that build the service, serve every record of it, or implement and test the whole store.
const KNOW_THE_WHOLE_STORE: [&str; 5] = ["domain", "server", "store", "testkit", "tributary"];

/// Every other crate names the ports that it uses, as `FederationStore` does.
#[test]
fn crates_ask_for_the_stores_they_use() {
    let mut read = 0;
    for (krate, _) in ARROWS.iter().filter(|(krate, _)| !KNOW_THE_WHOLE_STORE.contains(krate)) {
        let mut files = Vec::new();
        rust_files(&root().join("crates").join(krate), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let words: Vec<&str> = text
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty())
                .collect();
            let names_store = words.windows(2).any(|pair| pair == ["dyn", "Store"]);
            assert!(!names_store, "{} asks for the whole store", file.display());
            read += 1;
        }
    }
    assert!(read > 400, "{read} files were read");
}

/// The only code that skips a test, and the test of how `./test` reports it.
const SAYS_SKIPPED: [&str; 2] = ["crates/testkit/src/skip.rs", "crates/tributary/tests/it/test_script.rs"];
/// Files that read the test environment for another reason than to decide whether a test can run.
const READS_TEST_SETTINGS: [&str; 2] =
    ["crates/tributary/tests/it/authorization/matrix.rs", "crates/tributary/tests/it/app_harness.rs"];

/// A test that reports by itself that it is skipped would count as passed.
#[test]
fn tests_are_skipped_in_one_way() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    let (said, read) = (["\"skip", "ped:"].concat(), ["var(\"SVC_", "TEST_"].concat());
    for file in files {
        let (text, shown) = (std::fs::read_to_string(&file).unwrap(), file.display().to_string());
        let may_say = SAYS_SKIPPED.iter().any(|path| shown.ends_with(path));
        assert!(may_say || !text.contains(&said), "{shown}: call testkit::skip");
        let may_read = READS_TEST_SETTINGS.iter().any(|path| shown.ends_with(path));
        assert!(may_read || !text.contains(&read), "{shown}: call testkit::given");
    }
}

//! FileSystem connector on real folders: the connector suite, allowed folders, skipped files, and the text cache.

use crate::fixture::{answer, context, provider, query};
use async_trait::async_trait;
use domain::ports::{
    ConnectorErrorKind, ConnectorKind, ExtractError, ExtractText, ExtractedText, FileToRead, PluginContext,
    ProviderQuery,
};
use domain::provider::ProviderSpec;
use domain::search::Sort;
use domain::settings::PluginSettings;
use extraction::{Extraction, Limits};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};
use syntax::{highlights::plain, strip_html::readable};
use tempfile::TempDir;
use testkit::hostile;
use testkit::suites::connector::{Literal, MANY, Mistake, Subject};

/// Counts the opened files.
struct Counting {
    inner: Extraction,
    files: AtomicUsize,
}

#[async_trait]
impl ExtractText for Counting {
    fn knows(&self, name: &str) -> bool {
        self.inner.knows(name)
    }
    async fn extract(&self, file: FileToRead) -> Result<ExtractedText, ExtractError> {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.inner.extract(file).await
    }
}

fn counting() -> Arc<Counting> {
    let inner = Extraction::start(Limits::default()).expect("threads");
    Arc::new(Counting { inner, files: AtomicUsize::new(0) })
}

fn tools(allow: &[&Path], extract: Arc<Counting>) -> PluginContext {
    let allow = allow.iter().map(|path| path.display().to_string()).collect();
    let settings = PluginSettings { filesystem_allow: allow, ..PluginSettings::default() };
    PluginContext { settings: Arc::new(settings), extract, ..context(answer("", "")) }
}

fn kind() -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == "FileSystem").expect("the connector")
}

fn spec(folder: &Path) -> ProviderSpec {
    ProviderSpec {
        name: "Files".into(),
        connector: "FileSystem".into(),
        url: folder.display().to_string(),
        query_mappings: "NOT_CHAR=-".into(),
        result_mappings: "FILE_SYSTEM".into(),
        ..ProviderSpec::default()
    }
}

fn write(folder: &Path, name: &str, text: &str, age_s: u64) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, text).expect("a file");
    let file = File::options().write(true).open(&path).expect("a file");
    file.set_modified(SystemTime::now() - Duration::from_secs(age_s)).expect("a time");
}

/// Many files about rivers, and one for each hostile text.
fn samples() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..u64::from(MANY) + 5 {
        write(
            folder.path(),
            &format!("rivers/{number}.txt"),
            &format!("A river, number {number}."),
            number * 37 % 31 * 60,
        );
    }
    for (number, text) in hostile::QUERIES.iter().enumerate() {
        write(folder.path(), &format!("odd/hostile-{number}.txt"), text, 10);
    }
    folder
}

fn hostile_text(item: &Value) -> String {
    let path = item["path"].as_str().expect("a path");
    let number = path.trim_start_matches("odd/hostile-").trim_end_matches(".txt").parse::<usize>();
    number.map_or_else(|_| path.to_owned(), |number| hostile::QUERIES[number].to_owned())
}

fn subject(context: PluginContext, spec: ProviderSpec, mistakes: Vec<Mistake>) -> Subject {
    Subject {
        kind: kind(),
        context,
        spec,
        user_token: None,
        reader: None,
        many: "river",
        date: Some(|item| item["date_published"].as_str().expect("a date").to_owned()),
        mistakes,
        literal: Literal::Words(hostile_text),
    }
}

async fn paths(context: &PluginContext, spec: &ProviderSpec, words: &str) -> Vec<String> {
    let page = subject(context.clone(), spec.clone(), Vec::new()).ask(words, Sort::Relevancy, 100).await;
    let page = page.expect("an answer");
    page.items.iter().map(|item| item["path"].as_str().expect("a path").to_owned()).collect()
}

#[tokio::test]
async fn keeps_the_contract() {
    let folder = samples();
    let outside = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("out");
    std::os::unix::fs::symlink(outside.path(), &link).expect("a link");
    let mistake = |what, spec, kind| Mistake { what, spec, user_token: None, kind };
    let mistakes = vec![
        mistake(
            "a folder that is not there",
            spec(&folder.path().join("none")),
            ConnectorErrorKind::PlaceUnknown,
        ),
        mistake("a file", spec(&folder.path().join("rivers/0.txt")), ConnectorErrorKind::PlaceUnknown),
        mistake("a folder that is not allowed", spec(outside.path()), ConnectorErrorKind::ConfigInvalid),
        mistake("a link that leads out", spec(&link), ConnectorErrorKind::ConfigInvalid),
    ];
    let extract = counting();
    let subject = subject(tools(&[folder.path()], Arc::clone(&extract)), spec(folder.path()), mistakes);
    subject.check().await;
    // Each file was opened once, however many queries there were.
    assert_eq!(extract.files.load(Ordering::Relaxed), MANY as usize + 5 + hostile::QUERIES.len());
    write(folder.path(), "rivers/0.txt", "Nothing but a lake.", 1);
    let found = subject.ask("lake", Sort::Relevancy, 10).await.expect("an answer");
    assert_eq!(found.items.len(), 1, "a changed file is read again");
}

#[tokio::test]
async fn names_and_contents_are_searched() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        "a/Report 2024.html",
        "<title>Flood of the century</title><p>The Café by the river was closed.",
        60,
    );
    write(folder.path(), "b/notes.md", "# Notes\n\nThe cafe was open.", 30);
    write(folder.path(), "c/picture-of-a-cafe.png", "\u{89}PNG\r\n", 20);
    let tools = tools(&[folder.path()], counting());
    let mut spec = spec(folder.path());
    assert_eq!(paths(&tools, &spec, "café").await.len(), 3);
    assert_eq!(paths(&tools, &spec, "cafe -river").await.len(), 2);
    assert_eq!(paths(&tools, &spec, "CAFE river").await, ["a/Report 2024.html"]);
    assert_eq!(paths(&tools, &spec, "report flood").await, ["a/Report 2024.html"]);
    assert_eq!(paths(&tools, &spec, "ocean").await, [""; 0]);
    let config = json!({"swirl": {"file_system": {"base_url": "https://files.example/docs/"}}});
    spec.config = serde_json::from_value(config).expect("an object");
    let page = subject(tools, spec, Vec::new()).ask("flood", Sort::Date, 5).await.expect("an answer");
    let item = &page.items[0];
    assert_eq!(item["title"], "Flood of the century");
    assert_eq!(item["url"], "https://files.example/docs/a/Report%202024.html");
    assert_eq!(item["body"], "The Café by the river was closed.");
    assert_eq!((&item["path"], &item["size"]), (&json!("a/Report 2024.html"), &json!(72)));
}

/// A file is read as what it is, so that nothing in its text is markup.
#[tokio::test]
async fn tags_in_texts_are_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let code = "<template><p>river</p></template><script>let width = 1 &lt; 2</script>";
    write(folder.path(), "River.txt", code, 1);
    write(
        folder.path(),
        "page.html",
        "<title>The &lt;select&gt; element</title><p>&lt;select&gt; a river",
        1,
    );
    let page = subject(tools(&[folder.path()], counting()), spec(folder.path()), Vec::new())
        .ask("river", Sort::Date, 5)
        .await
        .expect("an answer");
    let shown = |item: &Value, field: &str| plain(&readable(item[field].as_str().expect("a text")));
    let mut found: Vec<_> =
        page.items.iter().map(|item| (shown(item, "title"), shown(item, "body"))).collect();
    found.sort();
    let expected = [("River.txt", code), ("The <select> element", "<select> a river")];
    assert_eq!(found, expected.map(|(title, body)| (title.to_owned(), body.to_owned())));
}

#[tokio::test]
async fn links_hidden_files_and_depth() {
    let allowed = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("a folder");
    let folder = allowed.path().join("docs");
    write(&folder, "plain.txt", "secret word", 1);
    write(&folder, ".hidden.txt", "secret word", 1);
    write(&folder, ".hidden/inside.txt", "secret word", 1);
    write(allowed.path(), "beside/other.txt", "secret word", 1);
    write(outside.path(), "stolen.txt", "secret word", 1);
    let link =
        |target: &Path, name: &str| std::os::unix::fs::symlink(target, folder.join(name)).expect("a link");
    link(&outside.path().join("stolen.txt"), "stolen.txt");
    link(outside.path(), "stolen");
    link(Path::new("/etc/passwd"), "passwd.txt");
    link(&allowed.path().join("beside"), "beside");
    link(&folder, "circle");
    link(allowed.path(), "above");
    link(&folder.join("plain.txt"), "again.txt");
    write(&folder, &format!("{}deep.txt", "d/".repeat(16)), "secret word", 1);
    write(&folder, &format!("{}deeper.txt", "d/".repeat(17)), "secret word", 1);
    let tools = tools(&[allowed.path()], counting());
    let mut found = paths(&tools, &spec(&folder), "secret").await;
    found.sort();
    assert_eq!(
        found,
        ["beside/other.txt".to_owned(), format!("{}deep.txt", "d/".repeat(16)), "plain.txt".to_owned()]
    );
    let mut with_hidden = spec(&folder);
    let config = json!({"swirl": {"file_system": {"hidden": true}}});
    with_hidden.config = serde_json::from_value(config).expect("an object");
    assert_eq!(paths(&tools, &with_hidden, "secret").await.len(), 5);
    assert_eq!(paths(&tools, &with_hidden, "root").await, [""; 0]);
}

/// Files that are too large or unreadable are matched by name and not opened.
#[tokio::test]
async fn large_and_unreadable_files_are_found_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "large-report.txt", "inside", 1);
    let large = File::options().write(true).open(folder.path().join("large-report.txt")).expect("a file");
    large.set_len(32 * 1024 * 1024 + 1).expect("a hole");
    write(folder.path(), "report.docx", "no package", 1);
    write(folder.path(), "report.bin", "inside", 1);
    let extract = counting();
    let tools = tools(&[folder.path()], Arc::clone(&extract));
    for _ in 0..2 {
        assert_eq!(paths(&tools, &spec(folder.path()), "report").await.len(), 3);
    }
    assert_eq!(paths(&tools, &spec(folder.path()), "inside").await, [""; 0]);
    assert_eq!(extract.files.load(Ordering::Relaxed), 1, "the damaged file was tried once");
}

/// Never reads a file.
struct Stuck;

#[async_trait]
impl ExtractText for Stuck {
    fn knows(&self, _name: &str) -> bool {
        true
    }
    async fn extract(&self, _file: FileToRead) -> Result<ExtractedText, ExtractError> {
        std::future::pending().await
    }
}

/// Files that were found in time are kept, and it is said that others may be missing.
#[tokio::test]
async fn files_that_were_not_searched_in_time_are_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "river.txt", "A river.", 1);
    write(folder.path(), "other.txt", "Another river.", 1);
    let context = PluginContext { extract: Arc::new(Stuck), ..tools(&[folder.path()], counting()) };
    let connector = (kind().build)(&provider(spec(folder.path())), &context).expect("a connector");
    let hurried = ProviderQuery { time_max: Duration::from_millis(600), ..query("river") };
    let built = connector.prepare(&hurried).expect("a question");
    let page = built.execute().await.expect("what was found").normalize().expect("a page");
    assert_eq!(page.items.len(), 1, "by its name");
    assert_eq!(page.missing.map(|error| error.kind), Some(ConnectorErrorKind::Timeout));
}

/// A folder may become a link after it was saved.
#[tokio::test]
async fn each_question_looks_where_the_folder_leads() {
    let allowed = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("a folder");
    write(outside.path(), "a.txt", "secret", 1);
    let folder = allowed.path().join("docs");
    fs::create_dir(&folder).expect("a folder");
    let connector =
        (kind().build)(&provider(spec(&folder)), &tools(&[allowed.path()], counting())).expect("a connector");
    let built = connector.prepare(&query("secret")).expect("a question");
    assert!(built.execute().await.is_ok());
    fs::remove_dir(&folder).expect("gone");
    std::os::unix::fs::symlink(outside.path(), &folder).expect("a link");
    assert_eq!(built.execute().await.expect_err("outside").kind, ConnectorErrorKind::ConfigInvalid);
}

#[test]
fn mistakes_are_found_when_it_is_saved() {
    let with = |url: &str, config: Value| ProviderSpec {
        config: serde_json::from_value(json!({"swirl": {"file_system": config}})).expect("an object"),
        ..spec(Path::new(url))
    };
    let table = [
        (with("/srv/docs", json!({})), ""),
        (with("/srv/docs", json!({"base_url": "https://a.example/", "hidden": false})), ""),
        (with("docs", json!({})), "url"),
        (with("/srv/../etc", json!({})), "url"),
        (with("/srv", json!({"base_url": "ftp://a"})), "config"),
        (with("/srv", json!({"base_url": 7})), "config"),
        (with("/srv", json!({"hidden": "yes"})), "config"),
    ];
    for (spec, field) in table {
        let errors: Vec<String> = (kind().check)(&provider(spec.clone())).into_map().into_keys().collect();
        assert_eq!(errors.join(","), field, "{} {}", spec.url, json!(spec.config));
    }
    let nothing = tools(&[], counting());
    let error = (kind().build)(&provider(spec(Path::new("/srv"))), &nothing).expect_err("nothing is allowed");
    assert!(error.message.contains("SVC_FILESYSTEM_ALLOW"), "{error}");
    let connector = (kind().build)(&provider(spec(Path::new("/srv"))), &tools(&[Path::new("/")], counting()));
    let error = connector.expect("a connector").prepare(&query("-- !")).expect_err("no words");
    assert_eq!(error.kind, ConnectorErrorKind::QueryInvalid);
}

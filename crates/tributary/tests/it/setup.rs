//! `tributary setup`, and the retention of searches.

use crate::app_harness::items;
use crate::program::{program, text};
use std::path::Path;
use std::process::Output;
use testkit::source::{Behavior, Source};

fn setup(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let arguments = [&["setup"], arguments].concat();
    program(folder, &arguments).envs(environment.iter().copied()).output().unwrap()
}

#[test]
fn setup_writes_the_retention_once_and_changes_no_decision() {
    let folder = tempfile::tempdir().unwrap();
    let (here, file) = (folder.path(), folder.path().join("tributary.toml"));
    let alone = setup(here, &[], &[]);
    let said = text(&alone.stdout);
    assert!(alone.status.success() && said.contains("set SVC_DEFAULT_RETENTION=3"), "{alone:?}");
    assert!(!file.exists(), "without a terminal and without the option nothing is written");

    let wrong = setup(here, &["--default-retention", "30"], &[]);
    assert!(wrong.status.code() == Some(2) && text(&wrong.stderr).contains("3 (1 month)"), "{wrong:?}");
    let set = [("SVC_DEFAULT_RETENTION", "2")];
    let refused = setup(here, &["--default-retention", "3"], &set);
    let said = text(&refused.stderr);
    assert!(
        refused.status.code() == Some(1) && said.contains("is already 2, from the environment"),
        "{said}"
    );
    assert!(setup(here, &["--default-retention", "2"], &set).status.success() && !file.exists());

    std::fs::write(&file, "SVC_TIMEOUT = 7").unwrap();
    let written = setup(here, &["--default-retention", "1 month"], &[]);
    let said = text(&written.stdout);
    assert!(written.status.success() && said.contains("kept for 1 month"), "{written:?}");
    assert!(!said.contains("recommended"), "{said}");
    let content = std::fs::read_to_string(&file).unwrap();
    assert!(
        content.starts_with("SVC_TIMEOUT = 7\n") && content.ends_with("SVC_DEFAULT_RETENTION = 3\n"),
        "{content}"
    );
    let shown = text(&program(here, &["settings", "default_retention"]).output().unwrap().stdout);
    assert!(shown.contains("file"), "{shown}");

    assert!(setup(here, &["--default-retention", "3"], &[]).status.success(), "the same again is no change");
    let other = setup(here, &["--default-retention", "0"], &[]);
    assert!(other.status.code() == Some(1) && text(&other.stderr).contains("from the file"), "{other:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
}

#[test]
fn for_ever_is_a_decision_that_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    assert!(setup(folder.path(), &["--default-retention", "0"], &[]).status.success());
    let again = setup(folder.path(), &[], &[]);
    assert!(again.status.success() && !text(&again.stdout).contains("recommended"), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_steps_need_no_terminal() {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("deep river", 3)));
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let url = format!("{}?q=river", source.url());
    let allow = [("SVC_OUTBOUND_ALLOW", "127.0.0.1")];
    let done = setup(here, &["crossref", "--url", &url, "--user", "anna"], &allow);
    let (said, noted) = (text(&done.stdout), text(&done.stderr));
    assert!(done.status.success(), "{said}{noted}");
    assert!(said.contains("Added Articles - Crossref.") && said.contains("User anna added"), "{said}");
    assert!(said.matches("Added ").count() == 2 && said.contains("Password: "), "{said}");
    assert!(noted.contains("3 results in the sample"), "{noted}");

    let again = setup(here, &["--user", "anna"], &allow);
    assert_eq!(again.status.code(), Some(1), "there is a user of this name: {again:?}");
    let unknown = setup(here, &["arxvi"], &allow);
    assert!(unknown.status.code() == Some(1) && text(&unknown.stderr).contains("'arxiv'"), "{unknown:?}");
    let silent = setup(here, &["--url", "https://127.0.0.1:1/?q=river"], &allow);
    assert_eq!(silent.status.code(), Some(1), "a source that does not answer is not added: {silent:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_search_shows_results() {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("deep river", 3)));
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}?q=river", source.url());
    let allow = [("SVC_OUTBOUND_ALLOW", "127.0.0.1")];
    let done = setup(folder.path(), &["--url", &url, "--search", "river"], &allow);
    assert!(done.status.success() && text(&done.stdout).contains("deep river"), "{done:?}");
}

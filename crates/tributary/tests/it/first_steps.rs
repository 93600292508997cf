//! First use of the program: its messages and documents name the next step.

use crate::architecture::root;
use crate::product_text::texts;
use crate::program::{Running, program, run, text};
use std::path::{Path, PathBuf};

/// The exit code of a command, and its output and error output.
fn output_of(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = run(folder, arguments);
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_key_that_comes_later_completes_a_source() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(output_of(folder.path(), &["setup"]).0, 0);
    let add = |more: &[&str]| output_of(folder.path(), &[&["providers", "add", "guardian"], more].concat());
    let (code, first) = add(&[]);
    let step = "Next: tributary providers add guardian --credentials key=YOUR_KEY";
    assert!(code == 0 && first.contains("not active") && first.contains(step), "{first}");
    let (code, second) = add(&["--credentials", "key=abc"]);
    assert!(code == 0 && second.contains("Set the credentials of"), "{second}");
    let (code, third) = add(&[]);
    assert!(code == 0 && third.contains("already exists; nothing was changed"), "{third}");
    let (_, found) = output_of(folder.path(), &["audit", "list", "--kind", "searchprovider"]);
    assert!(found.contains("active: false -> true"), "{found}");
}

#[test]
fn wrong_arguments_are_answered_with_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["user", "list"][..], &["search", "river"]] {
        assert!(output_of(folder.path(), arguments).1.contains("tributary setup"), "{arguments:?}");
        assert!(!folder.path().join("data/secret.key").exists(), "{arguments:?} creates nothing");
    }
    assert_eq!(output_of(folder.path(), &["setup"]).0, 0);
    std::fs::write(
        folder.path().join("typo.json"),
        r#"{"name": "A", "connector": "RequestsGet", "url": "https://a.example/", "result_mapping": "title=a"}"#,
    )
    .unwrap();
    let table: [(&[&str], i32, &str); 10] = [
        (&["token", "add", "admin", "--days", "0"], 2, "1..=36500"),
        (&["token", "add", "admin", "--days", "4000000000"], 2, "1..=36500"),
        (&["token", "revoke", "99"], 1, "no token 99; `tributary token list` shows all"),
        (&["audit", "list", "--since", "yesterday"], 2, "use the form 2026-11-01"),
        (&["settings", "NO_SUCH"], 1, "no setting contains 'NO_SUCH' in its name"),
        (&["doctor", "answer.json"], 1, "no file 'answer.json'"),
        (&["backup", "not/there/monday"], 1, "the folder not/there does not exist"),
        (&["load-providers", "typo.json"], 0, "Did you mean 'result_mappings'?"),
        (&["serve", "--roles", "web,serch"], 2, "'serch' is not a role; use web"),
        (&["status"], 3, "run: tributary start"),
    ];
    for (arguments, code, sentence) in table {
        let (found, words) = output_of(folder.path(), arguments);
        assert!(found == code && words.contains(sentence), "{arguments:?}: {found} {words}");
    }
}

#[test]
fn a_service_in_a_terminal_is_seen_by_the_commands_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = program(folder.path(), &["serve"]);
    serve.env("SVC_PORT", "0");
    let service = Running::start(serve);
    let (code, status) = output_of(folder.path(), &["status"]);
    assert!(code == 0 && status.contains("that was not started by `tributary start`"), "{code} {status}");
    let (code, stop) = output_of(folder.path(), &["stop"]);
    assert!(code == 1 && stop.contains("was not started by `tributary start`"), "{code} {stop}");
    assert!(stop.contains(&service.base) && !stop.contains("`tributary stop`"), "{stop}");
    assert_eq!(
        output_of(folder.path(), &["health", "--ready"]).0,
        0,
        "it is found though its port is not 8000"
    );
    assert_eq!(output_of(folder.path(), &["backup", "monday"]).0, 0);
    let (code, restore) = output_of(folder.path(), &["restore", "monday"]);
    assert!(code == 1 && restore.contains("Ctrl-C"), "{code} {restore}");
    assert_eq!(service.terminate(), Some(0));
    assert_eq!(output_of(folder.path(), &["status"]).0, 3);
    assert_eq!(output_of(folder.path(), &["stop"]).0, 0);
}

/// The documents that people read first, with their texts.
fn documents() -> Vec<(PathBuf, String)> {
    let in_root = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| root().join(name));
    let docs = texts(&root().join("docs"), &|path| path.is_dir() || is_document(path));
    in_root.iter().flat_map(|path| texts(path, &is_document)).chain(docs).collect()
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

/// The anchors of a document's headings.
fn anchors(document: &str) -> Vec<String> {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    let words = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-"));
    words.map(|text| text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()).collect()
}

#[test]
fn links_of_the_documents_resolve() {
    let documents = documents();
    let mut count = 0;
    for (path, text) in &documents {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link);
        for link in links.filter(|link| !link.contains("://") && !link.contains(' ')) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let place = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(place.exists(), "{}: {link} is not there", path.display());
            if !anchor.is_empty() {
                let document = std::fs::read_to_string(&place).unwrap();
                assert!(anchors(&document).contains(&anchor.to_owned()), "{}: {link}", path.display());
            }
            count += 1;
        }
    }
    assert!(documents.len() > 60 && count > 150, "{} documents, {count} links", documents.len());
}

#[test]
fn the_readme_counts_the_ready_sources() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let said = format!("`providers list` shows {}", tributary::bundled_providers::all().unwrap().len());
    assert!(readme.contains(&said), "the README must say: {said}");
}

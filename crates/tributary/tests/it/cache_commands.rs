//! The commands that look after the semantic cache, as an operator runs them.

use crate::license::Stage;
use crate::program::{program, text};
use std::path::{Path, PathBuf};

/// Runs a command on the data folder; its exit code and all that it said.
fn said(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let data_dir = folder.display().to_string();
    let arguments = [arguments, &["--data-dir", &data_dir]].concat();
    let output = program(folder, &arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

fn cache_lines(folder: &Path, arguments: &[&str]) -> (i32, Vec<String>) {
    let (code, said) = said(folder, arguments);
    (code, said.lines().filter(|line| line.contains("  cache  ")).map(str::to_owned).collect())
}

fn bodies(folder: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder.join("bodies")).unwrap().map(|entry| entry.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|path| std::fs::read_dir(path).unwrap());
    files
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "zst"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cache_is_looked_after_by_commands() {
    let stage = Stage::new();
    stage.fill().await;
    let folder = stage.folder.path();

    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert_eq!((code, lines.len()), (0, 1), "{lines:?}");
    assert!(lines[0].starts_with("ok") && lines[0].contains("agree: 1 documents, 1 with text"), "{lines:?}");
    let file = bodies(folder).remove(0);
    std::fs::remove_file(&file).unwrap();
    let stray = format!("{}.zst", "0a".repeat(32));
    std::fs::create_dir_all(folder.join("bodies/0a")).unwrap();
    std::fs::write(folder.join("bodies/0a").join(stray), b"?").unwrap();
    for (arguments, code, verdict) in
        [(&["doctor", "--offline"][..], 1, "fail"), (&["doctor", "--offline", "--repair"], 0, "warn")]
    {
        let (ended, lines) = cache_lines(folder, arguments);
        assert_eq!(ended, code, "{lines:?}");
        let is_told = |part: &str| lines.iter().any(|line| line.starts_with(verdict) && line.contains(part));
        assert!(
            is_told("1 documents lack their text") && is_told("1 texts belong to no document"),
            "{lines:?}"
        );
    }
    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(code == 0 && lines.len() == 1 && lines[0].contains("0 kept texts in 0 files"), "{lines:?}");

    for (arguments, part) in [
        (&["init_storage"][..], "The storage of texts (fs) is ready."),
        (&["init_qdrant"], "The collection swirl_corpus is ready: 1 piece"),
        (&["upgrade_corpus_to_hybrid"], "1 piece of 1 document have their words now."),
        (&["upgrade_corpus_to_hybrid"], "the collection was hybrid before"),
        (&["reindex_corpus"], "1 piece of 1 document were read by"),
        (&["init_qdrant"], "with words"),
        (&["dedup_signal_url_hash"], "1 document looked at: 0 would be joined"),
        (&["dedup_signal_url_hash", "--apply"], "1 document looked at: 0 joined"),
        (&["drop_entity_collection"], "There is no swirl_entities"),
        (&["drop_entity_collection", "--yes"], "There is no swirl_entities"),
        (&["reset_semantic_cache", "--matter-tag", "other"], "There is no document of the matter other"),
    ] {
        let (code, said) = said(folder, arguments);
        assert!(code == 0 && said.contains(part), "{arguments:?}: {said}");
    }

    for (arguments, part) in [
        (&["reset_semantic_cache"][..], "Remove 1 document from the semantic cache?"),
        (&["reset_semantic_cache", "--matter-tag", "matter:"], "names no matter"),
    ] {
        let (code, said) = said(folder, arguments);
        assert!(code == 1 && said.contains(part), "{arguments:?}: {said}");
    }
    let (_, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(lines[0].contains("1 documents"), "nobody said yes: {lines:?}");
    let (code, said) = said(folder, &["reset_semantic_cache", "--yes"]);
    assert!(code == 0 && said.contains("Removed 1 document with 1 piece and 0 texts."), "{said}");
    let (code, lines) = cache_lines(folder, &["doctor", "--offline"]);
    assert!(code == 0 && lines[0].contains("agree: 0 documents"), "{lines:?}");
}

//! Files that another program wrote: LibreOffice, where it is installed.

use crate::samples::file;
use extraction::{Limits, read};
use std::path::Path;
use std::process::Command;

const WORDS: [&str; 3] = ["Überschwemmung am Fluss", "The second paragraph", "naïve café"];

/// Converts a page into another kind; none when the program is not there.
fn converted(folder: &Path, kind: &str) -> Option<Vec<u8>> {
    let source = folder.join("page.html");
    let body: String = WORDS.iter().map(|words| format!("<p>{words}</p>")).collect();
    let page = format!("<meta charset=utf-8><title>Flood report</title><body>{body}</body>");
    std::fs::write(&source, page).expect("a page");
    let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
    let done = Command::new("soffice")
        .args([&profile, "--headless", "--convert-to", kind, "--outdir"])
        .arg(folder)
        .arg(&source)
        .output();
    if done.is_err() {
        eprintln!("skipped: soffice is not installed");
        return None;
    }
    std::fs::read(folder.join(format!("page.{}", kind.split(':').next()?))).ok()
}

#[test]
fn what_libreoffice_writes_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in ["odt:writer8", "docx:MS Word 2007 XML", "pdf:writer_web_pdf_Export"] {
        let name = format!("page.{}", kind.split(':').next().unwrap_or_default());
        let Some(bytes) = converted(folder.path(), kind) else { return };
        let found = read(&file(&name, bytes), &Limits::default()).expect(&name);
        for words in WORDS {
            assert!(found.text.contains(words), "{name}: {words:?} is not in {:?}", found.text);
        }
    }
}

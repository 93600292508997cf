//! Static assets: styles, scripts, images and translations. They are embedded in the program; with `SVC_WEB_DIR` they
//! are read from that folder instead, so that edits are visible at once.

use super::embedded_files;
use super::i18n::documents;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, PathBuf};

/// Files of a folder may change, so they have no digest.
const DIGEST_OF_FOLDER: &str = "folder";
const DIGEST_CHARS: usize = 12;
/// Largest file read from `SVC_WEB_DIR`.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The files of `web/`, each also compressed.
pub struct Assets {
    folder: Option<PathBuf>,
    pub(super) digest: String,
    pub(super) compressed: BTreeMap<String, Bytes>,
    /// What scripts load of the languages, by name.
    documents: BTreeMap<String, Vec<u8>>,
}

impl Assets {
    /// The embedded files, or those of a folder if one is given.
    pub fn new(folder: &str) -> Self {
        if !folder.is_empty() {
            return Self {
                folder: Some(PathBuf::from(folder)),
                digest: DIGEST_OF_FOLDER.to_owned(),
                compressed: BTreeMap::new(),
                documents: BTreeMap::new(),
            };
        }
        let mut hash = Sha256::new();
        let mut compressed = BTreeMap::new();
        let mut add = |name: &str, data: &[u8]| {
            hash.update(name.as_bytes());
            hash.update(data);
            if let Some(smaller) = gzip(data, Compression::best()) {
                compressed.insert(name.to_owned(), smaller);
            }
        };
        let is_file = |name: &str| !name.starts_with("templates/") && !name.starts_with("words/");
        for name in embedded_files::names().filter(|name| is_file(name)) {
            embedded_files::read(name).into_iter().for_each(|data| add(name, data));
        }
        let documents = embedded_documents();
        documents.iter().for_each(|(name, data)| add(name, data));
        let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Self { folder: None, digest: digest[..DIGEST_CHARS].to_owned(), compressed, documents }
    }

    /// The base path; it changes whenever a file changes.
    pub fn base(&self) -> String {
        format!("/static/{}", self.digest)
    }

    /// Whether the files may change while the program runs.
    pub fn is_folder(&self) -> bool {
        self.folder.is_some()
    }

    /// A file of `web/`, such as `templates/layout.html`.
    pub fn read(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        let Some(folder) = &self.folder else { return embedded_files::read(name).map(Cow::Borrowed) };
        let path = PathBuf::from(name);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let path = folder.join(path);
        let is_small = std::fs::metadata(&path).is_ok_and(|file| file.len() <= FILE_BYTES_MAX);
        is_small.then(|| std::fs::read(path).ok()).flatten().map(Cow::Owned)
    }

    /// What is served under this name: a file, or a document of a language.
    pub fn served(&self, name: &str) -> Option<Cow<'static, [u8]>> {
        if !name.starts_with("words/") {
            return self.read(name);
        }
        if !self.is_folder() {
            return self.documents.get(name).cloned().map(Cow::Owned);
        }
        // A text may be new to a script of the folder, so every page gets the texts of the console too.
        let file = documents::file_of(name)?;
        documents::split(&file, &self.read(&file)?, |_| true).remove(name).map(Cow::Owned)
    }

    /// The names of all files in `words/`, sorted.
    pub fn words(&self) -> Vec<String> {
        let mut names: Vec<String> = match &self.folder {
            Some(folder) => {
                let files = std::fs::read_dir(folder.join("words")).into_iter().flatten().flatten();
                files.filter_map(|file| file.file_name().into_string().ok()).collect()
            }
            None => embedded_files::names()
                .filter_map(|name| name.strip_prefix("words/").map(str::to_owned))
                .collect(),
        };
        names.sort();
        names
    }

    /// The names of all templates, without their folder.
    pub fn templates() -> impl Iterator<Item = &'static str> {
        embedded_files::names().filter_map(|name| name.strip_prefix("templates/"))
    }
}

/// The documents of all embedded languages.
fn embedded_documents() -> BTreeMap<String, Vec<u8>> {
    let text_of =
        |name: &str| embedded_files::read(name).map(|data| String::from_utf8_lossy(data).into_owned());
    let scripts = embedded_files::names().filter(|name| documents::is_of_pages(name));
    let texts = documents::texts_of_scripts(scripts.filter_map(text_of));
    let languages = embedded_files::names().filter(|name| name.starts_with("words/"));
    languages
        .filter_map(|name| embedded_files::read(name).map(|data| (name, data)))
        .flat_map(|(name, json)| documents::split(name, json, |text| texts.contains(text)))
        .collect()
}

/// Whether the client accepts gzip.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|value| value.contains("gzip"))
}

/// None if the result would not be smaller.
pub fn gzip(bytes: &[u8], level: Compression) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().filter(|packed| packed.len() < bytes.len()).map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_embedded_or_in_a_folder() {
        let embedded = Assets::new("");
        assert!(embedded.read("static/tributary.css").is_some());
        assert!(embedded.compressed.contains_key("static/tributary.css"));
        assert_eq!(embedded.base(), Assets::new("").base());
        let folder = Assets::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        assert_eq!(folder.read("static/tributary.css"), embedded.read("static/tributary.css"));
        assert!(embedded.words().contains(&"de.json".to_owned()));
        assert_eq!(folder.words(), embedded.words());
    }

    #[test]
    fn scripts_load_the_texts_that_they_need() {
        let embedded = Assets::new("");
        let folder = Assets::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        let has = |assets: &Assets, name: &str, text: &str| {
            let json = assets.served(name).unwrap_or_else(|| panic!("{name} is missing"));
            let texts: BTreeMap<String, String> = serde_json::from_slice(&json).expect("texts");
            texts.contains_key(text)
        };
        let (script, console, table) =
            ("Not now", "No matching settings.", "The port to listen on; 0 picks a free port.");
        for (name, texts) in [
            ("words/de.json", [true, false, false]),
            ("words/de.console.json", [false, true, false]),
            ("words/de.catalog.json", [false, false, true]),
        ] {
            assert_eq!([script, console, table].map(|text| has(&embedded, name, text)), texts, "{name}");
            assert!(embedded.compressed.contains_key(name));
        }
        assert!(has(&folder, "words/de.json", script) && has(&folder, "words/de.json", console));
        assert!(has(&folder, "words/de.catalog.json", table) && !has(&folder, "words/de.json", table));
        for assets in [&embedded, &folder] {
            for name in ["words/xx.json", "words/de.other.json", "words/../words/de.json", "words/de"] {
                assert_eq!(assets.served(name), None, "{name}");
            }
        }
        assert_eq!(embedded.served("static/tributary.css"), embedded.read("static/tributary.css"));
    }

    #[test]
    fn files_outside_of_the_folder_are_refused() {
        let folder = Assets::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
        assert!(folder.read("lib.rs").is_some());
        for name in ["../Cargo.toml", "/etc/hostname", "ui/../../Cargo.toml", "", "nothing.css"] {
            assert_eq!(folder.read(name), None, "{name}");
        }
    }
}

//! Static assets: styles, scripts, images and translations. They are embedded in the program; with `SVC_WEB_DIR` they
//! are read from that folder instead, so that edits are visible at once.

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::Embed;
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

#[derive(Embed)]
#[folder = "../../web/"]
struct Web;

/// The files of `web/`, each also compressed.
pub struct Assets {
    folder: Option<PathBuf>,
    pub(super) digest: String,
    pub(super) compressed: BTreeMap<String, Bytes>,
}

impl Assets {
    /// The embedded files, or those of a folder if one is given.
    pub fn new(folder: &str) -> Self {
        if !folder.is_empty() {
            return Self {
                folder: Some(PathBuf::from(folder)),
                digest: DIGEST_OF_FOLDER.to_owned(),
                compressed: BTreeMap::new(),
            };
        }
        let mut hash = Sha256::new();
        let mut compressed = BTreeMap::new();
        for name in Web::iter().filter(|name| !name.starts_with("templates/")) {
            let Some(file) = Web::get(&name) else { continue };
            hash.update(name.as_bytes());
            hash.update(&file.data);
            if let Some(smaller) = gzip(&file.data, Compression::best()) {
                compressed.insert(name.into_owned(), smaller);
            }
        }
        let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Self { folder: None, digest: digest[..DIGEST_CHARS].to_owned(), compressed }
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
        let Some(folder) = &self.folder else { return Web::get(name).map(|file| file.data) };
        let path = PathBuf::from(name);
        if !path.components().all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        let path = folder.join(path);
        let is_small = std::fs::metadata(&path).is_ok_and(|file| file.len() <= FILE_BYTES_MAX);
        is_small.then(|| std::fs::read(path).ok()).flatten().map(Cow::Owned)
    }

    /// The names of all templates, without their folder.
    pub fn templates() -> impl Iterator<Item = String> {
        Web::iter().filter_map(|name| name.strip_prefix("templates/").map(str::to_owned))
    }
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

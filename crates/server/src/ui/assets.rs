//! What a browser gets beside the pages: styles, modules, pictures, words. All of `web/` stands in the program; with
//! `SVC_WEB_DIR` it is read from that folder instead, so that an edit shows at once.

use crate::AppState;
use crate::error::{ApiError, Refusal};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::Embed;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, PathBuf};
use std::sync::Arc;

/// A file under its digest never changes.
const KEPT_FOR_EVER: &str = "public, max-age=31536000, immutable";
const ASKED_AGAIN: &str = "no-cache";
/// What comes from a folder is looked at afresh.
const DIGEST_OF_FOLDER: &str = "folder";
const DIGEST_CHARS: usize = 12;
/// Largest file that is read from `SVC_WEB_DIR`.
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;

#[derive(Embed)]
#[folder = "../../web/"]
struct Web;

/// The files of `web/`, each also compressed.
pub struct Assets {
    folder: Option<PathBuf>,
    digest: String,
    compressed: BTreeMap<String, Bytes>,
}

impl Assets {
    /// From the program, or from a folder when one is named.
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

    /// Where pages find them: the path changes whenever a file does.
    pub fn base(&self) -> String {
        format!("/static/{}", self.digest)
    }

    /// True when files may change while the program runs.
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

/// `/static/<digest>/<file>`, or `/static/<file>` for who does not know the digest.
pub async fn serve(
    State(state): State<Arc<AppState>>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let assets = &state.assets;
    let (name, kept) = match path.split_once('/') {
        Some((digest, name)) if digest == assets.digest => {
            (name, if assets.is_folder() { ASKED_AGAIN } else { KEPT_FOR_EVER })
        }
        _ => (path.as_str(), ASKED_AGAIN),
    };
    let name = match name.starts_with("words/") {
        true => name.to_owned(),
        false => format!("static/{name}"),
    };
    let content_type = content_type(&name).ok_or_else(|| ApiError::of(Refusal::NotFound))?;
    let mut response = match assets.compressed.get(&name).filter(|_| takes_gzip(&headers)) {
        Some(bytes) => ([(header::CONTENT_ENCODING, "gzip")], bytes.clone()).into_response(),
        None => {
            assets.read(&name).ok_or_else(|| ApiError::of(Refusal::NotFound))?.into_owned().into_response()
        }
    };
    let own = response.headers_mut();
    own.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    own.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Ok(response)
}

/// None for what is not served.
fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        _ => return None,
    })
}

/// The browser reads packed answers.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|value| value.contains("gzip"))
}

/// None when it would not be smaller.
pub fn gzip(bytes: &[u8], level: Compression) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok().filter(|packed| packed.len() < bytes.len()).map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_in_the_program_or_in_a_folder() {
        let embedded = Assets::new("");
        assert!(embedded.read("static/tributary.css").is_some());
        assert!(embedded.compressed.contains_key("static/tributary.css"));
        assert_eq!(embedded.base(), Assets::new("").base());
        let folder = Assets::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        assert_eq!(folder.read("static/tributary.css"), embedded.read("static/tributary.css"));
    }

    #[test]
    fn nothing_outside_of_the_folder_is_read() {
        let folder = Assets::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
        assert!(folder.read("lib.rs").is_some());
        for name in ["../Cargo.toml", "/etc/hostname", "ui/../../Cargo.toml", "", "nothing.css"] {
            assert_eq!(folder.read(name), None, "{name}");
        }
    }
}

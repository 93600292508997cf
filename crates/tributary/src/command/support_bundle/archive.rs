//! The ZIP archive of a support bundle, written to a temporary file within size limits.

use anyhow::{Context, bail};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Maximum uncompressed size of one file and of all files together.
pub const FILE_BYTES_MAX: usize = 4 * 1024 * 1024;
pub const BUNDLE_BYTES_MAX: usize = 48 * 1024 * 1024;
const CUT: &str = "\n… truncated: the file exceeds the size limit of a support bundle.\n";
/// The table of contents.
const CONTENTS: &str = "contents.json";

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub file_bytes: usize,
    pub bundle_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: FILE_BYTES_MAX, bundle_bytes: BUNDLE_BYTES_MAX }
    }
}

/// An entry of the table of contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedFile {
    pub name: String,
    pub bytes: usize,
    /// What is missing, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// A bundle being written. If dropped before [`Archive::finish`], it leaves no file behind.
pub struct Archive {
    zip: ZipWriter<NamedTempFile>,
    limits: Limits,
    bytes: usize,
    files: Vec<ListedFile>,
}

impl Archive {
    /// Creates a temporary file next to the target; only its owner may read it.
    pub fn create(place: &Path, limits: Limits) -> anyhow::Result<Self> {
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file =
            NamedTempFile::new_in(folder).with_context(|| format!("cannot write to {}", folder.display()))?;
        Ok(Self { zip: ZipWriter::new(file), limits, bytes: 0, files: Vec::new() })
    }

    /// Adds a text, truncated if it is too long.
    pub fn add(&mut self, name: &str, text: &str, remark: Option<String>) -> anyhow::Result<()> {
        let left = self.limits.bundle_bytes.saturating_sub(self.bytes).min(self.limits.file_bytes);
        let (text, remark) = if text.len() <= left {
            (text.to_owned(), remark)
        } else {
            let end = text.floor_char_boundary(left.saturating_sub(CUT.len()));
            let said = format!("truncated after {end} of {} bytes", text.len());
            let remark = remark.map_or(said.clone(), |remark| format!("{remark}; {said}"));
            (format!("{}{CUT}", &text[..end]), Some(remark))
        };
        self.write(name, &text)?;
        self.bytes += text.len();
        self.files.push(ListedFile { name: name.to_owned(), bytes: text.len(), remark });
        Ok(())
    }

    fn write(&mut self, name: &str, text: &str) -> anyhow::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .unix_permissions(0o600);
        self.zip.start_file(name, options).with_context(|| format!("{name} cannot be added"))?;
        self.zip.write_all(text.as_bytes()).with_context(|| format!("{name} cannot be added"))
    }

    /// Adds the table of contents and moves the archive to its target; overwrites an existing file only with
    /// `may_replace`.
    pub fn finish(mut self, place: &Path, may_replace: bool) -> anyhow::Result<Vec<ListedFile>> {
        let list = serde_json::to_string_pretty(&self.files)?;
        self.write(CONTENTS, &list)?;
        let file = self.zip.finish().context("the archive cannot be written")?;
        file.as_file().sync_all().context("the archive cannot be written")?;
        let placed = if may_replace { file.persist(place) } else { file.persist_noclobber(place) };
        match placed {
            Ok(_) => Ok(self.files),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
                bail!("{} already exists; use --force to overwrite it", place.display())
            }
            Err(error) => Err(error.error).with_context(|| format!("{} cannot be written", place.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn read(place: &Path, name: &str) -> String {
        let mut zip = zip::ZipArchive::new(std::fs::File::open(place).unwrap()).unwrap();
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_bundle_keeps_to_its_limits() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("bundle.zip");
        let limits = Limits { file_bytes: 200, bundle_bytes: 500 };
        let mut archive = Archive::create(&place, limits).unwrap();
        let long = "é".repeat(200);
        for name in ["a", "b", "c", "d"] {
            archive.add(name, &long, Some("why".to_owned())).unwrap();
        }
        let files = archive.finish(&place, false).unwrap();
        assert!(files.iter().take(3).all(|file| file.bytes <= 200), "{files:?}");
        let bytes: usize = files.iter().map(|file| file.bytes).sum();
        assert!(bytes <= 500 + CUT.len(), "{files:?}");
        assert!(read(&place, "a").ends_with(CUT) && read(&place, "a").starts_with('é'));
        assert!(files[0].remark.as_deref().unwrap().starts_with("why; truncated after "), "{files:?}");
        assert!(read(&place, CONTENTS).contains("\"remark\": \"why; truncated after"));
    }

    #[test]
    fn an_existing_file_is_overwritten_only_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("bundle.zip");
        std::fs::write(&place, "mine").unwrap();
        let archive = || Archive::create(&place, Limits::default()).unwrap();
        let refused = archive().finish(&place, false).unwrap_err().to_string();
        assert!(refused.contains("--force"), "{refused}");
        assert_eq!(std::fs::read(&place).unwrap(), b"mine");
        archive().finish(&place, true).unwrap();
        assert_ne!(std::fs::read(&place).unwrap(), b"mine");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(place.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

//! Writes a backup to a temporary file, syncs it, and renames it.

use super::encrypted::EncryptingWriter;
use super::{BackupError, FOOT_BYTES, HEAD, Manifest, Part, TAIL, hex};
use domain::secret::Secret;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::path::{Path, PathBuf};
use store::dump::{DumpRow, DumpSink, DumpTable};

/// A backup being written. If dropped before [`BackupWriter::finish`], it leaves no file behind.
pub struct BackupWriter {
    place: PathBuf,
    temporary: PathBuf,
    /// `None` while a part is open, because its encoder owns the output.
    out: Option<Hashed>,
    open: Option<OpenPart>,
    parts: Vec<Part>,
    is_finished: bool,
}

struct OpenPart {
    encoder: GzEncoder<Hashed>,
    part: Part,
}

/// A plain or encrypted file.
enum Out {
    Plain(BufWriter<File>),
    Encrypted(Box<EncryptingWriter<BufWriter<File>>>),
}

impl Out {
    fn finish(self) -> std::io::Result<()> {
        let file = match self {
            Self::Plain(file) => file,
            Self::Encrypted(writer) => writer.finish()?,
        };
        file.into_inner().map_err(|error| error.into_error())?.sync_all()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Encrypted(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Encrypted(writer) => writer.flush(),
        }
    }
}

/// Counts and hashes the bytes written.
struct Hashed {
    file: Out,
    hash: Sha256,
    bytes: u64,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl BackupWriter {
    /// Creates the temporary file next to the target; only its owner may read it.
    pub fn create(place: &Path) -> Result<Self, BackupError> {
        Self::create_with(place, None)
    }

    /// Creates a file, encrypted if a passphrase is given.
    pub fn create_with(place: &Path, passphrase: Option<&Secret>) -> Result<Self, BackupError> {
        let mut temporary = place.as_os_str().to_owned();
        temporary.push(format!(".{}.partial", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let begin = || {
            let file = BufWriter::new(options.open(&temporary)?);
            let mut file = match passphrase {
                Some(passphrase) => Out::Encrypted(Box::new(EncryptingWriter::new(file, passphrase)?)),
                None => Out::Plain(file),
            };
            file.write_all(HEAD)?;
            Ok(Hashed { file, hash: Sha256::new(), bytes: HEAD.len() as u64 })
        };
        let out = begin().map_err(|error| BackupError::Io(temporary.clone(), error))?;
        let place = place.to_owned();
        Ok(Self { place, temporary, out: Some(out), open: None, parts: Vec::new(), is_finished: false })
    }

    /// Adds a part whose content is in memory.
    pub fn add(&mut self, name: &str, content: &[u8]) -> Result<(), BackupError> {
        let mut write = || {
            self.begin_part(name, None)?;
            self.write_content(content)?;
            self.end()
        };
        write().map_err(|error| BackupError::Io(self.temporary.clone(), error))
    }

    /// Writes the manifest and the foot, and renames the file. Fills in `manifest.parts`.
    pub fn finish(mut self, mut manifest: Manifest) -> Result<Manifest, BackupError> {
        manifest.parts = std::mem::take(&mut self.parts);
        self.close(&manifest).map_err(|error| BackupError::Io(self.temporary.clone(), error))?;
        std::fs::rename(&self.temporary, &self.place)
            .map_err(|error| BackupError::Io(self.place.clone(), error))?;
        self.is_finished = true;
        sync_folder(&self.place);
        Ok(manifest)
    }

    fn close(&mut self, manifest: &Manifest) -> std::io::Result<()> {
        let mut out = self.out.take().ok_or_else(misuse)?;
        let text = serde_json::to_vec(manifest)?;
        let mut foot = Vec::with_capacity(FOOT_BYTES);
        foot.extend_from_slice(&(text.len() as u64).to_le_bytes());
        foot.extend_from_slice(&Sha256::digest(&text));
        foot.extend_from_slice(TAIL);
        out.write_all(&text)?;
        out.write_all(&foot)?;
        out.file.finish()
    }

    /// Begins a part that is written row by row.
    pub(super) fn begin_part(&mut self, name: &str, table: Option<DumpTable>) -> std::io::Result<()> {
        let mut out = self.out.take().ok_or_else(misuse)?;
        out.hash = Sha256::new();
        let part = Part {
            name: name.to_owned(),
            place: out.bytes,
            size: 0,
            content_size: 0,
            sha256: String::new(),
            rows: 0,
            table,
        };
        self.open = Some(OpenPart { encoder: GzEncoder::new(out, Compression::fast()), part });
        Ok(())
    }

    fn write_content(&mut self, content: &[u8]) -> std::io::Result<()> {
        let open = self.open.as_mut().ok_or_else(misuse)?;
        open.part.content_size += content.len() as u64;
        open.encoder.write_all(content)
    }
}

impl DumpSink for BackupWriter {
    fn begin(&mut self, table: &DumpTable) -> std::io::Result<()> {
        self.begin_part(&format!("table {}", table.name), Some(table.clone()))
    }

    fn row(&mut self, row: &DumpRow) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(row)?;
        line.push(b'\n');
        self.write_content(&line)?;
        if let Some(open) = &mut self.open {
            open.part.rows += 1;
        }
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<()> {
        let OpenPart { encoder, mut part } = self.open.take().ok_or_else(misuse)?;
        let mut out = encoder.finish()?;
        part.size = out.bytes - part.place;
        part.sha256 = hex(&std::mem::take(&mut out.hash).finalize());
        self.out = Some(out);
        self.parts.push(part);
        Ok(())
    }
}

impl Drop for BackupWriter {
    fn drop(&mut self) {
        if !self.is_finished {
            let _never_made = std::fs::remove_file(&self.temporary);
        }
    }
}

fn misuse() -> Error {
    Error::other("an earlier write failed, or parts are written out of order")
}

/// Syncs the folder, so that the rename is durable. Best effort, because not every file system supports it.
fn sync_folder(place: &Path) {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(folder) = File::open(folder) {
        let _not_everywhere = folder.sync_all();
    }
}

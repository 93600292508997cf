//! Backups: the file format, and making, reading and scheduling them.
//!
//! ```text
//! head      "TRIBUTARY BACKUP 1\n"
//! parts     gzip members: tables and texts as lines of JSON arrays, files unchanged
//! manifest  JSON: version, schema, time, and name, offset, size and SHA-256 of every part
//! foot      length of the manifest (8 bytes, little-endian), its SHA-256, "TRIBUTARY END\n"
//! ```
//!
//! The manifest is at the end, so that a backup is written in one pass. Every byte of the file is covered by a hash or
//! a marker, so that damage is detected and located. With a passphrase the whole file is encrypted (`encrypted`).

mod audit;
mod encrypted;
mod folder;
mod make;
mod one_key;
mod read;
mod schedule;
mod texts;
mod write;

pub use audit::audit_report;
pub use encrypted::PASSPHRASE_CHARS_MIN;
pub use folder::{BackupFolder, StoredBackup};
pub use make::{BackupPlan, DICTIONARIES, MadeBackup, storage};
pub use read::{Backup, PartRows};
pub use schedule::{BackupSchedule, BackupState};
pub use texts::{TEXTS_PART, Texts, add_texts, put_texts};
pub use write::BackupWriter;

use domain::instant::Instant;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use store::dump::DumpTable;

const HEAD: &[u8] = b"TRIBUTARY BACKUP 1\n";
const TAIL: &[u8] = b"TRIBUTARY END\n";
const HASH_BYTES: usize = 32;
/// Length of the manifest, its hash, and the end marker.
const FOOT_BYTES: usize = 8 + HASH_BYTES + TAIL.len();
/// Maximum size of a manifest: some thousand parts.
const MANIFEST_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The part with the encryption key.
pub const KEY_PART: &str = "key";

/// The manifest of a backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program that wrote it.
    pub version: String,
    /// Schema version of the tables.
    pub schema: i64,
    pub made: Instant,
    /// Fingerprint of the key that encrypts the credentials; `None` if there was no key.
    pub key_fingerprint: Option<String>,
    pub parts: Vec<Part>,
}

impl Manifest {
    pub fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Part {
    /// `table searches`, `file dictionaries/german.txt`, `texts` or `key`.
    pub name: String,
    /// Offset in the file.
    pub place: u64,
    /// Compressed size.
    pub size: u64,
    /// Uncompressed size.
    pub content_size: u64,
    /// Hash of the compressed bytes.
    pub sha256: String,
    #[serde(default)]
    pub rows: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<DumpTable>,
}

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
    #[error("{0} is not a Tributary backup")]
    NotOurs(PathBuf),
    #[error("{0} is incomplete: it is truncated, or its end is damaged")]
    CutOff(PathBuf),
    #[error("{0} is damaged: {1}")]
    Damaged(PathBuf, String),
    #[error("part '{0}' cannot be read: {1}")]
    Part(String, String),
    #[error("{0} is encrypted; pass its passphrase with --passphrase-stdin")]
    Encrypted(PathBuf),
    #[error("{0} is not encrypted; omit --passphrase-stdin")]
    NotEncrypted(PathBuf),
    #[error("wrong passphrase for {0}, or its head is damaged")]
    Passphrase(PathBuf),
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! The backup file: every part compressed by itself, then a manifest with the hash of each.
//!
//! ```text
//! head      "TRIBUTARY BACKUP 1\n"
//! parts     gzip, one after the other: tables and texts as lines of JSON arrays, a file as it is
//! manifest  JSON: version, schema, time, and name, place, size and SHA-256 of every part
//! foot      length of the manifest (8 bytes, little end first), its SHA-256, "TRIBUTARY END\n"
//! ```
//!
//! The manifest stands at the end, so that a backup is written in one pass. Every byte of the file belongs to one of
//! these, so that a damaged byte is found and its part is named. With a passphrase the whole file is encrypted
//! (`encrypted`).

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
use store::copy::CopiedTable;

const HEAD: &[u8] = b"TRIBUTARY BACKUP 1\n";
const TAIL: &[u8] = b"TRIBUTARY END\n";
const HASH_BYTES: usize = 32;
/// The length of the manifest, its hash, and the last mark.
const FOOT_BYTES: usize = 8 + HASH_BYTES + TAIL.len();
/// Largest manifest that is read: some thousand parts.
const MANIFEST_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The part that holds the key of the credentials.
pub const KEY_PART: &str = "key";

/// What the file says about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program that wrote it.
    pub version: String,
    /// Version of the tables.
    pub schema: i64,
    pub made: Instant,
    /// Tells whether a key is the one that the credentials were sealed with. None: there was no key.
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
    /// Where its first byte stands in the file.
    pub place: u64,
    /// Its bytes in the file.
    pub size: u64,
    /// Its bytes before compression.
    pub content_size: u64,
    /// Of its bytes in the file.
    pub sha256: String,
    #[serde(default)]
    pub rows: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<CopiedTable>,
}

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{0}: {1}")]
    Io(PathBuf, std::io::Error),
    #[error("{0} is not a backup of this program")]
    NotOurs(PathBuf),
    #[error("{0} is not whole: it is cut off, or its end is damaged")]
    CutOff(PathBuf),
    #[error("{0} is damaged: {1}")]
    Damaged(PathBuf, String),
    #[error("part '{0}' is not readable: {1}")]
    Part(String, String),
    #[error("{0} is encrypted; give its passphrase with --passphrase-stdin")]
    Encrypted(PathBuf),
    #[error("{0} is not encrypted; leave out --passphrase-stdin")]
    NotEncrypted(PathBuf),
    #[error("the passphrase of {0} is another one, or its head is damaged")]
    Passphrase(PathBuf),
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

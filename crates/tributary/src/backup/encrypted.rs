//! Encryption of a backup with a passphrase: XChaCha20-Poly1305 in segments (STREAM construction), key by Argon2id.
//!
//! ```text
//! head      "TRIBUTARY ENCRYPTED BACKUP 1\n"
//! header    memory in KiB, passes, lanes (4 bytes each, little-endian), salt (16), nonce (19), check (16)
//! segments  64 KiB of the backup each, the last one shorter, each with a tag of 16 bytes
//! ```
//!
//! The nonce of a segment consists of the nonce of the header, the segment number, and whether it is the last one, so
//! that missing, moved, repeated or added segments are detected. Every tag covers the header. The check is the tag of
//! an empty text, which distinguishes a wrong passphrase from a damaged file.

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use domain::secret::Secret;
use std::io::{self, Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

pub const HEAD: &[u8] = b"TRIBUTARY ENCRYPTED BACKUP 1\n";
/// Minimum length of a passphrase for a new backup.
pub const PASSPHRASE_CHARS_MIN: usize = 12;

const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 19;
const TAG_BYTES: usize = 16;
const PARAMETER_BYTES: usize = 12;
/// Length of everything before the check.
const BOUND_BYTES: usize = HEAD.len() + PARAMETER_BYTES + SALT_BYTES + NONCE_BYTES;
const HEADER_BYTES: usize = BOUND_BYTES + TAG_BYTES;
const SEGMENT_BYTES: usize = 64 * 1024;
const SEALED_BYTES: usize = SEGMENT_BYTES + TAG_BYTES;
/// Cost of deriving the key: 64 MiB and three passes, about a quarter of a second.
const COST: Cost = Cost { memory_kib: 64 * 1024, passes: 3, lanes: 1 };
/// Maximum cost that a header may request, so that a file cannot exhaust the memory.
const COST_MAX: Cost = Cost { memory_kib: 1024 * 1024, passes: 16, lanes: 16 };

/// The last byte of a nonce.
#[derive(Clone, Copy)]
enum Kind {
    Inner = 0,
    Last = 1,
    Check = 2,
}

struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

/// An error when opening an encrypted backup.
#[derive(Debug)]
pub enum OpenError {
    Io(Error),
    CutOff,
    /// The header exceeds the cost limit.
    Header,
    Passphrase,
}

/// The key of one file, with the header as associated data of every segment.
pub struct StreamKey {
    cipher: XChaCha20Poly1305,
    nonce: [u8; NONCE_BYTES],
    header: [u8; BOUND_BYTES],
}

impl StreamKey {
    /// Derives a key for a new file.
    fn make(passphrase: &Secret) -> io::Result<Self> {
        let (salt, nonce): ([u8; SALT_BYTES], [u8; NONCE_BYTES]) = (rand::random(), rand::random());
        let mut header = Vec::with_capacity(BOUND_BYTES);
        header.extend_from_slice(HEAD);
        for number in [COST.memory_kib, COST.passes, COST.lanes] {
            header.extend_from_slice(&number.to_le_bytes());
        }
        header.extend_from_slice(&salt);
        header.extend_from_slice(&nonce);
        let header = header.try_into().map_err(|_| Error::other("the header has the wrong size"))?;
        Self::derive(passphrase, &COST, header)
    }

    /// Derives the key of an existing file and checks the passphrase.
    pub fn open(file: &mut impl Read, passphrase: &Secret) -> Result<Self, OpenError> {
        let mut header = [0_u8; BOUND_BYTES];
        let mut check = [0_u8; TAG_BYTES];
        for part in [header.as_mut_slice(), check.as_mut_slice()] {
            file.read_exact(part).map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => OpenError::CutOff,
                _ => OpenError::Io(error),
            })?;
        }
        let number = |place: usize| {
            let start = HEAD.len() + place * 4;
            header[start..start + 4].try_into().map_or(u32::MAX, u32::from_le_bytes)
        };
        let cost = Cost { memory_kib: number(0), passes: number(1), lanes: number(2) };
        let is_fair = cost.memory_kib <= COST_MAX.memory_kib
            && cost.passes <= COST_MAX.passes
            && cost.lanes <= COST_MAX.lanes
            && header.starts_with(HEAD);
        if !is_fair {
            return Err(OpenError::Header);
        }
        let key = Self::derive(passphrase, &cost, header).map_err(|_| OpenError::Header)?;
        key.decrypt(&check, 0, Kind::Check).map_err(|_| OpenError::Passphrase)?;
        Ok(key)
    }

    fn derive(passphrase: &Secret, cost: &Cost, header: [u8; BOUND_BYTES]) -> io::Result<Self> {
        let unfit = |error: argon2::Error| Error::new(ErrorKind::InvalidData, error.to_string());
        let parameters = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).map_err(unfit)?;
        let salt_at = HEAD.len() + PARAMETER_BYTES;
        let mut key = [0_u8; 32];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters)
            .hash_password_into(
                passphrase.expose().as_bytes(),
                &header[salt_at..salt_at + SALT_BYTES],
                &mut key,
            )
            .map_err(unfit)?;
        let mut nonce = [0_u8; NONCE_BYTES];
        nonce.copy_from_slice(&header[salt_at + SALT_BYTES..]);
        Ok(Self { cipher: XChaCha20Poly1305::new(&key.into()), nonce, header })
    }

    fn encrypt(&self, text: &[u8], number: u32, kind: Kind) -> io::Result<Vec<u8>> {
        self.cipher
            .encrypt(&self.nonce(number, kind), Payload { msg: text, aad: &self.header })
            .map_err(|_| Error::other("cannot encrypt a segment"))
    }

    fn decrypt(&self, sealed: &[u8], number: u32, kind: Kind) -> io::Result<Vec<u8>> {
        let damaged = |_| Error::new(ErrorKind::InvalidData, format!("segment {number} is damaged"));
        self.cipher
            .decrypt(&self.nonce(number, kind), Payload { msg: sealed, aad: &self.header })
            .map_err(damaged)
    }

    fn nonce(&self, number: u32, kind: Kind) -> XNonce {
        let mut nonce = [0_u8; 24];
        nonce[..NONCE_BYTES].copy_from_slice(&self.nonce);
        nonce[NONCE_BYTES..NONCE_BYTES + 4].copy_from_slice(&number.to_be_bytes());
        nonce[23] = kind as u8;
        nonce.into()
    }
}

/// A writer that encrypts. Without [`EncryptingWriter::finish`] the file is incomplete and is rejected.
pub struct EncryptingWriter<W: Write> {
    out: W,
    key: StreamKey,
    segment: Vec<u8>,
    number: u32,
}

impl<W: Write> EncryptingWriter<W> {
    pub fn new(mut out: W, passphrase: &Secret) -> io::Result<Self> {
        let key = StreamKey::make(passphrase)?;
        out.write_all(&key.header)?;
        out.write_all(&key.encrypt(b"", 0, Kind::Check)?)?;
        Ok(Self { out, key, segment: Vec::with_capacity(SEGMENT_BYTES), number: 0 })
    }

    /// Writes the last segment.
    pub fn finish(mut self) -> io::Result<W> {
        let last = self.key.encrypt(&self.segment, self.number, Kind::Last)?;
        self.out.write_all(&last)?;
        Ok(self.out)
    }
}

impl<W: Write> Write for EncryptingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Write a full segment only when more data arrives, because it may be the last one.
        if self.segment.len() == SEGMENT_BYTES && !bytes.is_empty() {
            let sealed = self.key.encrypt(&self.segment, self.number, Kind::Inner)?;
            self.out.write_all(&sealed)?;
            self.segment.clear();
            self.number =
                self.number.checked_add(1).ok_or_else(|| Error::other("the backup is too large"))?;
        }
        let count = bytes.len().min(SEGMENT_BYTES - self.segment.len());
        self.segment.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A seekable reader that decrypts, with one segment in memory.
pub struct DecryptingReader<R: Read + Seek> {
    file: R,
    key: Arc<StreamKey>,
    segments: u32,
    size: u64,
    place: u64,
    /// The current segment and its number.
    open: Option<(u32, Vec<u8>)>,
}

impl<R: Read + Seek> DecryptingReader<R> {
    pub fn new(mut file: R, key: Arc<StreamKey>) -> io::Result<Self> {
        let cut_off = || Error::new(ErrorKind::UnexpectedEof, "the file is truncated");
        let body = file.seek(SeekFrom::End(0))?.checked_sub(HEADER_BYTES as u64).ok_or_else(cut_off)?;
        let segments = body.div_ceil(SEALED_BYTES as u64);
        let size =
            body.checked_sub(segments * TAG_BYTES as u64).filter(|_| segments > 0).ok_or_else(cut_off)?;
        let segments = u32::try_from(segments).map_err(|_| Error::other("the backup is too large"))?;
        Ok(Self { file, key, segments, size, place: 0, open: None })
    }

    /// Reads the last segment, to check that the file is complete.
    pub fn check_end(&mut self) -> io::Result<()> {
        self.load(self.segments - 1).map(|_| ())
    }

    fn load(&mut self, number: u32) -> io::Result<&[u8]> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != number) {
            self.open = None;
            self.file.seek(SeekFrom::Start(HEADER_BYTES as u64 + u64::from(number) * SEALED_BYTES as u64))?;
            let mut sealed = Vec::with_capacity(SEALED_BYTES);
            self.file.by_ref().take(SEALED_BYTES as u64).read_to_end(&mut sealed)?;
            let kind = if number + 1 == self.segments { Kind::Last } else { Kind::Inner };
            self.open = Some((number, self.key.decrypt(&sealed, number, kind)?));
        }
        match &self.open {
            Some((_, segment)) => Ok(segment.as_slice()),
            None => Ok(&[]),
        }
    }
}

impl<R: Read + Seek> Read for DecryptingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.place >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let number = u32::try_from(self.place / SEGMENT_BYTES as u64).map_err(Error::other)?;
        let within = (self.place % SEGMENT_BYTES as u64) as usize;
        let segment = self.load(number)?;
        let rest = segment.get(within..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.place += count as u64;
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for DecryptingReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.place.checked_add_signed(by),
        };
        self.place = place.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "seek before the start"))?;
        Ok(self.place)
    }
}

#[cfg(test)]
#[path = "encrypted_tests.rs"]
mod tests;

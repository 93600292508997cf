//! A package: a ZIP file with XML parts, decompressed part by part within the limits.

use crate::plain_text::decode;
use crate::text_builder::{Abort, ExtractResult, TextBuilder, damaged};
use bytes::Bytes;
use domain::ports::ExtractError;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Bytes decompressed between two checks of the deadline.
const PIECE_BYTES: usize = 64 * 1024;
/// Signature of each entry in the central directory.
const ROW_MARK: &[u8] = b"PK\x01\x02";

pub struct Package {
    archive: ZipArchive<Cursor<Bytes>>,
    packed_bytes: u64,
    unpacked_bytes: u64,
}

impl Package {
    pub fn open(bytes: Bytes, builder: &TextBuilder) -> ExtractResult<Self> {
        let entries_max = builder.limits.entries;
        let packed_bytes = bytes.len() as u64;
        // Counted first, because reading the directory allocates memory for each entry.
        let rows = bytes.windows(ROW_MARK.len()).filter(|window| *window == ROW_MARK).count();
        if rows > entries_max {
            return damaged(&format!("it holds more than {entries_max} parts"));
        }
        let archive = match ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) if archive.len() > entries_max => {
                return damaged(&format!("it holds more than {entries_max} parts"));
            }
            Ok(archive) => archive,
            Err(_) => return damaged("its list of parts cannot be read"),
        };
        Ok(Self { archive, packed_bytes, unpacked_bytes: 0 })
    }

    /// Names of parts with this prefix and suffix, ordered by the number in between.
    pub fn numbered(&self, beginning: &str, ending: &str) -> Vec<String> {
        let number =
            |name: &str| -> Option<u32> { name.strip_prefix(beginning)?.strip_suffix(ending)?.parse().ok() };
        let names = self.archive.file_names().filter_map(Result::ok);
        let mut found: Vec<(u32, String)> =
            names.filter_map(|name| Some((number(&name)?, name.into_owned()))).collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// The text of a part; None if there is no such part.
    pub fn part(&mut self, name: &str, builder: &mut TextBuilder) -> ExtractResult<Option<String>> {
        let mut part = match self.archive.by_name(name) {
            Ok(part) if part.encrypted() => return Err(Abort::Failed(ExtractError::Protected)),
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(text)) if text == ZipError::PASSWORD_REQUIRED => {
                return Err(Abort::Failed(ExtractError::Protected));
            }
            Err(_) => return damaged("a part of it cannot be found"),
        };
        let mut bytes = Vec::new();
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            builder.check_deadline()?;
            let count = match part.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => count,
                Err(_) => return damaged("a part of it cannot be unpacked"),
            };
            self.unpacked_bytes += count as u64;
            let limits = &builder.limits;
            let is_too_much = self.unpacked_bytes > limits.unpacked_bytes
                || (self.unpacked_bytes > limits.unpack_ratio_from_bytes
                    && self.unpacked_bytes > self.packed_bytes.saturating_mul(limits.unpack_ratio));
            if is_too_much {
                return Err(Abort::Failed(ExtractError::TooLarge(limits.unpacked_bytes)));
            }
            bytes.extend_from_slice(&piece[..count]);
        }
        // Nearly always UTF-8, which needs no copy.
        Ok(Some(String::from_utf8(bytes).unwrap_or_else(|error| decode(error.as_bytes(), None).into_owned())))
    }

    /// A mandatory part.
    pub fn needed(&mut self, name: &str, builder: &mut TextBuilder) -> ExtractResult<String> {
        match self.part(name, builder)? {
            Some(text) => Ok(text),
            None => damaged("its main part is missing"),
        }
    }
}

//! A package: a zip file whose parts are XML. It is unpacked part by part, and never more than the limits allow.

use crate::plain_text::decode;
use crate::reading::{Reading, Step, Stop, damaged};
use bytes::Bytes;
use domain::contracts::ExtractError;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// How much is unpacked between two looks at the clock.
const PIECE_BYTES: usize = 64 * 1024;
/// Before the list of parts: the mark of each row in it.
const ROW_MARK: &[u8] = b"PK\x01\x02";

pub struct Package {
    archive: ZipArchive<Cursor<Bytes>>,
    packed_bytes: u64,
    unpacked_bytes: u64,
}

impl Package {
    pub fn open(bytes: Bytes, reading: &Reading) -> Step<Self> {
        let entries_max = reading.limits.entries;
        let packed_bytes = bytes.len() as u64;
        // Counted before the list is read, because reading it already takes memory for each row.
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

    /// The names of parts that begin and end like this, in the order of the number between.
    pub fn numbered(&self, beginning: &str, ending: &str) -> Vec<String> {
        let number =
            |name: &str| -> Option<u32> { name.strip_prefix(beginning)?.strip_suffix(ending)?.parse().ok() };
        let names = self.archive.file_names().filter_map(Result::ok);
        let mut found: Vec<(u32, String)> =
            names.filter_map(|name| Some((number(&name)?, name.into_owned()))).collect();
        found.sort();
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// The text of a part; none when there is no such part.
    pub fn part(&mut self, name: &str, reading: &mut Reading) -> Step<Option<String>> {
        let mut part = match self.archive.by_name(name) {
            Ok(part) if part.encrypted() => return Err(Stop::Failed(ExtractError::Protected)),
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(text)) if text == ZipError::PASSWORD_REQUIRED => {
                return Err(Stop::Failed(ExtractError::Protected));
            }
            Err(_) => return damaged("a part of it cannot be found"),
        };
        let mut bytes = Vec::new();
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            reading.look()?;
            let count = match part.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => count,
                Err(_) => return damaged("a part of it cannot be unpacked"),
            };
            self.unpacked_bytes += count as u64;
            let limits = &reading.limits;
            let is_too_much = self.unpacked_bytes > limits.unpacked_bytes
                || (self.unpacked_bytes > limits.unpack_ratio_from_bytes
                    && self.unpacked_bytes > self.packed_bytes.saturating_mul(limits.unpack_ratio));
            if is_too_much {
                return Err(Stop::Failed(ExtractError::TooLarge(limits.unpacked_bytes)));
            }
            bytes.extend_from_slice(&piece[..count]);
        }
        // Nearly always UTF-8, and then it is not copied.
        Ok(Some(String::from_utf8(bytes).unwrap_or_else(|error| decode(error.as_bytes(), None).into_owned())))
    }

    /// A part without which there is no document.
    pub fn needed(&mut self, name: &str, reading: &mut Reading) -> Step<String> {
        match self.part(name, reading)? {
            Some(text) => Ok(text),
            None => damaged("its main part is missing"),
        }
    }
}

//! The full texts of the semantic cache in a backup: one part with a row of name and text for each.

use super::{Backup, BackupError, BackupWriter};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use domain::ports::{BodyError, BodyKey, BodyStore};
use store::dump::DumpSink;

/// The part with the texts; absent if there are none.
pub const TEXTS_PART: &str = "texts";
/// Page size when listing keys.
const KEYS_AT_ONCE: usize = 100;

/// Counts of copied and failed texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Texts {
    pub done: u64,
    pub failed: u64,
    /// The last error.
    pub why: Option<BodyError>,
}

/// Adds all texts. Unreadable texts are counted; texts deleted meanwhile are skipped.
pub async fn add_texts(writer: &mut BackupWriter, bodies: &dyn BodyStore) -> anyhow::Result<Texts> {
    let mut texts = Texts::default();
    let mut keys = bodies.keys(None, KEYS_AT_ONCE).await?;
    if keys.is_empty() {
        return Ok(texts);
    }
    writer.begin_part(TEXTS_PART, None)?;
    while let Some(last) = keys.last().cloned() {
        for key in &keys {
            match bodies.get(key).await {
                Ok(Some(text)) => {
                    let name = key.as_str().to_owned();
                    writer.row(&vec![Some(name), Some(BASE64_STANDARD.encode(text))])?;
                    texts.done += 1;
                }
                Ok(None) => {}
                Err(error) => texts.failed(error),
            }
        }
        keys = bodies.keys(Some(&last), KEYS_AT_ONCE).await?;
    }
    writer.end()?;
    Ok(texts)
}

/// Restores all texts to the storage. Rejected texts are counted; their documents remain searchable.
pub async fn put_texts(backup: &Backup, bodies: &dyn BodyStore) -> Result<Texts, BackupError> {
    let mut texts = Texts::default();
    let Some(part) = backup.manifest.part(TEXTS_PART) else { return Ok(texts) };
    let mut rows = backup.rows(part)?;
    while let Some((row, _)) = rows.next_row()? {
        let unreadable = || BackupError::Part(TEXTS_PART.to_owned(), "a row is not a text".to_owned());
        let [Some(name), Some(text)] = row.as_slice() else { return Err(unreadable()) };
        let key = BodyKey::parse(name).ok_or_else(unreadable)?;
        let text = BASE64_STANDARD.decode(text).map_err(|_| unreadable())?;
        match bodies.put(&key, Bytes::from(text)).await {
            Ok(_) => texts.done += 1,
            Err(error) => texts.failed(error),
        }
    }
    Ok(texts)
}

impl Texts {
    fn failed(&mut self, error: BodyError) {
        self.failed += 1;
        self.why = Some(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::Manifest;
    use domain::ports::{Clock, SystemClock};
    use store::bodies::FolderBodies;

    fn key(number: usize) -> BodyKey {
        BodyKey::of_hash(&format!("{number:064x}")).unwrap()
    }

    fn manifest() -> Manifest {
        let made = SystemClock.now();
        Manifest { version: "0".to_owned(), schema: 1, made, key_fingerprint: None, parts: Vec::new() }
    }

    #[tokio::test]
    async fn every_text_comes_back_and_what_cannot_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let here = FolderBodies::new(folder.path().join("here"), 50);
        let text = |number: usize| Bytes::from(format!("text {number} \u{0}\u{fffd}\n"));
        let count = KEYS_AT_ONCE + 2;
        for number in 0..count {
            here.put(&key(number), text(number)).await.unwrap();
        }
        let large = Bytes::from(vec![7_u8; 2 * 1024 * 1024]);
        here.put(&key(count), large).await.unwrap();
        let damaged = folder.path().join("here").join(key(0).as_str());
        std::fs::write(damaged, "no text of ours").unwrap();

        let file = folder.path().join("backup");
        let mut writer = BackupWriter::create(&file).unwrap();
        let added = add_texts(&mut writer, &here).await.unwrap();
        assert_eq!((added.done, added.failed, added.why), (count as u64, 1, Some(BodyError::Damaged)));
        let written = writer.finish(manifest()).unwrap();
        assert_eq!(written.part(TEXTS_PART).unwrap().rows, count as u64);

        let there = FolderBodies::new(folder.path().join("there"), 1);
        let put = put_texts(&Backup::open(&file).unwrap(), &there).await.unwrap();
        assert_eq!((put.done, put.failed, put.why), (count as u64 - 1, 1, Some(BodyError::TooLarge(1))));
        for number in [1, 2, KEYS_AT_ONCE, count - 1] {
            assert_eq!(there.get(&key(number)).await.unwrap(), Some(text(number)), "{number}");
        }
        assert_eq!(there.get(&key(0)).await.unwrap(), None);
    }

    #[tokio::test]
    async fn an_installation_without_texts_has_no_part_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let bodies = FolderBodies::new(folder.path().join("bodies"), 1);
        let file = folder.path().join("backup");
        let mut writer = BackupWriter::create(&file).unwrap();
        assert_eq!(add_texts(&mut writer, &bodies).await.unwrap(), Texts::default());
        assert!(writer.finish(manifest()).unwrap().part(TEXTS_PART).is_none());
        let put = put_texts(&Backup::open(&file).unwrap(), &bodies).await.unwrap();
        assert_eq!(put, Texts::default());
        assert!(!folder.path().join("bodies").exists(), "no folder is created without texts");
    }
}

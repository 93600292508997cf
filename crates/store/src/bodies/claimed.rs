//! A body folder that belongs to one database. Each node of a cluster has its own data folder unless a shared one is
//! mounted: a node that mistook its own folder for the shared one would find no texts, or texts without a record.

use super::folder::FolderBodies;
use async_trait::async_trait;
use bytes::Bytes;
use domain::ports::{BodyError, BodyKey, BodyStore, SignalStore, StoreError};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Key of the folder id among the records.
pub(crate) const FOLDER_ID: &str = "bodies_folder";
/// Number of texts that are looked up among the records before a folder without an id is accepted.
const SAMPLE: usize = 100;

const IN_ANOTHER_FOLDER: &str = "the texts of these records are in another folder";

/// Texts are read from the folder as it is; before the first write or removal, the folder is compared with the
/// records.
pub struct ClaimedFolder {
    bodies: FolderBodies,
    records: Arc<dyn SignalStore>,
    is_claimed: OnceCell<()>,
}

impl ClaimedFolder {
    pub fn new(bodies: FolderBodies, records: Arc<dyn SignalStore>) -> Self {
        Self { bodies, records, is_claimed: OnceCell::new() }
    }

    async fn ensure_claimed(&self) -> Result<(), BodyError> {
        self.is_claimed.get_or_try_init(|| self.claim()).await.copied()
    }

    /// Checks that the folder belongs to the records, or claims it if they have none.
    async fn claim(&self) -> Result<(), BodyError> {
        let (here, recorded) = (self.bodies.id().await?, self.recorded().await?);
        match (&here, recorded) {
            (Some(here), Some(recorded)) if *here == recorded => Ok(()),
            (_, Some(_)) => Err(self.elsewhere(IN_ANOTHER_FOLDER)),
            (_, None) if !self.fits().await? => {
                Err(self.elsewhere("the records have texts, and none of them is here"))
            }
            (_, None) => self.take().await,
        }
    }

    async fn recorded(&self) -> Result<Option<String>, BodyError> {
        self.records.corpus_value(FOLDER_ID).await.map_err(unreadable)
    }

    /// Whether a folder without an id contains texts of the records, or they have none.
    async fn fits(&self) -> Result<bool, BodyError> {
        if self.records.corpus_counts().await.map_err(unreadable)?.body_bytes == 0 {
            return Ok(true);
        }
        for key in self.bodies.keys(None, SAMPLE).await? {
            if self.records.has_body(&key).await.map_err(unreadable)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Another node may do the same at this moment; the first one wins.
    async fn take(&self) -> Result<(), BodyError> {
        let id = self.bodies.ensure_id().await?;
        let first = self.records.claim_corpus_value(FOLDER_ID, &id).await.map_err(unreadable)?;
        if first == id { Ok(()) } else { Err(self.elsewhere("another node was faster with its own folder")) }
    }

    fn elsewhere(&self, what: &str) -> BodyError {
        BodyError::refused(format!(
            "{what} ({}). Mount one folder on every node, or keep texts in a bucket (SVC_STORAGE_BACKEND=s3). If the texts \
             are lost, `tributary doctor --repair` takes this folder",
            self.bodies.folder().display()
        ))
    }
}

fn unreadable(error: StoreError) -> BodyError {
    BodyError::unreachable(format!("the records cannot be asked: {error}")).caused_by(error)
}

#[async_trait]
impl BodyStore for ClaimedFolder {
    async fn put(&self, key: &BodyKey, body: Bytes) -> Result<u64, BodyError> {
        self.ensure_claimed().await?;
        self.bodies.put(key, body).await
    }

    async fn get(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError> {
        self.bodies.get(key).await
    }

    async fn delete(&self, key: &BodyKey) -> Result<(), BodyError> {
        self.ensure_claimed().await?;
        self.bodies.delete(key).await
    }

    async fn keys(&self, after: Option<&BodyKey>, limit: usize) -> Result<Vec<BodyKey>, BodyError> {
        self.bodies.keys(after, limit).await
    }

    async fn prepare(&self) -> Result<(), BodyError> {
        self.bodies.prepare().await?;
        self.ensure_claimed().await
    }

    async fn check(&self) -> Result<(), BodyError> {
        self.bodies.check().await?;
        let (here, recorded) = (self.bodies.id().await?, self.recorded().await?);
        if recorded.is_some() && recorded != here {
            return Err(self.elsewhere(IN_ANOTHER_FOLDER));
        }
        Ok(())
    }

    async fn adopt(&self) -> Result<(), BodyError> {
        self.bodies.prepare().await?;
        let id = self.bodies.ensure_id().await?;
        self.records.set_corpus_value(FOLDER_ID, &id).await.map_err(unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EncryptionKey, SqlStore, StoreConfig};
    use domain::secret::Secret;
    use tempfile::TempDir;

    async fn records() -> Arc<SqlStore> {
        let config = StoreConfig {
            url: Secret::new("sqlite::memory:"),
            pool_max: 1,
            key: EncryptionKey::from_secret(&Secret::new("a test key")),
        };
        Arc::new(SqlStore::open(config).await.unwrap())
    }

    fn folder(of: &TempDir, name: &str, records: &Arc<SqlStore>) -> ClaimedFolder {
        ClaimedFolder::new(FolderBodies::new(of.path().join(name), 1), records.clone())
    }

    fn key() -> BodyKey {
        BodyKey::of_hash(&"a".repeat(64)).unwrap()
    }

    fn assert_refused<T: std::fmt::Debug>(found: Result<T, BodyError>, why: &str) {
        let said = found.expect_err("refused").to_string();
        assert!(said.contains(why) && said.contains("SVC_STORAGE_BACKEND=s3"), "{said}");
    }

    #[tokio::test]
    async fn the_first_folder_is_taken_and_another_one_writes_and_removes_nothing() {
        let (place, records) = (tempfile::tempdir().unwrap(), records().await);
        let first = folder(&place, "first", &records);
        first.prepare().await.unwrap();
        first.check().await.unwrap();
        first.put(&key(), Bytes::from_static(b"text")).await.unwrap();
        let second = folder(&place, "second", &records);
        assert_refused(second.prepare().await, "in another folder");
        assert_refused(second.check().await, "in another folder");
        assert_refused(second.put(&key(), Bytes::from_static(b"text")).await, "in another folder");
        assert_refused(second.delete(&key()).await, "in another folder");
        assert_eq!(second.get(&key()).await.unwrap(), None);

        // Later starts, and a node that mounts the same folder.
        let again = folder(&place, "first", &records);
        again.prepare().await.unwrap();
        assert_eq!(again.get(&key()).await.unwrap().unwrap(), "text");
        again.delete(&key()).await.unwrap();

        // The operator declares the texts as lost.
        second.adopt().await.unwrap();
        second.put(&key(), Bytes::from_static(b"text")).await.unwrap();
        assert_refused(folder(&place, "first", &records).prepare().await, "in another folder");
    }

    #[tokio::test]
    async fn one_of_many_nodes_that_start_together_takes_its_folder() {
        let (place, records) = (tempfile::tempdir().unwrap(), records().await);
        let nodes: Vec<ClaimedFolder> =
            (0..4).map(|number| folder(&place, &number.to_string(), &records)).collect();
        let started = futures_util::future::join_all(nodes.iter().map(BodyStore::prepare)).await;
        assert_eq!(started.iter().filter(|started| started.is_ok()).count(), 1, "{started:?}");
    }

    #[tokio::test]
    async fn nodes_with_a_common_folder_start_together() {
        let (place, records) = (tempfile::tempdir().unwrap(), records().await);
        let nodes: Vec<ClaimedFolder> = (0..4).map(|_| folder(&place, "common", &records)).collect();
        for started in futures_util::future::join_all(nodes.iter().map(BodyStore::prepare)).await {
            started.unwrap();
        }
    }

    #[tokio::test]
    async fn an_empty_folder_is_not_taken_for_records_with_texts() {
        let (place, records) = (tempfile::tempdir().unwrap(), records().await);
        let ann = testkit::suites::store::person(&*records, "ann").await.id;
        let id = testkit::suites::store::signals::indexed(&*records, "x", "text", ann).await;
        let key = records.signal(id).await.unwrap().body_key.unwrap();
        assert_refused(folder(&place, "empty", &records).prepare().await, "none of them is here");
        let kept = FolderBodies::new(place.path().join("kept"), 1);
        kept.put(&key, Bytes::from_static(b"text")).await.unwrap();
        folder(&place, "kept", &records).prepare().await.unwrap();
    }
}

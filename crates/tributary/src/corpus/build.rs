//! Builds the semantic cache with the vector and text stores from the settings.

use crate::app::{PLUGINS, client_limits};
use crate::secret_files;
use anyhow::Context;
use corpus::{CacheParts, MAIL_ANSWER_BYTES_MAX, MailParts, SemanticCache};
use domain::corpus::{COLLECTION, QdrantMode, StorageBackend, VectorBackend};
use domain::ports::{
    BodyStore, Clock, ExtractText, Fetch, PluginContext, ReadPages, SourceTokens, TaskQueue, VectorStore,
};
use domain::settings::Settings;
use license::LicensePolicy;
use outbound::GuardedClient;
use std::path::Path;
use std::sync::Arc;
use store::SqlStore;
use store::bodies::{ClaimedFolder, FolderBodies, S3Bodies, S3Config, compressed_bytes_max};
use store::vectors::{MemoryVectors, NoVectors, PgVectors, QdrantConfig, QdrantVectors};

/// The folder of texts in the data folder.
const BODIES: &str = "bodies";

/// What the cache needs from the rest of the service.
pub struct CacheDeps<'a> {
    pub sql: &'a Arc<SqlStore>,
    pub queue: &'a Arc<dyn TaskQueue>,
    pub context: &'a PluginContext,
    pub settings: &'a Arc<Settings>,
    /// Reads pages from their sources.
    pub pages: &'a Arc<dyn ReadPages>,
    /// Users' connections to their mailboxes.
    pub tokens: Arc<dyn SourceTokens>,
    pub license: &'a LicensePolicy,
    pub data_dir: &'a Path,
}

/// Builds the cache without connecting, so that the service starts even if the vector store is unreachable.
pub fn build(deps: CacheDeps<'_>) -> anyhow::Result<SemanticCache> {
    let CacheDeps { sql, queue, context, settings, pages, tokens, license, data_dir } = deps;
    Ok(SemanticCache::new(CacheParts {
        store: sql.clone(),
        vectors: vectors(sql, settings, &context.fetch)?,
        bodies: claimed_bodies(sql, settings, &context.clock, data_dir)?,
        pages: Arc::clone(pages),
        embedding_models: Arc::clone(&context.embedding_models),
        queue: Arc::clone(queue),
        plugins: PLUGINS,
        mail: mail(settings, &context.extract, tokens, data_dir)?,
        license: license.clone(),
        clock: Arc::clone(&context.clock),
        settings: Arc::clone(settings),
    }))
}

/// Dependencies of the egress scan. Messages are recognized by a hash under the key that also encrypts credentials.
fn mail(
    settings: &Settings,
    extract: &Arc<dyn ExtractText>,
    tokens: Arc<dyn SourceTokens>,
    data_dir: &Path,
) -> anyhow::Result<MailParts> {
    let key = secret_files::existing_keys(settings, data_dir)?.map(|keys| keys.current).unwrap_or_default();
    let fetch = wide_client(settings, MAIL_ANSWER_BYTES_MAX)?;
    Ok(MailParts { fetch, extract: Arc::clone(extract), tokens, key })
}

fn vectors(
    sql: &Arc<SqlStore>,
    settings: &Settings,
    fetch: &Arc<dyn Fetch>,
) -> anyhow::Result<Arc<dyn VectorStore>> {
    Ok(match (settings.vector_backend, settings.qdrant_mode) {
        (VectorBackend::PgVector, _) => Arc::new(PgVectors::open(sql)?),
        (VectorBackend::Qdrant, QdrantMode::Memory) => {
            Arc::new(MemoryVectors::new(sql.clone(), corpus::word_indexer(settings)))
        }
        (VectorBackend::Qdrant, QdrantMode::External | QdrantMode::Docker) => {
            qdrant(settings, Arc::clone(fetch), COLLECTION)?
        }
        (VectorBackend::Qdrant, QdrantMode::Disabled) => Arc::new(NoVectors),
    })
}

/// A collection by name, for maintenance commands; `None` without a Qdrant server.
pub fn collection(settings: &Settings, name: &str) -> anyhow::Result<Option<Arc<dyn VectorStore>>> {
    match (settings.vector_backend, settings.qdrant_mode) {
        (VectorBackend::Qdrant, QdrantMode::External | QdrantMode::Docker) => {
            let client = Arc::new(GuardedClient::new(client_limits(settings)?)?);
            qdrant(settings, client, name).map(Some)
        }
        _ => Ok(None),
    }
}

fn qdrant(
    settings: &Settings,
    fetch: Arc<dyn Fetch>,
    collection: &str,
) -> anyhow::Result<Arc<dyn VectorStore>> {
    let config = QdrantConfig {
        fetch,
        url: settings.qdrant_url.clone(),
        api_key: settings.qdrant_api_key.clone(),
        collection: collection.to_owned(),
    };
    Ok(Arc::new(QdrantVectors::new(config).context("SVC_QDRANT_URL")?))
}

/// The text store; a folder must be the one recorded in the database.
fn claimed_bodies(
    sql: &Arc<SqlStore>,
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    data_dir: &Path,
) -> anyhow::Result<Arc<dyn BodyStore>> {
    match settings.storage_backend {
        StorageBackend::Folder => Ok(Arc::new(ClaimedFolder::new(folder(settings, data_dir), sql.clone()))),
        StorageBackend::S3 => bodies(settings, clock, data_dir),
    }
}

fn folder(settings: &Settings, data_dir: &Path) -> FolderBodies {
    FolderBodies::new(data_dir.join(BODIES), settings.storage_max_body_mb)
}

/// The text store from the settings.
pub fn bodies(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    data_dir: &Path,
) -> anyhow::Result<Arc<dyn BodyStore>> {
    let max_mb = settings.storage_max_body_mb;
    Ok(match settings.storage_backend {
        StorageBackend::Folder => Arc::new(folder(settings, data_dir)),
        StorageBackend::S3 => {
            let config = S3Config {
                fetch: wide_client(settings, compressed_bytes_max(max_mb))?,
                clock: Arc::clone(clock),
                endpoint: settings.storage_endpoint.clone(),
                region: settings.storage_region.clone(),
                bucket: settings.storage_bucket.clone(),
                access_key: settings.storage_access_key.clone(),
                secret_key: settings.storage_secret_key.clone(),
                max_mb,
            };
            Arc::new(S3Bodies::new(config).context("SVC_STORAGE_ENDPOINT")?)
        }
    })
}

/// A client with a higher response limit than for sources: for stored texts and mail attachments.
fn wide_client(settings: &Settings, bytes_max: u64) -> anyhow::Result<Arc<dyn Fetch>> {
    let mut limits = client_limits(settings)?;
    limits.body_bytes_max = limits.body_bytes_max.max(bytes_max);
    Ok(Arc::new(GuardedClient::new(limits)?))
}

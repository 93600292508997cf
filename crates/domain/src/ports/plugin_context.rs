//! Plug-in context: everything a plug-in may use.

use super::{
    AddressResolver, Clock, Corpus, EmbeddingModels, ExtractText, Fetch, GenerativeModels, QueryAdvisor,
    Unavailable,
};
use crate::settings::{DATABASE_FILE, PluginSettings};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone)]
pub struct PluginContext {
    pub fetch: Arc<dyn Fetch>,
    pub resolver: Arc<dyn AddressResolver>,
    pub extract: Arc<dyn ExtractText>,
    pub embedding_models: Arc<dyn EmbeddingModels>,
    pub generative_models: Arc<dyn GenerativeModels>,
    /// The corpus, as far as the license includes it.
    pub corpus: Arc<dyn Corpus>,
    pub query_advisor: Arc<dyn QueryAdvisor>,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<PluginSettings>,
    /// The service's own database, which no provider may read.
    pub own_database: Arc<OwnDatabase>,
}

impl PluginContext {
    /// A context with an HTTP client; the other ports are unavailable. The service's own database is the file in the
    /// data folder.
    pub fn new(fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>, settings: Arc<PluginSettings>) -> Self {
        let unavailable = Arc::new(Unavailable);
        Self {
            fetch,
            resolver: unavailable.clone(),
            extract: unavailable.clone(),
            embedding_models: unavailable.clone(),
            generative_models: unavailable.clone(),
            corpus: unavailable.clone(),
            query_advisor: unavailable,
            clock,
            own_database: Arc::new(OwnDatabase::in_folder(Path::new(&settings.data_dir))),
            settings,
        }
    }
}

/// Where the service's own database is, without the credentials for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnDatabase {
    Sqlite { file: PathBuf },
    Postgres { host: String, port: u16, database: String },
}

impl OwnDatabase {
    /// The database of an installation without `SVC_DATABASE_URL`.
    pub fn in_folder(data_dir: &Path) -> Self {
        Self::Sqlite { file: data_dir.join(DATABASE_FILE) }
    }
}

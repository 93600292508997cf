//! The semantic cache: copies of documents that people retrieved with their own permissions. It can be searched,
//! provides
//! full texts for summaries, and tracks whether each copy is still current.
//!
//! | Module | Contents |
//! |---|---|
//! | `semantic_cache`, `cache_parts`, `corpus_store` | the cache and its dependencies |
//! | `corpus_port` | the port `Corpus` |
//! | `ingest` | requests to cache a document, automatic caching, and the ingest task |
//! | `chunks` | splitting a text into chunks |
//! | `lineage` | documents with the same text or the same id at their source |
//! | `names` | what titles and file names say about a document and its version |
//! | `permissions` | access control |
//! | `search` | the cache as a search provider |
//! | `canonical` | decisions on versions: pins, elections, diffs |
//! | `versions` | groups of versions among the results of a search, and elections |
//! | `sparse_vector`, `word_language` | BM25 term weights of a text; the language of its words |
//! | `word_search` | whether words are searched |
//! | `cache_status` | the status of cached documents in results |
//! | `cached_page_reader` | reads pages from the cache if it has them |
//! | `freshness` | liveness checks |
//! | `removal` | removing documents |
//! | `egress` | scans of sent mail for cached documents |
//! | `user_documents` | the documents of one person |
//! | `statistics`, `counters` | sizes, and events of this process |
//! | `retention` | removal of expired and unreferenced texts |
//! | `maintenance` | commands: reset, deduplicate, upgrade, reindex, reconcile |
//! | `tasks` | background tasks |

mod cache_parts;
mod cache_status;
mod cached_page_reader;
pub mod canonical;
mod chunks;
mod corpus_port;
mod corpus_store;
mod counters;
mod egress;
mod freshness;
pub mod ingest;
mod lineage;
pub mod maintenance;
mod names;
mod permissions;
mod removal;
mod retention;
mod search;
mod semantic_cache;
mod sparse_vector;
mod statistics;
mod tasks;
mod user_documents;
mod versions;
mod word_language;
mod word_search;

pub use cache_parts::CacheParts;
pub use corpus_store::CorpusStore;
pub use counters::CounterValues;
pub use egress::{EgressError, MAIL_ANSWER_BYTES_MAX, MailParts, ScanRequest, ScanSentMail};
pub use freshness::{CHECKS_MAX, CheckError, CheckLiveness, Checked};
pub use removal::{IfPinned, RemovalError, RemovalTarget, Removed};
pub use semantic_cache::SemanticCache;
pub use sparse_vector::{sparse_query_vector, sparse_vector};
pub use statistics::{BackendHealth, Decisions};
pub use word_language::word_indexer;

pub use cached_page_reader::CachedPageReader;
pub use retention::{SweepError, Swept};
pub use tasks::{IngestDocument, SweepBodies};

//! Maintenance commands, and the checks at start.
//!
//! | Module | Contents |
//! |---|---|
//! | `ensure_ready` | creates the backends |
//! | `embedding_model` | the embedding model and its dimension |
//! | `iterate` | iterates over all documents |
//! | `reconcile` | compares records, vectors and texts, and repairs differences |
//! | `hybrid` | adds sparse vectors to a collection |
//! | `reindex` | embeds all chunks again |
//! | `dedup` | merges duplicate records |
//! | `reset` | removes all documents, or those of a matter |
//! | `entities` | removes a collection of earlier versions |

mod dedup;
mod embedding_model;
mod ensure_ready;
mod entities;
mod error;
mod hybrid;
mod iterate;
mod reconcile;
mod reindex;
mod reset;
#[cfg(test)]
mod tests;

pub use dedup::Deduplication;
pub use entities::{ENTITY_COLLECTION, drop_collection};
pub use error::MaintenanceError;
pub use hybrid::Upgrade;
pub use iterate::Progress;
pub use reconcile::{Difference, ReconcileReport, Repair};
pub use reindex::Reindexed;
pub use reset::Removal;

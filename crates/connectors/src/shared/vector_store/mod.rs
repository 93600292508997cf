//! What the connectors of vector stores with an HTTP API share.

pub mod config;
pub mod metadata_cache;
pub mod paging;
pub mod reply;
pub mod source;
pub mod store;

pub use config::{extras, list, path_name, server, word};
pub use paging::{Metric, PagePlan, Window};
pub use reply::{Reply, Target};
pub use source::{VectorAsk, VectorSource, Vendor, check_with};
pub use store::{CheckedUrl, KeyLocation, Store};

/// Whether a store can skip results, for [`PagePlan::of`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    Offset,
    OneAnswer,
}

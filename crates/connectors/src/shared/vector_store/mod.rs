//! Stores of vectors that are asked over HTTP: what their connectors share.

pub mod known;
pub mod place;
pub mod plan;
pub mod reply;
pub mod source;
pub mod store;

pub use place::{extras, list, path_name, server, word};
pub use plan::{Metric, Plan, Window};
pub use reply::{Place, Reply};
pub use source::{VectorSource, Vendor, check_with, wrong};
pub use store::{KeyPlace, Store};

/// What a store is, for [`Plan::of`]: whether it can skip what an earlier page gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paging {
    Offset,
    OneAnswer,
}

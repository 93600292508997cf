//! Stand-ins for sources that cannot be started here, written from their public descriptions. Each refuses what
//! the original refuses: wrong credentials, paths, methods and fields, pages that are too large.

pub mod graph_ql;
pub mod open_search;
pub mod stand;

//! What the server has: its user, and the names of its database and collections.

pub const USER: &str = "reader";
pub const PASSWORD: &str = "pass:word@{1}";
pub const DATABASE: &str = "library";
/// A collection with a text index over `title`, and one without.
pub const COLLECTION: &str = "river_documents";
pub const PLAIN_COLLECTION: &str = "plain_documents";
/// A collection whose documents never arrive.
pub const SLOW_COLLECTION: &str = "slow_documents";

//! Limits of requests and texts.

/// Fewest words of a cached text.
pub const WORDS_MIN: usize = 40;
/// Fewest words of a supplied text; with fewer the document is fetched.
pub const SUPPLIED_WORDS_MIN: usize = 200;
/// Most tags of one request.
pub const MATTER_TAGS_MAX: usize = 50;

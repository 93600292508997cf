//! Limits of query transforms.

/// Maximum number of rows that are rules.
pub const ROWS_MAX: usize = 10_000;
/// Maximum length of a cell, in characters.
pub const CELL_CHARS_MAX: usize = 1024;
/// Maximum number of words in one pattern or term.
pub const WORDS_MAX: usize = 20;
/// Maximum number of synonyms of one term.
pub const SYNONYMS_MAX: usize = 100;
/// Maximum number of phrases that a phrase with terms becomes. Terms that would exceed it stay.
pub const PHRASES_MAX: usize = 120;
/// Maximum number of patterns in all rows of a rewrite.
pub const PATTERNS_MAX: usize = 20_000;
/// Maximum number of replacements of a rewrite in one query, over all of its rows.
pub const REPLACEMENTS_MAX: usize = 10_000;
/// Maximum number of reported errors.
pub const ERRORS_MAX: usize = 50;
/// Maximum length of a transformed query, in characters. Rules that would exceed it are not applied.
pub const OUTPUT_CHARS_MAX: usize = 8192;

//! The scale: how well a result answers a query, and why. Pure text work, no I/O.
//!
//! | Module | What lives there |
//! |---|---|
//! | [`tokens`], [`stems`], [`stopwords`] | words of a text, their stems, words that say nothing |
//! | [`query`] | query text → terms, phrases, negated words |
//! | [`field`], [`hits`] | the fields that count, and where the query's words stand in them |
//! | [`bm25`], [`proximity`] | how much the hits weigh in a pool of results, how near they stand |
//! | [`confidence`], [`score`] | `swirl_confidence_score` and `swirl_score` |
//! | [`explain`] | the `explain` of a result |
//! | [`pool`] | all of it together: [`prepare`] one result, [`score_pool`] many |

pub mod bm25;
pub mod confidence;
pub mod explain;
pub mod field;
pub mod hits;
pub mod pool;
pub mod proximity;
pub mod query;
pub mod score;
pub mod stems;
pub mod stopwords;
pub mod tokens;

pub use pool::{mark_file_system, prepare, score_pool};
pub use query::Query;

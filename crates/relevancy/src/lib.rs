//! The scale: how well a result answers a query, and why. Pure text work, no I/O.
//!
//! | Module | What lives there |
//! |---|---|
//! | [`scale`] | what the settings say about scores |
//! | [`language`], [`tokens`], [`stems`], [`stopwords`] | words of a text, their stems, words that say nothing |
//! | [`sentences`], [`highlights`] | sentences of a text, marks around its matched words |
//! | [`query`] | query text → terms, phrases, negated words |
//! | [`field`], [`hits`] | the fields that count, and where the query's words stand in them |
//! | [`bm25`], [`background`], [`proximity`], [`company`], [`repetition`] | how much the hits weigh in a pool of results and in the language, how near they stand, how near the result is to the best others, what was said before |
//! | [`reader`], [`direction`] | the reader model: what a text is about; the vectors of another model |
//! | [`targets`] | how alike parts of the query and of a text are, by the reader model |
//! | [`confidence`], [`mod@score`] | `swirl_confidence_score` and `swirl_score` |
//! | [`explain`] | the `explain` of a result |
//! | [`reranked`] | the judgement of a reranker in the confidence |
//! | [`passages`] | the parts of a long text that say most about a query |
//! | [`similarity`] | which results are the same document |
//! | [`mod@prepare`], [`pool`] | all of it together: [`prepare()`] one result, [`score()`] many |

pub mod background;
pub mod bm25;
pub mod company;
pub mod confidence;
pub mod direction;
pub mod explain;
pub mod field;
pub mod highlights;
pub mod hits;
pub mod language;
pub mod passages;
pub mod pool;
pub mod prepare;
pub mod proximity;
pub mod query;
pub mod reader;
pub mod repetition;
pub mod reranked;
pub mod scale;
pub mod score;
pub mod sentences;
pub mod similarity;
pub mod stems;
pub mod stopwords;
pub mod targets;
pub mod tokens;

pub use direction::{Direction, Directions};
pub use language::Language;
pub use pool::{Answer, score, score_by, score_pool};
pub use prepare::{find_again, mark_file_system, prepare, text_of};
pub use query::Query;
pub use reranked::rerank;
pub use scale::Scale;
pub use targets::Asked;

/// The page that explains the formulas; its worked example is tested with the code.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/ranking.md")]
pub struct Ranking;

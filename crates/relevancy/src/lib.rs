//! Relevancy: how well a result matches a query, and why. Pure text processing, no I/O.
//!
//! | Module | Contents |
//! |---|---|
//! | [`config`] | scoring configuration from the settings |
//! | [`language`], [`tokens`], [`stems`], [`stopwords`] | words of a text, stemming, stopwords |
//! | [`language_detection`], [`query_language`], `language_signs` | the language of a text or a result, and of a query |
//! | [`sentences`], [`highlights`] | sentences of a text, highlighting of matched words |
//! | [`query`], [`query_forms`], [`term_set`] | query text → terms, phrases, negated words; the same for results in other languages |
//! | [`hits`], [`codes`] | where the query's words occur in the fields of a result, also codes in another spelling |
//! | [`bm25`], [`background_frequencies`], [`proximity`], [`neighbor_support`], [`repetition`] | evidence: term frequencies in the results and in the language, distances, similarity to the best other results, repeated text |
//! | [`embedder`], [`external_embedding`] | the built-in embedding model; embeddings of an external model |
//! | [`second_reader`] | an optional model that is not part of the program |
//! | [`targets`] | similarity of parts of the query and of a text |
//! | `exact` | exact matches come first among results that are about as good |
//! | [`confidence`], [`mod@score`] | `swirl_confidence_score` and `swirl_score` |
//! | [`explain`] | how the `explain` of a result is written |
//! | [`reranked`] | the score of a reranker in the confidence |
//! | [`passages`] | the most relevant parts of a long text |
//! | [`similarity`] | which results are the same document |
//! | [`mod@prepare`], [`pool`] | the entry points: [`prepare()`] one result, [`score()`] many |

mod ascii_words;
pub mod background_frequencies;
pub mod bm25;
pub mod codes;
pub mod confidence;
pub mod config;
pub mod embedder;
mod exact;
pub mod explain;
pub mod external_embedding;
pub mod highlights;
pub mod hits;
pub mod language;
pub mod language_detection;
mod language_signs;
pub mod neighbor_support;
pub mod passages;
pub mod pool;
pub mod prepare;
pub mod proximity;
pub mod query;
pub mod query_forms;
pub mod query_language;
mod query_parts;
pub mod repetition;
pub mod reranked;
pub mod score;
pub mod second_reader;
pub mod sentences;
pub mod similarity;
pub mod stems;
pub mod stopwords;
pub mod targets;
pub mod term_set;
pub mod tokens;
mod word_filter;

pub use config::ScoringConfig;
pub use external_embedding::{ExternalEmbedding, ExternalEmbeddings};
pub use language::Language;
pub use pool::{ProviderResults, score, score_by, score_pool};
pub use prepare::{find_again, mark_file_system, prepare, text_of};
pub use query::{Query, Term, TermMatch};
pub use query_forms::{QueryForms, ResultLanguages};
pub use reranked::rerank;
pub use targets::MatchTargets;

/// The page that explains the formulas; its worked example is tested with the code.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/ranking.md")]
pub struct Ranking;

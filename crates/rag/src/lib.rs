//! Retrieval-augmented generation: the AI summary of a search, and the chat.
//!
//! `generate.rs` is the pipeline of a summary from top to bottom.
//!
//! | Module | Content |
//! |---|---|
//! | `summaries` | entry point: the stored summary, one in progress, or a new one |
//! | `context`, `rag_store` | dependencies and shared state |
//! | `request` | normalized requests and which summaries serve them |
//! | `in_progress` | generations in progress in this process, and their subscribers |
//! | `lease` | the right of one process to write the summary of a search |
//! | `generate` | the pipeline |
//! | `selection`, `fetch_texts`, `query`, `prompt`, `safe_stream`, `check`, `summary_item` | its steps |
//! | `extractive` | summaries without a model |
//! | `question_kind`, `question_words`, `wanted` | what a question asks for |
//! | `answerability` | how likely a result contains an answer |
//! | `better_order` | a better order of a list, by the second reader |
//! | `second_reader` | an optional model that compares the query with results and passages |
//! | `facts` | numbers, dates, names and negations of a text, and their comparison |
//! | `disagreement` | sources that give different values for the same fact |
//! | `chat` | conversations with tools and citations |
//! | `prose` | the Markdown of models in blocks, for pages and exports |

mod answerability;
mod better_order;
pub mod chat;
mod check;
mod context;
mod disagreement;
mod error;
mod events;
mod extractive;
mod facts;
mod fetch_texts;
mod generate;
mod in_progress;
mod lease;
mod prompt;
pub mod prose;
mod query;
mod question_kind;
mod question_words;
mod rag_store;
mod request;
mod safe_stream;
mod second_reader;
mod selection;
mod sentences;
mod summaries;
mod summary_item;
mod wanted;

pub use better_order::{BetterOrder, BetterOrders};
pub use check::GROUNDED_MIN;
pub use context::RagDeps;
pub use error::SummaryError;
pub use events::{Stage, SummaryEvent};
pub use rag_store::RagStore;
pub use second_reader::{SecondReader, TextVector};
pub use summaries::Summaries;

//! The answers of a search: the AI summary and the chat.
//!
//! Read `make.rs` first: it is the path of an answer, top to bottom.
//!
//! | Module | What lives there |
//! |---|---|
//! | `answers` | the door: the stored answer, one that is being made, or a new one |
//! | `board` | who makes an answer in this process, and who follows it |
//! | `lease` | which process may write the answer of a search |
//! | `make` | the path: choose, read, assemble, write, check, keep |
//! | `choose`, `gather`, `prompt`, `telling`, `check`, `row` | its steps |
//! | `extractive` | an answer without a model |
//! | `chat` | conversations: what the model looks up, and its answers |

mod answers;
mod board;
pub mod chat;
mod check;
mod choose;
mod error;
mod events;
mod extractive;
mod gather;
mod lease;
mod make;
mod prompt;
mod question;
mod row;
mod sentences;
mod telling;
mod wish;

pub use answers::{Answers, AnswersParts};
pub use error::AnswerError;
pub use events::{AnswerEvent, Stage};

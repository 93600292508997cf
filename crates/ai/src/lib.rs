//! The readers and the writers: models that others run, spoken to in their own dialects.
//!
//! | Module | What lives there |
//! |---|---|
//! | `dialects` | one file and one row for each kind of service |
//! | `choice` | who serves a role, and who steps in |
//! | `writers` | asks a generative model and reads what it writes, piece by piece |
//! | `writing` | the pieces of one answer, within limits |
//! | `readers` | vectors and ranks, built in or by a service |
//! | `refusal`, `failures` | why a service gave no answer, in sentences without secrets |
//! | `tokens` | how many tokens a text has, and how many a model takes |
//! | `templates` | the AIProviders and prompts that the program brings along |
//! | `trial` | one provider, tried by itself |

mod choice;
pub mod dialects;
mod failures;
mod readers;
mod refusal;
mod templates;
mod tokens;
mod trial;
mod writers;
mod writing;

pub use readers::{RECORDS_KEPT, Readers};
pub use templates::{PROMPTS, PROVIDERS, PromptTemplate, ProviderTemplate, ensure_records};
pub use trial::{TRIAL_TIME_MAX, Trial, Trials};
pub use writers::AiWriters;
pub use writing::ANSWER_CHARS_MAX;

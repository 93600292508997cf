//! Models of other vendors: generation, embedding and reranking over their HTTP APIs.
//!
//! | Module | Content |
//! |---|---|
//! | `apis` | requests and responses of each vendor's API, one file per vendor |
//! | `selection` | the provider of a role and its fallbacks |
//! | `access` | access tokens of service accounts |
//! | `generation` | completions from generative models |
//! | `completion_stream` | the chunks of a completion |
//! | `reasoning_filter` | removes reasoning from the text of a completion |
//! | `embeddings` | embeddings and reranking, built in or by a service |
//! | `error` | model errors without secrets |
//! | `repetition`, `vendor_message` | how much of the message of a service an error repeats, for people and for administrators |
//! | `tokens` | token counts and context windows |
//! | `templates` | the bundled AI providers and prompts |
//! | `probe` | the connection test of a provider |

mod access;
pub mod apis;
mod completion_stream;
mod embeddings;
mod error;
mod generation;
mod probe;
mod reasoning_filter;
mod repetition;
mod selection;
mod templates;
mod tokens;
mod vendor_message;

pub use completion_stream::ANSWER_CHARS_MAX;
pub use embeddings::{AiEmbeddingModels, PROVIDERS_TTL};
pub use generation::AiGenerativeModels;
pub use probe::{ModelProbe, PROBE_TIME_MAX, ProbeError, ProbeErrorKind, ProbeResult};
pub use templates::{PROMPTS, PROVIDERS, PromptTemplate, ProviderTemplate, ensure_records};

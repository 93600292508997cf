//! Models of other vendors: generation, embedding and reranking over their HTTP APIs.
//!
//! | Module | Content |
//! |---|---|
//! | `apis` | requests and responses of each vendor's API, one file per vendor |
//! | `selection` | the provider of a role and its fallbacks |
//! | `generation` | completions from generative models |
//! | `completion_stream` | the chunks of a completion |
//! | `embeddings` | embeddings and reranking, built in or by a service |
//! | `error` | model errors without secrets |
//! | `tokens` | token counts and context windows |
//! | `templates` | the bundled AI providers and prompts |
//! | `probe` | the connection test of a provider |

pub mod apis;
mod completion_stream;
mod embeddings;
mod error;
mod generation;
mod probe;
mod selection;
mod templates;
mod tokens;

pub use completion_stream::ANSWER_CHARS_MAX;
pub use embeddings::{AiEmbeddingModels, PROVIDERS_TTL};
pub use generation::AiGenerativeModels;
pub use probe::{ModelProbe, PROBE_TIME_MAX, ProbeError, ProbeErrorKind, ProbeResult};
pub use templates::{PROMPTS, PROVIDERS, PromptTemplate, ProviderTemplate, ensure_records};

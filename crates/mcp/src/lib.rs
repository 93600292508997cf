//! The service as tools for models: the Model Context Protocol.
//!
//! | Module | What lives there |
//! |---|---|
//! | `door` | where a caller came in: who it is, and what is counted |
//! | `handler` | the protocol's requests, each handed to its table |
//! | `tools`, `resources`, `prompts` | one file for each, and the tables of them |
//! | `call`, `running`, `progress` | what a tool is given; a search that is followed while it runs |
//! | `views`, `markdown`, `schema` | what is shown of records: whitelists, as data and as text |
//! | `documents` | texts of documents that are read window by window |
//! | `transports` | streamable HTTP and standard input and output |
//!
//! Over HTTP every request stands for itself: there are no sessions, so that any process may answer any request and
//! nothing has to be kept, bounded or bound to a person. Progress comes in the answer of the request itself.

mod call;
mod documents;
mod door;
mod error;
mod handler;
mod markdown;
mod progress;
mod prompts;
mod resources;
mod running;
mod schema;
mod tools;
mod transports;
mod views;

pub use door::{Costly, Door};
pub use error::McpError;
pub use handler::Handler;

use answers::Answers;
use corpus::SemanticCache;
use documents::Documents;
use domain::contracts::{Catalogues, Clock, ReadPages, Store};
use domain::settings::Settings;
use federation::Federation;
use std::sync::Arc;

/// What the tools are given.
pub struct McpParts {
    pub store: Arc<dyn Store>,
    pub federation: Arc<Federation>,
    pub answers: Arc<Answers>,
    /// The semantic cache.
    pub corpus: Arc<SemanticCache>,
    pub pages: Arc<dyn ReadPages>,
    pub catalogues: Catalogues,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}

/// All tools, resources and prompts, for any number of callers.
pub struct Mcp {
    store: Arc<dyn Store>,
    federation: Arc<Federation>,
    answers: Arc<Answers>,
    corpus: Arc<SemanticCache>,
    pages: Arc<dyn ReadPages>,
    catalogues: Catalogues,
    clock: Arc<dyn Clock>,
    settings: Arc<Settings>,
    documents: Documents,
}

impl Mcp {
    pub fn new(parts: McpParts) -> Self {
        let McpParts { store, federation, answers, corpus, pages, catalogues, clock, settings } = parts;
        Self {
            store,
            federation,
            answers,
            corpus,
            pages,
            catalogues,
            clock,
            settings,
            documents: Documents::default(),
        }
    }
}

//! Vector search over the chunks of cached documents, restricted to what the person may see. The SQL records are
//! authoritative;
//! a vector store is an index that can be rebuilt from them.
//!
//! | Module | Contents |
//! |---|---|
//! | `memory` | in this process, loaded from the records on first use |
//! | `pg` | in PostgreSQL, with pgvector |
//! | `qdrant` | in a Qdrant server |
//! | `disabled` | none |
//! | `limits`, `hybrid`, `math` | what they share |

mod disabled;
mod hybrid;
mod limits;
mod math;
mod memory;
mod pg;
mod qdrant;

pub use disabled::NoVectors;
pub use memory::MemoryVectors;
pub use pg::PgVectors;
pub use qdrant::{QdrantConfig, QdrantVectors};

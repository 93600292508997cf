//! Storage of all records in SQLite or PostgreSQL. All SQL of the service is here.
//!
//! | Module | Contents |
//! |---|---|
//! | `bodies` | full texts of cached documents, in a folder or a bucket |
//! | `audit_chain` | the hash chain of the audit log |
//! | `compact` | shrinks the file of an SQLite database |
//! | `dump` | all records as text, for backups: export and import |
//! | `db` | connections, transactions, and the macros that compile one query for both databases |
//! | `facts` | facts about a database without the content of records |
//! | `lifecycle` | opening, monitoring and closing of a store |
//! | `migrations` | schema migrations at start |
//! | `notify` | message bus between processes that share a PostgreSQL database |
//! | `own_database` | the place of a database by its URL |
//! | `sql` | one module per record: row, conversion, queries |
//! | `postgres_connections`, `sqlite_connections` | connections that are used again without a test |
//! | `sqlite_batch` | few calls of the threads that own the connections to SQLite |
//! | `sql_store` | the store that the modules of `sql` implement |
//! | `encryption` | encryption of credentials at rest |
//! | `vectors` | vector search over the chunks of cached documents |
//! | `json_column`, `json_block`, `idle_writers` | large JSON columns, which SQLite stores compressed |
//! | `json`, `error` | values and errors in the form that both databases share |

pub mod audit_chain;
pub mod bodies;
mod checkpoints;
mod compact;
mod db;
pub mod dump;
mod encoder_threads;
mod encryption;
mod error;
mod facts;
mod idle_writers;
mod json;
mod json_block;
mod json_column;
mod lifecycle;
mod migrations;
mod notify;
mod open_batch;
mod own_database;
mod postgres_connections;
mod row;
mod sql;
mod sql_store;
mod sqlite_batch;
mod sqlite_connections;
pub mod vectors;

pub use compact::{Compacted, compact};
pub use encryption::{EncryptionKey, KeySource};
pub use facts::{DatabaseFacts, TableFacts, database_facts};
pub use lifecycle::STATEMENT_MAX;
pub use notify::PostgresMessageBus;
pub use own_database::own_database;
pub use sql::RekeyReport;
pub use sql_store::{SqlStore, StoreConfig};

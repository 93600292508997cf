//! Searches with an in-memory store and queue.

mod deadline;
mod kept_searches;
mod versions;

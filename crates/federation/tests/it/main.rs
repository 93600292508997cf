//! Searches with an in-memory store and queue.

mod deadline;
mod fixture;
mod kept_searches;
mod versions;

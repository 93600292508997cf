//! Searches as a whole, on a store and a queue in memory.

mod deadline;
mod kept_searches;
mod versions;

//! What people do with the cache: check documents, list them, remove them.

mod canonical;
mod documents;
mod fixture;
mod freshness;
mod pages_of_results;
mod removal;

//! What people do with the cache: look whether a document is still there, see what is theirs, take it out.

mod canonical;
mod documents;
mod fixture;
mod freshness;
mod pages_of_results;
mod removal;

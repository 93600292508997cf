//! Documents on their way into the cache, with sources that do what a test says.

mod attribution;
mod crashes;
mod house;
mod ingest;
mod pages;
mod pinning;
mod promotion;
mod provenance;
mod sweep;

//! Documents on their way into the cache, with sources that do what a test says.

mod attribution;
mod crashes;
mod fixture;
mod pages;
mod pinning;
mod promotion;
mod provenance;
mod requests;
mod sweep;

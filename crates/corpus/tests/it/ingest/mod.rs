//! Ingest, with scripted sources.

mod attribution;
mod crashes;
pub mod fixture;
mod pages;
mod pinning;
mod privacy;
mod promotion;
mod provenance;
mod requests;
mod sweep;

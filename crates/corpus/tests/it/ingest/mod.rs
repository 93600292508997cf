//! Ingest, with scripted sources.

mod attribution;
mod crashes;
mod fixture;
mod pages;
mod pinning;
mod privacy;
mod promotion;
mod provenance;
mod requests;
mod sweep;

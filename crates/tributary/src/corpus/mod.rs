//! The semantic cache of this process: its construction, its provider record and its work at startup.

pub mod build;
pub mod provider;
pub mod startup;

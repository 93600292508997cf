//! Versions of a document: which counts, who decides, and who sees it.

mod decisions;
mod families;
mod fixture;
mod reading;
mod status;

//! Versions of a document: which counts, who says so, and who sees it.

mod decisions;
mod fixture;
mod reading;
mod standing;

//! Searches with an in-memory store and queue.

mod deadline;
mod fixture;
mod handed_records;
mod kept_searches;
mod languages;
mod source_choice;
mod versions;

//! A judged collection: documents, queries, and which document answers which query how well.

mod lines;
mod read;

pub use read::read;

use std::collections::HashMap;
use std::path::PathBuf;

/// Where a collection is read from.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Holds `docs.jsonl`, `queries.jsonl` or `queries.tsv`, and `qrels.tsv`.
    pub folder: PathBuf,
    /// Other queries than the folder's.
    pub queries: Option<PathBuf>,
    /// Other judgements than the folder's.
    pub judgements: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    pub id: String,
    pub title: String,
    pub text: String,
    pub author: String,
    pub date_published: String,
}

impl Document {
    /// Title and text, as an engine reads them.
    pub fn whole(&self) -> String {
        format!("{} {}", self.title, self.text)
    }
}

/// Grades of documents, by their place in the collection. A document that is not listed has grade 0.
pub type Grades = HashMap<usize, u32>;

/// A query with at least one document that answers it.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub id: String,
    /// Plain words, as every index and the service get them.
    pub text: String,
    pub grades: Grades,
}

#[derive(Debug, Default)]
pub struct Collection {
    /// The name of its folder.
    pub name: String,
    pub documents: Vec<Document>,
    pub queries: Vec<Query>,
    /// What was left out or changed on reading, for people.
    pub remarks: Vec<String>,
}

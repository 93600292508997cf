//! A judged test collection: documents, queries and relevance judgments.

mod lines;
mod read;

pub use read::read;

use std::collections::HashMap;
use std::path::PathBuf;

/// The location of a collection.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Contains `docs.jsonl`, `queries.jsonl` or `queries.tsv`, and `qrels.tsv`.
    pub folder: PathBuf,
    /// Queries to use instead of the folder's.
    pub queries: Option<PathBuf>,
    /// Judgments to use instead of the folder's.
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
    /// Title and text, as indexed.
    pub fn whole(&self) -> String {
        format!("{} {}", self.title, self.text)
    }
}

/// Grades by document index; documents that are not listed have grade 0.
pub type Grades = HashMap<usize, u32>;

/// A query with at least one relevant document.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    pub id: String,
    /// Plain words, as sent to every index and the service.
    pub text: String,
    pub grades: Grades,
}

#[derive(Debug, Default)]
pub struct Collection {
    /// The name of the folder.
    pub name: String,
    pub documents: Vec<Document>,
    pub queries: Vec<Query>,
    /// Notes about what was omitted or changed while reading.
    pub remarks: Vec<String>,
}

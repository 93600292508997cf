//! Reads a collection and reports all errors at once, with file and line.

use super::lines::{FILE_BYTES_MAX, Mistakes, each_line};
use super::{Collection, Document, Given, Grades, Query};
use crate::eval::tokenizer::{PlainQuery, plain_query};
use anyhow::{Context, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Maximum grade; gains grow with 2 to the power of the grade.
const GRADE_MAX: u32 = 20;

pub fn read(given: &Given) -> anyhow::Result<Collection> {
    let folder = &given.folder;
    ensure!(
        folder.is_dir(),
        "{} is not a folder; --collection must name the folder of a collection",
        folder.display()
    );
    let mut mistakes = Mistakes::default();
    let documents = documents(&folder.join("docs.jsonl"), &mut mistakes)?;
    let queries_file = given.queries.clone().unwrap_or_else(|| queries_in(folder));
    let texts = queries(&queries_file, &mut mistakes)?;
    let judgements_file = given.judgements.clone().unwrap_or_else(|| folder.join("qrels.tsv"));
    let judgements = judgements(&judgements_file, &mut mistakes)?;
    mistakes.finish()?;
    ensure!(!documents.is_empty(), "{} contains no documents", folder.join("docs.jsonl").display());

    let mut remarks = Vec::new();
    let mut grades = graded(&judgements, &documents, &texts, &judgements_file, &mut remarks);
    let asked: Vec<Query> =
        texts.into_iter().filter_map(|query| judged(query, &mut grades, &mut remarks)).collect();
    ensure!(
        !asked.is_empty(),
        "no query of {} has a relevant document in {}; are their ids the same?",
        queries_file.display(),
        judgements_file.display()
    );
    Ok(Collection { name: name_of(folder), documents, queries: asked, remarks })
}

fn name_of(folder: &Path) -> String {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    full.file_name().map_or_else(|| "collection".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn queries_in(folder: &Path) -> PathBuf {
    let json = folder.join("queries.jsonl");
    let table = folder.join("queries.tsv");
    if !json.exists() && table.exists() { table } else { json }
}

/// A line of `docs.jsonl` or `queries.jsonl`. Ids may be numbers.
#[derive(Deserialize)]
struct Record {
    #[serde(alias = "_id")]
    id: Value,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    author: Option<String>,
    #[serde(default)]
    date_published: Option<String>,
}

impl Record {
    fn parse(line: &str) -> anyhow::Result<(String, Self)> {
        let record: Self = serde_json::from_str(line)?;
        match &record.id {
            Value::String(id) if !id.trim().is_empty() => Ok((id.clone(), record)),
            Value::Number(id) => Ok((id.to_string(), record)),
            other => bail!("the id must be a string or a number, not {other}"),
        }
    }
}

fn documents(path: &Path, mistakes: &mut Mistakes) -> anyhow::Result<Vec<Document>> {
    let (mut documents, mut known) = (Vec::new(), HashSet::new());
    let take = |line: usize, text: &str| match Record::parse(text) {
        Err(problem) => mistakes.add(path, line, problem),
        Ok((id, _)) if !known.insert(id.clone()) => {
            mistakes.add(path, line, format!("the document '{id}' is a duplicate"));
        }
        Ok((id, record)) => documents.push(Document {
            id,
            title: record.title.unwrap_or_default(),
            text: record.text.unwrap_or_default(),
            author: record.author.unwrap_or_default(),
            date_published: record.date_published.unwrap_or_default(),
        }),
    };
    each_line(path, FILE_BYTES_MAX, take).context(
        "a collection needs docs.jsonl with a line {\"id\", \"title\", \"text\"} for each document",
    )?;
    Ok(documents)
}

/// A query that may have no judgments.
struct QueryText {
    id: String,
    text: String,
}

/// Each line is a JSON object or `id<TAB>text`.
fn queries(path: &Path, mistakes: &mut Mistakes) -> anyhow::Result<Vec<QueryText>> {
    let (mut queries, mut known) = (Vec::new(), HashSet::new());
    let take = |line: usize, text: &str| match query(text) {
        Ok(query) if line == 1 && matches!(query.id.to_lowercase().as_str(), "id" | "query_id" | "qid") => {}
        Ok(query) if !known.insert(query.id.clone()) => {
            mistakes.add(path, line, format!("the query '{}' is a duplicate", query.id));
        }
        Ok(query) => queries.push(query),
        Err(problem) => mistakes.add(path, line, problem),
    };
    each_line(path, FILE_BYTES_MAX, take)
        .context("queries are lines {\"id\", \"text\"} in queries.jsonl, or id<TAB>text in queries.tsv")?;
    Ok(queries)
}

fn query(line: &str) -> anyhow::Result<QueryText> {
    let (id, text) = if line.trim_start().starts_with('{') {
        let (id, record) = Record::parse(line)?;
        (id, record.text.unwrap_or_default())
    } else {
        let (id, text) = line.split_once('\t').context("expected id<TAB>text, but there is no tab")?;
        (id.trim().to_owned(), text.to_owned())
    };
    ensure!(!id.is_empty() && !text.trim().is_empty(), "the id or the text is empty");
    Ok(QueryText { id, text })
}

struct Judgement {
    line: usize,
    query: String,
    document: String,
    grade: u32,
}

fn judgements(path: &Path, mistakes: &mut Mistakes) -> anyhow::Result<Vec<Judgement>> {
    let mut judgements = Vec::new();
    let take = |line: usize, text: &str| match judgement(line, text) {
        Ok(judgement) => judgements.extend(judgement),
        Err(problem) => mistakes.add(path, line, problem),
    };
    each_line(path, FILE_BYTES_MAX, take).context(
        "judgments are lines query<TAB>document<TAB>grade in qrels.tsv, or in the file of --judgements",
    )?;
    Ok(judgements)
}

/// Three columns, or the four of TREC with an unused second one. `None` for a header.
fn judgement(line: usize, text: &str) -> anyhow::Result<Option<Judgement>> {
    let columns: Vec<&str> = text.split('\t').map(str::trim).collect();
    let (query, document, grade) = match columns.as_slice() {
        [query, document, grade] | [query, _, document, grade] => (*query, *document, *grade),
        other => bail!("expected query<TAB>document<TAB>grade, but there are {} columns", other.len()),
    };
    if line == 1 && matches!(query.to_lowercase().as_str(), "query" | "query_id" | "query-id" | "qid") {
        return Ok(None);
    }
    ensure!(!query.is_empty() && !document.is_empty(), "the query or the document is empty");
    // Some collections use negative grades for worse than irrelevant.
    let grade =
        grade.parse::<i64>().ok().map(|grade| grade.max(0)).and_then(|grade| u32::try_from(grade).ok());
    match grade.filter(|grade| *grade <= GRADE_MAX) {
        Some(grade) => {
            Ok(Some(Judgement { line, query: query.to_owned(), document: document.to_owned(), grade }))
        }
        None => {
            bail!("the grade is '{}' instead of a whole number up to {GRADE_MAX}", columns[columns.len() - 1])
        }
    }
}

/// Grades by query. Judgments about unknown queries or documents, which many published collections have, are omitted
/// with a note.
fn graded(
    judgements: &[Judgement],
    documents: &[Document],
    queries: &[QueryText],
    path: &Path,
    remarks: &mut Vec<String>,
) -> HashMap<String, Grades> {
    let places: HashMap<&str, usize> =
        documents.iter().enumerate().map(|(place, document)| (document.id.as_str(), place)).collect();
    let known: HashSet<&str> = queries.iter().map(|query| query.id.as_str()).collect();
    let mut grades: HashMap<String, Grades> = HashMap::new();
    let mut unknown: Vec<String> = Vec::new();
    for Judgement { line, query, document, grade } in judgements {
        match places.get(document.as_str()) {
            _ if !known.contains(query.as_str()) => {
                unknown.push(format!("{}:{line} names the query '{query}'", path.display()));
            }
            None => unknown.push(format!("{}:{line} names the document '{document}'", path.display())),
            Some(place) => {
                let known = grades.entry(query.clone()).or_default().entry(*place).or_default();
                *known = (*known).max(*grade);
            }
        }
    }
    if let Some(first) = unknown.first() {
        let count = unknown.len();
        remarks.push(format!("{count} judgment(s) omitted: {first}, which is not in the collection."));
    }
    grades
}

/// `None`, possibly with a note, for a query that cannot be measured.
fn judged(
    QueryText { id, text }: QueryText,
    grades: &mut HashMap<String, Grades>,
    remarks: &mut Vec<String>,
) -> Option<Query> {
    let grades = grades.remove(&id).filter(|grades| grades.values().any(|grade| *grade > 0))?;
    let PlainQuery { text, is_cut } = plain_query(&text);
    if text.is_empty() {
        remarks.push(format!("Query '{id}' omitted: it has no words."));
        return None;
    }
    if is_cut {
        remarks.push(format!("Query '{id}' truncated to {} characters.", text.chars().count()));
    }
    Some(Query { id, text, grades })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Files(tempfile::TempDir);

    impl Files {
        fn new(files: &[(&str, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            for (name, content) in files {
                std::fs::write(folder.path().join(name), content).unwrap();
            }
            Self(folder)
        }

        fn read(&self) -> anyhow::Result<Collection> {
            read(&Given { folder: self.0.path().to_owned(), ..Given::default() })
        }

        fn error(&self) -> String {
            format!("{:#}", self.read().unwrap_err())
        }
    }

    const DOCS: (&str, &str) = (
        "docs.jsonl",
        "{\"id\": \"a\", \"title\": \"Tea\", \"text\": \"leaves\", \"author\": \"A. B.\", \"date_published\": \"1958-12-01\"}\n\
         {\"_id\": 2, \"text\": \"coffee\"}\n",
    );
    const QUERIES: (&str, &str) = ("queries.tsv", "id\ttext\nq1\tHow is TEA made?\nq2\tnobody asks\n");
    const QRELS: (&str, &str) =
        ("qrels.tsv", "query_id\tdoc_id\tgrade\nq1\ta\t2\nq1\t2\t-1\nq1\ta\t1\nq2\ta\t0\n");

    #[test]
    fn reads_common_formats() {
        let read = Files::new(&[DOCS, QUERIES, QRELS]).read().unwrap();
        assert_eq!(read.documents.len(), 2);
        assert_eq!((read.documents[0].author.as_str(), read.documents[1].id.as_str()), ("A. B.", "2"));
        assert_eq!(read.queries.len(), 1, "q2 has nothing relevant");
        assert_eq!(read.queries[0].text, "how is tea made");
        assert_eq!(read.queries[0].grades, Grades::from([(0, 2), (1, 0)]), "the higher grade counts");
        assert!(read.remarks.is_empty(), "{:?}", read.remarks);
    }

    #[test]
    fn reads_four_columns_and_other_files() {
        let files = Files::new(&[DOCS, ("mine.tsv", "7\tcoffee beans\n"), ("judged.tsv", "7\t0\t2\t1\n")]);
        let given = Given {
            folder: files.0.path().to_owned(),
            queries: Some(files.0.path().join("mine.tsv")),
            judgements: Some(files.0.path().join("judged.tsv")),
        };
        assert_eq!(read(&given).unwrap().queries[0].grades, Grades::from([(1, 1)]));
    }

    #[test]
    fn judgments_about_unknown_items_are_omitted_with_a_note() {
        let qrels = ("qrels.tsv", "q1\ta\t1\nq1\tz\t1\nq9\ta\t1\n");
        let read = Files::new(&[DOCS, QUERIES, qrels]).read().unwrap();
        assert_eq!(read.queries.len(), 1);
        let [remark] = read.remarks.as_slice() else { panic!("{:?}", read.remarks) };
        assert!(remark.starts_with("2 judgment(s)") && remark.contains("qrels.tsv:2 names the document 'z'"));
    }

    #[test]
    fn every_error_has_its_file_and_line() {
        let docs = ("docs.jsonl", "{\"id\": \"a\"}\nnot json\n{\"id\": \"a\"}\n{\"id\": null}\n");
        let queries = ("queries.tsv", "q1\ttea\nno tab\nq1\tagain\n\t\n");
        let qrels = ("qrels.tsv", "q1\ta\tgood\nq1\ta\nq1\ta\t99\n");
        let error = Files::new(&[docs, queries, qrels]).error();
        assert!(error.contains("8 error(s)"), "{error}");
        for place in [
            "docs.jsonl:2:",
            "docs.jsonl:3: the document 'a'",
            "docs.jsonl:4: the id",
            "queries.tsv:2:",
            "queries.tsv:3: the query 'q1'",
            "qrels.tsv:1: the grade is 'good'",
            "qrels.tsv:2:",
            "qrels.tsv:3:",
        ] {
            assert!(error.contains(place), "{place} in {error}");
        }
    }

    #[test]
    fn missing_files_are_reported() {
        let gone = Given { folder: "/nowhere/at/all".into(), ..Given::default() };
        assert!(read(&gone).unwrap_err().to_string().contains("is not a folder"));
        let table: &[(&[(&str, &str)], &str)] = &[
            (&[QUERIES, QRELS], "docs.jsonl cannot be read"),
            (&[DOCS, QRELS], "queries.jsonl cannot be read"),
            (&[DOCS, QUERIES], "qrels.tsv cannot be read"),
            (&[("docs.jsonl", "\n"), QUERIES, QRELS], "contains no documents"),
            (&[DOCS, QUERIES, ("qrels.tsv", "q1\ta\t0\n")], "has a relevant document"),
        ];
        for (files, expected) in table {
            let error = Files::new(files).error();
            assert!(error.contains(expected), "{expected} in {error}");
        }
    }
}

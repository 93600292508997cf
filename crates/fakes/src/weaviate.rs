//! Fake Weaviate GraphQL API for one kind of query. It tokenizes the document and validates it against its schema.

use super::fake_server::{FakeRequest, FakeResponse, FakeServer, unknown};
use super::vector_documents::{self, Document, nearest};
use serde_json::{Map, Value, json};

pub const KEY: &str = "weaviate-key-62aa";
/// Limit of offset plus limit.
const RESULTS_MAX: usize = 10_000;
const FIELDS: [&str; 3] = ["title", "published", "number"];

pub type Weaviate = FakeServer<Documents>;

pub struct Documents(Vec<Document>);

/// Has a class `River` of documents and one `Small` with vectors of three dimensions.
pub async fn start() -> Weaviate {
    FakeServer::start(Documents(vector_documents::documents()), answer).await
}

fn answer(documents: &mut Documents, request: &FakeRequest) -> FakeResponse {
    if request.header("authorization") != format!("Bearer {KEY}") {
        return (401, json!({"code": 401, "message": "anonymous access not enabled"}));
    }
    if request.route() != ("POST", vec!["v1", "graphql"]) {
        return (404, json!({"code": 404, "message": "path was not found"}));
    }
    if unknown(&request.body, &["query", "variables", "operationName"]).is_some() {
        return (422, json!({"error": [{"message": "unknown member"}]}));
    }
    let Some(document) = request.body["query"].as_str() else {
        return (422, json!({"error": [{"message": "query is missing"}]}));
    };
    let question = match Reader::of(document).question() {
        Ok(question) => question,
        Err(message) => return (200, errors(&format!("Syntax Error GraphQL request: {message}"))),
    };
    match search(&documents.0, &question) {
        Ok(found) => {
            let mut get = Map::new();
            get.insert(question.class, Value::Array(found));
            (200, json!({"data": {"Get": get}}))
        }
        Err(message) => (200, errors(&message)),
    }
}

fn errors(message: &str) -> Value {
    json!({"data": {"Get": null}, "errors": [{"locations": [{"line": 1, "column": 9}], "message": message, "path": ["Get"]}]})
}

#[derive(Debug, Default)]
struct Question {
    class: String,
    vector: Vec<f32>,
    limit: usize,
    offset: usize,
    fields: Vec<String>,
    additional: Vec<String>,
}

fn search(documents: &[Document], question: &Question) -> Result<Vec<Value>, String> {
    let Question { class, vector, limit, offset, fields, additional } = question;
    let dimension = match class.as_str() {
        "River" => vector_documents::DIMENSIONS,
        "Small" => 3,
        _ => return Err(format!("Cannot query field \"{class}\" on type \"GetObjectsObj\".")),
    };
    if let Some(name) = fields.iter().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(format!("Cannot query field \"{name}\" on type \"{class}\"."));
    }
    if let Some(name) = additional.iter().find(|name| !["id", "distance"].contains(&name.as_str())) {
        return Err(format!("Cannot query field \"{name}\" on type \"{class}AdditionalProps\"."));
    }
    if limit + offset > RESULTS_MAX {
        return Err("explorer: list class: search: query maximum results exceeded".to_owned());
    }
    if vector.len() != dimension {
        return Err(format!(
            "explorer: get class: vector search: object vector search at index small: shard x1: vector search: \
             knn search: distance between entrypoint and query node: {dimension} vs {}: vector lengths don't match",
            vector.len()
        ));
    }
    let page = nearest(documents, vector).into_iter().skip(*offset).take(*limit);
    let shown = page.map(|(score, document)| {
        let mut shown: Map<String, Value> =
            document.fields().into_iter().filter(|(name, _)| fields.contains(name)).collect();
        let id = format!("00000000-0000-0000-0000-{:012}", document.number);
        shown.insert("_additional".to_owned(), json!({"id": id, "distance": 1.0 - score}));
        Value::Object(shown)
    });
    Ok(shown.collect())
}

/// The tokens of a document; commas are ignored in GraphQL.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn of(document: &'a str) -> Self {
        Self { rest: document }
    }

    fn next(&mut self) -> &'a str {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-' | '+');
        let length = match self.rest.chars().next() {
            None => 0,
            Some(c) if is_word(c) => self.rest.find(|c: char| !is_word(c)).unwrap_or(self.rest.len()),
            Some(c) => c.len_utf8(),
        };
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    fn expect(&mut self, words: &[&str]) -> Result<(), String> {
        for word in words {
            let found = self.next();
            if found != *word {
                return Err(format!("Expected {word}, found {found:?}"));
            }
        }
        Ok(())
    }

    /// `{ Get { Class(nearVector: {vector: […]}, limit: 1, offset: 0) { field _additional { id } } } }`
    fn question(mut self) -> Result<Question, String> {
        self.expect(&["{", "Get", "{"])?;
        let mut question = Question { class: self.next().to_owned(), ..Question::default() };
        self.expect(&["(", "nearVector", ":", "{", "vector", ":", "["])?;
        loop {
            match self.next() {
                "]" => break,
                number => {
                    let number = number.parse().map_err(|_| format!("Expected a Float, found {number:?}"))?;
                    question.vector.push(number);
                }
            }
        }
        self.expect(&["}", "limit", ":"])?;
        question.limit = self.next().parse().map_err(|_| "Expected an Int".to_owned())?;
        self.expect(&["offset", ":"])?;
        question.offset = self.next().parse().map_err(|_| "Expected an Int".to_owned())?;
        self.expect(&[")", "{"])?;
        loop {
            match self.next() {
                "_additional" => break,
                name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    question.fields.push(name.to_owned());
                }
                other => return Err(format!("Expected Name, found {other:?}")),
            }
        }
        self.expect(&["{"])?;
        loop {
            match self.next() {
                "}" => break,
                "" => return Err("Expected }".to_owned()),
                name => question.additional.push(name.to_owned()),
            }
        }
        self.expect(&["}", "}", "}", ""])?;
        Ok(question)
    }
}

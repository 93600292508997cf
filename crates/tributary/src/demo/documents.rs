//! The documents behind the sample results: `GET /document?url=…`. Their URLs do not exist, so the demo serves the
//! pages itself for page fetches.

use super::newsroom::escaped;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

const RECORDS: [&str; 4] = [
    include_str!("../../demo/library.json"),
    include_str!("../../demo/tickets.json"),
    include_str!("../../demo/newsroom.json"),
    super::contracts::RECORDS,
];

/// Fields common to all kinds of sample records.
#[derive(Deserialize)]
struct Document {
    title: String,
    #[serde(alias = "reporter")]
    author: String,
    #[serde(alias = "summary")]
    description: String,
    #[serde(alias = "url")]
    link: String,
}

#[derive(Deserialize)]
struct Asked {
    url: String,
}

type Documents = HashMap<String, Document>;

pub fn router() -> anyhow::Result<Router> {
    let mut documents = Documents::new();
    for records in RECORDS {
        let kind: Vec<Document> = serde_json::from_str(records)?;
        documents.extend(kind.into_iter().map(|document| (document.link.clone(), document)));
    }
    Ok(Router::new().route("/document", get(read)).with_state(Arc::new(documents)))
}

async fn read(State(documents): State<Arc<Documents>>, Query(asked): Query<Asked>) -> impl IntoResponse {
    match documents.get(&asked.url) {
        Some(document) => Html(page(document)).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn page(document: &Document) -> String {
    let [title, author, text] =
        [&document.title, &document.author, &document.description].map(|text| escaped(text));
    format!(
        "<!doctype html><html lang=\"en\"><head><title>{title}</title><meta name=\"author\" content=\"{author}\"></head>\
         <body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_has_a_document() {
        for records in RECORDS {
            let kind: Vec<Document> = serde_json::from_str(records).unwrap();
            assert!(kind.len() >= 12);
            assert!(kind.iter().all(|document| document.link.starts_with("https://")));
        }
    }
}

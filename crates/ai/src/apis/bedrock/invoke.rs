//! Embeddings and reranking with InvokeModel; the formats differ by model vendor.

use crate::apis::ApiCall;
use crate::apis::request::{by_place, dimensions, json, unreadable};
use domain::ports::{EmbeddingInput, HttpResponse, ModelError};
use serde::Deserialize;
use serde_json::{Value, json};

/// Cohere's models accept several texts per request, Amazon's only one.
pub fn takes_many(model: &str) -> bool {
    // A model id may start with a region: `us.cohere.embed-v4:0`.
    model.contains("cohere.")
}

pub fn embedding_body(
    call: &ApiCall<'_>,
    input: EmbeddingInput,
    texts: &[String],
) -> Result<Value, ModelError> {
    let dimensions = dimensions(call);
    if takes_many(call.model) {
        let input_type = match input {
            EmbeddingInput::Query => "search_query",
            EmbeddingInput::Passage => "search_document",
        };
        let mut body = json!({"texts": texts, "input_type": input_type, "embedding_types": ["float"]});
        if let Some(dimensions) = dimensions {
            body["output_dimension"] = dimensions.into();
        }
        return Ok(body);
    }
    let [text] = texts else { return Err(unreadable("this model reads one text at a time")) };
    let mut body = json!({"inputText": text});
    if let Some(dimensions) = dimensions {
        body["dimensions"] = dimensions.into();
    }
    Ok(body)
}

pub fn parse_vectors(answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Embedded {
        One { embedding: Vec<f32> },
        ByKind { embeddings: Floats },
        Many { embeddings: Vec<Vec<f32>> },
    }
    #[derive(Deserialize)]
    struct Floats {
        float: Vec<Vec<f32>>,
    }
    Ok(match json::<Embedded>(answer)? {
        Embedded::One { embedding } => vec![embedding],
        Embedded::ByKind { embeddings } => embeddings.float,
        Embedded::Many { embeddings } => embeddings,
    })
}

pub fn rerank_body(query: &str, texts: &[String]) -> Value {
    json!({"query": query, "documents": texts, "top_n": texts.len(), "api_version": 2})
}

pub fn parse_scores(answer: &HttpResponse, count: usize) -> Result<Vec<f32>, ModelError> {
    #[derive(Deserialize)]
    struct Ranked {
        results: Vec<Scored>,
    }
    #[derive(Deserialize)]
    struct Scored {
        index: usize,
        relevance_score: f32,
    }
    let ranked = json::<Ranked>(answer)?;
    by_place(ranked.results.into_iter().map(|one| (one.index, one.relevance_score)), count)
}

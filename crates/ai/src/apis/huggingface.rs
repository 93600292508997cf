//! Hugging Face: the router or a dedicated endpoint, both OpenAI-compatible; embeddings of the router have their own
//! format.

use super::openai::{chat_body, embeddings_body, error_message, parse_vectors, without_unsupported};
use super::openai_stream::decoder;
use super::request::{base, bearer, json as read_json, misconfigured, post};
use super::{ApiCall, ModelApi, ModelApiKind, RejectedRequest, StreamDecoder};
use domain::ports::{EmbeddingInput, HttpRequest, HttpResponse, ModelError, Prompt};
use serde_json::json;
use url::Url;

pub const KIND: ModelApiKind = ModelApiKind {
    name: "huggingface",
    summary: "Hugging Face: the router for `huggingface/<owner>/<model>`, or a dedicated endpoint in `config.api_base`",
    prefixes: &["huggingface/"],
    api_base: "https://router.huggingface.co/v1",
    batch_max: 32,
    api: &HuggingFace,
};

/// Base URL of the router's embeddings.
const VECTORS_BASE: &str = "https://router.huggingface.co/hf-inference/models";

struct HuggingFace;

impl ModelApi for HuggingFace {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let address = format!("{}/chat/completions", base(call, KIND.api_base)?);
        post(call, &address, bearer(call), &chat_body(call, prompt))
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        decoder()
    }

    fn embedding_request(
        &self,
        call: &ApiCall<'_>,
        _input: EmbeddingInput,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        let has_endpoint =
            call.provider.spec.config_text("api_base").is_some_and(|base| !base.trim().is_empty());
        if has_endpoint {
            let address = format!("{}/embeddings", base(call, KIND.api_base)?);
            let mut body = embeddings_body(call, texts);
            body["model"] = call.model.into();
            return post(call, &address, bearer(call), &body);
        }
        let no_address = || misconfigured(call, "the model name is invalid");
        let mut url = Url::parse(VECTORS_BASE).map_err(|_| no_address())?;
        url.path_segments_mut()
            .map_err(|()| no_address())?
            .extend(call.model.split('/'))
            .extend(["pipeline", "feature-extraction"]);
        post(call, url.as_str(), bearer(call), &json!({"inputs": texts}))
    }

    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        let is_list = answer.body.trim_ascii_start().first() == Some(&b'[');
        if is_list { read_json(answer) } else { parse_vectors(answer) }
    }

    fn without_unsupported(&self, rejected: &RejectedRequest<'_>) -> Option<HttpRequest> {
        without_unsupported(rejected)
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        error_message(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn both_forms_of_vectors_are_read() {
        let expected = vec![vec![1.0, 0.5], vec![0.0, 2.0]];
        for body in [
            "[[1.0,0.5],[0,2]]",
            r#"{"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[1.0,0.5]}]}"#,
        ] {
            let answer = HttpResponse { status: 200, headers: Vec::new(), body: Bytes::from(body) };
            assert_eq!(HuggingFace.parse_vectors(&answer), Ok(expected.clone()), "{body}");
        }
        for body in ["[[[1]]]", "[\"a\"]", "{}", r#"{"data":[{"index":1,"embedding":[]}]}"#] {
            let answer = HttpResponse { status: 200, headers: Vec::new(), body: Bytes::from(body) };
            assert!(HuggingFace.parse_vectors(&answer).is_err(), "{body}");
        }
    }
}

//! Hugging Face: its router, or an endpoint of one's own, both of which speak like OpenAI; embeddings of the router
//! have a form of their own.

use super::chunks::reader;
use super::openai::{chat_body, complaint, embeddings_body, read_vectors, without_refused};
use super::request::{base, bearer, json as read_json, misconfigured, post};
use super::{Call, Dialect, DialectKind, ReadPieces};
use domain::contracts::{HttpRequest, HttpResponse, ModelError, Prompt, ReadAs};
use serde_json::json;
use url::Url;

pub const KIND: DialectKind = DialectKind {
    name: "huggingface",
    summary: "Hugging Face: the router for `huggingface/<owner>/<model>`, or an endpoint of one's own in `config.api_base`",
    prefixes: &["huggingface/"],
    api_base: "https://router.huggingface.co/v1",
    batch_max: 32,
    dialect: &HuggingFace,
};

/// Where the router makes vectors.
const VECTORS_BASE: &str = "https://router.huggingface.co/hf-inference/models";

struct HuggingFace;

impl Dialect for HuggingFace {
    fn ask(&self, call: &Call<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let address = format!("{}/chat/completions", base(call, KIND.api_base)?);
        post(call, &address, bearer(call), &chat_body(call.model, prompt))
    }

    fn pieces(&self) -> Box<dyn ReadPieces> {
        reader()
    }

    fn embed(&self, call: &Call<'_>, _read_as: ReadAs, texts: &[String]) -> Result<HttpRequest, ModelError> {
        let has_endpoint =
            call.provider.spec.config_text("api_base").is_some_and(|base| !base.trim().is_empty());
        if has_endpoint {
            let address = format!("{}/embeddings", base(call, KIND.api_base)?);
            let mut body = embeddings_body(call, texts);
            body["model"] = call.model.into();
            return post(call, &address, bearer(call), &body);
        }
        let no_address = || misconfigured(call, "the model is no name");
        let mut url = Url::parse(VECTORS_BASE).map_err(|_| no_address())?;
        url.path_segments_mut()
            .map_err(|()| no_address())?
            .extend(call.model.split('/'))
            .extend(["pipeline", "feature-extraction"]);
        post(call, url.as_str(), bearer(call), &json!({"inputs": texts}))
    }

    fn vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        let is_list = answer.body.trim_ascii_start().first() == Some(&b'[');
        if is_list { read_json(answer) } else { read_vectors(answer) }
    }

    fn relent(&self, request: &HttpRequest, complaint: &str) -> Option<HttpRequest> {
        without_refused(request, complaint)
    }

    fn complaint(&self, body: &[u8]) -> Option<String> {
        complaint(body)
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
            assert_eq!(HuggingFace.vectors(&answer), Ok(expected.clone()), "{body}");
        }
        for body in ["[[[1]]]", "[\"a\"]", "{}", r#"{"data":[{"index":1,"embedding":[]}]}"#] {
            let answer = HttpResponse { status: 200, headers: Vec::new(), body: Bytes::from(body) };
            assert!(HuggingFace.vectors(&answer).is_err(), "{body}");
        }
    }
}

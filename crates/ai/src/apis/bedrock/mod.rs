//! Amazon Bedrock: Converse for text, InvokeModel for embeddings and reranking; signed requests or an API key.

mod converse;
mod frames;
mod invoke;

use super::request::{base, bearer, encoded, misconfigured, post, sentence};
use super::{ApiCall, ModelApi, ModelApiKind, StreamDecoder};
use api_auth::aws::{AwsRequest, AwsSigner};
use domain::bounded_json::parse_answer;
use domain::ports::{EmbeddingInput, HttpRequest, HttpResponse, ModelError, Prompt};
use domain::secret::Secret;
use serde_json::Value;

pub const KIND: ModelApiKind = ModelApiKind {
    name: "bedrock",
    summary: "Models of Amazon Bedrock, by the Converse API.",
    prefixes: &["bedrock/", "amazon."],
    api_base: "https://bedrock-runtime.us-east-1.amazonaws.com",
    batch_max: 96,
    api: &Bedrock,
};

const REGION_USUAL: &str = "us-east-1";

struct Bedrock;

impl ModelApi for Bedrock {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        // Some models cannot stream with tools; `config.stream` disables it.
        let streams = call.provider.spec.config.get("stream").and_then(Value::as_bool).unwrap_or(true);
        let action = if streams { "converse-stream" } else { "converse" };
        request(call, action, &converse::body(call, prompt))
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(converse::Decoder::default())
    }

    fn embedding_request(
        &self,
        call: &ApiCall<'_>,
        input: EmbeddingInput,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        request(call, "invoke", &invoke::embedding_body(call, input, texts)?)
    }

    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        invoke::parse_vectors(answer)
    }

    fn rerank_request(
        &self,
        call: &ApiCall<'_>,
        query: &str,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        request(call, "invoke", &invoke::rerank_body(query, texts))
    }

    fn parse_scores(&self, answer: &HttpResponse, count: usize) -> Result<Vec<f32>, ModelError> {
        invoke::parse_scores(answer, count)
    }

    fn batch_max(&self, call: &ApiCall<'_>) -> usize {
        if invoke::takes_many(call.model) { KIND.batch_max } else { 1 }
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        let body = parse_answer(body).ok()?;
        sentence(body.get("message").or_else(|| body.get("Message"))?.as_str()?)
    }
}

fn request(call: &ApiCall<'_>, action: &str, body: &Value) -> Result<HttpRequest, ModelError> {
    let config =
        |key: &str| call.provider.spec.config_text(key).map(str::trim).filter(|text| !text.is_empty());
    let region = config("AWS_REGION_NAME").or_else(|| config("AWS_REGION")).unwrap_or(REGION_USUAL);
    if !region.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        return Err(misconfigured(call, "config.AWS_REGION_NAME is not a region such as us-east-1"));
    }
    let usual = format!("https://bedrock-runtime.{region}.amazonaws.com");
    let address = format!("{}/model/{}/{action}", base(call, &usual)?, encoded(call.model));
    let (Some(access_key_id), Some(secret_access_key)) =
        (config("AWS_ACCESS_KEY_ID"), config("AWS_SECRET_ACCESS_KEY"))
    else {
        let key = bearer(call);
        if key.is_empty() {
            let sentence =
                "an api_key is needed, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in its config";
            return Err(misconfigured(call, sentence));
        }
        return post(call, &address, key, body);
    };
    let mut request = post(call, &address, Vec::new(), body)?;
    let session_token = config("AWS_SESSION_TOKEN");
    let signer = AwsSigner { access_key_id, secret_access_key, session_token, region, service: "bedrock" };
    let headers: Vec<(&str, &str)> =
        request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let unsigned = AwsRequest {
        method: request.method.as_str(),
        url: &request.url,
        headers: &headers,
        body: request.body.as_deref().unwrap_or_default(),
    };
    request.secret_headers = signer.headers(&unsigned, call.now);
    request.secrets =
        [Some(secret_access_key), session_token].into_iter().flatten().map(Secret::new).collect();
    Ok(request)
}

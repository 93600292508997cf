//! Azure OpenAI: OpenAI's API per deployment, with an API version and its own authentication header.

use super::openai::{chat_body, embeddings_body, error_message, parse_vectors, without_unsupported};
use super::openai_stream::decoder;
use super::request::{base, misconfigured, post};
use super::{ApiCall, ModelApi, ModelApiKind, RejectedRequest, StreamDecoder};
use domain::ports::{EmbeddingInput, HttpRequest, HttpResponse, ModelError, Prompt};
use domain::secret::Secret;
use serde_json::Value;
use url::Url;

pub const KIND: ModelApiKind = ModelApiKind {
    name: "azure",
    summary: "Azure OpenAI: the model is `azure/<deployment>`, the resource is in `config.api_base`",
    prefixes: &["azure/"],
    api_base: "",
    batch_max: 256,
    api: &Azure,
};

/// Default of `config.api_version`.
const API_VERSION: &str = "2024-10-21";

struct Azure;

impl ModelApi for Azure {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        // A deployment may have any name; `config.base_model` is its model.
        let model = call.provider.spec.config_text("base_model").filter(|model| !model.is_empty());
        let mut body = chat_body(&ApiCall { model: model.unwrap_or(call.model), ..*call }, prompt);
        if let Some(fields) = body.as_object_mut() {
            fields.shift_remove("model");
        }
        self.post(call, &["chat", "completions"], &body)
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
        self.post(call, &["embeddings"], &embeddings_body(call, texts))
    }

    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        parse_vectors(answer)
    }

    fn without_unsupported(&self, rejected: &RejectedRequest<'_>) -> Option<HttpRequest> {
        without_unsupported(rejected)
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        error_message(body)
    }
}

impl Azure {
    fn post(&self, call: &ApiCall<'_>, path: &[&str], body: &Value) -> Result<HttpRequest, ModelError> {
        let spec = &call.provider.spec;
        let text = |key: &str| spec.config_text(key).filter(|text| !text.is_empty());
        let deployment = text("engine").unwrap_or(call.model);
        let no_address = || misconfigured(call, "config.api_base is not an http or https URL");
        let mut url = Url::parse(base(call, KIND.api_base)?).map_err(|_| no_address())?;
        url.path_segments_mut()
            .map_err(|()| no_address())?
            .pop_if_empty()
            .extend(["openai", "deployments", deployment])
            .extend(path);
        url.query_pairs_mut().append_pair("api-version", text("api_version").unwrap_or(API_VERSION));
        let key = spec.api_key.trim();
        let key = (!key.is_empty()).then(|| ("api-key".to_owned(), Secret::new(key)));
        post(call, url.as_str(), key.into_iter().collect(), body)
    }
}

//! Azure OpenAI: OpenAI's words at a deployment of one's own, with a version and a header of its own.

use super::chunks::reader;
use super::openai::{chat_body, complaint, embeddings_body, read_vectors, thinks, without_refused};
use super::request::{base, misconfigured, post};
use super::{Call, Dialect, DialectKind, ReadPieces};
use domain::contracts::{HttpRequest, HttpResponse, ModelError, Prompt, ReadAs};
use domain::secret::Secret;
use serde_json::Value;
use url::Url;

pub const KIND: DialectKind = DialectKind {
    name: "azure",
    summary: "Azure OpenAI: the model is `azure/<deployment>`, the resource stands in `config.api_base`",
    prefixes: &["azure/"],
    api_base: "",
    batch_max: 256,
    dialect: &Azure,
};

/// Asked for when `config.api_version` does not say.
const API_VERSION: &str = "2024-10-21";

struct Azure;

impl Dialect for Azure {
    fn ask(&self, call: &Call<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        // A deployment may have any name; `config.base_model` says what it is.
        let model = call.provider.spec.config_text("base_model").filter(|model| thinks(model));
        let mut body = chat_body(model.unwrap_or(call.model), prompt);
        if let Some(fields) = body.as_object_mut() {
            fields.shift_remove("model");
        }
        self.post(call, &["chat", "completions"], &body)
    }

    fn pieces(&self) -> Box<dyn ReadPieces> {
        reader()
    }

    fn embed(&self, call: &Call<'_>, _read_as: ReadAs, texts: &[String]) -> Result<HttpRequest, ModelError> {
        self.post(call, &["embeddings"], &embeddings_body(call, texts))
    }

    fn vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        read_vectors(answer)
    }

    fn relent(&self, request: &HttpRequest, complaint: &str) -> Option<HttpRequest> {
        without_refused(request, complaint)
    }

    fn complaint(&self, body: &[u8]) -> Option<String> {
        complaint(body)
    }
}

impl Azure {
    fn post(&self, call: &Call<'_>, path: &[&str], body: &Value) -> Result<HttpRequest, ModelError> {
        let spec = &call.provider.spec;
        let text = |key: &str| spec.config_text(key).filter(|text| !text.is_empty());
        let deployment = text("engine").unwrap_or(call.model);
        let no_address = || misconfigured(call, "config.api_base is no http or https address");
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

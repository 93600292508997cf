//! Fake Azure OpenAI: the format of OpenAI, with deployment, API version and its own header.

use super::openai::{chunks, completion, embeddings, event, understand_chat, understand_embeddings};
use super::{KEY, ModelRequest, Refusal, Reply, Vendor, Wanted, Wire};
use axum::body::Bytes;
use serde_json::{Value, json};

/// Served at `/openai/deployments/<deployment>/…?api-version=…` with `api-key`.
pub struct Azure {
    pub deployment: &'static str,
    /// Its model is a reasoning model.
    pub thinks: bool,
}

impl Vendor for Azure {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        if request.header("api-key") != Some(KEY) {
            return Err(Refusal::new(
                401,
                "Access denied due to invalid subscription key or wrong API endpoint.",
            ));
        }
        request.check_form()?;
        let version = request.query_value("api-version").unwrap_or_default();
        if version.len() < "2024-10-21".len() || !version.starts_with("20") {
            return Err(Refusal::new(404, "Resource not found"));
        }
        let base = format!("/openai/deployments/{}/", self.deployment);
        match request.path.strip_prefix(&base) {
            Some("chat/completions") => understand_chat(&request.body, self.thinks),
            Some("embeddings") => understand_embeddings(&request.body),
            _ => Err(Refusal::new(404, "The API deployment for this resource does not exist.")),
        }
    }

    fn write(&self, request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire {
        if !streamed {
            return Wire::whole(&completion(self.deployment, reply));
        }
        let has_usage = request.body["stream_options"]["include_usage"] == true;
        let mut wire = chunks(self.deployment, reply, has_usage);
        // The filter results for the prompt come first, without a choice.
        let filtered = json!({"id": "", "object": "", "model": "", "choices": [], "prompt_filter_results": [
            {"prompt_index": 0, "content_filter_results": {"hate": {"filtered": false, "severity": "safe"}}},
        ]});
        wire.pieces.insert(0, event(&filtered));
        wire
    }

    fn vectors(&self, vectors: &[Vec<f32>]) -> Value {
        embeddings(vectors)
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        let code = match refusal.status {
            400 if refusal.message.contains("context length") => "context_length_exceeded".to_owned(),
            404 => "DeploymentNotFound".to_owned(),
            status => status.to_string(),
        };
        json!({"error": {"code": code, "message": refusal.message}})
    }

    fn stumble(&self, message: &str) -> Option<Bytes> {
        Some(event(&json!({"error": {"code": "500", "message": message}})))
    }
}

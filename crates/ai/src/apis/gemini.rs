//! Google Gemini with an API key, and Vertex AI with a service account or a bearer token.

use super::reasoning::{GeminiThinking, gemini_takes_temperature, gemini_thinking, reasoning_tokens};
use super::request::{
    base, bearer, dimensions, encoded, failed, json, misconfigured, post, sentence, unreadable,
};
use super::sse::{Event, EventDecoder, EventStreamDecoder, parsed};
use super::tool_calls::CALLS_MAX;
use super::{AccountKey, ApiCall, ModelApi, ModelApiKind, RejectedRequest, StreamDecoder};
use domain::bounded_json::parse_answer;
use domain::ports::{
    CompletionChunk, EmbeddingInput, HttpRequest, HttpResponse, ModelError, ModelErrorKind, Origin, Prompt,
    ToolCall, Turn,
};
use domain::secret::Secret;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

pub const KIND: ModelApiKind = ModelApiKind {
    name: "gemini",
    summary: "Google Gemini, with a key, or at Vertex AI with VERTEX_PROJECT and VERTEX_LOCATION.",
    prefixes: &["gemini/", "vertex_ai/", "gemini-"],
    api_base: "https://generativelanguage.googleapis.com",
    batch_max: 100,
    api: &Gemini,
};

/// The JSON schema keywords that the service supports; it rejects tools with others.
const SCHEMA_KEYS: [&str; 21] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "default",
    "items",
    "minimum",
    "maximum",
];

/// The key of `config` with the key of a service account: its JSON, as an object or a text, or the path of its file.
const ACCOUNT_KEY: &str = "GOOGLE_APPLICATION_CREDENTIALS";
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";

struct Gemini;

impl ModelApi for Gemini {
    /// With a service account, Vertex AI is used; its requests have no other key.
    fn account_key(&self, call: &ApiCall<'_>) -> Result<Option<AccountKey>, ModelError> {
        let Some(place) = vertex(call) else { return Ok(None) };
        let text = match call.provider.spec.config.get(ACCOUNT_KEY) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(None),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(Value::Object(key)) => Value::Object(key.clone()).to_string(),
            Some(_) => return Err(misconfigured(call, "config.GOOGLE_APPLICATION_CREDENTIALS is not a key")),
        };
        let origin = Url::parse(&place.base(call)?).ok().and_then(|url| Origin::trusted(&url));
        let origin =
            origin.ok_or_else(|| misconfigured(call, "config.api_base is not an http or https URL"))?;
        Ok(Some(AccountKey { text: Secret::new(text), scope: SCOPE, origin }))
    }

    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let mut body = json!({
            "contents": contents(&prompt.turns),
            "generationConfig": generation_config(call, prompt),
        });
        if !prompt.system.is_empty() {
            body["systemInstruction"] = json!({"parts": [{"text": prompt.system}]});
        }
        let tools: Vec<Value> = prompt
            .tools
            .iter()
            .map(|tool| {
                let parameters = known_schema(&tool.parameters);
                json!({"name": tool.name, "description": tool.description, "parameters": parameters})
            })
            .collect();
        if !tools.is_empty() {
            body["tools"] = json!([{"functionDeclarations": tools}]);
        }
        request(call, "streamGenerateContent?alt=sse", &body)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(EventStreamDecoder::new(Decoder::default()))
    }

    fn embedding_request(
        &self,
        call: &ApiCall<'_>,
        input: EmbeddingInput,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        let task = match input {
            EmbeddingInput::Query => "RETRIEVAL_QUERY",
            EmbeddingInput::Passage => "RETRIEVAL_DOCUMENT",
        };
        let dimensions = dimensions(call);
        if vertex(call).is_some() {
            let instances: Vec<Value> =
                texts.iter().map(|text| json!({"content": text, "task_type": task})).collect();
            let mut body = json!({"instances": instances});
            if let Some(dimensions) = dimensions {
                body["parameters"] = json!({"outputDimensionality": dimensions});
            }
            return request(call, "predict", &body);
        }
        let one = |text: &String| {
            let mut one = json!({
                "model": format!("models/{}", call.model),
                "content": {"parts": [{"text": text}]},
                "taskType": task,
            });
            if let Some(dimensions) = dimensions {
                one["outputDimensionality"] = dimensions.into();
            }
            one
        };
        match texts {
            [text] => request(call, "embedContent", &one(text)),
            many => {
                let requests: Vec<Value> = many.iter().map(one).collect();
                request(call, "batchEmbedContents", &json!({"requests": requests}))
            }
        }
    }

    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Embedded {
            One { embedding: Values },
            Many { embeddings: Vec<Values> },
            Predicted { predictions: Vec<Prediction> },
        }
        #[derive(Deserialize)]
        struct Values {
            values: Vec<f32>,
        }
        #[derive(Deserialize)]
        struct Prediction {
            embeddings: Values,
        }
        Ok(match json::<Embedded>(answer)? {
            Embedded::One { embedding } => vec![embedding.values],
            Embedded::Many { embeddings } => embeddings.into_iter().map(|one| one.values).collect(),
            Embedded::Predicted { predictions } => {
                predictions.into_iter().map(|one| one.embeddings.values).collect()
            }
        })
    }

    fn without_unsupported(&self, rejected: &RejectedRequest<'_>) -> Option<HttpRequest> {
        let mut body = rejected.body()?;
        let config = body.get_mut("generationConfig")?.as_object_mut()?;
        let says_so = rejected.error_message.to_ascii_lowercase().contains("thinking");
        let has_changed = says_so && config.shift_remove("thinkingConfig").is_some();
        has_changed.then(|| rejected.with(&body))
    }

    fn batch_max(&self, call: &ApiCall<'_>) -> usize {
        // On Vertex AI these models accept one text per request.
        let is_single = vertex(call).is_some() && call.model.starts_with("gemini-");
        if is_single { 1 } else { KIND.batch_max }
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        let body = parse_answer(body).ok()?;
        // Without server-sent events the error is inside a list.
        let error = body.get("error").or_else(|| body.get(0)?.get("error"))?;
        sentence(error.get("message")?.as_str()?)
    }
}

/// Thoughts count towards the token limit of the reply, so both have a limit.
fn generation_config(call: &ApiCall<'_>, prompt: &Prompt) -> Value {
    let thinking = gemini_thinking(call.model);
    let tokens = reasoning_tokens(call);
    let budget = thinking.and_then(|thinking| thinking.budget(tokens));
    let tokens_max = prompt.answer_tokens_max.saturating_add(budget.unwrap_or(tokens));
    let mut config = json!({"maxOutputTokens": tokens_max});
    if let Some(budget) = budget {
        config["thinkingConfig"] = json!({"thinkingBudget": budget});
    } else if thinking == Some(GeminiThinking::Level) {
        config["thinkingConfig"] = json!({"thinkingLevel": "low"});
    }
    if gemini_takes_temperature(call.model) {
        config["temperature"] = 0.into();
    }
    config
}

/// Where Vertex AI runs a model.
struct VertexPlace<'a> {
    project: &'a str,
    location: &'a str,
}

impl VertexPlace<'_> {
    fn base(&self, call: &ApiCall<'_>) -> Result<String, ModelError> {
        let usual = match self.location {
            "global" => "https://aiplatform.googleapis.com".to_owned(),
            place => format!("https://{place}-aiplatform.googleapis.com"),
        };
        base(call, &usual).map(str::to_owned)
    }
}

/// None if Vertex AI is not configured.
fn vertex<'a>(call: &ApiCall<'a>) -> Option<VertexPlace<'a>> {
    let config =
        |key: &str| call.provider.spec.config_text(key).map(str::trim).filter(|text| !text.is_empty());
    Some(VertexPlace { project: config("VERTEX_PROJECT")?, location: config("VERTEX_LOCATION")? })
}

fn request(call: &ApiCall<'_>, action: &str, body: &Value) -> Result<HttpRequest, ModelError> {
    let model = encoded(call.model);
    let Some(place) = vertex(call) else {
        let key = call.provider.spec.api_key.trim();
        let key = (!key.is_empty()).then(|| ("x-goog-api-key".to_owned(), Secret::new(key)));
        let address = format!("{}/v1beta/models/{model}:{action}", base(call, KIND.api_base)?);
        return post(call, &address, key.into_iter().collect(), body);
    };
    let VertexPlace { project, location } = place;
    let is_plain =
        |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':'));
    if !is_plain(project) || !is_plain(location) {
        return Err(misconfigured(call, "VERTEX_PROJECT or VERTEX_LOCATION is invalid"));
    }
    let base = place.base(call)?;
    let place = format!("v1/projects/{project}/locations/{location}/publishers/google");
    post(call, &format!("{base}/{place}/models/{model}:{action}"), bearer(call), body)
}

/// Groups the tool results that follow one model turn into one turn.
fn contents(turns: &[Turn]) -> Vec<Value> {
    let mut contents: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut after_tool = false;
    for turn in turns {
        let is_tool = matches!(turn, Turn::Tool { .. });
        let (role, parts) = parts(turn);
        match contents.last_mut() {
            Some((_, known)) if is_tool && after_tool => known.extend(parts),
            _ => contents.push((role, parts)),
        }
        after_tool = is_tool;
    }
    contents.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
}

fn parts(turn: &Turn) -> (&'static str, Vec<Value>) {
    match turn {
        Turn::User(text) => ("user", vec![json!({"text": text})]),
        Turn::Assistant { text, calls } => {
            let text = (!text.is_empty() || calls.is_empty()).then(|| json!({"text": text}));
            ("model", text.into_iter().chain(calls.iter().map(called)).collect())
        }
        Turn::Tool { name, text, .. } => {
            ("user", vec![json!({"functionResponse": {"name": name, "response": {"result": text}}})])
        }
    }
}

/// Reasoning models expect their thought signature back; it is kept in the id of the call.
fn called(call: &ToolCall) -> Value {
    let mut part = json!({"functionCall": {"name": call.name, "args": call.arguments}});
    if let Some((_, signature)) = call.id.split_once(':') {
        part["thoughtSignature"] = signature.into();
    }
    part
}

fn known_schema(schema: &Value) -> Value {
    let Value::Object(schema) = schema else { return schema.clone() };
    let mut known = Map::new();
    for (key, value) in schema.iter().filter(|(key, _)| SCHEMA_KEYS.contains(&key.as_str())) {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, inner)| (name.clone(), known_schema(inner))).collect()
            }
            ("items", inner) => known_schema(inner),
            ("anyOf", Value::Array(list)) => list.iter().map(known_schema).collect(),
            _ => value.clone(),
        };
        known.insert(key.clone(), value);
    }
    known.into()
}

#[derive(Default)]
struct Decoder {
    calls: usize,
    usage: Option<(u64, u64)>,
    is_done: bool,
}

impl EventDecoder for Decoder {
    fn event(&mut self, event: &Event, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        self.whole(&parsed(event.data.as_bytes())?, out)
    }

    /// Every event has the format of a complete response.
    fn whole(&mut self, body: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if let Some(error) = body.get("error") {
            return Err(failure(error));
        }
        if let Some(reason) = body["promptFeedback"]["blockReason"].as_str() {
            return Err(held_back(reason));
        }
        let candidate = &body["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.part(part, out)?;
        }
        let usage = &body["usageMetadata"];
        if let Some(tokens_in) = usage["promptTokenCount"].as_u64() {
            let out = |name: &str| usage[name].as_u64().unwrap_or_default();
            self.usage = Some((tokens_in, out("candidatesTokenCount") + out("thoughtsTokenCount")));
        }
        match candidate["finishReason"].as_str() {
            None => {}
            Some("STOP") => self.is_done = true,
            Some("MAX_TOKENS") => {
                self.is_done = true;
                out.push(CompletionChunk::Cut);
            }
            Some(reason) => return Err(held_back(reason)),
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if !self.is_done {
            return Err(unreadable("it broke off"));
        }
        // Every event reports the tokens so far; the last one is final.
        out.extend(
            self.usage.map(|(tokens_in, tokens_out)| CompletionChunk::Usage { tokens_in, tokens_out }),
        );
        Ok(())
    }
}

impl Decoder {
    fn part(&mut self, part: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if part["thought"] == true {
            return Ok(());
        }
        if let Some(text) = part["text"].as_str().filter(|text| !text.is_empty()) {
            out.push(CompletionChunk::Text(text.to_owned()));
        }
        if let Some(name) = part["functionCall"]["name"].as_str() {
            if self.calls == CALLS_MAX {
                return Err(unreadable(&format!("it calls more than {CALLS_MAX} tools")));
            }
            let id = match part["thoughtSignature"].as_str() {
                Some(signature) => format!("call_{}:{signature}", self.calls),
                None => format!("call_{}", self.calls),
            };
            self.calls += 1;
            let arguments = part["functionCall"].get("args").cloned().unwrap_or_else(|| json!({}));
            out.push(CompletionChunk::Call(ToolCall { id, name: name.to_owned(), arguments }));
        }
        Ok(())
    }
}

fn held_back(reason: &str) -> ModelError {
    failed(ModelErrorKind::Unreadable, "the model gave no answer", Some(reason))
}

fn failure(error: &Value) -> ModelError {
    let kind = match error["code"].as_u64() {
        Some(401 | 403) => ModelErrorKind::Denied,
        Some(429) => ModelErrorKind::RateLimited,
        Some(504) => ModelErrorKind::Timeout,
        _ => ModelErrorKind::Unavailable,
    };
    failed(kind, "the model failed", error["message"].as_str())
}

#[cfg(test)]
#[path = "gemini_tests.rs"]
mod tests;

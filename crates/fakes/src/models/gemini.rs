//! Fake Google Gemini: generateContent, streamed as server-sent events, and embedContent; also as Vertex AI.

use super::openai::event;
use super::{KEY, ModelRequest, Refusal, Reply, TOKENS_IN, TOKENS_OUT, Vendor, Wanted, Wire};
use crate::fake_server::unknown;
use axum::body::Bytes;
use serde_json::{Value, json};
use testkit::keys;

/// Served at `/v1beta/models/…` with `x-goog-api-key`; as Vertex AI below a project and a location, with a bearer
/// token.
pub struct Gemini {
    pub is_vertex: bool,
}

pub const PROJECT: &str = "mill-project";
pub const LOCATION: &str = "europe-west4";
/// The service account of Vertex AI, whose key is that of the tests.
pub const ACCOUNT: &str = "summaries@mill-project.iam.gserviceaccount.com";

/// Most texts per embedding request.
const TEXTS_MAX: usize = 100;
/// What a tool result must return.
const SIGNATURE: &str = "c2lnbmF0dXJl";

/// The tokens that a model spends on thinking before it writes, unless the request allows fewer.
const THOUGHT_TOKENS: u64 = 4_000;

const FIELDS: &[&str] = &["contents", "systemInstruction", "tools", "generationConfig"];
const SCHEMA_FIELDS: &[&str] =
    &["type", "description", "properties", "required", "items", "enum", "minimum", "minLength", "maxItems"];

impl Vendor for Gemini {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        if self.is_vertex && request.path == "/token" {
            return token(request);
        }
        self.check_key(request)?;
        request.check_form()?;
        let publisher = format!("/v1/projects/{PROJECT}/locations/{LOCATION}/publishers/google");
        let rest = if self.is_vertex {
            request.path.strip_prefix(&publisher)
        } else {
            request.path.strip_prefix("/v1beta")
        };
        let asked = rest.and_then(|rest| rest.strip_prefix("/models/")).and_then(|rest| rest.split_once(':'));
        let Some((model, action)) = asked.filter(|(model, _)| !model.is_empty() && !model.contains('/'))
        else {
            return Err(Refusal::new(404, "Requested entity was not found."));
        };
        match action {
            "streamGenerateContent" if request.query_value("alt") != Some("sse") => {
                Err(Refusal::new(400, "this fake streams by server-sent events only"))
            }
            "streamGenerateContent" | "generateContent" => {
                check_conversation(&request.body, model)?;
                Ok(Wanted::Text { streamed: action == "streamGenerateContent" })
            }
            "predict" if self.is_vertex => understand_instances(&request.body),
            "embedContent" if !self.is_vertex => {
                Ok(Wanted::Vectors { texts: vec![text_of(&request.body, model)?] })
            }
            "batchEmbedContents" if !self.is_vertex => {
                let Some(requests) = request.body["requests"].as_array().filter(|list| !list.is_empty())
                else {
                    return Err(Refusal::new(400, "requests is empty"));
                };
                if requests.len() > TEXTS_MAX {
                    return Err(Refusal::new(400, "at most 100 requests can be in one batch"));
                }
                let texts: Result<Vec<String>, Refusal> =
                    requests.iter().map(|one| text_of(one, model)).collect();
                Ok(Wanted::Vectors { texts: texts? })
            }
            _ => Err(Refusal::new(404, "Requested entity was not found.")),
        }
    }

    fn write(&self, request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire {
        let config = &request.body["generationConfig"];
        let budget = config["thinkingConfig"]["thinkingBudget"].as_u64().unwrap_or(THOUGHT_TOKENS);
        let thoughts = if request.path.contains("/gemini-1") { 0 } else { budget.min(THOUGHT_TOKENS) };
        let most = config["maxOutputTokens"].as_u64().unwrap_or(u64::MAX);
        // Thoughts count towards the limit: a low one leaves nothing for the reply.
        let emptied = Reply { is_cut: true, ..Reply::default() };
        let endless = Reply { is_cut: true, ..Reply::text(reply.text.repeat(3)) };
        let repeats_itself = is_of_version_3(&request.path) && config["temperature"].is_number();
        let reply = if thoughts >= most {
            &emptied
        } else if repeats_itself {
            &endless
        } else {
            reply
        };
        let finish = reply.finish("STOP", "STOP", "MAX_TOKENS");
        let chunk = |parts: Value, finish: Option<&str>| {
            let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
            if let Some(finish) = finish {
                candidate["finishReason"] = finish.into();
            }
            json!({
                "candidates": [candidate],
                "usageMetadata": {
                    "promptTokenCount": TOKENS_IN,
                    // Reasoning tokens are counted separately.
                    "candidatesTokenCount": TOKENS_OUT - 2,
                    "thoughtsTokenCount": 2,
                    "totalTokenCount": TOKENS_IN + TOKENS_OUT,
                },
                "modelVersion": "gemini-fake", "responseId": "r-1",
            })
        };
        let reasoning = if reply.reasoning.is_empty() { "What do they want?" } else { &reply.reasoning };
        let thought = json!({"text": reasoning, "thought": true});
        let calls = reply.calls.iter().map(|(name, arguments)| {
            json!({"functionCall": {"name": name, "args": arguments}, "thoughtSignature": SIGNATURE})
        });
        if !streamed {
            let text = (!reply.text.is_empty()).then(|| json!({"text": reply.text}));
            let parts: Vec<Value> = std::iter::once(thought).chain(text).chain(calls).collect();
            return Wire::whole(&chunk(parts.into(), Some(finish)));
        }
        let mut pieces = vec![event(&chunk(json!([thought]), None))];
        pieces.extend(reply.words().into_iter().map(|word| event(&chunk(json!([{"text": word}]), None))));
        pieces.extend(calls.map(|call| event(&chunk(json!([call]), None))));
        pieces.push(event(&chunk(json!([{"text": ""}]), Some(finish))));
        Wire { content_type: "text/event-stream", pieces }
    }

    fn vectors(&self, vectors: &[Vec<f32>]) -> Value {
        if self.is_vertex {
            let predictions: Vec<Value> = vectors
                .iter()
                .map(|vector| json!({"embeddings": {"values": vector, "statistics": {"token_count": 3}}}))
                .collect();
            return json!({"predictions": predictions});
        }
        match vectors {
            [vector] => json!({"embedding": {"values": vector}}),
            many => {
                json!({"embeddings": many.iter().map(|vector| json!({"values": vector})).collect::<Vec<_>>()})
            }
        }
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        let status = match refusal.status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            _ => "INTERNAL",
        };
        let mut error = json!({"code": refusal.status, "message": refusal.message, "status": status});
        if refusal.message.starts_with("API key not valid") {
            let domain = "googleapis.com";
            let kind = "type.googleapis.com/google.rpc.ErrorInfo";
            error["details"] = json!([{"@type": kind, "reason": "API_KEY_INVALID", "domain": domain}]);
        }
        json!({"error": error})
    }

    fn stumble(&self, message: &str) -> Option<Bytes> {
        Some(event(&json!({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})))
    }
}

impl Gemini {
    fn check_key(&self, request: &ModelRequest) -> Result<(), Refusal> {
        if self.is_vertex {
            let is_right = request.header("authorization") == Some(&format!("Bearer {KEY}"));
            let message = "Request had invalid authentication credentials.";
            return if is_right { Ok(()) } else { Err(Refusal::new(401, message)) };
        }
        match request.header("x-goog-api-key") {
            Some(KEY) => Ok(()),
            // A wrong key is answered with 400, a missing one with 403.
            Some(_) => Err(Refusal::new(400, "API key not valid. Please pass a valid API key.")),
            None => Err(Refusal::new(403, "Method doesn't allow unregistered callers.")),
        }
    }
}

/// The access token for a signed assertion of the service account with the key of the tests.
fn token(request: &ModelRequest) -> Result<Wanted, Refusal> {
    let form: Vec<(String, String)> = url::form_urlencoded::parse(&request.raw).into_owned().collect();
    let field = |name: &str| form.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str());
    let signed = keys::verified(field("assertion"));
    let is_right = signed.is_some_and(|(_, claims)| {
        claims["iss"] == ACCOUNT
            && claims["scope"] == "https://www.googleapis.com/auth/cloud-platform"
            && claims["aud"].as_str().is_some_and(|audience| audience.ends_with("/token"))
    });
    if field("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || !is_right {
        return Ok(Wanted::Token(
            json!({"error": "invalid_grant", "error_description": "Invalid JWT Signature."}),
        ));
    }
    Ok(Wanted::Token(json!({"access_token": KEY, "expires_in": 3599, "token_type": "Bearer"})))
}

fn unknown_name(name: &str) -> Refusal {
    Refusal::new(400, format!("Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."))
}

/// Whether a model is of version 3, as those are to which names without a version refer.
fn is_of_version_3(model: &str) -> bool {
    model.contains("gemini-3") || model.contains("-latest")
}

/// Since version 3, models have a level of thinking; those of version 2.5 have a budget in tokens, which others accept
/// if their name has no version.
fn check_thinking(config: &Value, model: &str) -> Result<(), Refusal> {
    if config.is_null() {
        return Ok(());
    }
    let (field, is_valid) = match model {
        _ if model.starts_with("gemini-3") => {
            ("thinkingLevel", matches!(config["thinkingLevel"].as_str(), Some("low" | "high")))
        }
        _ if model.starts_with("gemini-2.5") || model.contains("-latest") => {
            let range = match model {
                _ if model.contains("-latest") => 512..=24_576,
                _ if model.contains("pro") => 128..=32_768,
                _ => 0..=24_576,
            };
            (
                "thinkingBudget",
                config["thinkingBudget"].as_u64().is_some_and(|tokens| range.contains(&tokens)),
            )
        }
        _ => return Err(Refusal::new(400, "Thinking is not supported by this model.")),
    };
    if let Some(name) = unknown(config, &[field]) {
        return Err(unknown_name(name));
    }
    if is_valid {
        Ok(())
    } else {
        Err(Refusal::new(400, format!("Invalid value at 'thinking_config': {field}")))
    }
}

fn check_conversation(body: &Value, model: &str) -> Result<(), Refusal> {
    if let Some(name) = unknown(body, FIELDS) {
        return Err(unknown_name(name));
    }
    let config = &body["generationConfig"];
    if let Some(name) = unknown(config, &["temperature", "maxOutputTokens", "thinkingConfig"]) {
        return Err(unknown_name(name));
    }
    check_thinking(&config["thinkingConfig"], model)?;
    for declaration in body["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|tool| tool["functionDeclarations"].as_array().cloned().unwrap_or_default())
    {
        if let Some(name) = unknown(&declaration, &["name", "description", "parameters"]) {
            return Err(unknown_name(name));
        }
        check_schema(&declaration["parameters"])?;
    }
    let contents = body["contents"].as_array().filter(|list| !list.is_empty());
    let Some(contents) = contents else { return Err(Refusal::new(400, "contents is not specified")) };
    let mut open = 0;
    for content in contents {
        let parts = content["parts"].as_array().cloned().unwrap_or_default();
        let is_role = matches!(content["role"].as_str(), Some("user" | "model"));
        if parts.is_empty() || !is_role {
            return Err(Refusal::new(400, "Please use a valid role: user, model."));
        }
        let calls: Vec<&Value> = parts.iter().filter(|part| part["functionCall"].is_object()).collect();
        if calls.first().is_some_and(|call| call["thoughtSignature"] != SIGNATURE) {
            return Err(Refusal::new(
                400,
                "Function call is missing a thought_signature in functionCall parts.",
            ));
        }
        let answers = parts.iter().filter(|part| part["functionResponse"]["response"].is_object()).count();
        if answers != open {
            let message = "the number of function response parts must equal that of the function call parts";
            return Err(Refusal::new(400, message));
        }
        open = calls.len();
    }
    Ok(())
}

/// The service supports a subset of JSON schema only.
fn check_schema(schema: &Value) -> Result<(), Refusal> {
    if let Some(name) = unknown(schema, SCHEMA_FIELDS) {
        return Err(unknown_name(name));
    }
    let inner = schema["properties"].as_object().into_iter().flat_map(|properties| properties.values());
    inner.chain(schema.get("items")).try_for_each(check_schema)
}

fn text_of(request: &Value, model: &str) -> Result<String, Refusal> {
    if let Some(name) = unknown(request, &["model", "content", "taskType", "outputDimensionality"]) {
        return Err(unknown_name(name));
    }
    if request["model"] != format!("models/{model}") {
        return Err(Refusal::new(400, "the model of each request must be that of the address"));
    }
    if !matches!(request["taskType"].as_str(), Some("RETRIEVAL_QUERY" | "RETRIEVAL_DOCUMENT")) {
        return Err(Refusal::new(400, "Invalid value at 'task_type'"));
    }
    let text = request["content"]["parts"][0]["text"].as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| Refusal::new(400, "content is empty"))
}

fn understand_instances(body: &Value) -> Result<Wanted, Refusal> {
    let texts: Option<Vec<String>> = body["instances"]
        .as_array()
        .and_then(|list| list.iter().map(|one| one["content"].as_str().map(str::to_owned)).collect());
    let texts = texts.filter(|texts| !texts.is_empty());
    texts.map(|texts| Wanted::Vectors { texts }).ok_or_else(|| Refusal::new(400, "instances is empty"))
}

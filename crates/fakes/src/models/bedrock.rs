//! Fake Amazon Bedrock: Converse and ConverseStream in the binary framing of AWS, InvokeModel for embeddings and
//! rankings. The signature of each request is recomputed independently of the product code.

use super::{KEY, ModelRequest, Refusal, Reply, TOKENS_IN, TOKENS_OUT, Vendor, Wanted, Wire};
use crate::fake_server::unknown;
use axum::body::Bytes;
use flate2::Crc;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Accepts the key as a bearer token, and requests signed with these keys.
pub struct Bedrock;

pub const ACCESS_KEY_ID: &str = "AKIDMILL";
pub const SECRET_ACCESS_KEY: &str = "mill/secret+4Kq9";
pub const SESSION_TOKEN: &str = "mill-session//token==";
pub const REGION: &str = "eu-central-1";

impl Vendor for Bedrock {
    fn understand(&self, request: &ModelRequest) -> Result<Wanted, Refusal> {
        check_caller(request)?;
        request.check_form()?;
        let rest = request.path.strip_prefix("/model/").and_then(|rest| rest.split_once('/'));
        let Some((model, action)) = rest.filter(|(model, _)| !model.is_empty() && !model.contains(':'))
        else {
            return Err(Refusal::new(404, "Unable to determine service/operation name to be authorized"));
        };
        match action {
            "converse" | "converse-stream" => {
                check_conversation(&request.body)?;
                Ok(Wanted::Text { streamed: action == "converse-stream" })
            }
            "invoke" => understand_invoke(model, &request.body),
            _ => Err(Refusal::new(404, "Unable to determine service/operation name to be authorized")),
        }
    }

    fn write(&self, _request: &ModelRequest, reply: &Reply, streamed: bool) -> Wire {
        if streamed { frames(reply) } else { Wire::whole(&whole(reply)) }
    }

    fn vectors(&self, vectors: &[Vec<f32>]) -> Value {
        match vectors {
            [vector] => json!({"embedding": vector, "inputTextTokenCount": 3}),
            many => {
                json!({"id": "e-1", "response_type": "embeddings_by_type", "embeddings": {"float": many}})
            }
        }
    }

    fn ranks(&self, scores: &[f32]) -> Value {
        let scored = scores.iter().enumerate();
        let results: Vec<Value> =
            scored.map(|(index, score)| json!({"index": index, "relevance_score": score})).rev().collect();
        json!({"results": results})
    }

    fn refuse(&self, refusal: &Refusal) -> Value {
        json!({"message": refusal.message})
    }

    fn refusal_headers(&self, refusal: &Refusal) -> Vec<(&'static str, String)> {
        let kind = match refusal.status {
            400 => "ValidationException",
            403 => "AccessDeniedException",
            404 => "ResourceNotFoundException",
            429 => "ThrottlingException",
            503 => "ServiceUnavailableException",
            _ => "InternalServerException",
        };
        vec![("x-amzn-errortype", kind.to_owned())]
    }

    fn stumble(&self, message: &str) -> Option<Bytes> {
        let headers = [
            (":exception-type", "modelStreamErrorException"),
            (":content-type", "application/json"),
            (":message-type", "exception"),
        ];
        Some(frame(&headers, &json!({"message": message})))
    }
}

fn whole(reply: &Reply) -> Value {
    let text = (!reply.text.is_empty()).then(|| json!({"text": reply.text}));
    let calls = reply.calls.iter().enumerate().map(|(index, (name, arguments))| {
        json!({"toolUse": {"toolUseId": format!("tooluse_{index}"), "name": name, "input": arguments}})
    });
    let reasoning = (!reply.reasoning.is_empty()).then(|| {
        let text = json!({"text": reply.reasoning, "signature": "c2ln"});
        json!({"reasoningContent": {"reasoningText": text}})
    });
    let content: Vec<Value> = reasoning.into_iter().chain(text).chain(calls).collect();
    json!({
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": reply.finish("end_turn", "tool_use", "max_tokens"), "usage": usage(), "metrics": {"latencyMs": 12},
    })
}

fn frames(reply: &Reply) -> Wire {
    let mut pieces = vec![event("messageStart", &json!({"role": "assistant"}))];
    if !reply.reasoning.is_empty() {
        let delta = json!({"reasoningContent": {"text": reply.reasoning}});
        pieces.push(event("contentBlockDelta", &json!({"delta": delta, "contentBlockIndex": 0})));
    }
    // Text blocks have no start event.
    let words = reply.words().into_iter();
    pieces.extend(
        words.map(|word| {
            event("contentBlockDelta", &json!({"delta": {"text": word}, "contentBlockIndex": 0}))
        }),
    );
    if !reply.text.is_empty() {
        pieces.push(event("contentBlockStop", &json!({"contentBlockIndex": 0})));
    }
    for (index, (name, arguments)) in reply.calls.iter().enumerate() {
        let block = index + 1;
        let start = json!({"toolUse": {"toolUseId": format!("tooluse_{index}"), "name": name}});
        pieces.push(event("contentBlockStart", &json!({"start": start, "contentBlockIndex": block})));
        let arguments = arguments.to_string();
        let half = (0..=arguments.len() / 2).rev().find(|at| arguments.is_char_boundary(*at)).unwrap_or(0);
        for part in [&arguments[..half], &arguments[half..]] {
            let delta = json!({"toolUse": {"input": part}});
            pieces.push(event("contentBlockDelta", &json!({"delta": delta, "contentBlockIndex": block})));
        }
        pieces.push(event("contentBlockStop", &json!({"contentBlockIndex": block})));
    }
    let reason = reply.finish("end_turn", "tool_use", "max_tokens");
    pieces.push(event("messageStop", &json!({"stopReason": reason})));
    pieces.push(event("metadata", &json!({"usage": usage(), "metrics": {"latencyMs": 12}})));
    Wire { content_type: "application/vnd.amazon.eventstream", pieces }
}

fn usage() -> Value {
    json!({"inputTokens": TOKENS_IN, "outputTokens": TOKENS_OUT, "totalTokens": TOKENS_IN + TOKENS_OUT})
}

fn event(name: &str, payload: &Value) -> Bytes {
    frame(
        &[(":event-type", name), (":content-type", "application/json"), (":message-type", "event")],
        payload,
    )
}

fn frame(headers: &[(&str, &str)], payload: &Value) -> Bytes {
    let mut head = Vec::new();
    for (name, value) in headers {
        head.push(u8::try_from(name.len()).expect("a short name"));
        head.extend(name.as_bytes());
        head.push(7);
        head.extend(u16::try_from(value.len()).expect("a short value").to_be_bytes());
        head.extend(value.as_bytes());
    }
    let payload = payload.to_string();
    let length = |bytes: usize| u32::try_from(bytes).expect("a short frame").to_be_bytes();
    let mut frame = length(12 + head.len() + payload.len() + 4).to_vec();
    frame.extend(length(head.len()));
    frame.extend(crc(&frame));
    frame.extend(head);
    frame.extend(payload.as_bytes());
    frame.extend(crc(&frame));
    frame.into()
}

fn crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_be_bytes()
}

fn check_caller(request: &ModelRequest) -> Result<(), Refusal> {
    let authorization = request.header("authorization").unwrap_or_default();
    if let Some(key) = authorization.strip_prefix("Bearer ") {
        let is_right = key == KEY;
        return if is_right {
            Ok(())
        } else {
            Err(Refusal::new(403, "Authentication failed: the API key is invalid"))
        };
    }
    let Some(given) = authorization.split("Signature=").nth(1) else {
        return Err(Refusal::new(403, "Missing Authentication Token"));
    };
    let wrong = "The security token included in the request is invalid.";
    if !authorization.contains(&format!("Credential={ACCESS_KEY_ID}/")) {
        return Err(Refusal::new(403, wrong));
    }
    if request.header("x-amz-security-token").is_some_and(|token| token != SESSION_TOKEN) {
        return Err(Refusal::new(403, wrong));
    }
    if signature(request, authorization).as_deref() != Some(given) {
        let message = "The request signature we calculated does not match the signature you provided.";
        return Err(Refusal::new(403, message));
    }
    Ok(())
}

/// The signature of the received request, by the published rules; `None` if the header names something that is missing.
fn signature(request: &ModelRequest, authorization: &str) -> Option<String> {
    let names = authorization.split("SignedHeaders=").nth(1)?.split(',').next()?;
    if !names.split(';').any(|name| name == "host") {
        return None;
    }
    let mut headers = String::new();
    for name in names.split(';') {
        headers += &format!("{name}:{}\n", request.header(name)?.trim());
    }
    let path = request.path.replace('%', "%25");
    let body = hex(&Sha256::digest(&request.raw));
    let canonical = format!("{}\n{path}\n\n{headers}\n{names}\n{body}", request.method);
    let stamp = request.header("x-amz-date")?;
    let day = stamp.get(..8)?;
    let scope = format!("{day}/{REGION}/bedrock/aws4_request");
    let text = format!("AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{}", hex(&Sha256::digest(canonical)));
    let key = mac(format!("AWS4{SECRET_ACCESS_KEY}").as_bytes(), day);
    let key = mac(&mac(&mac(&key, REGION), "bedrock"), "aws4_request");
    Some(hex(&mac(&key, &text)))
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check_conversation(body: &Value) -> Result<(), Refusal> {
    if let Some(name) = unknown(body, &["messages", "system", "inferenceConfig", "toolConfig"]) {
        return Err(Refusal::new(400, format!("{name}: extra fields are not permitted")));
    }
    let messages = body["messages"].as_array().cloned().unwrap_or_default();
    let mut before = "assistant";
    for message in &messages {
        let role = message["role"].as_str().unwrap_or_default();
        if !matches!((before, role), ("assistant", "user") | ("user", "assistant")) {
            return Err(Refusal::new(400, "A conversation must alternate between user and assistant roles."));
        }
        let blocks = message["content"].as_array().filter(|blocks| !blocks.is_empty());
        let Some(blocks) = blocks else { return Err(Refusal::new(400, "The content field is empty.")) };
        if blocks.iter().any(|block| block["text"].as_str().is_some_and(|text| text.trim().is_empty())) {
            return Err(Refusal::new(400, "The text field in the ContentBlock object is blank."));
        }
        before = if role == "user" { "user" } else { "assistant" };
    }
    if before == "assistant" {
        return Err(Refusal::new(400, "A conversation must end with a user message."));
    }
    for tool in body["toolConfig"]["tools"].as_array().into_iter().flatten() {
        if !tool["toolSpec"]["inputSchema"]["json"].is_object() {
            return Err(Refusal::new(
                400,
                "The value at toolConfig.tools.0.toolSpec.inputSchema is invalid.",
            ));
        }
    }
    Ok(())
}

fn understand_invoke(model: &str, body: &Value) -> Result<Wanted, Refusal> {
    let texts = |list: &Value| -> Option<Vec<String>> {
        list.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
    };
    let bad = || Refusal::new(400, "Malformed input request, please reformat your input and try again.");
    if model.starts_with("amazon.titan-embed") {
        let text = body["inputText"].as_str().filter(|text| !text.is_empty()).ok_or_else(bad)?;
        return Ok(Wanted::Vectors { texts: vec![text.to_owned()] });
    }
    if model.starts_with("cohere.rerank") {
        let query = body["query"].as_str().filter(|_| body["api_version"] == 2).ok_or_else(bad)?;
        return Ok(Wanted::Ranks {
            query: query.to_owned(),
            texts: texts(&body["documents"]).ok_or_else(bad)?,
        });
    }
    let is_known = model.starts_with("cohere.embed") && body["input_type"].is_string();
    texts(&body["texts"]).filter(|_| is_known).map(|texts| Wanted::Vectors { texts }).ok_or_else(bad)
}

//! Requests and responses, checked against the API descriptions of the vendors.

use crate::fixture::{AMPLE, Fixture, prompt};
use crate::rows::{ROWS, Row};
use ai::apis::{ApiCall, api_of};
use domain::ports::{EmbeddingInput, Prompt, ToolDefinition, Turn};
use fakes::descriptions::{self, Exchange, TypeScript, with_camel_case};
use fakes::models::{ModelRequest, Reply, TEXT, Wire};
use fakes::vector_documents;
use serde_json::{Value, json};

const VERTEX_ANSWER: &str = "GoogleCloudAiplatformV1GenerateContentResponse";

const OPENAI: &str = "
import type * as chat from \"./node_modules/openai/resources/chat/completions/completions\";
import type * as embeddings from \"./node_modules/openai/resources/embeddings\";";

const ANTHROPIC: &str =
    "import type * as messages from \"./node_modules/@anthropic-ai/sdk/resources/messages/messages\";";

const COHERE: &str = "import type * as Cohere from \"./node_modules/cohere-ai/dist/api/index\";";

const OLLAMA: &str = "import type * as ollama from \"./node_modules/ollama/dist/browser\";";

fn row(name: &str) -> &'static Row {
    ROWS.iter().find(|row| row.name == name).unwrap()
}

fn exchange(request: &ModelRequest) -> Exchange {
    let ModelRequest { method, path, query, body, .. } = request.clone();
    Exchange { method, path, query, body, answer: Value::Null }
}

/// A text and two tool calls.
fn reply() -> Reply {
    let calls = vec![("search_mills".to_owned(), json!({"query": "x"})), ("list_all".to_owned(), json!({}))];
    Reply { text: TEXT.to_owned(), calls, ..Reply::default() }
}

/// A conversation with tools whose parameters use JSON schema keywords that a service may not support.
fn with_tools() -> Prompt {
    let query = json!({"type": "string", "minLength": 1, "enum": ["a", "b"], "examples": ["a"]});
    let list = json!({"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 3});
    let parameters = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["query"],
        "properties": {"query": query, "list": list}, "additionalProperties": false,
    });
    let tool = |name: &str| ToolDefinition {
        name: name.to_owned(),
        description: "looks for words".to_owned(),
        parameters: parameters.clone(),
    };
    Prompt { tools: vec![tool("search_mills"), tool("list_all")], ..prompt(AMPLE) }
}

/// The requests for a question, before and after the tool results.
async fn asked(row: &Row, mut conversation: Prompt) -> Vec<ModelRequest> {
    let fixture = Fixture::of(row).await;
    fixture.server.replies(|_| reply());
    let reply = fixture.collect_reply(&conversation).await;
    assert_eq!((reply.error, reply.calls.len()), (None, 2), "{}", row.name);
    conversation.turns.push(Turn::Assistant { text: reply.text, calls: reply.calls.clone() });
    conversation.turns.extend(reply.calls.into_iter().map(|call| Turn::Tool {
        call_id: call.id,
        name: call.name,
        text: "three mills were found".to_owned(),
    }));
    assert_eq!(fixture.collect_reply(&conversation).await.error, None, "{}", row.name);
    let requests = fixture.server.requests();
    assert_eq!(requests.len(), 2, "{}", row.name);
    requests
}

fn written(row: &Row, request: &ModelRequest) -> Wire {
    (row.vendor)().write(request, &reply(), row.streams)
}

/// The events of a text stream.
fn events(wire: &Wire) -> Vec<Value> {
    let text: String = wire.pieces.iter().map(|chunk| String::from_utf8_lossy(chunk)).collect();
    let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let events: Vec<Value> =
        data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect();
    assert!(events.len() > 2, "{text}");
    events
}

/// An AWS frame as an object with its event as the only member.
fn event_of(frame: &[u8]) -> Value {
    let head = u32::from_be_bytes(frame[4..8].try_into().unwrap()) as usize;
    let (headers, payload) = (&frame[12..12 + head], &frame[12 + head..frame.len() - 4]);
    let headers = String::from_utf8_lossy(headers);
    let (_, rest) = headers.split_once(":event-type\u{7}\0").unwrap();
    let length = usize::from(rest.as_bytes()[0]);
    json!({ &rest[1..=length]: serde_json::from_slice::<Value>(payload).unwrap() })
}

#[tokio::test]
async fn bedrock_is_asked_as_amazon_describes_it() {
    let Some(description) = descriptions::botocore("bedrock-runtime") else { return };
    for name in ["bedrock with a key", "bedrock with signed requests", "bedrock without a stream"] {
        let row = row(name);
        for request in asked(row, with_tools()).await {
            description.check(&exchange(&request));
            let wire = written(row, &request);
            if row.streams {
                assert!(request.path.ends_with("/converse-stream"));
                wire.pieces
                    .iter()
                    .for_each(|frame| description.check_answer("ConverseStreamOutput", &event_of(frame)));
            } else {
                assert!(request.path.ends_with("/converse"));
                let answer = serde_json::from_slice(&wire.pieces[0]).unwrap();
                description.check_answer("ConverseResponse", &answer);
            }
        }
    }
    // A model that rejects a temperature.
    let newer = Row { model: "bedrock/global.anthropic.claude-opus-4-8-v1:0", ..*row("bedrock with a key") };
    for request in asked(&newer, with_tools()).await {
        description.check(&exchange(&request));
        assert_eq!(request.body["inferenceConfig"], json!({"maxTokens": 500}));
    }
    assert!(description.route("POST", "/model/amazon.titan-embed-text-v2%3A0/invoke").is_some());
}

/// A schema with uppercase types, as the document lists them; Google's examples use both forms.
fn with_types(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let capitals = |name: &str, value: &Value| match (name, value) {
                ("type", Value::String(kind)) => json!(kind.to_uppercase()),
                _ => with_types(value),
            };
            members.iter().map(|(name, value)| (name.clone(), capitals(name, value))).collect()
        }
        other => other.clone(),
    }
}

#[tokio::test]
async fn vertex_ai_is_asked_as_google_describes_it() {
    let Some(description) = descriptions::discovery("aiplatform.v1") else { return };
    let row = row("gemini at Vertex AI");
    for request in asked(row, with_tools()).await {
        let mut exchange = exchange(&request);
        // Every Google API supports `alt=sse`; the document lists only the other values.
        let stream = ("alt".to_owned(), "sse".to_owned());
        assert_eq!(exchange.query.iter().position(|pair| *pair == stream), Some(0));
        exchange.query.clear();
        for tool in exchange.body["tools"][0]["functionDeclarations"].as_array_mut().unwrap() {
            tool["parameters"] = with_types(&tool["parameters"]);
        }
        description.check(&exchange);
        events(&written(row, &request))
            .iter()
            .for_each(|event| description.check_answer(VERTEX_ANSWER, event));
    }
    for pointer in ["/candidates/content/parts/functionCall/args", "/candidates/content/parts/thought"] {
        assert!(description.has(VERTEX_ANSWER, pointer), "{pointer}");
    }
}

#[tokio::test]
async fn openai_is_asked_as_openai_describes_it() {
    let Some(mut program) = TypeScript::given(OPENAI) else { return };
    assert!(
        program
            .source("openai/resources/chat/completions/completions.js")
            .contains("post('/chat/completions'")
    );
    assert!(program.source("openai/resources/embeddings.js").contains("post('/embeddings'"));
    for name in ["openai", "openai, a model that thinks"] {
        let row = row(name);
        for request in asked(row, with_tools()).await {
            assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
            program.request("chat.ChatCompletionCreateParamsStreaming", &request.body);
            events(&written(row, &request))
                .iter()
                .for_each(|event| program.answer("chat.ChatCompletionChunk", event));
        }
    }
    let provider = row("openai").provider(1, "http://127.0.0.1:9");
    let (kind, model) = api_of(&provider).unwrap();
    let call =
        ApiCall { provider: &provider, model, authorization: None, now: Default::default(), time_max: AMPLE };
    let request =
        kind.api.embedding_request(&call, EmbeddingInput::Passage, &["the mill".to_owned()]).unwrap();
    program.request("embeddings.EmbeddingCreateParams", &ModelRequest::of(&request).body);
    let vectors = (row("openai").vendor)().vectors(&[vector_documents::embed("the mill")]);
    program.declare("type Vectors = embeddings.CreateEmbeddingResponse;");
    program.answer("Vectors", &vectors);
    program.check();
}

#[tokio::test]
async fn anthropic_is_asked_as_anthropic_describes_it() {
    let Some(mut program) = TypeScript::given(ANTHROPIC) else { return };
    assert!(
        program.source("@anthropic-ai/sdk/resources/messages/messages.js").contains("post('/v1/messages'")
    );
    program.declare("type Older = messages.MessageCreateParamsStreaming & { temperature: number };");
    // Models before version 4.7 accept a temperature, which the newest client no longer sends.
    let older = row("anthropic");
    let newer = Row { model: "anthropic/claude-opus-4-8", ..*older };
    for (row, kind) in [(older, "Older"), (&newer, "messages.MessageCreateParamsStreaming")] {
        check_anthropic(&mut program, row, kind).await;
    }
    program.check();
}

async fn check_anthropic(program: &mut TypeScript, row: &Row, kind: &str) {
    for request in asked(row, with_tools()).await {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/messages"));
        program.request(kind, &request.body);
        events(&written(row, &request))
            .iter()
            .filter(|event| event["type"] != "ping")
            .for_each(|event| program.answer("messages.RawMessageStreamEvent", event));
    }
}

/// The client supports fewer JSON schema keywords than the server, which ignores unknown ones.
#[tokio::test]
async fn ollama_is_asked_as_ollama_describes_it() {
    let Some(mut program) = TypeScript::given(OLLAMA) else { return };
    let client = program.source("ollama/dist/browser.mjs");
    assert!(
        client.contains("/api/${endpoint}") && client.contains("processStreamableRequest(\"chat\""),
        "the address"
    );
    let row = row("ollama behind a key");
    let mut conversation = with_tools();
    for tool in &mut conversation.tools {
        tool.parameters =
            json!({"type": "object", "properties": {"query": {"type": "string", "description": "x"}}});
    }
    for request in asked(row, conversation).await {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/api/chat"));
        program.request("ollama.ChatRequest", &request.body);
        for line in &written(row, &request).pieces {
            // The client parses the date.
            program.answer(
                "Omit<ollama.ChatResponse, \"created_at\"> & { created_at: string }",
                &serde_json::from_slice(line).unwrap(),
            );
        }
    }
    program.check();
}

#[tokio::test]
async fn cohere_is_asked_as_cohere_describes_it() {
    let Some(mut program) = TypeScript::given(COHERE) else { return };
    let client = program.source("cohere-ai/dist/api/resources/v2/client/Client.js");
    let row = row("cohere");
    // The client has separate methods for streaming, and sets the field itself.
    program.declare("type Chat = Cohere.V2ChatStreamRequest & { stream: true };");
    for request in asked(row, with_tools()).await {
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v2/chat"));
        program.request("Chat", &with_camel_case(&request.body));
        for event in events(&written(row, &request)) {
            program.answer("Cohere.V2ChatStreamResponse", &with_camel_case(&event));
        }
    }
    let provider = row.provider(1, "http://127.0.0.1:9");
    let (kind, model) = api_of(&provider).unwrap();
    let call =
        ApiCall { provider: &provider, model, authorization: None, now: Default::default(), time_max: AMPLE };
    let texts = ["the mill".to_owned(), "the river".to_owned()];
    let embed = kind.api.embedding_request(&call, EmbeddingInput::Passage, &texts).unwrap();
    let rerank = kind.api.rerank_request(&call, "mill", &texts).unwrap();
    for (request, name, path) in
        [(embed, "Cohere.V2EmbedRequest", "v2/embed"), (rerank, "Cohere.V2RerankRequest", "v2/rerank")]
    {
        assert!(
            client.contains(&format!("\"{path}\"")) && request.url.path() == format!("/{path}"),
            "{path}"
        );
        program.request(name, &with_camel_case(&ModelRequest::of(&request).body));
    }
    let vendor = (row.vendor)();
    program.answer("Cohere.EmbedByTypeResponse", &with_camel_case(&vendor.vectors(&[vec![0.5]])));
    program.answer("Cohere.V2RerankResponse", &with_camel_case(&vendor.ranks(&[0.5])));
    program.check();
}

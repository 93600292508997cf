//! Cohere API v2: chat, embed and rerank.

use super::reasoning::tokens_max;
use super::request::{base, bearer, by_place, dimensions, failed, json, post, sentence, unreadable};
use super::sse::{Event, EventDecoder, EventStreamDecoder, parsed};
use super::tool_calls::ToolCallBuilder;
use super::{ApiCall, ModelApi, ModelApiKind, StreamDecoder};
use domain::bounded_json::parse_answer;
use domain::ports::{
    CompletionChunk, EmbeddingInput, HttpRequest, HttpResponse, ModelError, ModelErrorKind, Prompt, ToolCall,
    Turn,
};
use serde::Deserialize;
use serde_json::{Value, json};

pub const KIND: ModelApiKind = ModelApiKind {
    name: "cohere",
    summary: "Cohere: chat, embedding and reranking models.",
    prefixes: &["cohere/", "command-", "embed-", "rerank-"],
    api_base: "https://api.cohere.com",
    batch_max: 96,
    api: &Cohere,
};

struct Cohere;

impl ModelApi for Cohere {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let mut body = json!({
            "model": call.model,
            "messages": messages(prompt),
            "stream": true,
            "temperature": 0,
            "max_tokens": tokens_max(call, prompt.answer_tokens_max),
        });
        if !prompt.tools.is_empty() {
            body["tools"] = prompt
                .tools
                .iter()
                .map(|tool| {
                    json!({"type": "function", "function": {
                        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                    }})
                })
                .collect();
        }
        post(call, &address(call, "chat")?, bearer(call), &body)
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
        let input_type = match input {
            EmbeddingInput::Query => "search_query",
            EmbeddingInput::Passage => "search_document",
        };
        let mut body = json!({
            "model": call.model,
            "texts": texts,
            "input_type": input_type,
            "embedding_types": ["float"],
        });
        if let Some(dimensions) = dimensions(call) {
            body["output_dimension"] = dimensions.into();
        }
        post(call, &address(call, "embed")?, bearer(call), &body)
    }

    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        #[derive(Deserialize)]
        struct Embedded {
            embeddings: Floats,
        }
        #[derive(Deserialize)]
        struct Floats {
            float: Vec<Vec<f32>>,
        }
        json::<Embedded>(answer).map(|embedded| embedded.embeddings.float)
    }

    fn rerank_request(
        &self,
        call: &ApiCall<'_>,
        query: &str,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        let body = json!({"model": call.model, "query": query, "documents": texts, "top_n": texts.len()});
        post(call, &address(call, "rerank")?, bearer(call), &body)
    }

    fn parse_scores(&self, answer: &HttpResponse, count: usize) -> Result<Vec<f32>, ModelError> {
        #[derive(Deserialize)]
        struct Ranked {
            results: Vec<Scored>,
        }
        #[derive(Deserialize)]
        struct Scored {
            index: usize,
            relevance_score: f32,
        }
        let ranked = json::<Ranked>(answer)?;
        by_place(ranked.results.into_iter().map(|one| (one.index, one.relevance_score)), count)
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        sentence(parse_answer(body).ok()?.get("message")?.as_str()?)
    }
}

fn address(call: &ApiCall<'_>, what: &str) -> Result<String, ModelError> {
    Ok(format!("{}/v2/{what}", base(call, KIND.api_base)?))
}

fn messages(prompt: &Prompt) -> Vec<Value> {
    let system = (!prompt.system.is_empty()).then(|| json!({"role": "system", "content": prompt.system}));
    system.into_iter().chain(prompt.turns.iter().map(message)).collect()
}

fn message(turn: &Turn) -> Value {
    match turn {
        Turn::User(text) => json!({"role": "user", "content": text}),
        Turn::Assistant { text, calls } if calls.is_empty() => json!({"role": "assistant", "content": text}),
        Turn::Assistant { text, calls } => {
            let calls: Vec<Value> = calls.iter().map(called).collect();
            let mut message = json!({"role": "assistant", "tool_calls": calls});
            // Text before tool calls is the plan, not the reply.
            if !text.is_empty() {
                message["tool_plan"] = text.as_str().into();
            }
            message
        }
        Turn::Tool { call_id, text, .. } => json!({"role": "tool", "tool_call_id": call_id, "content": text}),
    }
}

fn called(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

#[derive(Default)]
struct Decoder {
    calls: ToolCallBuilder,
    is_done: bool,
}

impl EventDecoder for Decoder {
    fn event(&mut self, event: &Event, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if event.data == "[DONE]" {
            return Ok(());
        }
        let data = parsed(event.data.as_bytes())?;
        let message = &data["delta"]["message"];
        match data["type"].as_str().unwrap_or(&event.name) {
            "content-start" | "content-delta" => {
                if let Some(text) = message["content"]["text"].as_str().filter(|text| !text.is_empty()) {
                    out.push(CompletionChunk::Text(text.to_owned()));
                }
            }
            "tool-call-start" | "tool-call-delta" => {
                let call = &message["tool_calls"];
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let key = self.calls.key_of(data["index"].as_u64(), call["id"].as_str());
                let (name, arguments) =
                    (text(&call["function"]["name"]), text(&call["function"]["arguments"]));
                self.calls.add(key, &text(&call["id"]), &name, &arguments)?;
            }
            "message-end" => self.finish(&data["delta"], out)?,
            _ => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let message = &body["message"];
        for text in message["content"].as_array().into_iter().flatten().filter_map(|one| one["text"].as_str())
        {
            out.push(CompletionChunk::Text(text.to_owned()));
        }
        for (key, call) in (0..).zip(message["tool_calls"].as_array().into_iter().flatten()) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (name, arguments) = (text(&call["function"]["name"]), text(&call["function"]["arguments"]));
            self.calls.add(key, &text(&call["id"]), &name, &arguments)?;
        }
        self.finish(body, out)
    }

    fn end(&mut self, _out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if self.is_done { Ok(()) } else { Err(unreadable("it broke off")) }
    }
}

impl Decoder {
    fn finish(&mut self, last: &Value, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        match last["finish_reason"].as_str() {
            Some("COMPLETE" | "STOP_SEQUENCE" | "TOOL_CALL") => {}
            Some("MAX_TOKENS") => out.push(CompletionChunk::Cut),
            None => return Err(unreadable("it broke off")),
            Some(reason) => {
                let kind = match reason {
                    "TIMEOUT" => ModelErrorKind::Timeout,
                    _ => ModelErrorKind::Unavailable,
                };
                return Err(failed(kind, "the model failed", last["error"].as_str().or(Some(reason))));
            }
        }
        self.calls.finish(out);
        self.is_done = true;
        let tokens = |name: &str| {
            let usage = &last["usage"];
            usage["tokens"][name].as_u64().or_else(|| usage["billed_units"][name].as_u64())
        };
        if let (Some(tokens_in), Some(tokens_out)) = (tokens("input_tokens"), tokens("output_tokens")) {
            out.push(CompletionChunk::Usage { tokens_in, tokens_out });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repetition::tests::all_of;

    #[test]
    fn what_ends_badly_is_an_error() {
        let event = |data: Value| Event { name: String::new(), data: data.to_string() };
        for (last, says) in [
            (json!({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "oh"}}), "oh"),
            (json!({"type": "message-end", "delta": {"finish_reason": "ERROR_TOXIC"}}), "ERROR_TOXIC"),
            (json!({"type": "content-end", "index": 0}), "broke off"),
        ] {
            let (mut decoder, mut out) = (Decoder::default(), Vec::new());
            let read = decoder.event(&event(last.clone()), &mut out).and_then(|()| decoder.end(&mut out));
            assert!(read.is_err_and(|error| all_of(&error).contains(says)), "{last}");
        }
    }
}

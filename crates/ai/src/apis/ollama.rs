//! Ollama's native API: `/api/chat` streams one JSON object per line, `/api/embed` returns vectors.

use super::reasoning::tokens_max;
use super::request::{base, bearer, dimensions, failed, json, post, sentence, unreadable};
use super::tool_calls::ToolCallBuilder;
use super::{ApiCall, ModelApi, ModelApiKind, StreamDecoder};
use crate::tokens;
use domain::bounded_json::{ANSWER_VALUES_MAX, parse_answer, parse_as};
use domain::ports::{
    CompletionChunk, EmbeddingInput, HttpRequest, HttpResponse, ModelError, ModelErrorKind, Prompt, Turn,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub const KIND: ModelApiKind = ModelApiKind {
    name: "ollama",
    summary: "Models that Ollama runs on this machine or another one.",
    prefixes: &["ollama/", "ollama_chat/"],
    api_base: "http://localhost:11434",
    batch_max: 128,
    api: &Ollama,
};

/// Range of the context window that is requested.
const WINDOW_TOKENS_MIN: u64 = 4096;
const WINDOW_TOKENS_MAX: u64 = 131_072;
/// Maximum length of a line.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

struct Ollama;

impl ModelApi for Ollama {
    fn completion_request(&self, call: &ApiCall<'_>, prompt: &Prompt) -> Result<HttpRequest, ModelError> {
        let tokens_max = tokens_max(call, prompt.answer_tokens_max);
        let mut options = Map::from_iter([
            ("temperature".to_owned(), json!(0)),
            ("num_predict".to_owned(), tokens_max.into()),
        ]);
        let mut body = json!({"model": call.model, "messages": messages(prompt), "stream": true});
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
        // Without it the server silently truncates long prompts.
        options.insert("num_ctx".to_owned(), window(call, &body, tokens_max).into());
        body["options"] = options.into();
        post(call, &address(call, "chat")?, bearer(call), &body)
    }

    fn decoder(&self) -> Box<dyn StreamDecoder> {
        Box::new(Decoder::default())
    }

    fn embedding_request(
        &self,
        call: &ApiCall<'_>,
        _input: EmbeddingInput,
        texts: &[String],
    ) -> Result<HttpRequest, ModelError> {
        let mut body = json!({"model": call.model, "input": texts, "truncate": true});
        if let Some(dimensions) = dimensions(call) {
            body["dimensions"] = dimensions.into();
        }
        post(call, &address(call, "embed")?, bearer(call), &body)
    }

    fn parse_vectors(&self, answer: &HttpResponse) -> Result<Vec<Vec<f32>>, ModelError> {
        #[derive(Deserialize)]
        struct Embedded {
            embeddings: Vec<Vec<f32>>,
        }
        json::<Embedded>(answer).map(|embedded| embedded.embeddings)
    }

    fn error_message(&self, body: &[u8]) -> Option<String> {
        sentence(parse_answer(body).ok()?.get("error")?.as_str()?)
    }
}

fn address(call: &ApiCall<'_>, what: &str) -> Result<String, ModelError> {
    Ok(format!("{}/api/{what}", base(call, KIND.api_base)?))
}

/// Context window for prompt and reply: `config.num_ctx`, or large enough. A power of two, because the server reloads
/// the model whenever the size changes.
fn window(call: &ApiCall<'_>, body: &Value, answer_tokens_max: u32) -> u64 {
    if let Some(tokens) = call.provider.spec.config.get("num_ctx").and_then(Value::as_u64) {
        return tokens;
    }
    // Adds a quarter, because the model has another tokenizer.
    let asked = tokens::count(call.model, &body.to_string()) as u64;
    let needed = asked + asked / 4 + u64::from(answer_tokens_max);
    needed.next_power_of_two().clamp(WINDOW_TOKENS_MIN, WINDOW_TOKENS_MAX)
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
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| json!({"function": {"name": call.name, "arguments": call.arguments}}))
                .collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Turn::Tool { name, text, .. } => json!({"role": "tool", "tool_name": name, "content": text}),
    }
}

/// One line of the response.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Line {
    error: Option<String>,
    message: Message,
    done: bool,
    done_reason: String,
    prompt_eval_count: u64,
    eval_count: u64,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    content: String,
    tool_calls: Vec<Called>,
}

#[derive(Deserialize)]
struct Called {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    #[serde(default)]
    arguments: Value,
}

#[derive(Default)]
struct Decoder {
    held: Vec<u8>,
    calls: ToolCallBuilder,
    call_count: u64,
    is_done: bool,
}

impl StreamDecoder for Decoder {
    fn feed(&mut self, bytes: &[u8], out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.held.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.held);
            self.line(&line, out)?;
        }
        self.held.extend_from_slice(rest);
        if self.held.len() > LINE_BYTES_MAX {
            return Err(unreadable("one line of it has no end"));
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        let line = std::mem::take(&mut self.held);
        self.line(&line, out)?;
        if self.is_done { Ok(()) } else { Err(unreadable("it broke off")) }
    }
}

impl Decoder {
    fn line(&mut self, line: &[u8], out: &mut Vec<CompletionChunk>) -> Result<(), ModelError> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let line: Line =
            parse_as(line, ANSWER_VALUES_MAX).map_err(|_| unreadable("a line of it is no JSON"))?;
        if let Some(error) = line.error {
            return Err(failed(ModelErrorKind::Unavailable, "the model failed", Some(&error)));
        }
        if !line.message.content.is_empty() {
            out.push(CompletionChunk::Text(line.message.content));
        }
        for Called { function: Function { name, arguments } } in line.message.tool_calls {
            // The service assigns no ids to calls.
            self.calls.add(self.call_count, "", &name, &arguments.to_string())?;
            self.call_count += 1;
        }
        if line.done {
            self.is_done = true;
            self.calls.finish(out);
            out.extend((line.done_reason == "length").then_some(CompletionChunk::Cut));
            out.push(CompletionChunk::Usage {
                tokens_in: line.prompt_eval_count,
                tokens_out: line.eval_count,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repetition::tests::all_of;

    #[test]
    fn the_window_is_large_enough() {
        let provider = |config: Value| domain::ai_provider::AiProvider {
            id: domain::ids::AiProviderId(1),
            owner: None,
            spec: serde_json::from_value(json!({"name": "A", "model": "ollama/m", "config": config}))
                .unwrap(),
            is_unreadable: false,
            date_created: Default::default(),
            date_updated: Default::default(),
        };
        for (config, words, expected) in [
            (json!({}), 10, WINDOW_TOKENS_MIN),
            (json!({"max_tokens": 4000}), 4000, 8192),
            (json!({}), 9000, 16_384),
            (json!({}), 300_000, WINDOW_TOKENS_MAX),
            (json!({"num_ctx": 2048}), 9000, 2048),
        ] {
            let provider = provider(config);
            let time_max = std::time::Duration::from_secs(1);
            let call = ApiCall {
                provider: &provider,
                model: "m",
                authorization: None,
                now: Default::default(),
                time_max,
            };
            assert_eq!(window(&call, &"word ".repeat(words).into(), 500), expected, "{words}");
        }
    }

    #[test]
    fn a_line_has_an_end() {
        let mut decoder = Decoder::default();
        let piece = vec![b' '; LINE_BYTES_MAX];
        assert_eq!(decoder.feed(&piece, &mut Vec::new()), Ok(()));
        assert!(decoder.feed(b" ", &mut Vec::new()).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for (body, says) in [
            ("", "broke off"),
            ("{\"message\":{\"content\":\"a\"},\"done\":false}\n", "broke off"),
            ("nonsense\n", "no JSON"),
            ("{\"error\":\"an error was encountered\"}\n", "an error was encountered"),
        ] {
            let (mut decoder, mut out) = (Decoder::default(), Vec::new());
            let read = decoder.feed(body.as_bytes(), &mut out).and_then(|()| decoder.end(&mut out));
            assert!(read.is_err_and(|error| all_of(&error).contains(says)), "{body}");
        }
    }
}

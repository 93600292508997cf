//! One row per AI API: how its record is written, and which fake serves it.

use fakes::models::anthropic::Anthropic;
use fakes::models::azure::Azure;
use fakes::models::bedrock::{self, Bedrock};
use fakes::models::cohere::Cohere;
use fakes::models::gemini::{self, Gemini};
use fakes::models::ollama::Ollama;
use fakes::models::openai::OpenAi;
use fakes::models::request_post::RequestPost;
use fakes::models::{KEY, Vendor};
use serde_json::{Value, json};
use std::sync::Arc;

pub struct Dialect {
    pub name: &'static str,
    pub vendor: fn() -> Arc<dyn Vendor>,
    pub model: &'static str,
    /// `api_key` and `config` for a service at this address, with this key.
    pub record: fn(&str, &str) -> (String, Value),
    pub key: &'static str,
    /// True if the answer is streamed.
    pub streams: bool,
}

const PLAIN: Dialect = Dialect {
    name: "",
    vendor: || Arc::new(OpenAi),
    model: "",
    record: |url, key| (key.to_owned(), json!({"api_base": url})),
    key: KEY,
    streams: true,
};

pub const DIALECTS: &[Dialect] = &[
    Dialect {
        name: "openai",
        model: "gpt-4o",
        record: |url, key| (key.to_owned(), json!({"api_base": format!("{url}/v1")})),
        ..PLAIN
    },
    Dialect {
        name: "azure",
        vendor: || Arc::new(Azure { deployment: "ours", thinks: false }),
        model: "azure/ours",
        ..PLAIN
    },
    Dialect {
        name: "anthropic",
        vendor: || Arc::new(Anthropic),
        model: "anthropic/claude-sonnet-4-5",
        ..PLAIN
    },
    Dialect {
        name: "huggingface",
        model: "huggingface/meta-llama/Llama-3.1-8B-Instruct",
        record: |url, key| (key.to_owned(), json!({"api_base": format!("{url}/v1")})),
        ..PLAIN
    },
    Dialect {
        name: "requestpost",
        vendor: || Arc::new(RequestPost),
        model: "own",
        record: |url, key| {
            let post = json!({"headers": {"X-Own-Key": key}});
            (String::new(), json!({"api_base": format!("{url}/ask"), "requestpost": post}))
        },
        streams: false,
        ..PLAIN
    },
    Dialect {
        name: "gemini",
        vendor: || Arc::new(Gemini { is_vertex: false }),
        model: "gemini/gemini-2.5-flash",
        ..PLAIN
    },
    Dialect {
        name: "gemini at Vertex AI",
        vendor: || Arc::new(Gemini { is_vertex: true }),
        model: "vertex_ai/gemini-2.5-pro",
        record: |url, key| {
            let place = json!({"api_base": url, "VERTEX_PROJECT": gemini::PROJECT, "VERTEX_LOCATION": gemini::LOCATION});
            (key.to_owned(), place)
        },
        ..PLAIN
    },
    Dialect {
        name: "ollama",
        vendor: || Arc::new(Ollama { wants_key: true }),
        model: "ollama/llama3.2",
        ..PLAIN
    },
    Dialect { name: "cohere", vendor: || Arc::new(Cohere), model: "command-a-03-2025", ..PLAIN },
    Dialect {
        name: "bedrock with a key",
        vendor: || Arc::new(Bedrock),
        model: "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        record: |url, key| (key.to_owned(), json!({"api_base": url, "AWS_REGION_NAME": bedrock::REGION})),
        ..PLAIN
    },
    Dialect {
        name: "bedrock with signed requests",
        vendor: || Arc::new(Bedrock),
        model: "amazon.nova-pro-v1:0",
        record: |url, key| {
            let config = json!({
                "api_base": url, "AWS_REGION_NAME": bedrock::REGION, "AWS_ACCESS_KEY_ID": bedrock::ACCESS_KEY_ID,
                "AWS_SECRET_ACCESS_KEY": key, "AWS_SESSION_TOKEN": bedrock::SESSION_TOKEN,
            });
            (String::new(), config)
        },
        key: bedrock::SECRET_ACCESS_KEY,
        ..PLAIN
    },
];

//! The table of APIs: all pass the same tests.

use domain::ai_provider::AiProvider;
use domain::ids::AiProviderId;
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

pub struct Row {
    pub name: &'static str,
    pub vendor: fn() -> Arc<dyn Vendor>,
    pub model: &'static str,
    /// `api_key` and `config` for a service at this URL.
    pub record: fn(&str) -> (&'static str, Value),
    /// The reply is streamed.
    pub streams: bool,
    pub calls_tools: bool,
    /// A secret of the record; the service rejects any other value.
    pub key: &'static str,
}

const AZURE: Azure = Azure { deployment: "my deployment", thinks: false };

pub const ROWS: &[Row] = &[
    Row {
        name: "openai",
        vendor: || Arc::new(OpenAi),
        model: "gpt-4o",
        record: |url| (KEY, json!({"api_base": format!("{url}/v1")})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "openai, a model that thinks",
        vendor: || Arc::new(OpenAi),
        model: "openai/gpt-5-mini",
        record: |url| (KEY, json!({"api_base": format!("{url}/v1/"), "organization": "org-1"})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "azure",
        vendor: || Arc::new(Azure { deployment: "my%20deployment", ..AZURE }),
        model: "azure/my deployment",
        record: |url| (KEY, json!({"api_base": url})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "azure, a model that is not known to think",
        vendor: || Arc::new(Azure { deployment: "ours", thinks: true }),
        model: "azure/anything",
        record: |url| (KEY, json!({"api_base": url, "engine": "ours", "api_version": "2025-01-01-preview"})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "anthropic",
        vendor: || Arc::new(Anthropic),
        model: "anthropic/claude-sonnet-4-5",
        record: |url| (KEY, json!({"api_base": url})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "huggingface",
        vendor: || Arc::new(OpenAi),
        model: "huggingface/meta-llama/Llama-3.1-8B-Instruct",
        record: |url| (KEY, json!({"api_base": format!("{url}/v1")})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "requestpost",
        vendor: || Arc::new(RequestPost),
        model: "fixture",
        record: |url| {
            let post = json!({"headers": {"X-Own-Key": KEY}, "body": {"mode": "fast"}});
            ("", json!({"api_base": format!("{url}/ask"), "requestpost": post}))
        },
        streams: false,
        calls_tools: false,
        key: KEY,
    },
    Row {
        name: "gemini",
        vendor: || Arc::new(Gemini { is_vertex: false }),
        model: "gemini/gemini-2.5-flash",
        record: |url| (KEY, json!({"api_base": url})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "gemini at Vertex AI",
        vendor: || Arc::new(Gemini { is_vertex: true }),
        model: "vertex_ai/gemini-2.5-pro",
        record: |url| {
            let place = json!({"api_base": url, "VERTEX_PROJECT": gemini::PROJECT, "VERTEX_LOCATION": gemini::LOCATION});
            (KEY, place)
        },
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "ollama behind a key",
        vendor: || Arc::new(Ollama { wants_key: true }),
        model: "ollama/llama3.2",
        record: |url| (KEY, json!({"api_base": format!("{url}/"), "max_tokens": 4096})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "cohere",
        vendor: || Arc::new(Cohere),
        model: "command-a-03-2025",
        record: |url| (KEY, json!({"api_base": url})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "bedrock with a key",
        vendor: || Arc::new(Bedrock),
        model: "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        record: |url| (KEY, json!({"api_base": url, "AWS_REGION_NAME": bedrock::REGION})),
        streams: true,
        calls_tools: true,
        key: KEY,
    },
    Row {
        name: "bedrock with signed requests",
        vendor: || Arc::new(Bedrock),
        model: "amazon.nova-pro-v1:0",
        record: |url| ("", aws(url, json!({"AWS_SESSION_TOKEN": bedrock::SESSION_TOKEN}))),
        streams: true,
        calls_tools: true,
        key: bedrock::ACCESS_KEY_ID,
    },
    Row {
        name: "bedrock without a stream",
        vendor: || Arc::new(Bedrock),
        model: "bedrock/meta.llama3-1-70b-instruct-v1:0",
        record: |url| ("", aws(url, json!({"stream": false}))),
        streams: false,
        calls_tools: true,
        key: bedrock::ACCESS_KEY_ID,
    },
];

fn aws(url: &str, more: Value) -> Value {
    let mut config = json!({
        "api_base": url,
        "AWS_REGION_NAME": bedrock::REGION,
        "AWS_ACCESS_KEY_ID": bedrock::ACCESS_KEY_ID,
        "AWS_SECRET_ACCESS_KEY": bedrock::SECRET_ACCESS_KEY,
    });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

impl Row {
    /// A record for a service at this URL, shared and active for every role.
    pub fn provider(&self, id: i64, url: &str) -> AiProvider {
        let (api_key, config) = (self.record)(url);
        let spec = json!({
            "name": format!("P{id}"), "model": self.model, "api_key": api_key, "config": config,
            "tags": ["rag", "chat", "reader"],
        });
        AiProvider {
            id: AiProviderId(id),
            owner: None,
            spec: serde_json::from_value(spec).unwrap(),
            is_unreadable: false,
            date_created: Default::default(),
            date_updated: Default::default(),
        }
    }
}

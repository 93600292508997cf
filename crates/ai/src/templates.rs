//! Bundled records: an inactive AI provider for each service, and the standard prompts.

use domain::ai_provider::{AiProviderSpec, EXTRACTIVE_MODEL, LOCAL};
use domain::instant::Instant;
use domain::ports::{SeedStore, StoreError};
use domain::prompt::{CHAT, CHAT_RAG, PromptParts, PromptSpec, SEARCH_RAG};
use relevancy::embedder::MODEL_NAME;
use serde_json::Value;

const GENERATIVE_ROLES: &[&str] = &["query", "connector", "rag", "chat"];
const EMBEDDING_ROLES: &[&str] = &["reader"];
const RERANKING_ROLES: &[&str] = &["reranker"];

/// A bundled AIProvider. All except the built-in embedding model are inactive.
pub struct ProviderTemplate {
    pub name: &'static str,
    pub model: &'static str,
    pub roles: &'static [&'static str],
    /// Entries of `config`; values in angle brackets are placeholders.
    pub config: &'static [(&'static str, &'static str)],
}

const fn row(
    name: &'static str,
    model: &'static str,
    roles: &'static [&'static str],
    config: &'static [(&'static str, &'static str)],
) -> ProviderTemplate {
    ProviderTemplate { name, model, roles, config }
}

const AZURE: &[(&str, &str)] =
    &[("api_base", "https://<resource>.openai.azure.com"), ("api_version", "2024-10-21")];
const BEDROCK: &[(&str, &str)] =
    &[("AWS_REGION_NAME", "us-east-1"), ("AWS_ACCESS_KEY_ID", ""), ("AWS_SECRET_ACCESS_KEY", "")];
const OLLAMA: &[(&str, &str)] = &[("api_base", "http://localhost:11434")];
const VERTEX: &[(&str, &str)] = &[("VERTEX_PROJECT", "<project>"), ("VERTEX_LOCATION", "us-central1")];

pub const PROVIDERS: &[ProviderTemplate] = &[
    row(LOCAL, MODEL_NAME, EMBEDDING_ROLES, &[]),
    row("Extractive answer", EXTRACTIVE_MODEL, &["rag"], &[]),
    row("OpenAI", "gpt-5", GENERATIVE_ROLES, &[]),
    row("OpenAI embeddings", "text-embedding-3-small", EMBEDDING_ROLES, &[]),
    row("Azure OpenAI", "azure/gpt-5", GENERATIVE_ROLES, AZURE),
    row("Azure OpenAI embeddings", "azure/text-embedding-3-small", EMBEDDING_ROLES, AZURE),
    row("Anthropic", "anthropic/claude-sonnet-4-5", GENERATIVE_ROLES, &[]),
    row("Gemini", "gemini/gemini-2.5-flash", GENERATIVE_ROLES, &[]),
    row("Gemini embeddings", "gemini/gemini-embedding-001", EMBEDDING_ROLES, &[]),
    row("Vertex AI", "vertex_ai/gemini-2.5-flash", GENERATIVE_ROLES, VERTEX),
    row("Ollama", "ollama/llama3.2", GENERATIVE_ROLES, OLLAMA),
    row("Ollama embeddings", "ollama/nomic-embed-text", EMBEDDING_ROLES, OLLAMA),
    row("Cohere", "cohere/command-a-03-2025", GENERATIVE_ROLES, &[]),
    row("Cohere embeddings", "cohere/embed-v4.0", EMBEDDING_ROLES, &[]),
    row("Cohere rerank", "cohere/rerank-v3.5", RERANKING_ROLES, &[]),
    row("Bedrock", "bedrock/amazon.nova-pro-v1:0", GENERATIVE_ROLES, BEDROCK),
    row("Bedrock embeddings", "bedrock/amazon.titan-embed-text-v2:0", EMBEDDING_ROLES, BEDROCK),
    row("Hugging Face", "huggingface/meta-llama/Llama-3.3-70B-Instruct", GENERATIVE_ROLES, &[]),
    row("Mistral", "mistral-large-latest", GENERATIVE_ROLES, &[("api_base", "https://api.mistral.ai/v1")]),
    row(
        "Groq",
        "llama-3.3-70b-versatile",
        GENERATIVE_ROLES,
        &[("api_base", "https://api.groq.com/openai/v1")],
    ),
    row("DeepSeek", "deepseek-chat", GENERATIVE_ROLES, &[("api_base", "https://api.deepseek.com/v1")]),
    row("OpenRouter", "openrouter/auto", GENERATIVE_ROLES, &[("api_base", "https://openrouter.ai/api/v1")]),
    row("vLLM", "openai/Qwen/Qwen3-8B", GENERATIVE_ROLES, &[("api_base", "http://localhost:8000/v1")]),
    row("llama.cpp", "openai/default", GENERATIVE_ROLES, &[("api_base", "http://localhost:8080/v1")]),
    row("LM Studio", "openai/default", GENERATIVE_ROLES, &[("api_base", "http://localhost:1234/v1")]),
];

impl ProviderTemplate {
    pub fn spec(&self) -> AiProviderSpec {
        let roles = || self.roles.iter().map(|&role| role.to_owned()).collect();
        let value = |(key, value): &(&str, &str)| ((*key).to_owned(), Value::from(*value));
        let is_local = self.name == LOCAL;
        AiProviderSpec {
            name: self.name.to_owned(),
            active: is_local,
            model: self.model.to_owned(),
            config: self.config.iter().map(value).collect(),
            tags: roles(),
            defaults: if is_local { roles() } else { Vec::new() },
            ..AiProviderSpec::default()
        }
    }
}

/// A standard prompt. It is restored at every start; a customized prompt needs another name.
pub struct PromptTemplate {
    pub name: &'static str,
    pub tag: &'static str,
    pub prompt: &'static str,
    pub note: &'static str,
    pub footer: &'static str,
}

/// The first prompt of a tag is its default.
pub const PROMPTS: &[PromptTemplate] = &[
    PromptTemplate {
        name: "search_rag_standard",
        tag: SEARCH_RAG,
        prompt: "Answer this question from the numbered sources below: {query}\n\n{header}\n\n\
            Begin with the answer itself, then give what supports it. Where sources disagree, say so and prefer the \
            newer one. Leave out what does not belong to the question.",
        note: "",
        footer: "Write one to four short paragraphs, or a list when several things are asked for.",
    },
    PromptTemplate {
        name: "search_rag_deeplink",
        tag: SEARCH_RAG,
        prompt: "Answer this question from the numbered sources below: {query}\n\n{header}\n\n\
            Rest every claim on one passage of one source, and keep the words of that passage where you can, so that \
            a reader who follows the citation finds them. Where sources disagree, say so.",
        note: "",
        footer: "Write short sentences with one claim and one citation each.",
    },
    PromptTemplate {
        name: "chat_rag_instructions_standard",
        tag: CHAT,
        prompt: "You are the search assistant of this service. You help people to find and to understand what their \
            sources hold. Ask back when a request may mean several things, and say which sources you have used.",
        note: "",
        footer: "Be brief and friendly. Do not repeat what was said before in this conversation.",
    },
    PromptTemplate {
        name: "chat_rag_standard",
        tag: CHAT_RAG,
        prompt: "When you answer from sources, begin with the answer itself, then give what supports it. Where sources \
            disagree, say so and prefer the newer one.",
        note: "",
        footer: "",
    },
    PromptTemplate {
        name: "chat_rag_deeplink",
        tag: CHAT_RAG,
        prompt: "When you answer from sources, rest every claim on one passage of one source, and keep the words of \
            that passage where you can, so that a reader who follows the citation finds them.",
        note: "",
        footer: "",
    },
];

impl PromptTemplate {
    pub fn spec(&self) -> PromptSpec {
        PromptSpec {
            name: self.name.to_owned(),
            parts: PromptParts {
                prompt: self.prompt.to_owned(),
                note: self.note.to_owned(),
                footer: self.footer.to_owned(),
            },
            tags: vec![self.tag.to_owned()],
            active: true,
            shared: true,
        }
    }
}

/// Stores the missing records; several processes may do so concurrently. A deleted AIProvider stays deleted; prompts
/// are restored.
pub async fn ensure_records(store: &dyn SeedStore, now: Instant) -> Result<(), StoreError> {
    for template in PROVIDERS {
        store.seed_ai_provider(template.spec(), now).await?;
    }
    for template in PROMPTS {
        store.restore_prompt(template.spec(), now).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apis::api_of;
    use domain::ai_provider::{AiProvider, Role};
    use domain::ids::AiProviderId;
    use std::collections::BTreeSet;

    #[test]
    fn every_provider_is_valid_and_selects_its_api() {
        let names: BTreeSet<&str> = PROVIDERS.iter().map(|template| template.name).collect();
        assert_eq!(names.len(), PROVIDERS.len(), "a name is used twice");
        for (name, api, model) in [
            ("OpenAI", "openai", "gpt-5"),
            ("Azure OpenAI", "azure", "gpt-5"),
            ("Anthropic", "anthropic", "claude-sonnet-4-5"),
            ("Gemini", "gemini", "gemini-2.5-flash"),
            ("Ollama", "ollama", "llama3.2"),
            ("Cohere", "cohere", "command-a-03-2025"),
            ("Cohere rerank", "cohere", "rerank-v3.5"),
            ("Bedrock", "bedrock", "amazon.nova-pro-v1:0"),
            ("Hugging Face", "huggingface", "meta-llama/Llama-3.3-70B-Instruct"),
            ("Mistral", "openai", "mistral-large-latest"),
            ("Groq", "openai", "llama-3.3-70b-versatile"),
            ("OpenRouter", "openai", "openrouter/auto"),
            ("vLLM", "openai", "Qwen/Qwen3-8B"),
        ] {
            let spec = PROVIDERS.iter().find(|template| template.name == name).unwrap().spec();
            let (id, at) = (AiProviderId(1), Instant::default());
            let provider = AiProvider {
                id,
                owner: None,
                spec,
                is_unreadable: false,
                date_created: at,
                date_updated: at,
            };
            let (kind, asked) = api_of(&provider).unwrap();
            assert_eq!((kind.name, asked), (api, model), "{name}");
        }
        for template in PROVIDERS {
            let spec = template.spec();
            assert!(spec.check().is_empty(), "{}: {}", template.name, spec.check());
            assert!(spec.shared && spec.api_key.is_empty(), "{}", template.name);
            assert_eq!(spec.active, template.name == LOCAL, "{}", template.name);
            assert_eq!(spec.is_default_for(Role::Reader), template.name == LOCAL, "{}", template.name);
        }
    }

    #[test]
    fn every_prompt_is_valid_and_every_tag_has_one() {
        for template in PROMPTS {
            let spec = template.spec();
            assert!(spec.check().is_empty(), "{}: {}", template.name, spec.check());
        }
        let first = |tag| PROMPTS.iter().find(|template| template.tag == tag).map(|template| template.name);
        assert_eq!(first(SEARCH_RAG), Some("search_rag_standard"));
        assert_eq!(first(CHAT), Some("chat_rag_instructions_standard"));
        assert_eq!(first(CHAT_RAG), Some("chat_rag_standard"));
    }
}

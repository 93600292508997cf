//! GenAI connector: a generative model that answers the query from its own knowledge.

use crate::shared::check::{read_notations, require_notations};
use domain::ai_provider::Role;
use domain::corpus::SourceKind;
use domain::ids::AiProviderId;
use domain::instant::{self, Instant};
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, ModelError, ModelErrorKind,
    ModelRequest, NormalizedPage, PluginContext, Prompt, ProviderQuery, RequestDescription, ResultOrigin,
    SourceRequest, SourceResponse, TestTarget, Turn, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::provider_config::ConfigField;
use domain::validation::FieldErrors;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;
use syntax::strip_html::readable_plain;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "GenAI",
    module: "gen_ai",
    summary: "A model that answers the query itself, through an AI provider with the role connector.",
    capability: Capability { page: false, date_sort: false, not: false },
    settings: &["query_mappings", "query_template_json", "result_mappings", "config"],
    authenticator: None,
    origin: ResultOrigin::Generated,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check,
    build,
};

/// Placeholder of the query in the prompt.
const PLACE: &str = "{query_to_provider}";
const PROMPT_KEY: &str = "PROMPT";
const GUIDE_KEY: &str = "CHAT_QUERY_REWRITE_GUIDE";
const GUIDE: &str = "Answer briefly and plainly. Say so when you do not know.";

const ANSWER_TOKENS_MAX: u32 = 800;
const ANSWER_BYTES_MAX: usize = 64 * 1024;

struct GenAi {
    wanted: ModelRequest,
    /// If absent, the query itself is the prompt.
    prompt: Option<String>,
    guide: String,
    context: PluginContext,
}

impl fmt::Debug for GenAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenAi").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    let prompt = notations.query_mappings.get(PROMPT_KEY);
    errors.check(prompt.is_none_or(|prompt| prompt.contains(PLACE)), "query_mappings", || {
        format!("{PROMPT_KEY} must contain {PLACE}; put a prompt with a comma into query_template_json.")
    });
    for key in [PROMPT_KEY, GUIDE_KEY] {
        let Some(text) = provider.spec.query_template_json.get(key) else { continue };
        let is_right = text.as_str().is_some_and(|text| key != PROMPT_KEY || text.contains(PLACE));
        errors.check(is_right, "query_template_json", || match key {
            PROMPT_KEY => format!("{PROMPT_KEY} must be a text that contains {PLACE}."),
            key => format!("{key} must be a text."),
        });
    }
    errors.check(!GenAiConfig::of(provider).ai_provider.is_invalid(), "config", || {
        "swirl.gen_ai.ai_provider: the id of an AI provider is needed.".to_owned()
    });
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let mappings = require_notations(provider)?.query_mappings;
    let template = &provider.spec.query_template_json;
    let text = |key: &str| template.get(key).and_then(Value::as_str).or_else(|| mappings.get(key));
    Ok(GenAi {
        wanted: ModelRequest {
            provider: GenAiConfig::of(provider).ai_provider.valid().map(AiProviderId),
            ..ModelRequest::of(Role::Connector, Some(provider.owner))
        },
        prompt: text(PROMPT_KEY).map(str::to_owned),
        guide: text(GUIDE_KEY).unwrap_or(GUIDE).to_owned(),
        context: context.clone(),
    }
    .boxed())
}

/// `config.swirl.gen_ai` of a provider.
#[derive(Default, Deserialize)]
#[serde(default)]
struct GenAiConfig {
    /// The id of the AI provider to ask.
    ai_provider: ConfigField<i64>,
}

impl GenAiConfig {
    fn of(provider: &SearchProvider) -> Self {
        provider.spec.config.block("gen_ai")
    }
}

impl TypedConnector for GenAi {
    type Request = ModelQuery;
    type Response = ModelAnswer;

    fn capability(&self) -> Capability {
        KIND.capability
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<ModelQuery, ConnectorError> {
        // The query needs no surrounding prompt.
        let template = self.prompt.as_deref().filter(|_| !query.text.trim_end().ends_with('?'));
        let prompt = template.map_or_else(|| query.text.to_owned(), |text| text.replace(PLACE, query.text));
        Ok(ModelQuery {
            text: query.text.to_owned(),
            prompt,
            system: self.guide.clone(),
            time_max: query.time_max,
        })
    }

    async fn execute(&self, query: &ModelQuery) -> Result<ModelAnswer, ConnectorError> {
        if query.time_max.is_zero() {
            return Err(too_late());
        }
        let answer = tokio::time::timeout(query.time_max, self.answer(query)).await;
        answer.map_err(|_| too_late())?.map_err(into_connector_error)
    }

    fn normalize(&self, answer: ModelAnswer) -> Result<NormalizedPage, ConnectorError> {
        let item = json!({
            // Models write plain text: what looks like markup in it is code.
            "title": readable_plain(&answer.query),
            "body": readable_plain(&answer.text),
            "author": answer.provider,
            "date_published": instant::display(answer.at),
            "model": answer.model,
        });
        Ok(NormalizedPage { found: Some(1), retrieved: Some(1), items: vec![item], missing: None })
    }
}

/// A prompt for the model.
#[derive(Debug)]
struct ModelQuery {
    /// The query in the prompt.
    text: String,
    prompt: String,
    system: String,
    time_max: Duration,
}

impl SourceRequest for ModelQuery {
    fn description(&self) -> RequestDescription<'_> {
        let body = json!({"query": self.text, "prompt": self.prompt, "system": self.system});
        RequestDescription::Command { place: "a model", body: Cow::Owned(body), rows_max: 1 }
    }
}

/// The text that the model wrote.
#[derive(Debug, Clone)]
struct ModelAnswer {
    query: String,
    text: String,
    /// Name of the AI provider.
    provider: String,
    model: String,
    at: Instant,
}

impl SourceResponse for ModelAnswer {}

impl GenAi {
    async fn answer(&self, query: &ModelQuery) -> Result<ModelAnswer, ModelError> {
        let prompt = Prompt {
            system: query.system.clone(),
            turns: vec![Turn::User(query.prompt.clone())],
            tools: Vec::new(),
            answer_tokens_max: ANSWER_TOKENS_MAX,
            time_max: query.time_max,
        };
        let completion = self.context.generative_models.complete(&self.wanted, &prompt).await?;
        let (provider, model) =
            (completion.provider.spec.name.clone(), completion.provider.spec.model.clone());
        let text = completion.into_text(ANSWER_BYTES_MAX).await?;
        if text.trim().is_empty() {
            return Err(ModelError::new(
                ModelErrorKind::Unreadable,
                format!("'{provider}' returned no text"),
            ));
        }
        Ok(ModelAnswer { query: query.text.clone(), text, provider, model, at: self.context.clock.now() })
    }
}

fn too_late() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Timeout, "ERR_PROMPT_FAILED: the model did not answer in time")
}

fn into_connector_error(error: ModelError) -> ConnectorError {
    let kind = match error.kind {
        ModelErrorKind::NoProvider | ModelErrorKind::ConfigInvalid => ConnectorErrorKind::ConfigInvalid,
        ModelErrorKind::AddressRefused => ConnectorErrorKind::AddressRefused,
        ModelErrorKind::Denied => ConnectorErrorKind::Denied,
        ModelErrorKind::RateLimited => ConnectorErrorKind::RateLimited,
        ModelErrorKind::TooLong => ConnectorErrorKind::QueryInvalid,
        ModelErrorKind::Timeout => ConnectorErrorKind::Timeout,
        ModelErrorKind::Unavailable => ConnectorErrorKind::Unavailable,
        ModelErrorKind::Unreadable => ConnectorErrorKind::Unreadable,
    };
    let message = format!("{}: {}", error.code(), error.message);
    ConnectorError { retry_after: error.retry_after, ..ConnectorError::new(kind, message).caused_by(error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::fixtures::{config_errors, provider_with_block};

    #[test]
    fn its_block_is_read_and_wrong_values_are_named() {
        let wrong = || vec!["swirl.gen_ai.ai_provider: the id of an AI provider is needed.".to_owned()];
        let table = [
            (json!(null), None, Vec::new()),
            (json!([3]), None, Vec::new()),
            (json!({}), None, Vec::new()),
            (json!({"ai_provider": 3}), Some(3), Vec::new()),
            (json!({"ai_provider": -1}), Some(-1), Vec::new()),
            (json!({"ai_provider": i64::MAX}), Some(i64::MAX), Vec::new()),
            (json!({"ai_provider": u64::MAX}), None, wrong()),
            (json!({"ai_provider": 3.0}), None, wrong()),
            (json!({"ai_provider": "3"}), None, wrong()),
            (json!({"ai_provider": null}), None, wrong()),
        ];
        for (block, id, expected) in table {
            let provider = provider_with_block("gen_ai", &block);
            assert_eq!(GenAiConfig::of(&provider).ai_provider.valid(), id, "{block}");
            assert_eq!(config_errors(check(&provider)), expected, "{block}");
        }
    }
}

//! Which models reason before they reply. Their reasoning counts towards the token limit of the reply.

use super::ApiCall;
use serde_json::Value;

/// Added to the token limit of a model that reasons, unless `config.reasoning_tokens` is set.
pub const REASONING_TOKENS: u32 = 8_000;

/// Parts of the names of models that reason. Dots, colons and underscores are read as hyphens.
const NAMES: [&str; 11] = [
    "-reasoning",
    "-thinking",
    "deepseek-r",
    "deepseek-v4",
    "gpt-oss",
    "grok-4",
    "kimi-k3",
    "magistral",
    "minimax-m",
    "qwen3",
    "qwq",
];

/// The token limit of a reply together with the reasoning before it.
pub fn tokens_max(call: &ApiCall<'_>, answer_tokens_max: u32) -> u32 {
    answer_tokens_max.saturating_add(reasoning_tokens(call))
}

/// Tokens for the reasoning of a model; 0 if it is not known to reason.
pub fn reasoning_tokens(call: &ApiCall<'_>) -> u32 {
    let known = || if reasons(call.model) { REASONING_TOKENS } else { 0 };
    configured_reasoning_tokens(call).unwrap_or_else(known)
}

/// `config.reasoning_tokens`.
pub fn configured_reasoning_tokens(call: &ApiCall<'_>) -> Option<u32> {
    let tokens = call.provider.spec.config.get("reasoning_tokens").and_then(Value::as_u64)?;
    Some(u32::try_from(tokens).unwrap_or(u32::MAX))
}

fn reasons(model: &str) -> bool {
    let model = model.to_ascii_lowercase().replace(['.', ':', '_'], "-");
    let is_always_reasoning = |version: Version| version >= Version { major: 5, minor: 0 };
    is_openai_reasoning(&model)
        || NAMES.iter().any(|name| model.contains(name))
        || (model.contains("claude-") && claude_version(&model).is_none_or(is_always_reasoning))
        || gemini_thinking(&model).is_some()
}

/// Whether a model reasons and comes from OpenAI: such models accept neither `temperature` nor `max_tokens`.
pub fn is_openai_reasoning(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let number_after = |prefix: &str| {
        let digits = name.strip_prefix(prefix)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse::<u32>().ok()
    };
    number_after("o").is_some() || number_after("gpt-").is_some_and(|version| version >= 5)
}

/// The version of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

/// The version of a Claude model; None if its name has none, or is that of another model.
pub fn claude_version(model: &str) -> Option<Version> {
    version_after(&model.to_ascii_lowercase(), "claude-")
}

/// How the thinking of a Gemini model is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeminiThinking {
    /// By a number of tokens.
    Budget {
        /// The least that is accepted.
        min: u32,
        /// 0 is accepted as well, and turns it off.
        can_be_off: bool,
    },
    /// By a level.
    Level,
    /// It does not think unless it is told to.
    Unset,
}

/// The highest thinking budget that all Gemini models accept.
const GEMINI_BUDGET_MAX: u32 = 24_576;

impl GeminiThinking {
    /// The thinking budget for this number of tokens; None if there is none.
    pub fn budget(self, tokens: u32) -> Option<u32> {
        match self {
            Self::Budget { can_be_off: true, .. } if tokens == 0 => Some(0),
            Self::Budget { min, .. } => Some(tokens.clamp(min, GEMINI_BUDGET_MAX)),
            Self::Level | Self::Unset => None,
        }
    }
}

/// None if the model does not think.
pub fn gemini_thinking(model: &str) -> Option<GeminiThinking> {
    let model = model.to_ascii_lowercase();
    let (_, name) = model.split_once("gemini-")?;
    let thinking = match version_after(&model, "gemini-") {
        // A name such as `gemini-flash-latest`: all models accept a budget, those since version 3 for compatibility.
        None => GeminiThinking::Budget { min: 512, can_be_off: false },
        Some(version) if version < (Version { major: 2, minor: 5 }) => return None,
        Some(version) if version.major >= 3 => GeminiThinking::Level,
        Some(_) if name.contains("-lite") => GeminiThinking::Unset,
        Some(_) if name.contains("-flash") => GeminiThinking::Budget { min: 1, can_be_off: true },
        Some(_) => GeminiThinking::Budget { min: 128, can_be_off: false },
    };
    Some(thinking)
}

/// Whether a Gemini model accepts a temperature of 0. Since version 3, Google advises against any but the default: models
/// may repeat themselves endlessly. A name without a version may be one of them.
pub fn gemini_takes_temperature(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    !model.contains("gemini-") || version_after(&model, "gemini-").is_some_and(|version| version.major < 3)
}

/// The first number after the prefix, and the number that follows it. A larger number is a date.
fn version_after(model: &str, prefix: &str) -> Option<Version> {
    let (_, name) = model.split_once(prefix)?;
    let mut numbers = name.split(['-', '.', '@', ':']).map(|part| part.parse::<u32>().ok());
    let mut next = || numbers.next().map(|number| number.filter(|number| *number < 100));
    let major = std::iter::from_fn(&mut next).flatten().next()?;
    Some(Version { major, minor: next().flatten().unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_reason_are_known() {
        for (model, expected) in [
            ("gpt-4o", false),
            ("gpt-5-mini", true),
            ("openai/o4-mini", true),
            ("gpt-oss:20b", true),
            ("openai.gpt-oss-120b-1:0", true),
            ("deepseek-chat", false),
            ("deepseek-reasoner", true),
            ("deepseek-r1:8b", true),
            ("us.deepseek.r1-v1:0", true),
            ("Qwen/Qwen2.5-7B-Instruct", false),
            ("Qwen/Qwen3-8B", true),
            ("Qwen/QwQ-32B", true),
            ("magistral-small-latest", true),
            ("mistral-large-latest", false),
            ("command-a-03-2025", false),
            ("command-a-reasoning-08-2025", true),
            ("llama3.2", false),
            ("claude-3-5-haiku-20241022", false),
            ("claude-opus-4-8", false),
            ("claude-fable-5", true),
            ("global.anthropic.claude-mythos-5-v1:0", true),
            ("claude-latest", true),
            ("amazon.nova-pro-v1:0", false),
            ("gemini-1.5-pro", false),
            ("gemini-2.0-flash", false),
            ("gemini-2.5-flash", true),
            ("gemini-embedding-001", false),
        ] {
            assert_eq!(reasons(model), expected, "{model}");
        }
    }

    #[test]
    fn reasoning_models_of_openai_are_known() {
        for (model, expected) in [
            ("o1", true),
            ("o3-mini", true),
            ("openai/o4-mini", true),
            ("gpt-5", true),
            ("GPT-5.2-pro", true),
            ("gpt-6", true),
            ("gpt-4o", false),
            ("gpt-oss-20b", false),
            ("olmo-2", false),
            ("gpt-4.1-mini", false),
        ] {
            assert_eq!(is_openai_reasoning(model), expected, "{model}");
        }
    }

    #[test]
    fn the_thinking_of_gemini_is_limited_by_version() {
        let budget = |min, can_be_off| Some(GeminiThinking::Budget { min, can_be_off });
        for (model, expected, takes_temperature) in [
            ("gemini-1.5-flash", None, true),
            ("gemini-2.0-flash-001", None, true),
            ("gemini-2.5-flash", budget(1, true), true),
            ("gemini-2.5-pro-preview-06-05", budget(128, false), true),
            ("gemini-2.5-flash-lite", Some(GeminiThinking::Unset), true),
            ("gemini-3-pro-preview", Some(GeminiThinking::Level), false),
            ("gemini-3.1-flash-lite-preview", Some(GeminiThinking::Level), false),
            ("gemini-flash-latest", budget(512, false), false),
            ("gemini-pro-latest", budget(512, false), false),
            ("gemini-exp-1206", budget(512, false), false),
            ("gemma-3-27b-it", None, true),
        ] {
            assert_eq!(gemini_thinking(model), expected, "{model}");
            assert_eq!(gemini_takes_temperature(model), takes_temperature, "{model}");
        }
    }

    #[test]
    fn a_thinking_budget_is_one_that_the_model_accepts() {
        for (model, tokens, expected) in [
            ("gemini-2.5-flash", 0, Some(0)),
            ("gemini-2.5-flash", 50, Some(50)),
            ("gemini-2.5-pro", 0, Some(128)),
            ("gemini-2.5-pro", 8_000, Some(8_000)),
            ("gemini-2.5-pro", u32::MAX, Some(GEMINI_BUDGET_MAX)),
            ("gemini-flash-latest", 0, Some(512)),
            ("gemini-3-pro-preview", 8_000, None),
            ("gemini-2.5-flash-lite", 8_000, None),
        ] {
            let thinking = gemini_thinking(model).unwrap();
            assert_eq!(thinking.budget(tokens), expected, "{model} {tokens}");
        }
    }

    #[test]
    fn the_record_decides() {
        let provider = |config: Value| domain::ai_provider::AiProvider {
            id: domain::ids::AiProviderId(1),
            owner: None,
            spec: serde_json::from_value(serde_json::json!({"name": "A", "model": "m", "config": config}))
                .unwrap(),
            is_unreadable: false,
            date_created: Default::default(),
            date_updated: Default::default(),
        };
        for (model, config, expected) in [
            ("gpt-4o", serde_json::json!({}), 500),
            ("gpt-5", serde_json::json!({}), 500 + REASONING_TOKENS),
            ("gpt-5", serde_json::json!({"reasoning_tokens": 0}), 500),
            ("own", serde_json::json!({"reasoning_tokens": 3000}), 3500),
            ("own", serde_json::json!({"reasoning_tokens": u64::MAX}), u32::MAX),
        ] {
            let provider = provider(config);
            let time_max = std::time::Duration::from_secs(1);
            let call = ApiCall {
                provider: &provider,
                model,
                authorization: None,
                now: Default::default(),
                time_max,
            };
            assert_eq!(tokens_max(&call, 500), expected, "{model}");
        }
    }
}

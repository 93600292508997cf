//! How much of the message of a service is repeated in an error: neither keys nor parts of the prompt, and for people
//! nothing internal.

use crate::vendor_message::{FullMessage, shortened};
use domain::ai_provider::AiProvider;
use domain::ports::{ModelError, ModelErrorKind, Prompt, Turn};
use domain::secret::{MASK, is_secret_name};
use serde_json::Value;
use std::error::Error;
use std::fmt;

/// An error message that repeats this many consecutive characters of the prompt is withheld.
pub const ECHO_CHARS: usize = 24;
/// Words by which services report that a model calls no tools.
const TOOLS: [&str; 3] = ["tool", "function call", "functions"];
/// What to do about it.
const TOOLS_HINT: &str = ". If the model calls no tools, an administrator can set config.tools to false";

/// The message of a service that is not examined yet. It is shown nowhere.
#[derive(Debug)]
struct Unexamined(UnshownText);

struct UnshownText(String);

impl fmt::Debug for UnshownText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Unexamined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the service gave a reason")
    }
}

impl Error for Unexamined {}

/// An error with the message of a service, which [`examined`] adds or drops.
pub fn unexamined(error: ModelError, said: &str) -> ModelError {
    ModelError { source: Some(Unexamined(UnshownText(said.to_owned())).into()), ..error }
}

/// Adds the message of the service to an error that a decoder reports.
pub fn examined(error: ModelError, provider: &AiProvider, prompt: &Prompt) -> ModelError {
    let said = error.source.as_ref().and_then(|cause| cause.downcast_ref::<Unexamined>());
    let Some(said) = said.map(|said| said.0.0.clone()) else { return error };
    with_message(ModelError { source: None, ..error }, &said, provider, prompt)
}

/// Adds the message of a service, unless it repeats a part of the prompt or may contain a part of the key.
pub fn with_message(error: ModelError, said: &str, provider: &AiProvider, prompt: &Prompt) -> ModelError {
    if error.kind == ModelErrorKind::Denied {
        return error;
    }
    let is_repeatable = !said.is_empty() && !echoes(said, prompt);
    let error =
        if is_repeatable { with_detail(error, &masked(provider, said), Some(provider)) } else { error };
    // A rejection without a reason may have this one.
    let has_reason = !said.is_empty() || error.kind != ModelErrorKind::ConfigInvalid;
    let is_of_request = matches!(error.kind, ModelErrorKind::ConfigInvalid | ModelErrorKind::Unavailable);
    let refuses_tools = !prompt.tools.is_empty() && (!has_reason || mentions_tools(said));
    if is_of_request && refuses_tools { with_hint(error) } else { error }
}

/// Adds a message: what people may see of it to the error, all of it to the cause.
pub fn with_detail(error: ModelError, said: &str, provider: Option<&AiProvider>) -> ModelError {
    let names = provider.map(names).unwrap_or_default();
    let (before, short) = (&error.message, shortened(said, &names));
    let message = if short.is_empty() { before.clone() } else { format!("{before}: {short}") };
    let text = format!("{before}: {said}");
    if text == message {
        return ModelError { message, ..error };
    }
    let full = FullMessage { text, source: error.source.clone() };
    ModelError { message, source: Some(full.into()), ..error }
}

/// The names of the model in the record, with and without the parts before it.
fn names(provider: &AiProvider) -> Vec<&str> {
    let model = provider.spec.model.as_str();
    let own = ["base_model", "engine"].into_iter().filter_map(|key| provider.spec.config_text(key));
    let short = model.match_indices('/').map(|(at, _)| &model[at + 1..]);
    std::iter::once(model).chain(short).chain(own).collect()
}

fn with_hint(error: ModelError) -> ModelError {
    ModelError { message: format!("{}{TOOLS_HINT}", error.message.trim_end_matches('.')), ..error }
}

fn mentions_tools(said: &str) -> bool {
    let said = said.to_lowercase();
    TOOLS.iter().any(|word| said.contains(word))
}

/// Masks the key and the secrets of `config`.
pub fn masked(provider: &AiProvider, text: &str) -> String {
    let mut secrets = vec![provider.spec.api_key.trim()];
    provider.spec.config.iter().for_each(|(name, value)| collect_secrets(name, value, &mut secrets));
    // A longer secret may contain a shorter one.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let secrets = secrets.into_iter().filter(|secret| !secret.is_empty());
    secrets.fold(text.to_owned(), |text, secret| text.replace(secret, MASK))
}

fn collect_secrets<'a>(name: &str, value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) if is_secret_name(name) => {
            // The second word of `Bearer …` is the secret.
            found.extend([text.as_str(), text.split_whitespace().last().unwrap_or_default()]);
        }
        Value::Object(fields) => fields.iter().for_each(|(name, value)| collect_secrets(name, value, found)),
        Value::Array(values) => values.iter().for_each(|value| collect_secrets(name, value, found)),
        _ => {}
    }
}

/// Whether an error message repeats a part of the prompt. White space does not count.
fn echoes(said: &str, prompt: &Prompt) -> bool {
    let turns = prompt.turns.iter().map(|turn| match turn {
        Turn::User(text) | Turn::Assistant { text, .. } | Turn::Tool { text, .. } => text.as_str(),
    });
    let on_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = std::iter::once(prompt.system.as_str()).chain(turns).map(on_one_line).collect();
    let said = on_one_line(said);
    let starts: Vec<usize> = said.char_indices().map(|(place, _)| place).chain([said.len()]).collect();
    let mut windows = starts.windows(ECHO_CHARS + 1).map(|ends| &said[ends[0]..ends[ECHO_CHARS]]);
    windows.any(|window| texts.iter().any(|text| text.contains(window)))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::error::full_message;
    use crate::error::tests::{prompt, provider};
    use domain::ports::{ToolDefinition, chain};
    use serde_json::json;

    /// The message of an error, and that of the service.
    pub fn all_of(error: &ModelError) -> String {
        let said = error.source.as_ref().and_then(|cause| cause.downcast_ref::<Unexamined>());
        format!("{} {}", error.message, said.map_or("", |said| &said.0.0))
    }

    fn with_tools() -> Prompt {
        let tool = ToolDefinition { name: "f".to_owned(), description: String::new(), parameters: json!({}) };
        Prompt { tools: vec![tool], ..prompt() }
    }

    #[test]
    fn an_error_within_an_answer_is_examined_like_any_other() {
        for (said, message, full) in [
            ("it fell over", "the model failed: it fell over", "the model failed: it fell over"),
            (
                "at gpu-07.lab: canary-two",
                "the model failed: at … ••••",
                "the model failed: at gpu-07.lab: ••••",
            ),
            ("cannot read 'the secret plan of the whole' well", "the model failed", "the model failed"),
            ("cannot read the secret\n\n plan of the whole", "the model failed", "the model failed"),
            ("model m is lost", "the model failed: model m is lost", "the model failed: model m is lost"),
        ] {
            let error = unexamined(ModelError::new(ModelErrorKind::Unavailable, "the model failed"), said);
            let shown = format!("{error} {error:?} {}", chain(&error));
            assert!(!shown.contains(said), "{shown}");
            let error = examined(error, &provider(), &prompt());
            assert_eq!((error.message.as_str(), full_message(&error).as_str()), (message, full), "{said}");
        }
        // The message of the service may contain a part of the key.
        let denied =
            unexamined(ModelError::new(ModelErrorKind::Denied, "the model failed"), "bad key canary-k");
        let denied = examined(denied, &provider(), &prompt());
        assert_eq!(chain(&denied), "the model failed");
        let other = ModelError::new(ModelErrorKind::Unreadable, "it broke off");
        assert_eq!(examined(other.clone(), &provider(), &prompt()), other);
    }

    #[test]
    fn a_model_that_refuses_tools_gets_a_hint() {
        use ModelErrorKind::{ConfigInvalid, RateLimited, Unavailable};
        let with_tools = with_tools();
        for (kind, said, prompt, has_hint) in [
            (ConfigInvalid, "registry.ollama.ai/library/gemma:2b does not support tools", &with_tools, true),
            (ConfigInvalid, "\"auto\" tool choice requires --enable-auto-tool-choice", &with_tools, true),
            (Unavailable, "Function calling is not enabled for this model", &with_tools, true),
            (ConfigInvalid, "the secret plan of the whole company has no tools", &with_tools, true),
            (ConfigInvalid, "", &with_tools, true),
            (Unavailable, "", &with_tools, false),
            (RateLimited, "too many tools", &with_tools, false),
            (ConfigInvalid, "tools are not supported", &prompt(), false),
            (ConfigInvalid, "", &prompt(), false),
            (ConfigInvalid, "no such model", &with_tools, false),
        ] {
            let error = ModelError::new(kind, "it failed");
            for error in [
                with_message(error.clone(), said, &provider(), prompt),
                examined(unexamined(error, said), &provider(), prompt),
            ] {
                assert_eq!(error.message.contains("config.tools to false"), has_hint, "{error}");
            }
        }
    }
}

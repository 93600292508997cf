//! Token counts of texts and context windows of models.
//!
//! Models of other vendors are counted with a similar tokenizer.

mod tables;

use domain::ai_provider::AiProvider;
use serde_json::Value;
use tables::{CL100K_BASE, O200K_BASE};
use tiktoken_rs::CoreBPE;

/// Longer texts are counted up to this length and extrapolated.
pub const COUNTED_BYTES_MAX: usize = 256 * 1024;
/// Longer words are split, because the cost of a word is quadratic in its length.
const WORD_BYTES_MAX: usize = 256;
/// Maximum length of a run of words that is tokenized at once.
const RUN_BYTES_MAX: usize = 8 * 1024;

/// Context windows by prefix of the model name; the longest matching prefix wins.
const WINDOWS: &[(&str, usize)] = &[
    ("amazon.nova-lite", 300_000),
    ("amazon.nova-micro", 128_000),
    ("amazon.nova-premier", 1_000_000),
    ("amazon.nova-pro", 300_000),
    ("amazon.titan-text-express", 8_192),
    ("amazon.titan-text-lite", 4_096),
    ("amazon.titan-text-premier", 32_000),
    ("chatgpt-4o", 128_000),
    ("claude", 200_000),
    ("claude-2.0", 100_000),
    ("claude-instant", 100_000),
    ("codestral", 256_000),
    ("command", 4_096),
    ("command-a", 256_000),
    ("command-r", 128_000),
    ("deepseek", 64_000),
    ("gemini-1.5-flash", 1_048_576),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini-2", 1_048_576),
    ("gemini-3", 1_048_576),
    ("gemma-2", 8_192),
    ("gemma-3", 128_000),
    ("gpt-3.5-turbo", 16_385),
    ("gpt-4", 8_192),
    ("gpt-4-0125", 128_000),
    ("gpt-4-1106", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4-turbo", 128_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-5", 400_000),
    ("gpt-oss", 131_072),
    ("llama-3", 8_192),
    ("llama-3.1", 128_000),
    ("llama-3.2", 128_000),
    ("llama-3.3", 128_000),
    ("llama3", 8_192),
    ("llama3-1", 128_000),
    ("llama3-2", 128_000),
    ("llama3-3", 128_000),
    ("llama3.1", 128_000),
    ("llama3.2", 128_000),
    ("llama3.3", 128_000),
    ("mistral-large", 128_000),
    ("mistral-medium", 128_000),
    ("mistral-small", 32_000),
    ("mixtral-8x7b", 32_000),
    ("o1", 200_000),
    ("o1-mini", 128_000),
    ("o1-preview", 128_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("qwen2.5", 32_768),
    ("qwen3", 32_768),
];

/// Models that use `o200k_base`; all others are counted with `cl100k_base`.
const NEW_TOKENS: &[&str] = &["chatgpt-4o", "gpt-4.1", "gpt-4o", "gpt-5", "gpt-oss", "o1", "o3", "o4"];

/// Number of tokens of a text; slightly too high for very long texts and words.
pub fn count(model: &str, text: &str) -> usize {
    let coder = coder(model);
    let counted = floor_char_boundary(text, COUNTED_BYTES_MAX);
    let tokens = count_runs(coder, &text[..counted]);
    if counted == text.len() { tokens } else { (tokens * text.len()).div_ceil(counted) }
}

/// Context window of a model: from its record, else from the table, else `otherwise`.
pub fn window(provider: &AiProvider, otherwise: usize) -> usize {
    let config = &provider.spec.config;
    let given = ["context_window", "max_input_tokens"].iter().find_map(|key| match config.get(*key)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    });
    let given = given.filter(|given| *given > 0).and_then(|given| usize::try_from(given).ok());
    let known = || {
        let fitting = WINDOWS.iter().filter(|(name, _)| is_named(&provider.spec.model, name));
        fitting.max_by_key(|(name, _)| name.len()).map(|(_, tokens)| *tokens)
    };
    given.or_else(known).unwrap_or(otherwise)
}

/// Whether a model name starts with a prefix, directly or after a service, region or vendor: `azure/gpt-4o`,
/// `us.anthropic.claude-3`, `meta-llama/Llama-3.1-8B`.
fn is_named(model: &str, begins: &str) -> bool {
    let model = model.to_ascii_lowercase();
    let parts = model.char_indices().filter(|(_, c)| matches!(c, '/' | '.')).map(|(place, _)| place + 1);
    std::iter::once(0).chain(parts).any(|place| model[place..].starts_with(begins))
}

fn coder(model: &str) -> &'static CoreBPE {
    let is_new = NEW_TOKENS.iter().any(|name| is_named(model, name));
    if is_new { &O200K_BASE } else { &CL100K_BASE }
}

/// Counts in runs of whole words. No token spans the space between two words, so the result is exact except for words
/// that are split because they are too long.
fn count_runs(coder: &CoreBPE, text: &str) -> usize {
    let mut tokens = 0;
    let mut run = 0..0;
    for word in words(text) {
        let fits = word.len() <= WORD_BYTES_MAX && run.len() + word.len() <= RUN_BYTES_MAX;
        if !fits && !run.is_empty() {
            tokens += coder.encode_ordinary(&text[run.clone()]).len();
            run = word.start..word.start;
        }
        if word.len() <= WORD_BYTES_MAX {
            run.end = word.end;
            continue;
        }
        let mut rest = &text[word.clone()];
        while !rest.is_empty() {
            let (part, more) = rest.split_at(floor_char_boundary(rest, WORD_BYTES_MAX));
            tokens += coder.encode_ordinary(part).len();
            rest = more;
        }
        run = word.end..word.end;
    }
    if run.is_empty() { tokens } else { tokens + coder.encode_ordinary(&text[run]).len() }
}

/// The parts of a text between single spaces, each with its leading space.
fn words(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut start = 0;
    let bytes = text.as_bytes();
    let is_cut = move |place: usize| {
        let is_blank = |place: usize| bytes.get(place).is_none_or(u8::is_ascii_whitespace);
        bytes[place] == b' ' && place > 0 && !is_blank(place - 1) && !is_blank(place + 1)
    };
    let cuts = (0..bytes.len()).filter(move |place| is_cut(*place)).chain([bytes.len()]);
    cuts.map(move |cut| std::mem::replace(&mut start, cut)..cut)
}

fn floor_char_boundary(text: &str, most: usize) -> usize {
    let most = most.min(text.len());
    (0..=most).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::time::{Duration, Instant};

    const TEXT: &str = "The mill's wheel, built in 1850, turns 12,345 times a day.\n\n  Größer als zuvor — 水車 \u{1f3e1}! \
        It isn't <|endoftext|> fast;\tbut it   is steady. ";

    fn provider(model: &str, config: Value) -> AiProvider {
        let spec = json!({"name": "A", "model": model, "config": config});
        AiProvider {
            id: domain::ids::AiProviderId(1),
            owner: None,
            spec: serde_json::from_value(spec).unwrap(),
            is_unreadable: false,
            date_created: Default::default(),
            date_updated: Default::default(),
        }
    }

    #[test]
    fn counts_are_those_of_the_tokenizer() {
        for model in ["gpt-4", "gpt-4o", "anthropic/claude-3"] {
            for text in ["", " ", "a", TEXT, &TEXT.repeat(200), &"word ".repeat(5000)] {
                let whole = coder(model).encode_ordinary(text).len();
                assert_eq!(count(model, text), whole, "{model}: {} bytes", text.len());
            }
        }
        assert_eq!((count("gpt-4", "hello world"), count("gpt-4o", "hello world")), (2, 2));
        assert!(count("gpt-4o", "größer als zuvor, 水車") < count("gpt-4", "größer als zuvor, 水車"));
    }

    #[test]
    fn huge_texts_are_counted_quickly() {
        count("gpt-4", "loads the tokens");
        for (text, least) in [
            ("a".repeat(20_000_000), 1_000_000),
            (" ".repeat(20_000_000), 10_000),
            ("\n".repeat(20_000_000), 10_000),
            ("水".repeat(5_000_000), 1_000_000),
            (format!("{}{}", "a ".repeat(20), "é'".repeat(5_000_000)), 1_000_000),
            ("word ".repeat(4_000_000), 3_999_000),
        ] {
            let start = Instant::now();
            let tokens = count("gpt-4", &text);
            assert!(tokens >= least, "{tokens} of {least}");
            assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        }
    }

    #[test]
    fn windows_of_models() {
        for (model, config, expected) in [
            ("gpt-4o-mini", json!({}), 128_000),
            ("gpt-4", json!({}), 8_192),
            ("azure/gpt-4.1-nano", json!({}), 1_047_576),
            ("bedrock/us.anthropic.claude-3-haiku", json!({}), 200_000),
            ("bedrock/amazon.nova-pro-v1:0", json!({}), 300_000),
            ("huggingface/meta-llama/Llama-3.1-8B-Instruct", json!({}), 128_000),
            ("o3-mini", json!({}), 200_000),
            ("olmo-2", json!({}), 4_000),
            ("my-own", json!({}), 4_000),
            ("my-own", json!({"max_input_tokens": 9_000}), 9_000),
            ("gpt-4", json!({"context_window": "32000"}), 32_000),
            ("gpt-4", json!({"context_window": 0, "max_input_tokens": null}), 8_192),
        ] {
            assert_eq!(window(&provider(model, config), 4_000), expected, "{model}");
        }
        let mut sorted = WINDOWS.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, WINDOWS, "the table is in order");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_text_is_counted_like_the_tokenizer_counts(text in "[ a-c'\\n1-3é水!]{0,200}") {
            let whole = coder("gpt-4").encode_ordinary(&text).len();
            prop_assert_eq!(count("gpt-4", &text), whole);
        }
    }
}

//! Error messages of model services: short and without internals for people, in full for administrators and the log.

use domain::ports::Cause;
use std::error::Error;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// Maximum length of the part of a message that people see, in characters.
pub const SHOWN_CHARS_MAX: usize = 160;
/// Replaces what is left out.
const LEFT_OUT: &str = "…";
/// A longer run of alphanumeric characters, or of digits, is the id of a request, an account or an organization.
const NAME_CHARS_MAX: usize = 11;
/// A number with as many digits after a colon is a port; model names have shorter ones.
const PORT_DIGITS_MIN: usize = 3;

/// The full text behind an error whose own message is short. It contains neither keys nor parts of the prompt.
#[derive(Debug)]
pub struct FullMessage {
    pub text: String,
    pub source: Option<Cause>,
}

impl fmt::Display for FullMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for FullMessage {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|cause| &**cause as _)
    }
}

/// The beginning of a message without addresses, paths and ids, and without the data or the stack trace in it.
pub fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        let word = if word == "Traceback" || word.starts_with(['{', '<', '[']) { None } else { Some(word) };
        let shown = word.map(|word| if is_internal(word) { LEFT_OUT } else { word });
        chars += 1 + shown.map_or(0, |shown| shown.chars().count());
        let Some(shown) = shown.filter(|_| chars <= SHOWN_CHARS_MAX) else {
            append(&mut short, LEFT_OUT);
            break;
        };
        append(&mut short, shown);
    }
    if short == LEFT_OUT { String::new() } else { short }
}

/// Appends a word; what is left out is marked once.
fn append(text: &mut String, word: &str) {
    if word == LEFT_OUT && text.ends_with(LEFT_OUT) {
        return;
    }
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

/// Whether a word is an address, a path or an id.
fn is_internal(word: &str) -> bool {
    let word =
        word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '\\' | '~' | '[' | ']'));
    let is_path = |start: &str| word.strip_prefix(start).is_some_and(|rest| rest.contains(['/', '\\']));
    word.contains("://")
        || word.starts_with("arn:")
        || ["/", "~", "\\"].into_iter().any(is_path)
        || word.get(1..3) == Some(":\\")
        || (word.contains('@') && word.contains('.'))
        || is_address(word)
        || word.split(|c: char| !c.is_alphanumeric()).any(is_id)
}

/// An IP address, a host with a port, or a host of several labels.
fn is_address(word: &str) -> bool {
    let host = word.split('/').next().unwrap_or(word);
    let is_ip = host.parse::<IpAddr>().is_ok() || host.parse::<SocketAddr>().is_ok();
    let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
    let has_port = port.len() >= PORT_DIGITS_MIN && port.bytes().all(|byte| byte.is_ascii_digit());
    let labels: Vec<&str> = name.split('.').collect();
    let is_label = |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let ends_as_host =
        labels.last().is_some_and(|last| last.len() > 1 && last.chars().all(char::is_alphabetic));
    is_ip
        || (has_port && !name.is_empty())
        || (labels.len() > 2 && ends_as_host && labels.iter().all(is_label))
}

fn is_id(part: &str) -> bool {
    let digits = part.chars().filter(char::is_ascii_digit).count();
    part.chars().count() > NAME_CHARS_MAX && digits > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_the_beginning_without_internals() {
        for (text, expected) in [
            (
                "The model 'claude-sonnet-4-5-20250929' does not exist.",
                "The model 'claude-sonnet-4-5-20250929' does not exist.",
            ),
            ("no such model: Qwen/Qwen3-8B (qwen3:8b)", "no such model: Qwen/Qwen3-8B (qwen3:8b)"),
            (
                "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
                "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
            ),
            (
                "Rate limit reached for gpt-4o in organization org-AbC123dEf456GhI789 on tokens per min. Visit https://a.example/x.",
                "Rate limit reached for gpt-4o in organization … on tokens per min. Visit …",
            ),
            ("CUDA error on gpu-07.lab.internal:8000 (10.1.2.3)", "CUDA error on …"),
            ("failed at /opt/models/run.py, line 7", "failed at … line 7"),
            ("cannot open C:\\models\\a.gguf or ~/models/a.gguf", "cannot open … or …"),
            ("registry.ollama.ai/library/gemma:latest does not support tools", "… does not support tools"),
            ("request 550e8400-e29b-41d4-a716-446655440000 failed", "request … failed"),
            ("User: arn:aws:iam::123456789012:user/x is not authorized", "User: … is not authorized"),
            ("ask ops@corp.example about [::1]:8080", "ask … about …"),
            ("Internal error: Traceback (most recent call last): File x", "Internal error: …"),
            ("bad request {\"error\": {\"secret\": 1}}", "bad request …"),
            ("<html><body>nginx</body></html>", ""),
            ("", ""),
        ] {
            assert_eq!(shortened(text), expected, "{text}");
        }
    }

    #[test]
    fn long_messages_are_cut_between_words() {
        let short = shortened(&"word ".repeat(100));
        assert!(short.ends_with("word …") && short.chars().count() <= SHOWN_CHARS_MAX + 2, "{short}");
        assert_eq!(shortened(&"x".repeat(1000)), "");
    }
}

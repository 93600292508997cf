//! Error messages of model services: short and without internals for people, in full for administrators and the log.
//!
//! People see what is known to be harmless: words, numbers and the name of the model. Anything else is left out, whatever
//! it is, so that no address, path, id or key needs to be recognized. A name that is a single word, such as that of a
//! host, cannot be told from other words; it is left out where names are expected.

use domain::ports::Cause;
use domain::secret::MASK;
use relevancy::Language;
use std::error::Error;
use std::fmt;

/// Maximum length of the part of a message that people see, in characters.
pub const SHOWN_CHARS_MAX: usize = 160;
/// Replaces what is left out.
const LEFT_OUT: &str = "…";
/// Maximum length of a word, in characters.
const WORD_CHARS_MAX: usize = 24;
/// Maximum length of a word with a capital after a small one, such as `OpenAI`. Names of classes are longer.
const MIXED_CHARS_MAX: usize = 10;
/// Maximum length of a code such as `RESOURCE_EXHAUSTED`, in characters.
const CODE_CHARS_MAX: usize = 32;
/// Maximum number of digits of a quantity. The numbers of accounts and projects have more.
const DIGITS_MAX: usize = 7;
/// Maximum length of the name of a model, in characters.
const NAME_CHARS_MAX: usize = 80;

const UNITS: [&str; 18] =
    ["", "%", "ms", "s", "m", "h", "d", "k", "K", "M", "B", "b", "KB", "MB", "GB", "KiB", "MiB", "GiB"];
/// The next word after one of these may be the name of something.
const LABELS: [&str; 36] = [
    "account",
    "address",
    "bucket",
    "cluster",
    "container",
    "database",
    "deployment",
    "directory",
    "endpoint",
    "enotfound",
    "file",
    "folder",
    "host",
    "hostname",
    "key",
    "lookup",
    "namespace",
    "node",
    "org",
    "organization",
    "path",
    "pid",
    "pod",
    "port",
    "project",
    "reach",
    "reaching",
    "resolve",
    "resolving",
    "resource",
    "subscription",
    "team",
    "tenant",
    "user",
    "username",
    "workspace",
];
/// Words that are no names, besides the stopwords.
const NO_NAMES: [&str; 24] = [
    "access", "backend", "cannot", "could", "does", "error", "errors", "failed", "limit", "limits",
    "location", "may", "model", "must", "name", "names", "quota", "server", "service", "settings", "size",
    "type", "upstream", "within",
];

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

/// The beginning of a message as people see it. `names` are shown as they are, if they look like names of models.
pub fn shortened(text: &str, names: &[&str]) -> String {
    let names: Vec<&str> = names.iter().copied().filter(|name| is_model_name(name)).collect();
    let mut reader = Reader::default();
    let mut short = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        let word = if begins_data(word) { None } else { Some(word) };
        let shown = word.map(|word| if reader.is_harmless(word, &names) { word } else { LEFT_OUT });
        chars += 1 + shown.map_or(0, |shown| shown.chars().count());
        let Some(shown) = shown.filter(|_| chars <= SHOWN_CHARS_MAX) else {
            append(&mut short, LEFT_OUT);
            break;
        };
        append(&mut short, shown);
    }
    let says_nothing = short.split(' ').all(|word| word == LEFT_OUT || is_sign(word) && word != MASK);
    if says_nothing { String::new() } else { short }
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

/// Whether data, a page or a stack trace begins here.
fn begins_data(word: &str) -> bool {
    let after = |start: &str| word.strip_prefix(start).and_then(|rest| rest.chars().next());
    ["{", "('", "(\""].iter().any(|start| word.starts_with(start))
        || word == "Traceback"
        || after("<").is_some_and(|c| !c.is_ascii_digit() && c != '=')
        || after("[").is_some_and(|c| !c.is_alphanumeric())
}

/// What came before a word.
#[derive(Default)]
struct Reader {
    /// A quotation has begun that ends with this character.
    quote: Option<char>,
    /// The next word may be the name of something.
    after_label: bool,
    after_connect: bool,
}

impl Reader {
    fn is_harmless(&mut self, word: &str, names: &[&str]) -> bool {
        let bare = word.trim_start_matches(['(', '[']);
        let bare = bare.trim_end_matches([')', ']', '.', ',', ';', ':', '!', '?', '…']);
        let is_quoted = self.is_quoted(bare);
        let is_name = names.contains(&bare.trim_matches(['\'', '"', '`', '“', '”', '‘', '’', '«', '»']));
        let lower = bare.to_lowercase();
        let is_label = LABELS.contains(&lower.as_str());
        let is_no_name = || {
            is_label
                || is_sign(bare)
                || Language::ENGLISH.is_stopword(&lower)
                || NO_NAMES.contains(&lower.as_str())
        };
        let was_label = std::mem::take(&mut self.after_label);
        let names_something = was_label && !is_no_name();
        let is_to = lower == "to" && std::mem::take(&mut self.after_connect);
        self.after_connect = lower.starts_with("connect");
        self.after_label = is_to || bare == "=" || is_label || (was_label && is_sign(bare));
        is_name || (!is_quoted && !names_something && (is_sign(bare) || is_word(bare) || is_quantity(bare)))
    }

    /// Whether a word is in quotation marks. Without an end, the rest of the message is.
    fn is_quoted(&mut self, bare: &str) -> bool {
        let mut inner = bare;
        if self.quote.is_none() {
            let closing = match bare.chars().next() {
                Some(mark @ ('\'' | '"' | '`')) => mark,
                Some('“' | '„') => '”',
                Some('‘') => '’',
                Some('«') => '»',
                _ => return false,
            };
            self.quote = Some(closing);
            inner = bare.trim_start_matches(|c: char| !c.is_alphanumeric());
        }
        if self.quote.is_some_and(|closing| inner.ends_with(closing)) {
            self.quote = None;
        }
        true
    }
}

/// Dashes and signs between words.
fn is_sign(word: &str) -> bool {
    word.chars().all(|c| {
        matches!(c, '-' | '–' | '—' | '=' | '<' | '>' | '≤' | '≥' | '+' | '&' | '|' | '*' | '•' | '·')
    })
}

/// Alphabetic characters alone, with an apostrophe at most. Codes in capitals may have underscores.
fn is_word(word: &str) -> bool {
    let chars = word.chars().count();
    let is_code = |c: char| c.is_ascii_uppercase() || c == '_';
    if chars <= CODE_CHARS_MAX
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(is_code)
    {
        return true;
    }
    let mut parts = word.split(['\'', '’']);
    let (first, suffix, rest) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let are_alphabetic = |part: &str| !part.is_empty() && part.chars().all(char::is_alphabetic);
    let mixed = first
        .chars()
        .zip(first.chars().skip(1))
        .filter(|(a, b)| a.is_lowercase() && b.is_uppercase())
        .count();
    are_alphabetic(first)
        && suffix.is_none_or(are_alphabetic)
        && rest.is_none()
        && chars <= WORD_CHARS_MAX
        && (mixed == 0 || (mixed == 1 && chars <= MIXED_CHARS_MAX))
        && !word.eq_ignore_ascii_case("localhost")
}

/// A number, or several with their units: `8,192`, `0.5`, `~20%`, `6m0s`.
fn is_quantity(word: &str) -> bool {
    let mut rest = word.trim_start_matches(['-', '+', '~', '≈', '<', '>', '≤', '≥', '=', '$', '€']);
    let digits = rest.chars().filter(char::is_ascii_digit).count();
    if rest.is_empty() || digits > DIGITS_MAX || rest.matches('.').count() > 1 {
        return false;
    }
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
        let (number, after) = rest.split_at(number);
        let unit = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit);
        let is_number = number.starts_with(|c: char| c.is_ascii_digit())
            && number.ends_with(|c: char| c.is_ascii_digit());
        if !is_number || !UNITS.contains(&unit) {
            return false;
        }
        rest = after;
    }
    true
}

/// Whether the configured name of a model is a name, and neither a path nor an address.
fn is_model_name(name: &str) -> bool {
    let parts: Vec<&str> = name.split('/').collect();
    let is_part = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphanumeric())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
    };
    let is_host = parts.len() > 1 && parts[0].contains(['.', ':']);
    name.chars().count() <= NAME_CHARS_MAX
        && parts.len() <= 3
        && parts.iter().all(is_part)
        && !is_host
        && !name.starts_with("arn:")
}

#[cfg(test)]
#[path = "vendor_message_tests.rs"]
mod tests;

//! `query_template`: placeholders bound to the url, the mappings, the credentials and the query.

use crate::error::SyntaxError;
use crate::query_filter::QueryPlace;
use crate::query_mappings::QueryMappings;
use crate::secret::Secret;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Maximum length of a bound text; mappings that refer to each other could grow without end.
pub const BOUND_BYTES_MAX: usize = 64 * 1024;

/// Alphanumeric characters and `_ . - ~` are not encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'.').remove(b'-').remove(b'~');

/// The values for a template.
#[derive(Debug, Clone, Copy)]
pub struct Binding<'a> {
    pub url: &'a str,
    pub mappings: &'a QueryMappings,
    /// The `key=value` pieces of the credentials, if they have that form.
    pub credentials: &'a [(String, Secret)],
    pub query: &'a str,
    /// The parameter for the order of the results, one of the mappings.
    pub sort_snippet: Option<&'a str>,
    /// From 0.
    pub page: u32,
}

/// Binds a template whose result is a URL: values are inserted unchanged, the query is form-encoded, after the filter
/// of its placeholder.
///
/// The url and the mappings are configuration and may contain placeholders themselves. Credentials and the query are
/// bound last, in one pass, so that nothing inside them is ever treated as a placeholder.
pub fn bind(template: &str, binding: &Binding<'_>) -> Result<String, SyntaxError> {
    Ok(bind_url(template, binding)?.text)
}

/// A template that was bound to a URL.
pub struct BoundUrl {
    /// With the credentials.
    pub text: String,
    /// The query comes after a `?`, so it can change neither the host nor the path.
    pub has_fixed_path: bool,
    pub has_credentials: bool,
}

/// Like [`bind`], and reports whether a query could change the host or the path.
pub fn bind_url(template: &str, binding: &Binding<'_>) -> Result<BoundUrl, SyntaxError> {
    let mut text = configured(template, binding)?;
    let sort = binding.sort_snippet.map(str::to_owned);
    for snippet in sort.into_iter().chain(binding.mappings.page_snippet(binding.page)) {
        text = insert_parameter(&text, &snippet);
    }
    finished(&text, binding)
}

/// Like [`bind`], without the parameters for sorting and paging: for a part of a URL.
pub fn bind_part(template: &str, binding: &Binding<'_>) -> Result<String, SyntaxError> {
    Ok(finished(&configured(template, binding)?, binding)?.text)
}

/// A template with only the url and the mappings inserted: its destination, whatever the query is.
pub fn bind_configuration(
    template: &str,
    url: &str,
    mappings: &QueryMappings,
) -> Result<String, SyntaxError> {
    let binding = Binding { url, mappings, credentials: &[], query: "", sort_snippet: None, page: 0 };
    configured(template, &binding)
}

/// How the query is written into a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryEncoding {
    /// As the user wrote it.
    Raw,
    /// Like a parameter of a URL.
    Form,
}

/// Binds a text of a body: the url and the mappings are inserted unchanged, the query form-encoded or raw. A body may
/// contain braces of its own, so unknown placeholders are kept. Credentials are not inserted into bodies.
pub fn bind_text(
    template: &str,
    binding: &Binding<'_>,
    encoding: QueryEncoding,
) -> Result<String, SyntaxError> {
    let text = configured(template, binding)?;
    let mut out = String::with_capacity(text.len() + binding.query.len());
    for part in parts(&text) {
        match part {
            Part::Text(literal) | Part::LoneBrace(literal) => out.push_str(literal),
            Part::Placeholder(key) => match (QueryPlace::of(key).transpose()?, encoding) {
                (Some(place), QueryEncoding::Raw) => out.push_str(&place.write(binding.query)),
                (Some(place), QueryEncoding::Form) => {
                    out.push_str(&encode_form(&place.write(binding.query)));
                }
                (None, _) => {
                    out.push('{');
                    out.push_str(key);
                    out.push('}');
                }
            },
        }
        if out.len() > BOUND_BYTES_MAX {
            return Err("The body is too long after binding.".into());
        }
    }
    Ok(out)
}

/// The names in braces, in order.
pub fn placeholders(template: &str) -> Vec<&str> {
    let names = parts(template).into_iter().filter_map(|part| match part {
        Part::Placeholder(name) => Some(name),
        _ => None,
    });
    names.collect()
}

/// Form encoding: a space becomes `+`, everything but ASCII alphanumeric characters and `_ . - ~` is percent-encoded.
pub fn encode_form(text: &str) -> String {
    encode_percent(text).replace("%20", "+")
}

/// Percent encoding of everything but ASCII alphanumeric characters and `_ . - ~`.
pub fn encode_percent(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The number of dot segments in the path of a URL: `.` and `..`, in every spelling that is interpreted as one.
pub fn dot_segments(address: &str) -> usize {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let is_dots = |part: &&str| matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    path.split(['/', '\\']).filter(is_dots).count()
}

/// A part of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part<'a> {
    Text(&'a str),
    Placeholder(&'a str),
    /// An unpaired brace.
    LoneBrace(&'a str),
}

/// Splits a template at its placeholders, in one pass.
pub fn parts(template: &str) -> Vec<Part<'_>> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        if at > 0 {
            found.push(Part::Text(&rest[..at]));
        }
        let inside = &rest[at + 1..];
        let end = inside
            .find(['{', '}'])
            .filter(|&end| rest[at..].starts_with('{') && inside[end..].starts_with('}'));
        match end {
            Some(end) => {
                found.push(Part::Placeholder(&inside[..end]));
                rest = &inside[end + 1..];
            }
            None => {
                found.push(Part::LoneBrace(&rest[at..=at]));
                rest = inside;
            }
        }
    }
    if !rest.is_empty() {
        found.push(Part::Text(rest));
    }
    found
}

/// The template with the url and then each mapping inserted, in the order of the mappings.
fn configured(template: &str, binding: &Binding<'_>) -> Result<String, SyntaxError> {
    let mut text = template.to_owned();
    let url = ("url", binding.url);
    let pairs = binding.mappings.pairs().iter().map(|(key, value)| (key.as_str(), value.as_str()));
    for (key, value) in std::iter::once(url).filter(|(_, url)| !url.is_empty()).chain(pairs) {
        let placeholder = format!("{{{key}}}");
        let count = text.matches(&placeholder).count();
        if count == 0 || QueryPlace::of(key).is_some() {
            continue;
        }
        if text.len() + count * value.len() > BOUND_BYTES_MAX {
            return Err("The query template is too long after binding.".into());
        }
        text = text.replace(&placeholder, value);
    }
    Ok(text)
}

/// Inserts the credentials and the query.
fn finished(text: &str, binding: &Binding<'_>) -> Result<BoundUrl, SyntaxError> {
    let mut out = String::with_capacity(text.len() + binding.query.len());
    let mut unbound = Vec::new();
    let (mut has_parameters, mut has_fixed_path, mut has_credentials) = (false, true, false);
    for part in parts(text) {
        match part {
            Part::Text(literal) => {
                has_parameters |= literal.contains('?');
                out.push_str(literal);
            }
            Part::Placeholder(key) => {
                let credential = || binding.credentials.iter().find(|(known, _)| known == key);
                if let Some(place) = QueryPlace::of(key).transpose()? {
                    has_fixed_path &= has_parameters;
                    out.push_str(&encode_form(&place.write(binding.query)));
                } else if let Some((_, value)) = credential() {
                    has_credentials = true;
                    out.push_str(value.expose());
                } else {
                    unbound.push(format!("{{{key}}}"));
                }
            }
            Part::LoneBrace(brace) => unbound.push(brace.to_owned()),
        }
        if out.len() > BOUND_BYTES_MAX {
            return Err("The query template is too long after binding.".into());
        }
    }
    if !unbound.is_empty() {
        unbound.dedup();
        return Err(format!("There is no value for {} in the query template.", unbound.join(", ")).into());
    }
    Ok(BoundUrl { text: out, has_fixed_path, has_credentials })
}

/// Inserts a parameter before the last `&`, because by convention the query is the last one; else at the end.
fn insert_parameter(text: &str, snippet: &str) -> String {
    match text.rfind('&') {
        Some(at) => format!("{}&{snippet}{}", &text[..at], &text[at..]),
        None if text.contains('?') => format!("{text}&{snippet}"),
        None => format!("{text}?{snippet}"),
    }
}

#[cfg(test)]
#[path = "query_template_tests.rs"]
mod tests;

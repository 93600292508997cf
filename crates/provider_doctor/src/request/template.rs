//! Turns a request into the fields of a provider: URL, query template, paging, body.

use crate::fields::identifier_words::is_named;
use crate::request::body::apply_body;
use crate::request::conventions::{
    PAGES, PLACEHOLDERS, QUERY, QUERY_NAMES, SIZES, STARTS, find_ignoring_case, query_rank,
};
use crate::request::curl::Request;
use crate::request::provider_name::provider_name;
use crate::request::quotes;
use crate::request::secrets::{credential_name, is_secret, replace_secrets};
use domain::provider::{ProviderSpec, RESULTS_PER_QUERY_MAX};
use serde_json::Value;
use syntax::error::SyntaxError;
use syntax::query_mappings::{PAGE_SIZE, PAGE_SIZE_MAX};
use syntax::query_template::encode_percent;
use url::{Url, form_urlencoded};

/// The fields of a provider that follow from a request, and remarks for the user.
pub struct RequestTemplate {
    pub spec: ProviderSpec,
    pub remarks: Vec<String>,
}

/// Builds a provider that sends such requests. `query` is the query in the request, if known.
pub fn build_template(request: &Request, query: &str) -> RequestTemplate {
    let mut remarks = request.remarks.clone();
    let mut spec = ProviderSpec::default();
    let mut parameters = parse_parameters(&request.url);
    let path = if parameters.iter().any(|one| one.role == Role::Query) {
        None
    } else {
        query_in_path(&request.url, query)
    };
    let in_body = apply_body(request, query, &mut spec, &mut remarks);
    if path.is_none() && !in_body && !assign_query_role(&mut parameters, query) {
        let sentence = if query.trim().is_empty() {
            "The request does not show where the query goes; q= was assumed. Enter the query that the request contains."
        } else {
            "The query is not in the request; q= was assumed."
        };
        remarks.push(sentence.to_owned());
        parameters.push(Parameter {
            raw_name: "q".into(),
            value: QUERY.into(),
            raw_value: QUERY.into(),
            role: Role::Query,
        });
    }
    let mut mappings = Vec::new();
    if !spec.post_query_template.is_empty() {
        mappings.push("NO_URL_ENCODE".to_owned());
    }
    map_paging(&mut parameters, &mut spec, &mut mappings, &mut remarks);
    let secrets: Vec<String> =
        parameters.iter().filter(|one| one.role == Role::Secret).map(|one| one.raw_name.clone()).collect();
    let placeholders = replace_secrets(request, &secrets);
    remarks.extend(placeholders.remarks);
    spec.credentials = placeholders.credentials;
    spec.http_request_headers = placeholders.headers;
    spec.query_mappings = mappings.join(",").into();
    (spec.url, spec.query_template) = url_and_template(&request.url, path, &parameters);
    spec.name = provider_name(&spec.url);
    remarks.extend(quotes::warning(&spec));
    let has_placeholders = !spec.credentials.is_empty()
        || spec.http_request_headers.values().any(|value| value.contains("YOUR_"))
        || Value::Object(spec.post_query_template.clone()).to_string().contains("YOUR_");
    if has_placeholders {
        spec.active = false;
        remarks.push("Replace YOUR_… with your own secrets, then set active to true.".to_owned());
    }
    RequestTemplate { spec, remarks }
}

/// The request with the query in place of its placeholder, so that it can be sent.
pub fn fill_query(mut request: Request, query: &str) -> Result<Request, SyntaxError> {
    let decoded = decode(request.url.as_str());
    let Some(placeholder) = placeholder_in(&decoded) else { return Ok(request) };
    if query.trim().is_empty() {
        return Err(
            format!("The URL has {placeholder} where the query goes; enter a query in 'query'.").into()
        );
    }
    let mut text = request.url.to_string();
    let query = encode_percent(&quotes::write(&placeholder, query));
    for form in [
        placeholder.clone(),
        encode_percent(&placeholder),
        placeholder.replace('{', "%7B").replace('}', "%7D"),
    ] {
        text = text.replace(&form, &query);
    }
    request.url = Url::parse(&text)
        .map_err(|error| SyntaxError::new(format!("The URL is invalid: {error}.")).caused_by(error))?;
    Ok(request)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Query,
    Secret,
    Page,
    Size,
    Other,
}

struct Parameter {
    raw_name: String,
    value: String,
    /// As in the template.
    raw_value: String,
    role: Role,
}

fn parse_parameters(url: &Url) -> Vec<Parameter> {
    let pieces = url.query().unwrap_or_default().split('&').filter(|piece| !piece.is_empty());
    let parameters = pieces.map(|piece| {
        let (raw_name, raw_value) = piece.split_once('=').unwrap_or((piece, ""));
        let (name, value) = (decode(raw_name), decode(raw_value));
        let role = match &name {
            _ if placeholder_in(&value).is_some() => Role::Query,
            name if is_secret(name) => Role::Secret,
            name if is_named(name, PAGES) || is_named(name, STARTS) => Role::Page,
            name if is_named(name, SIZES) => Role::Size,
            _ => Role::Other,
        };
        let mut raw_value = escape(raw_value);
        if role == Role::Query {
            let placeholder = placeholder_in(&value).unwrap_or_else(|| QUERY.to_owned());
            raw_value = insert_placeholder(&name, &value, &placeholder);
        }
        Parameter { raw_name: escape(raw_name), value, raw_value, role }
    });
    parameters.collect()
}

/// Finds the parameter of the query: by its value, else by its name. True if there is one.
fn assign_query_role(parameters: &mut [Parameter], query: &str) -> bool {
    if parameters.iter().any(|one| one.role == Role::Query) {
        return true;
    }
    let query = query.trim();
    if !query.is_empty() {
        let holds = |one: &&mut Parameter| {
            one.role != Role::Secret && find_ignoring_case(&one.value, query).is_some()
        };
        // Other parameters may have the same value; the best name wins.
        let best = parameters.iter_mut().filter(holds).min_by_key(|one| query_rank(&decode(&one.raw_name)));
        return match best {
            Some(one) => {
                one.raw_value = insert_placeholder(&decode(&one.raw_name), &one.value, query);
                one.role = Role::Query;
                true
            }
            None => false,
        };
    }
    let named = parameters.iter_mut().filter(|one| one.role == Role::Other);
    let named = named.filter(|one| query_rank(&decode(&one.raw_name)) < QUERY_NAMES.len() + 1);
    match named.min_by_key(|one| query_rank(&decode(&one.raw_name))) {
        Some(one) => {
            // The field in `all:electron` is kept.
            let field = one.value.split_once(':').map_or("", |(field, _)| field);
            let is_field =
                !field.is_empty() && field.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c));
            one.raw_value = if is_field { format!("{field}:{QUERY}") } else { QUERY.to_owned() };
            one.role = Role::Query;
            true
        }
        None => false,
    }
}

/// Turns the page parameter into a mapping, and the page size into a mapping and the number of results.
fn map_paging(
    parameters: &mut Vec<Parameter>,
    spec: &mut ProviderSpec,
    mappings: &mut Vec<String>,
    remarks: &mut Vec<String>,
) {
    let size = parameters.iter().find(|one| one.role == Role::Size);
    let size = size.and_then(|size| size.value.parse::<u32>().ok());
    let page_size = size.filter(|size| (1..=PAGE_SIZE_MAX).contains(size)).unwrap_or(PAGE_SIZE);
    let place = parameters.iter().position(|one| one.role == Role::Page);
    let variable = place.and_then(|place| page_variable(&parameters[place], page_size));
    if let (Some(place), Some(variable)) = (place, variable) {
        let one = parameters.remove(place);
        if page_size != PAGE_SIZE {
            mappings.push(format!("PAGE_SIZE={page_size}"));
            spec.results_per_query = page_size.clamp(1, RESULTS_PER_QUERY_MAX);
        }
        mappings.push(format!("PAGE={}={variable}", one.raw_name));
    } else if let Some(place) = place {
        let name = &parameters[place].raw_name;
        remarks.push(format!(
            "'{name}' was not recognized as a page and is unchanged; see PAGE in query_mappings."
        ));
    }
    let (Some(number), Some(size)) = (size, parameters.iter_mut().find(|one| one.role == Role::Size)) else {
        return;
    };
    if variable.is_some() && number != page_size {
        size.raw_value = page_size.to_string();
        remarks.push(format!(
            "{} was {number}; pages have 1 to {PAGE_SIZE_MAX} results, so it is now {page_size}.",
            size.raw_name
        ));
    } else if variable.is_none() {
        spec.results_per_query = number.clamp(1, RESULTS_PER_QUERY_MAX);
    }
}

fn page_variable(parameter: &Parameter, page_size: u32) -> Option<&'static str> {
    let value: u32 = parameter.value.parse().ok()?;
    let is_page = is_named(&decode(&parameter.raw_name), PAGES);
    match (is_page, value) {
        // Pages are counted from 1; the first page of a source that counts from 0 would be skipped.
        (true, 0) => None,
        (true, _) => Some("RESULT_PAGE"),
        (false, value) if value % page_size == 0 => Some("RESULT_ZERO_INDEX"),
        (false, value) if value % page_size == 1 => Some("RESULT_INDEX"),
        (false, _) => None,
    }
}

/// The path before the query, the segment with the query, and the path after it.
struct PathTemplate {
    before: String,
    piece: String,
    after: String,
}

fn query_in_path(url: &Url, query: &str) -> Option<PathTemplate> {
    let pieces: Vec<&str> = url.path().split('/').skip(1).collect();
    let mut candidates: Vec<&str> = PLACEHOLDERS.to_vec();
    candidates.extend(Some(query.trim()).filter(|query| !query.is_empty()));
    // The last matching segment: a word of the service's own path comes before.
    let (place, placeholder) = pieces.iter().enumerate().rev().find_map(|(place, piece)| {
        let value = decode(piece);
        candidates
            .iter()
            .find(|placeholder| find_ignoring_case(&value, placeholder).is_some())
            .map(|placeholder| (place, *placeholder))
    })?;
    let is_query_elsewhere = !PLACEHOLDERS.contains(&placeholder)
        && parse_parameters(url).iter().any(|one| find_ignoring_case(&one.value, placeholder).is_some());
    if is_query_elsewhere {
        return None;
    }
    let join = |pieces: &[&str]| pieces.iter().map(|piece| format!("/{piece}")).collect::<String>();
    Some(PathTemplate {
        before: join(&pieces[..place]),
        piece: insert_placeholder("", &decode(pieces[place]), placeholder),
        after: join(&pieces[place + 1..]),
    })
}

/// `url` and `query_template`. The query is the last parameter, because sorting and paging are inserted before it.
fn url_and_template(url: &Url, path: Option<PathTemplate>, parameters: &[Parameter]) -> (String, String) {
    let origin = url.origin().ascii_serialization();
    let (base, mut template) = match path {
        Some(PathTemplate { before, piece, after }) => {
            (format!("{origin}{before}"), format!("{{url}}/{piece}{after}"))
        }
        None => (format!("{origin}{}", url.path()), "{url}".to_owned()),
    };
    let (queries, others): (Vec<_>, Vec<_>) = parameters.iter().partition(|one| one.role == Role::Query);
    for (place, one) in others.into_iter().chain(queries).enumerate() {
        template.push(if place == 0 { '?' } else { '&' });
        template.push_str(&one.raw_name);
        template.push('=');
        match one.role {
            Role::Secret => template.push_str(&format!("{{{}}}", credential_name(&decode(&one.raw_name)))),
            _ => template.push_str(&one.raw_value),
        }
    }
    (base, template)
}

/// The placeholder of the query in a text, if it has one.
fn placeholder_in(text: &str) -> Option<String> {
    let plain = || PLACEHOLDERS.iter().find(|placeholder| text.contains(**placeholder));
    quotes::filtered_placeholder(text).or_else(|| plain().map(|placeholder| (*placeholder).to_owned()))
}

/// Replaces `part` of the value of a parameter by the placeholder of the query, and encodes the rest for a URL.
fn insert_placeholder(name: &str, value: &str, part: &str) -> String {
    let start = find_ignoring_case(value, part).unwrap_or(0);
    let end = (start + part.len()).min(value.len());
    // These characters need no encoding in a query.
    let encode = |text: &str| {
        let plain = [("%3A", ":"), ("%2A", "*"), ("%28", "("), ("%29", ")"), ("%2C", ","), ("%7E", "~")];
        plain.iter().fold(encode_percent(text), |text, (code, plain)| text.replace(code, plain))
    };
    let (before, after) = (&value[..start], &value[end..]);
    let kept = quotes::filtered_placeholder(part).filter(|placeholder| placeholder == part);
    let placeholder = kept.unwrap_or_else(|| quotes::placeholder(name, before, after));
    format!("{}{placeholder}{}", encode(before), encode(after))
}

fn decode(raw: &str) -> String {
    let pair = format!("x={}", raw.replace('&', "%26"));
    form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// Escapes braces, which would be placeholders in a template, and `<…>`, which would be a blank to fill in.
fn escape(raw: &str) -> String {
    raw.replace('{', "%7B").replace('}', "%7D").replace('<', "%3C").replace('>', "%3E")
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;

//! From a pasted request to the fields that ask the source: the address, the template, paging, the body.

use super::body::place_in_body;
use super::credentials::{blanks, is_secret, key};
use super::request::Request;
use super::words::{is_named, words};
use domain::notation::query_mappings::PAGE_SIZE;
use domain::notation::query_template::encode_percent;
use domain::provider::{ProviderSpec, RESULTS_PER_QUERY_MAX};
use serde_json::Value;
use url::{Url, form_urlencoded};

pub const QUERY: &str = "{query_string}";
/// What people and other programs write where the query goes.
pub const MARKS: [&str; 6] = ["{query_string}", "{searchTerms}", "{query}", "{q}", "%s", "<query>"];

/// The fields of a provider that the request decides, and what a person should know.
pub struct Asking {
    pub spec: ProviderSpec,
    pub remarks: Vec<String>,
}

/// A provider that asks as the request does. `query` is the word that was searched for, if it is known.
pub fn asking(request: &Request, query: &str) -> Asking {
    let mut remarks = request.remarks.clone();
    let mut spec = ProviderSpec { name: name_of(&request.url), ..ProviderSpec::default() };
    let mut parameters = read_parameters(&request.url);
    let path = match parameters.iter().any(|one| one.role == Role::Query) {
        true => None,
        false => query_in_path(&request.url, query),
    };
    let in_body = place_in_body(request, query, &mut spec, &mut remarks);
    if path.is_none() && !in_body && !mark_query(&mut parameters, query) {
        let sentence = match query.trim().is_empty() {
            true => {
                "The request does not show where the query goes; q= was assumed. Say which word was searched for."
            }
            false => "The word that was searched for is not in the request; q= was assumed.",
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
    page(&mut parameters, &mut spec, &mut mappings, &mut remarks);
    let secrets: Vec<String> =
        parameters.iter().filter(|one| one.role == Role::Secret).map(|one| one.raw_name.clone()).collect();
    let blanks = blanks(request, &secrets);
    remarks.extend(blanks.remarks);
    spec.credentials = blanks.credentials;
    spec.http_request_headers = blanks.headers;
    spec.query_mappings = mappings.join(",");
    (spec.url, spec.query_template) = address_and_template(&request.url, path, &parameters);
    let has_blanks = !spec.credentials.is_empty()
        || spec.http_request_headers.values().any(|value| value.contains("YOUR_"))
        || Value::Object(spec.post_query_template.clone()).to_string().contains("YOUR_");
    if has_blanks {
        spec.active = false;
        remarks.push("Put your own secrets in place of YOUR_…, then set active to true.".to_owned());
    }
    Asking { spec, remarks }
}

/// The request with the query in the place that is marked for it, so that it can be sent.
pub fn with_query(mut request: Request, query: &str) -> Result<Request, String> {
    let decoded = decoded(request.url.as_str());
    let Some(mark) = MARKS.iter().find(|mark| decoded.contains(**mark)) else { return Ok(request) };
    if query.trim().is_empty() {
        return Err(format!(
            "The address has {mark} where the query goes; say in 'query' what to search for."
        ));
    }
    let mut text = request.url.to_string();
    for form in [(*mark).to_owned(), encode_percent(mark), mark.replace('{', "%7B").replace('}', "%7D")] {
        text = text.replace(&form, &encode_percent(query));
    }
    request.url = Url::parse(&text).map_err(|error| format!("The address is not valid: {error}."))?;
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
    /// As the template writes it.
    raw_value: String,
    role: Role,
}

fn read_parameters(url: &Url) -> Vec<Parameter> {
    let pieces = url.query().unwrap_or_default().split('&').filter(|piece| !piece.is_empty());
    let parameters = pieces.map(|piece| {
        let (raw_name, raw_value) = piece.split_once('=').unwrap_or((piece, ""));
        let (name, value) = (decoded(raw_name), decoded(raw_value));
        let role = match &name {
            _ if MARKS.iter().any(|mark| value.contains(mark)) => Role::Query,
            name if is_secret(name) => Role::Secret,
            name if is_named(name, PAGES) || is_named(name, STARTS) => Role::Page,
            name if is_named(name, SIZES) => Role::Size,
            _ => Role::Other,
        };
        let mut raw_value = literal(raw_value);
        if role == Role::Query {
            let mark = MARKS.iter().find(|mark| value.contains(**mark)).copied().unwrap_or(QUERY);
            raw_value = around(&value, mark);
        }
        Parameter { raw_name: literal(raw_name), value, raw_value, role }
    });
    parameters.collect()
}

/// Finds the parameter of the query: by the word, else by its name. True when there is one.
fn mark_query(parameters: &mut [Parameter], query: &str) -> bool {
    if parameters.iter().any(|one| one.role == Role::Query) {
        return true;
    }
    let query = query.trim();
    if !query.is_empty() {
        let holds = |one: &&mut Parameter| {
            one.role != Role::Secret && find_ignoring_case(&one.value, query).is_some()
        };
        // The word may also be a value of another parameter; the one that a query is called by comes first.
        let best = parameters.iter_mut().filter(holds).min_by_key(|one| query_rank(&decoded(&one.raw_name)));
        return match best {
            Some(one) => {
                one.raw_value = around(&one.value, query);
                one.role = Role::Query;
                true
            }
            None => false,
        };
    }
    let named = parameters.iter_mut().filter(|one| one.role == Role::Other);
    let named = named.filter(|one| query_rank(&decoded(&one.raw_name)) < QUERY_NAMES.len() + 1);
    match named.min_by_key(|one| query_rank(&decoded(&one.raw_name))) {
        Some(one) => {
            // `all:electron` asks a field; the field stays.
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

pub const QUERY_NAMES: &[&str] = &[
    "q",
    "query",
    "search",
    "searchquery",
    "searchterm",
    "term",
    "keyword",
    "kw",
    "text",
    "qs",
    "phrase",
    "srsearch",
    "gsrsearch",
    "find",
    "what",
    "s",
];

/// The place of a name among those of a query; one behind the last for a name that only sounds like it.
pub fn query_rank(name: &str) -> usize {
    let words = words(name);
    let whole = words.concat();
    let sounds =
        words.last().is_some_and(|word| ["query", "search", "q", "keyword", "term"].contains(&word.as_str()));
    let known = QUERY_NAMES.iter().position(|known| *known == whole);
    known.unwrap_or(if sounds { QUERY_NAMES.len() } else { QUERY_NAMES.len() + 1 })
}

const PAGES: &str = "page p pageno pagenumber pagenum pageindex";
const STARTS: &str =
    "start offset from skip startindex startrecord sroffset gsroffset first firstresult resultoffset startat";
pub const SIZES: &str = "limit row count size perpage pagesize num n maxresult maxrecord hitsperpage top srlimit gsrlimit itemsperpage maximumrecord retmax resultsperpage take h";

/// Turns the parameter of the page into a mapping, and the page's size into the number that is asked for.
fn page(
    parameters: &mut Vec<Parameter>,
    spec: &mut ProviderSpec,
    mappings: &mut Vec<String>,
    remarks: &mut Vec<String>,
) {
    let place = parameters.iter().position(|one| one.role == Role::Page);
    let variable = place.and_then(|place| page_variable(&parameters[place]));
    if let (Some(place), Some(variable)) = (place, variable) {
        let one = parameters.remove(place);
        mappings.push(format!("PAGE={}={variable}", one.raw_name));
    } else if let Some(place) = place {
        let name = &parameters[place].raw_name;
        remarks.push(format!(
            "'{name}' was not understood as a page and stays as it is; see PAGE in query_mappings."
        ));
    }
    let Some(size) = parameters.iter_mut().find(|one| one.role == Role::Size) else { return };
    let Ok(number) = size.value.parse::<u32>() else { return };
    if variable.is_some() && number != PAGE_SIZE {
        size.raw_value = PAGE_SIZE.to_string();
        remarks.push(format!(
            "{} was {number}; pages have {PAGE_SIZE} results each, so it is {PAGE_SIZE} now.",
            size.raw_name
        ));
    } else if variable.is_none() {
        spec.results_per_query = number.clamp(1, RESULTS_PER_QUERY_MAX);
    }
}

fn page_variable(parameter: &Parameter) -> Option<&'static str> {
    let value: u32 = parameter.value.parse().ok()?;
    let is_page = is_named(&decoded(&parameter.raw_name), PAGES);
    match (is_page, value) {
        // Pages are counted from 1; a source that counts from 0 would skip its first.
        (true, 0) => None,
        (true, _) => Some("RESULT_PAGE"),
        (false, value) if value % PAGE_SIZE == 0 => Some("RESULT_ZERO_INDEX"),
        (false, value) if value % PAGE_SIZE == 1 => Some("RESULT_INDEX"),
        (false, _) => None,
    }
}

/// The path before, the piece that holds the query, and the path after.
struct InPath {
    before: String,
    piece: String,
    after: String,
}

fn query_in_path(url: &Url, query: &str) -> Option<InPath> {
    let pieces: Vec<&str> = url.path().split('/').skip(1).collect();
    let mut marks: Vec<&str> = MARKS.to_vec();
    marks.extend(Some(query.trim()).filter(|query| !query.is_empty()));
    // The last piece that holds it: a word of the service's own path comes before.
    let (place, mark) = pieces.iter().enumerate().rev().find_map(|(place, piece)| {
        let value = decoded(piece);
        marks.iter().find(|mark| find_ignoring_case(&value, mark).is_some()).map(|mark| (place, *mark))
    })?;
    let is_query_elsewhere = !MARKS.contains(&mark)
        && read_parameters(url).iter().any(|one| find_ignoring_case(&one.value, mark).is_some());
    if is_query_elsewhere {
        return None;
    }
    let joined = |pieces: &[&str]| pieces.iter().map(|piece| format!("/{piece}")).collect::<String>();
    Some(InPath {
        before: joined(&pieces[..place]),
        piece: around(&decoded(pieces[place]), mark),
        after: joined(&pieces[place + 1..]),
    })
}

/// `url` and `query_template`. The query is the last parameter, because sorting and paging go before it.
fn address_and_template(url: &Url, path: Option<InPath>, parameters: &[Parameter]) -> (String, String) {
    let origin = url.origin().ascii_serialization();
    let (address, mut template) = match path {
        Some(InPath { before, piece, after }) => {
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
            Role::Secret => template.push_str(&format!("{{{}}}", key(&decoded(&one.raw_name)))),
            _ => template.push_str(&one.raw_value),
        }
    }
    (address, template)
}

/// A value with the query's placeholder where `mark` stands, and the rest encoded for a URL.
fn around(value: &str, mark: &str) -> String {
    let start = find_ignoring_case(value, mark).unwrap_or(0);
    let end = (start + mark.len()).min(value.len());
    // These are read in an address as they are.
    let gentle = |text: &str| {
        let plain = [("%3A", ":"), ("%2A", "*"), ("%28", "("), ("%29", ")"), ("%2C", ","), ("%7E", "~")];
        plain.iter().fold(encode_percent(text), |text, (code, plain)| text.replace(code, plain))
    };
    format!("{}{QUERY}{}", gentle(&value[..start]), gentle(&value[end..]))
}

pub fn find_ignoring_case(text: &str, part: &str) -> Option<usize> {
    if part.is_empty() {
        return None;
    }
    text.char_indices()
        .map(|(at, _)| at)
        .find(|&at| text.get(at..at + part.len()).is_some_and(|piece| piece.eq_ignore_ascii_case(part)))
}

fn decoded(raw: &str) -> String {
    let pair = format!("x={}", raw.replace('&', "%26"));
    form_urlencoded::parse(pair.as_bytes()).next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// A brace in a template would be read as a placeholder, and `<…>` as a blank to fill.
fn literal(raw: &str) -> String {
    raw.replace('{', "%7B").replace('}', "%7D").replace('<', "%3C").replace('>', "%3E")
}

/// A name for the provider: the host without what all hosts have.
fn name_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let short = ["www.", "api.", "export.", "search."].iter().find_map(|start| host.strip_prefix(start));
    short.filter(|short| short.contains('.')).unwrap_or(host).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::request::read;
    use super::*;
    use domain::notation::query_mappings::QueryMappings;
    use domain::notation::query_template::placeholders;
    use proptest::prelude::*;
    use serde_json::json;

    fn asked(text: &str, query: &str) -> Asking {
        let request = read(text).unwrap_or_else(|error| panic!("{text}: {error}")).expect("a request");
        asking(&request, query)
    }

    #[test]
    fn addresses_become_templates() {
        for (text, query, url, template, mappings) in addresses() {
            let spec = asked(text, query).spec;
            assert_eq!((spec.url.as_str(), spec.query_template.as_str()), (url, template), "{text}");
            assert_eq!(spec.query_mappings, mappings, "{text}");
            assert!(!json!(spec).to_string().contains("hush"), "{text}");
        }
    }

    /// Address, query, and the provider's url, template and mappings.
    fn addresses() -> Vec<(&'static str, &'static str, &'static str, &'static str, &'static str)> {
        vec![
            (
                "https://h.example/s?q=tea&fmt=json",
                "",
                "https://h.example/s",
                "{url}?fmt=json&q={query_string}",
                "",
            ),
            (
                "https://h.example/s?search_query=all:tea&start=0&max_results=10",
                "",
                "https://h.example/s",
                "{url}?max_results=10&search_query=all:{query_string}",
                "PAGE=start=RESULT_ZERO_INDEX",
            ),
            (
                "https://h.example/s?filter=name~%22green+tea%22&page=2",
                "green tea",
                "https://h.example/s",
                "{url}?filter=name~%22{query_string}%22",
                "PAGE=page=RESULT_PAGE",
            ),
            ("https://h.example/s?w=Tea", "tea", "https://h.example/s", "{url}?w={query_string}", ""),
            (
                "https://h.example/v1/find/tea/all?n=5",
                "tea",
                "https://h.example/v1/find",
                "{url}/{query_string}/all?n=5",
                "",
            ),
            (
                "https://h.example/s?a={searchTerms}&b=1",
                "",
                "https://h.example/s",
                "{url}?b=1&a={query_string}",
                "",
            ),
            (
                "https://h.example/s?x=%7B1%7D&q=t",
                "",
                "https://h.example/s",
                "{url}?x=%7B1%7D&q={query_string}",
                "",
            ),
            (
                "https://h.example/s?apikey=hush&q=t",
                "",
                "https://h.example/s",
                "{url}?apikey={apikey}&q={query_string}",
                "",
            ),
            (
                "https://h.example/s?q=t&offset=11",
                "",
                "https://h.example/s",
                "{url}?q={query_string}",
                "PAGE=offset=RESULT_INDEX",
            ),
            (
                "https://h.example/s?q=t&page=0",
                "",
                "https://h.example/s",
                "{url}?page=0&q={query_string}",
                "",
            ),
            ("https://h.example/s", "", "https://h.example/s", "{url}?q={query_string}", ""),
            ("http://h.example:8080/", "", "http://h.example:8080/", "{url}?q={query_string}", ""),
            // The word stands in the path and in a parameter: the parameter is the query.
            ("https://h.example/tea?q=tea", "tea", "https://h.example/tea", "{url}?q={query_string}", ""),
        ]
    }

    #[test]
    fn a_mark_is_filled_before_it_is_sent() {
        let sent = |text: &str, query: &str| {
            let request = read(text).unwrap_or_else(|error| panic!("{error}")).expect("a request");
            with_query(request, query).map(|request| request.url.to_string())
        };
        assert_eq!(
            sent("https://h.example/s?q={searchTerms}", "a b"),
            Ok("https://h.example/s?q=a%20b".to_owned())
        );
        assert_eq!(sent("https://h.example/{query}/x", "tea"), Ok("https://h.example/tea/x".to_owned()));
        assert_eq!(sent("https://h.example/s?q=tea", ""), Ok("https://h.example/s?q=tea".to_owned()));
        assert!(sent("https://h.example/s?q={query}", "").is_err());
    }

    #[test]
    fn sizes_and_names() {
        assert_eq!(asked("https://api.h.example/s?q=t&limit=25", "").spec.results_per_query, 25);
        let paged = asked("https://h.example/s?q=t&limit=25&page=1", "");
        assert_eq!(paged.spec.query_template, "{url}?limit=10&q={query_string}");
        assert!(paged.remarks.iter().any(|remark| remark.contains("limit was 25")), "{:?}", paged.remarks);
        for (url, name) in [
            ("https://api.h.example/", "h.example"),
            ("https://www.x.org/", "x.org"),
            ("http://api.org/", "api.org"),
        ] {
            assert_eq!(asked(url, "").spec.name, name);
        }
    }

    proptest! {
        #[test]
        fn any_address_becomes_a_template_without_strange_placeholders(
            tail in "[a-z0-9/?&=%{}<>+:'\"é.-]{0,50}|.{0,40}",
            query in "[a-z]{0,2}|.{0,6}",
        ) {
            if let Ok(Some(request)) = read(&format!("https://h.example/{tail}")) {
                let spec = asking(&request, &query).spec;
                prop_assert!(QueryMappings::parse(&spec.query_mappings).is_ok(), "{}", spec.query_mappings);
                for name in placeholders(&spec.query_template) {
                    let is_secret = spec.credentials.contains(&format!("{name}="));
                    prop_assert!(matches!(name, "url" | "query_string") || is_secret, "{}", spec.query_template);
                }
                prop_assert!(placeholders(&spec.url).is_empty(), "{}", spec.url);
                let _ = with_query(request, &query);
            }
        }
    }
}

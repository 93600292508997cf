//! `query_template`: placeholders bound to the url, the mappings, the credentials and the query.

use crate::error::SyntaxError;
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

/// Binds a template whose result is a URL: values are inserted unchanged, the query is form-encoded.
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
    /// The query stands behind a `?`: whatever it is, the URL has the same host and the same path.
    pub has_fixed_path: bool,
}

/// Like [`bind`], and tells whether a query could change the host or the path.
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
    let query = match encoding {
        QueryEncoding::Raw => binding.query.to_owned(),
        QueryEncoding::Form => encode_form(binding.query),
    };
    let mut out = String::with_capacity(text.len() + query.len());
    for part in parts(&text) {
        match part {
            Part::Text(literal) | Part::LoneBrace(literal) => out.push_str(literal),
            Part::Placeholder("query_string") => out.push_str(&query),
            Part::Placeholder(key) => {
                out.push('{');
                out.push_str(key);
                out.push('}');
            }
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
        if count == 0 || key == "query_string" {
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
    let query = encode_form(binding.query);
    let mut out = String::with_capacity(text.len() + query.len());
    let mut unbound = Vec::new();
    let (mut has_parameters, mut has_fixed_path) = (false, true);
    for part in parts(text) {
        match part {
            Part::Text(literal) => {
                has_parameters |= literal.contains('?');
                out.push_str(literal);
            }
            Part::Placeholder("query_string") => {
                has_fixed_path &= has_parameters;
                out.push_str(&query);
            }
            Part::Placeholder(key) => match binding.credentials.iter().find(|(known, _)| known == key) {
                Some((_, value)) => out.push_str(value.expose()),
                None => unbound.push(format!("{{{key}}}")),
            },
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
    Ok(BoundUrl { text: out, has_fixed_path })
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Case {
        template: &'static str,
        mappings: &'static str,
        is_by_date: bool,
        page: u32,
    }

    fn bound(case: &Case, query: &str) -> Result<String, SyntaxError> {
        let mappings = QueryMappings::parse(case.mappings).expect("mappings");
        let credentials = [("key".to_owned(), Secret::new("k{query_string}&"))];
        let binding = Binding {
            url: "http://s/{place}",
            mappings: &mappings,
            credentials: &credentials,
            query,
            sort_snippet: if case.is_by_date { mappings.date_sort() } else { mappings.relevancy_sort() },
            page: case.page,
        };
        bind(case.template, &binding)
    }

    #[test]
    fn binds() {
        let table = [
            ("{url}?q={query_string}", "place=a", false, 0, "http://s/a?q=solid+state"),
            (
                "{url}?a=1&q={query_string}",
                "place=a,DATE_SORT=s=d",
                true,
                0,
                "http://s/a?a=1&s=d&q=solid+state",
            ),
            ("{url}?a=1&q={query_string}", "place=a,DATE_SORT=s=d", false, 0, "http://s/a?a=1&q=solid+state"),
            (
                "{url}?a=1&q={query_string}",
                "place=a,DATE_SORT=s=d,PAGE=start=RESULT_INDEX",
                true,
                1,
                "http://s/a?a=1&s=d&start=11&q=solid+state",
            ),
            // Without another parameter the snippet goes to the end.
            (
                "{url}?q={query_string}",
                "place=a,RELEVANCY_SORT=s=r",
                false,
                0,
                "http://s/a?q=solid+state&s=r",
            ),
            ("{url}/{query_string}", "place=a,PAGE=p=RESULT_PAGE", false, 2, "http://s/a/solid+state?p=3"),
            // A mapping may hold placeholders; a credential never does.
            ("{url}?q={q}", "place=a,q=all:{query_string}", false, 0, "http://s/a?q=all:solid+state"),
            ("{url}?k={key}", "place=a", false, 0, "http://s/a?k=k{query_string}&"),
            ("{url}?q={query_string}*", "place=a", false, 0, "http://s/a?q=solid+state*"),
        ];
        for (template, mappings, is_by_date, page, want) in table {
            let case = Case { template, mappings, is_by_date, page };
            assert_eq!(bound(&case, "solid state").as_deref(), Ok(want), "{template}");
        }
    }

    #[test]
    fn a_query_is_never_read_as_a_template() {
        let case =
            Case { template: "{url}?q={query_string}", mappings: "place=a", is_by_date: true, page: 0 };
        assert_eq!(
            bound(&case, "{key} {url} {query_string} a&b=c~").as_deref(),
            Ok("http://s/a?q=%7Bkey%7D+%7Burl%7D+%7Bquery_string%7D+a%26b%3Dc~")
        );
    }

    #[test]
    fn a_query_behind_the_path_cannot_change_it() {
        for (template, expected) in [
            ("{url}?q={query_string}", true),
            ("{url}/{query_string}", false),
            ("{url}/{query_string}?q={query_string}", false),
            ("http://{query_string}/?a=b", false),
            ("{url}?k={key}&q={query_string}", true),
            ("{url}#{query_string}", false),
            ("{url}?all", true),
            // Only the name of the value has the mark.
            ("http://s/{k?}/{query_string}", false),
        ] {
            let mappings = QueryMappings::parse("place=a").expect("mappings");
            let credentials = ["key", "k?"].map(|name| (name.to_owned(), Secret::new("k")));
            let binding = Binding {
                url: "http://s/{place}",
                mappings: &mappings,
                credentials: &credentials,
                query: "a",
                sort_snippet: None,
                page: 0,
            };
            let found = bind_url(template, &binding).expect("bound");
            assert_eq!(found.has_fixed_path, expected, "{template}");
        }
    }

    #[test]
    fn parts_of_a_path_that_climb_are_counted() {
        let table = [
            ("http://s/a/../x", 1),
            ("http://s/./%2E%2e/.%2e", 3),
            ("http://s/a..b/...?q=/../", 0),
            ("http://s/a\\..#/../", 1),
            ("", 0),
        ];
        for (address, count) in table {
            assert_eq!(dot_segments(address), count, "{address}");
        }
    }

    #[test]
    fn a_body_keeps_what_it_does_not_know() {
        let mappings = QueryMappings::parse("f=title,q=all:{query_string}").expect("mappings");
        let credentials = [("key".to_owned(), Secret::new("hush"))];
        let query = "solid \"state\" {f}";
        let binding = Binding {
            url: "http://s/",
            mappings: &mappings,
            credentials: &credentials,
            query,
            sort_snippet: None,
            page: 0,
        };
        let table = [
            ("*{query_string}*", QueryEncoding::Form, "*solid+%22state%22+%7Bf%7D*"),
            ("*{query_string}*", QueryEncoding::Raw, "*solid \"state\" {f}*"),
            ("{f} {q}", QueryEncoding::Raw, "title all:solid \"state\" {f}"),
            ("{url}{key} {0} { {} }{", QueryEncoding::Raw, "http://s/{key} {0} { {} }{"),
        ];
        for (template, encoding, want) in table {
            assert_eq!(bind_text(template, &binding, encoding).as_deref(), Ok(want), "{template}");
        }
        let long = "{query_string}".repeat(BOUND_BYTES_MAX / 16);
        let error = bind_text(&long, &binding, QueryEncoding::Raw).expect_err("too long");
        assert!(error.message().contains("too long"));
    }

    #[test]
    fn names_what_is_left() {
        let case =
            Case { template: "{url}?x={nix}&q={query_string}", mappings: "", is_by_date: true, page: 0 };
        let error = bound(&case, "q").expect_err("unbound");
        assert!(error.message().contains("{place}") && error.message().contains("{nix}"), "{error}");
        let case = Case { template: "{url}?x={", mappings: "place=a", is_by_date: true, page: 0 };
        assert!(bound(&case, "q").is_err());
    }

    #[test]
    fn growth_is_bounded() {
        let mappings: String = (0..60).map(|i| format!("k{i}={{k{}}}{{k{}}},", i + 1, i + 1)).collect();
        let mappings = QueryMappings::parse(&mappings).expect("mappings");
        let binding = Binding {
            url: "",
            mappings: &mappings,
            credentials: &[],
            query: "",
            sort_snippet: None,
            page: 0,
        };
        assert!(bind("{k0}", &binding).expect_err("too long").message().contains("too long"));
        let query = "é".repeat(2048);
        let binding = Binding { query: &query, mappings: &QueryMappings::default(), ..binding };
        assert!(bind(&"{query_string}".repeat(4), &binding).is_ok());
        assert!(
            bind(&"{query_string}".repeat(6), &binding).expect_err("too long").message().contains("too long")
        );
    }

    proptest! {
        #[test]
        fn no_query_changes_a_fixed_path(
            template in "(https?://)?([a-c.:@/?#&=\\\\ ]|\\{k\\?\\}|\\{query_string\\}|\\{url\\}|%2e|\\.\\./){1,12}",
            query in "[a.?#/@:%\\\\ ]{0,6}",
            key in "[a.?#/@:%]{0,3}",
        ) {
            let mappings = QueryMappings::parse("PAGE=p=RESULT_PAGE").expect("mappings");
            let credentials = [("k?".to_owned(), Secret::new(key))];
            let bound = |query: &str| {
                let binding = Binding {
                    url: "http://s.example/x", mappings: &mappings, credentials: &credentials, query,
                    sort_snippet: None, page: 0,
                };
                bind_url(&template, &binding)
            };
            if let (Ok(one), Ok(other)) = (bound(&query), bound("x"))
                && one.has_fixed_path
            {
                prop_assert!(other.has_fixed_path);
                prop_assert_eq!(dot_segments(&one.text), dot_segments(&other.text));
                let [one, other] = [one, other].map(|bound| url::Url::parse(&bound.text));
                prop_assert_eq!(one.is_ok(), other.is_ok());
                if let (Ok(one), Ok(other)) = (one, other) {
                    prop_assert!(one.scheme() == other.scheme() && one.host() == other.host());
                    prop_assert!(one.port() == other.port() && one.path() == other.path());
                    prop_assert!(one.username() == other.username() && one.password() == other.password());
                }
            }
        }

        #[test]
        fn never_panics(template in "[{}a&=é]{0,40}|.{0,40}", query in ".{0,40}") {
            let mappings = QueryMappings::parse("a={a},PAGE=p=RESULT_PAGE").expect("mappings");
            let binding = Binding {
                url: "u{a}", mappings: &mappings, credentials: &[], query: &query, sort_snippet: None, page: 1,
            };
            let _ = bind(&template, &binding);
            for encoding in [QueryEncoding::Raw, QueryEncoding::Form] {
                let _ = bind_text(&template, &binding, encoding);
            }
        }
    }
}

//! The query inside a string of the source's own language: a quotation mark in it would end the string, unless the
//! placeholder has a filter.

use crate::request::conventions::QUERY;
use domain::provider::ProviderSpec;
use serde_json::Value;
use syntax::query_filter::{FILTERS, filter, names};
use syntax::query_template::{Part, parts};

/// The mark of a string, and how a URL encodes it.
const MARKS: [&str; 2] = ["\"", "%22"];
/// The other mark of a string. It is also an apostrophe, so it counts only next to the query.
const SINGLE_MARKS: [&str; 2] = ["'", "%27"];

/// The placeholder for the query between these texts, in the parameter or field `name`. If that is named after a
/// language for which there is a filter, as `jql` is, a query inside a string gets it.
pub fn placeholder(name: &str, before: &str, after: &str) -> String {
    let filter = filter(&name.to_ascii_lowercase()).filter(|_| is_inside(before) && has_mark(after));
    filter.map_or_else(|| QUERY.to_owned(), |filter| filtered(filter.name))
}

/// The placeholder with a filter in a text.
pub fn filtered_placeholder(text: &str) -> Option<String> {
    FILTERS.iter().map(|filter| filtered(filter.name)).find(|placeholder| text.contains(placeholder))
}

/// The query as a placeholder writes it.
pub fn write(placeholder: &str, query: &str) -> String {
    let found = FILTERS.iter().find(|filter| filtered(filter.name) == placeholder);
    found.map_or_else(|| query.to_owned(), |filter| (filter.quote)(query))
}

/// What to say about a template with the query inside a string and without a filter.
pub fn warning(spec: &ProviderSpec) -> Option<String> {
    let is_unsafe = spec.query_template.split(['?', '&']).any(has_bare_query)
        || spec.post_query_template.values().any(has_bare_query_inside);
    is_unsafe.then(|| {
        format!(
            "The query is between quotation marks, and one in the query would end the text there: users could not search for phrases, and could write conditions of their own. {{query_string|<name>}} between double quotation marks prevents this; names: {}.",
            names()
        )
    })
}

fn filtered(name: &str) -> String {
    format!("{{query_string|{name}}}")
}

fn has_mark(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Whether a string that begins in the text has not ended.
fn is_inside(text: &str) -> bool {
    MARKS.iter().map(|mark| text.matches(mark).count()).sum::<usize>() % 2 == 1
}

/// Whether the plain placeholder is inside a string of this text.
fn has_bare_query(template: &str) -> bool {
    let mut before = String::new();
    parts(template).into_iter().any(|part| match part {
        Part::Text(text) | Part::LoneBrace(text) => {
            before.push_str(text);
            false
        }
        Part::Placeholder(name) => {
            let is_quoted = is_inside(&before) || SINGLE_MARKS.iter().any(|mark| before.ends_with(mark));
            name == "query_string" && is_quoted
        }
    })
}

/// The same for the texts of a body. The template was parsed from JSON, whose nesting is bounded.
fn has_bare_query_inside(value: &Value) -> bool {
    match value {
        Value::String(text) => has_bare_query(text),
        Value::Array(list) => list.iter().any(has_bare_query_inside),
        Value::Object(object) => object.values().any(has_bare_query_inside),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::curl::parse;
    use crate::request::template::{build_template, fill_query};
    use serde_json::json;

    #[test]
    fn a_known_language_gets_its_filter() {
        let table = [
            (
                "https://h.example/s?jql=text%20~%20%22green%20tea%22",
                "green tea",
                "{url}?jql=text%20~%20%22{query_string|jql}%22",
                false,
            ),
            (
                "https://h.example/s?cql=siteSearch~%22tea%20pot%22&n=1",
                "tea",
                "{url}?n=1&cql=siteSearch~%22{query_string|cql}%20pot%22",
                false,
            ),
            (
                "https://h.example/s?jql=text%20~%20%22{query_string|jql}%22",
                "",
                "{url}?jql=text%20~%20%22{query_string|jql}%22",
                false,
            ),
            ("https://h.example/s?jql=text~tea", "tea", "{url}?jql=text~{query_string}", false),
            (
                "https://h.example/s?filter=name~%22green+tea%22",
                "green tea",
                "{url}?filter=name~%22{query_string}%22",
                true,
            ),
            ("https://h.example/s?jql=text~'tea'", "tea", "{url}?jql=text~%27{query_string}%27", true),
            ("https://h.example/s?q=it's%20tea", "tea", "{url}?q=it%27s%20{query_string}", false),
            (
                "https://h.example/s?q=%22a%22%20tea&x=%22b%22",
                "tea",
                "{url}?x=%22b%22&q=%22a%22%20{query_string}",
                false,
            ),
        ];
        for (url, query, template, is_warned) in table {
            let request = parse(url).unwrap_or_else(|error| panic!("{url}: {error}")).expect("a request");
            let built = build_template(&request, query);
            assert_eq!(built.spec.query_template, template, "{url}");
            let warned = built.remarks.iter().any(|remark| remark.contains("{query_string|<name>}"));
            assert_eq!(warned, is_warned, "{url}: {:?}", built.remarks);
        }
    }

    #[test]
    fn bodies_get_filters_too() {
        let table = [
            (json!({"jql": "text ~ \"tea\""}), json!({"jql": "text ~ \"{query_string|jql}\""}), false),
            (
                json!({"jql": "text ~ \"{query_string|jql}\""}),
                json!({"jql": "text ~ \"{query_string|jql}\""}),
                false,
            ),
            (
                json!({"a": [{"where": "name = \"tea\""}]}),
                json!({"a": [{"where": "name = \"{query_string}\""}]}),
                true,
            ),
            (json!({"q": "tea", "n": "\""}), json!({"q": "{query_string}", "n": "\""}), false),
        ];
        for (body, template, is_warned) in table {
            let command = format!("curl https://h.example/s -d '{body}'");
            let request = parse(&command).expect("a command").expect("a request");
            let built = build_template(&request, "tea");
            assert_eq!(Value::Object(built.spec.post_query_template), template, "{body}");
            let warned = built.remarks.iter().any(|remark| remark.contains("{query_string|<name>}"));
            assert_eq!(warned, is_warned, "{body}: {:?}", built.remarks);
        }
    }

    /// The request that the doctor sends itself quotes the query as the provider will.
    #[test]
    fn a_filter_is_applied_before_sending() {
        let url = "https://h.example/s?jql=text~%22{query_string|jql}%22";
        let request = parse(url).expect("a URL").expect("a request");
        let sent = fill_query(request, "a \"b\"").expect("a request").url;
        let value = sent.query_pairs().next().expect("a parameter").1.into_owned();
        assert_eq!(value, "text~\"a \\\"b\\\"\"");
    }
}

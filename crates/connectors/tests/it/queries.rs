//! What each kind of source is asked for a query, after the query was adapted to the mappings of its provider.

use crate::fixture::{answer, context, kind, provider, query};
use domain::ports::RequestDescription;
use domain::provider::{ProviderSpec, SearchProvider};
use domain::secret::Secret;
use serde_json::{Map, Value, json};
use syntax::query_mappings::QueryMappings;
use syntax::query_string::{Negation, rewrite, tokens};

const QUERIES: [&str; 9] = [
    "error \"file not found\" windows",
    "copper NOT tin zinc",
    "copper -“tin foil”",
    "(copper NOT tin) OR zinc",
    "(laptop OR notebook) AND case",
    "why does it not start",
    "copper AND OR \"wire",
    "C++ AT&T हिन्दी",
    "\"copper wire\"",
];

/// A provider, and what its source is asked for each of the queries.
struct Row {
    connector: &'static str,
    mappings: &'static str,
    template: fn() -> ProviderSpec,
    asked: [&'static str; 9],
}

const fn row(
    connector: &'static str,
    mappings: &'static str,
    template: fn() -> ProviderSpec,
    asked: [&'static str; 9],
) -> Row {
    Row { connector, mappings, template, asked }
}

fn get() -> ProviderSpec {
    ProviderSpec {
        url: "https://h/search".into(),
        query_template: "{url}?q={query_string}".into(),
        response_mappings: "RESULTS=items".into(),
        ..ProviderSpec::default()
    }
}

/// The query in a string of JQL.
fn quoted() -> ProviderSpec {
    ProviderSpec { query_template: "{url}?q=text%20~%20%22{query_string|jql}%22".into(), ..get() }
}

fn plain() -> ProviderSpec {
    ProviderSpec::default()
}

fn body(template: &Value) -> ProviderSpec {
    let query_template_json: Map<String, Value> = template.as_object().expect("an object").clone();
    ProviderSpec { url: "https://h".into(), query_template_json, ..ProviderSpec::default() }
}

fn statement(condition: &str) -> ProviderSpec {
    ProviderSpec {
        url: "/library.db".into(),
        query_template: format!("select {{fields}} from t where {condition}"),
        ..ProviderSpec::default()
    }
}

/// Sources with a text as their query get the query's own notation, adapted to their mappings.
const LEFT_OUT: [&str; 9] = [
    "error \"file not found\" windows",
    "copper",
    "copper",
    "(copper) OR zinc",
    "(laptop OR notebook) AND case",
    "why does it not start",
    "copper OR wire",
    "C++ AT&T हिन्दी",
    "\"copper wire\"",
];
const SIGNS: [&str; 9] = [
    "error \"file not found\" windows",
    "copper -tin -zinc",
    "copper -\"tin foil\"",
    "(copper -tin) OR zinc",
    "(laptop OR notebook) AND case",
    "why does it not start",
    "copper OR wire",
    "C++ AT&T हिन्दी",
    "\"copper wire\"",
];
const IN_JQL: [&str; 9] = [
    "text ~ \"error \\\"file not found\\\" windows\"",
    "text ~ \"copper -tin -zinc\"",
    "text ~ \"copper -\\\"tin foil\\\"\"",
    "text ~ \"(copper -tin) OR zinc\"",
    "text ~ \"(laptop OR notebook) AND case\"",
    "text ~ \"why does it not start\"",
    "text ~ \"copper OR wire\"",
    "text ~ \"C++ AT&T हिन्दी\"",
    "text ~ \"\\\"copper wire\\\"\"",
];
const WORDS: [&str; 9] = [
    "error \"file not found\" windows",
    "copper NOT tin zinc",
    "copper NOT \"tin foil\"",
    "(copper NOT tin) OR zinc",
    "(laptop OR notebook) AND case",
    "why does it not start",
    "copper OR wire",
    "C++ AT&T हिन्दी",
    "\"copper wire\"",
];
const KQL: [&str; 9] = [
    "error AND \"file not found\" AND windows",
    "copper AND NOT tin AND NOT zinc",
    "copper AND NOT \"tin foil\"",
    "(copper AND NOT tin) OR zinc",
    "(laptop OR notebook) AND case",
    "why AND does AND it AND \"not\" AND start",
    "copper OR wire",
    "\"C++\" AND \"AT&T\" AND \"हिन्दी\"",
    "\"copper wire\"",
];

const SOURCES: &[Row] = &[
    row("RequestsGet", "", get, LEFT_OUT),
    // As Slack is asked; Jira; GitHub; Apache Solr.
    row("RequestsGet", "NOT_CHAR=-", get, SIGNS),
    row("RequestsGet", "NOT_CHAR=-", quoted, IN_JQL),
    row("RequestsGet", "NOT=True", get, WORDS),
    row(
        "RequestsGet",
        "NOT=True,NOT_CHAR=-",
        get,
        [WORDS[0], WORDS[1], SIGNS[2], WORDS[3], WORDS[4], WORDS[5], WORDS[6], WORDS[7], WORDS[8]],
    ),
    row("Meilisearch", "index_name=i,NOT_CHAR=-", || body(&json!({})), SIGNS),
    row("Typesense", "index_name=i,default_field=t,NOT_CHAR=-", || body(&json!({})), SIGNS),
    row("Vespa", "", || body(&json!({})), LEFT_OUT),
    row("Dropbox", "", plain, LEFT_OUT),
    row("GoogleCalendar", "", plain, LEFT_OUT),
    row("M365OutlookMessages", "NOT=true", plain, KQL),
    row("MicrosoftTeams", "NOT_CHAR=-", plain, KQL),
    row(
        "Gmail",
        "NOT=true",
        plain,
        [
            SIGNS[0],
            SIGNS[1],
            SIGNS[2],
            SIGNS[3],
            SIGNS[4],
            "why does it \"not\" start",
            SIGNS[6],
            "\"C++\" \"AT&T\" \"हिन्दी\"",
            SIGNS[8],
        ],
    ),
    row(
        "BoxStorage",
        "NOT=true",
        plain,
        [
            KQL[0],
            "copper NOT tin NOT zinc",
            "copper NOT \"tin foil\"",
            "(copper NOT tin) OR zinc",
            KQL[4],
            KQL[5],
            KQL[6],
            KQL[7],
            KQL[8],
        ],
    ),
    row(
        "GoogleDrive",
        "NOT=true",
        plain,
        [
            "~'error' and ~'\"file not found\"' and ~'windows'",
            "~'copper' and not ~'tin' and not ~'zinc'",
            "~'copper' and not ~'\"tin foil\"'",
            "((~'copper' and not ~'tin') or ~'zinc')",
            "(~'laptop' or ~'notebook') and ~'case'",
            "~'why' and ~'does' and ~'it' and ~'not' and ~'start'",
            "(~'copper' or ~'wire')",
            "~'C++' and ~'AT&T' and ~'हिन्दी'",
            "~'\"copper wire\"'",
        ],
    ),
    row(
        "Elastic",
        "index_name=i,NOT=true,NOT_CHAR=-",
        || body(&json!({})),
        [
            SIGNS[0],
            SIGNS[1],
            SIGNS[2],
            SIGNS[3],
            SIGNS[4],
            SIGNS[5],
            SIGNS[6],
            "C\\+\\+ AT\\&T हिन्दी",
            SIGNS[8],
        ],
    ),
    row(
        "OpenSearch",
        "index_name=i,NOT_CHAR=-",
        || body(&json!({"query": {"simple_query_string": {"query": "{query_string}"}}})),
        [
            SIGNS[0],
            "copper + -tin + -zinc",
            "copper + -\"tin foil\"",
            "(copper + -tin) | zinc",
            "(laptop | notebook) + case",
            SIGNS[5],
            "copper | wire",
            "C\\+\\+ AT\\&T हिन्दी",
            SIGNS[8],
        ],
    ),
    // A clause with a plain text cannot exclude, whatever the mappings say.
    row(
        "OpenSearch",
        "index_name=i,NOT=true",
        || body(&json!({"query": {"multi_match": {"query": "{query_string}"}}})),
        LEFT_OUT,
    ),
    row(
        "Sqlite3",
        "fields=*",
        || statement("a like '%{query_string}%'"),
        [
            "%error \"file not found\" windows%",
            "%copper%",
            "%copper%",
            "%(copper) OR zinc%",
            "%(laptop OR notebook) AND case%",
            "%why does it not start%",
            "%copper OR wire%",
            "%C++ AT&T हिन्दी%",
            // A pattern looks for one literal text, which a phrase is.
            "%copper wire%",
        ],
    ),
    row(
        "Sqlite3",
        "fields=*,QUOTE_TERMS=AND,NOT=true",
        || statement("t match '{query_string}'"),
        [
            "\"error\" AND \"file not found\" AND \"windows\"",
            "\"copper\" NOT \"tin\" NOT \"zinc\"",
            "\"copper\" NOT \"tin foil\"",
            "(\"copper\" NOT \"tin\") OR \"zinc\"",
            "(\"laptop\" OR \"notebook\") AND \"case\"",
            "\"why\" AND \"does\" AND \"it\" AND \"not\" AND \"start\"",
            "\"copper\" OR \"wire\"",
            "\"C++\" AND \"AT&T\" AND \"हिन्दी\"",
            "\"copper wire\"",
        ],
    ),
    row(
        "MongoDB",
        "NOT_CHAR=-",
        || ProviderSpec {
            url: "films:movies".into(),
            credentials: "mongodb://u:p@h.example/".into(),
            ..body(&json!({"$text": {"$search": "{query_string}"}}))
        },
        [
            "\"error\" \"file not found\" \"windows\"",
            "\"copper\" -tin -zinc",
            "\"copper\" -\"tin foil\"",
            "copper zinc",
            "laptop notebook \"case\"",
            "\"why\" \"does\" \"it\" \"not\" \"start\"",
            "copper wire",
            "\"C++\" \"AT&T\" \"हिन्दी\"",
            "\"copper wire\"",
        ],
    ),
];

/// The query as AdaptiveQueryProcessor gives it to a provider with these mappings.
fn adapted(text: &str, mappings: &QueryMappings) -> String {
    let prefix = mappings.not_char().map(|prefix| format!(" {prefix}"));
    let negation = match (mappings.not(), &prefix) {
        (true, Some(_)) => Negation::AsWritten,
        (true, None) => Negation::Once(" NOT "),
        (false, Some(prefix)) => Negation::Each(prefix),
        (false, None) => Negation::LeftOut,
    };
    rewrite(text, tokens(text), negation)
}

/// The text of the query in a request.
fn asked(source: &Row, text: &str) -> String {
    let mut spec = ProviderSpec {
        connector: source.connector.into(),
        query_mappings: source.mappings.into(),
        ..(source.template)()
    };
    if spec.url.is_empty() {
        spec.url = "https://h".into();
    }
    if spec.connector == "MongoDB" {
        spec.url = "films:movies".into();
    }
    let provider = SearchProvider { user_token: Some(Secret::new("a-token")), ..provider(spec) };
    let connector = (kind(source.connector).build)(&provider, &context(answer("", ""))).expect("a connector");
    let mappings = QueryMappings::parse(source.mappings).expect("mappings");
    let adapted = adapted(text, &mappings);
    let prepared = connector.prepare(&query(&adapted)).expect("a request");
    match prepared.description() {
        RequestDescription::Http(request) => {
            let parameter = request.url.query_pairs().find(|(name, _)| ["q", "query"].contains(&&**name));
            match (parameter, &request.body) {
                (Some((_, value)), _) => value.into_owned(),
                (None, Some(body)) => in_body(&serde_json::from_slice(body).expect("JSON")),
                (None, None) => panic!("{request:?} has no query"),
            }
        }
        RequestDescription::Statement { values, .. } => values[0].clone(),
        RequestDescription::Command { body, .. } => in_body(&body),
    }
}

fn in_body(body: &Value) -> String {
    let places = [
        "/q",
        "/query",
        "/parameters/q",
        "/searches/0/q",
        "/requests/0/query/queryString",
        "/query/query_string/query",
        "/query/simple_query_string/query",
        "/query/multi_match/query",
        "/filter/$text/$search",
    ];
    let found = places.iter().find_map(|place| body.pointer(place)?.as_str());
    let text = found.unwrap_or_else(|| panic!("{body} has no query"));
    text.split(" and trashed = false").next().unwrap_or(text).replace("fullText contains ", "~")
}

#[test]
fn queries_and_what_sources_are_asked() {
    assert!(SOURCES.len() * QUERIES.len() > 150);
    let mut wrong = Vec::new();
    for source in SOURCES {
        for (query, want) in QUERIES.iter().zip(source.asked) {
            let asked = asked(source, query);
            if asked != want {
                wrong.push(format!("{} {}: {query}\n  {asked}\n  {want}", source.connector, source.mappings));
            }
        }
    }
    assert!(wrong.is_empty(), "asked, and expected:\n{}", wrong.join("\n"));
}

//! Searches as spans of OpenTelemetry: OTLP in its JSON encoding.

use domain::instant::Instant;
use domain::status::ProviderStatus;
use federation::{ProviderTiming, SearchTiming, TimeSpan};
use serde::Serialize;
use std::time::Duration;

const SERVICE: &str = "tributary";
/// Kinds of spans.
const INTERNAL: u8 = 1;
const CLIENT: u8 = 3;
/// The status code of a failure.
const ERROR: u8 = 2;
const TRACE_ID_DIGITS: usize = 32;
const SPAN_ID_DIGITS: usize = 16;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportRequest {
    resource_spans: [ResourceSpans; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    resource: Resource,
    scope_spans: [ScopeSpans; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: Vec<Attribute>,
}

#[derive(Serialize)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<Span>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Span {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    name: &'static str,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<SpanStatus>,
}

#[derive(Serialize)]
struct SpanStatus {
    code: u8,
}

#[derive(Serialize)]
struct Attribute {
    key: &'static str,
    value: AttributeValue,
}

/// Whole numbers are text in JSON, because they may have 64 bits.
#[derive(Serialize)]
enum AttributeValue {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "intValue")]
    Whole(String),
}

fn text(key: &'static str, value: impl Into<String>) -> Attribute {
    Attribute { key, value: AttributeValue::Text(value.into()) }
}

fn whole(key: &'static str, value: impl ToString) -> Attribute {
    Attribute { key, value: AttributeValue::Whole(value.to_string()) }
}

/// The body of one request with these searches. `random` makes the ids.
pub fn encode(
    searches: &[SearchTiming],
    mut random: impl FnMut() -> u64,
) -> Result<Vec<u8>, serde_json::Error> {
    let mut spans = Vec::new();
    for search in searches {
        SearchSpans::new(search, &mut random).add_to(&mut spans);
    }
    let resource = Resource {
        attributes: vec![text("service.name", SERVICE), text("service.version", domain::VERSION)],
    };
    let scope = Scope { name: SERVICE, version: domain::VERSION };
    let resource_spans = [ResourceSpans { resource, scope_spans: [ScopeSpans { scope, spans }] }];
    serde_json::to_vec(&ExportRequest { resource_spans })
}

/// The spans of one search: one for the whole, and below it one for each step and each provider.
struct SearchSpans<'a, R> {
    search: &'a SearchTiming,
    random: &'a mut R,
    context: TraceContext,
    root: String,
}

impl<'a, R: FnMut() -> u64> SearchSpans<'a, R> {
    fn new(search: &'a SearchTiming, random: &'a mut R) -> Self {
        let known = search.request.as_deref().and_then(TraceContext::of);
        let context = known.unwrap_or_else(|| TraceContext {
            trace: format!("{:016x}{:016x}", random().max(1), random()),
            parent: None,
        });
        let root = span_id(random);
        Self { search, random, context, root }
    }

    fn add_to(mut self, spans: &mut Vec<Span>) {
        let search = self.search;
        spans.push(self.whole_search());
        for step in search.steps.iter().chain(&search.parts) {
            spans.push(self.child(step.name.as_str(), INTERNAL, step.span, Vec::new()));
        }
        for provider in &search.providers {
            if let Some(fetch) = provider.fetch {
                let span = self.child("fetch", CLIENT, fetch, provider_attributes(provider));
                let has_failed = provider.status.is_none_or(|status| !status.has_delivered());
                spans.push(Span { status: has_failed.then_some(SpanStatus { code: ERROR }), ..span });
            }
            if let Some(processing) = provider.processing {
                spans.push(self.child("processing", INTERNAL, processing, provider_attributes(provider)));
            }
        }
    }

    fn whole_search(&self) -> Span {
        let search = self.search;
        let mut attributes = vec![
            whole("search.id", search.search.0),
            whole("search.run", search.run.0),
            text("search.status", search.status.as_str()),
            whole("search.providers", search.providers_total),
            whole("search.results", search.retrieved),
        ];
        attributes.extend(search.request.as_deref().map(|id| text("request.id", id)));
        Span {
            trace_id: self.context.trace.clone(),
            span_id: self.root.clone(),
            parent_span_id: self.context.parent.clone(),
            name: "search",
            kind: INTERNAL,
            start_time_unix_nano: nanos(search.requested, Duration::ZERO),
            end_time_unix_nano: nanos(search.requested, search.total()),
            attributes,
            status: None,
        }
    }

    fn child(&mut self, name: &'static str, kind: u8, span: TimeSpan, attributes: Vec<Attribute>) -> Span {
        Span {
            trace_id: self.context.trace.clone(),
            span_id: span_id(self.random),
            parent_span_id: Some(self.root.clone()),
            name,
            kind,
            start_time_unix_nano: nanos(self.search.requested, span.begin),
            end_time_unix_nano: nanos(self.search.requested, span.end),
            attributes,
            status: None,
        }
    }
}

fn provider_attributes(provider: &ProviderTiming) -> Vec<Attribute> {
    let mut attributes = vec![whole("provider.id", provider.id.0), text("provider.name", &*provider.name)];
    attributes.extend(provider.status.map(|status| text("provider.status", status_name(status))));
    attributes.push(whole("provider.results", provider.retrieved));
    attributes
}

/// As in `info.<provider>.status`.
fn status_name(status: ProviderStatus) -> &'static str {
    match status {
        ProviderStatus::Ok => "ok",
        ProviderStatus::NoResults => "no_results",
        ProviderStatus::Partial => "partial",
        ProviderStatus::Timeout => "timeout",
        ProviderStatus::Error => "error",
        ProviderStatus::Suspended => "suspended",
        ProviderStatus::NotConnected => "not_connected",
    }
}

/// Never zero, which would be invalid.
fn span_id(random: &mut impl FnMut() -> u64) -> String {
    format!("{:016x}", random().max(1))
}

/// Nanoseconds since 1970, as text.
fn nanos(requested: Instant, after: Duration) -> String {
    let requested = requested.timestamp_nanos_opt().and_then(|nanos| u128::try_from(nanos).ok());
    (requested.unwrap_or_default() + after.as_nanos()).to_string()
}

/// The trace that a search belongs to.
#[derive(Debug, PartialEq, Eq)]
struct TraceContext {
    trace: String,
    parent: Option<String>,
}

impl TraceContext {
    /// The trace that a request id names: a `traceparent` of W3C Trace Context, or the id of a trace alone. The ids that
    /// the service makes for requests are such ids.
    fn of(request: &str) -> Option<Self> {
        let parts: Vec<&str> = request.split('-').collect();
        let (trace, parent) = match parts[..] {
            [trace] => (trace, None),
            ["00", trace, parent, flags] if flags.len() == 2 => (trace, Some(parent)),
            _ => return None,
        };
        let is_valid =
            is_id(trace, TRACE_ID_DIGITS) && parent.is_none_or(|parent| is_id(parent, SPAN_ID_DIGITS));
        is_valid.then(|| Self { trace: trace.to_owned(), parent: parent.map(str::to_owned) })
    }
}

fn is_id(text: &str, digits: usize) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == digits && text.bytes().all(is_digit) && text.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::ids::{ProviderId, RunNumber, SearchId};
    use domain::status::SearchStatus;
    use federation::{Step, StepName};
    use serde_json::{Value, json};

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn span(begin: u64, end: u64) -> TimeSpan {
        TimeSpan { begin: Duration::from_micros(begin), end: Duration::from_micros(end) }
    }

    fn timing(request: Option<&str>) -> SearchTiming {
        let provider = ProviderTiming {
            id: ProviderId(3),
            name: "Rivers".into(),
            status: Some(ProviderStatus::Timeout),
            retrieved: 0,
            fetch: Some(span(1, 5)),
            processing: None,
        };
        SearchTiming {
            search: SearchId(7),
            run: RunNumber(2),
            request: request.map(Into::into),
            requested: DateTime::from_timestamp(1_700_000_000, 0).unwrap(),
            status: SearchStatus::FullResultsReady,
            retrieved: 9,
            steps: vec![Step { name: StepName::Queue, span: span(0, 6) }],
            parts: Vec::new(),
            providers: vec![provider],
            providers_total: 1,
        }
    }

    fn encoded(search: SearchTiming) -> Value {
        let mut last = 0;
        let counted = || {
            last += 1;
            last
        };
        serde_json::from_slice(&encode(&[search], counted).unwrap()).unwrap()
    }

    #[test]
    fn a_search_is_encoded_as_the_protocol_describes() {
        let string = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
        let int = |key: &str, value: &str| json!({"key": key, "value": {"intValue": value}});
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let expected = json!({"resourceSpans": [{
            "resource": {"attributes": [
                string("service.name", "tributary"),
                string("service.version", domain::VERSION),
            ]},
            "scopeSpans": [{
                "scope": {"name": "tributary", "version": domain::VERSION},
                "spans": [
                    {
                        "traceId": trace,
                        "spanId": "0000000000000001",
                        "parentSpanId": "00f067aa0ba902b7",
                        "name": "search",
                        "kind": 1,
                        "startTimeUnixNano": "1700000000000000000",
                        "endTimeUnixNano": "1700000000000006000",
                        "attributes": [
                            int("search.id", "7"),
                            int("search.run", "2"),
                            string("search.status", "FULL_RESULTS_READY"),
                            int("search.providers", "1"),
                            int("search.results", "9"),
                            string("request.id", PARENT),
                        ],
                    },
                    {
                        "traceId": trace,
                        "spanId": "0000000000000002",
                        "parentSpanId": "0000000000000001",
                        "name": "queue",
                        "kind": 1,
                        "startTimeUnixNano": "1700000000000000000",
                        "endTimeUnixNano": "1700000000000006000",
                        "attributes": [],
                    },
                    {
                        "traceId": trace,
                        "spanId": "0000000000000003",
                        "parentSpanId": "0000000000000001",
                        "name": "fetch",
                        "kind": 3,
                        "startTimeUnixNano": "1700000000000001000",
                        "endTimeUnixNano": "1700000000000005000",
                        "attributes": [
                            int("provider.id", "3"),
                            string("provider.name", "Rivers"),
                            string("provider.status", "timeout"),
                            int("provider.results", "0"),
                        ],
                        "status": {"code": 2},
                    },
                ],
            }],
        }]});
        assert_eq!(encoded(timing(Some(PARENT))), expected);
    }

    #[test]
    fn a_search_without_a_trace_gets_a_new_one() {
        let spans = &encoded(timing(Some("r-1")))["resourceSpans"][0]["scopeSpans"][0]["spans"];
        assert_eq!(spans[0]["traceId"], "00000000000000010000000000000002");
        assert_eq!(
            (&spans[0]["spanId"], &spans[0]["parentSpanId"]),
            (&json!("0000000000000003"), &Value::Null)
        );
    }

    #[test]
    fn a_request_id_may_name_a_trace() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let found = |parent: Option<&str>| {
            Some(TraceContext { trace: trace.to_owned(), parent: parent.map(str::to_owned) })
        };
        let zeros = "0".repeat(TRACE_ID_DIGITS);
        for (request, expected) in [
            (PARENT, found(Some("00f067aa0ba902b7"))),
            (trace, found(None)),
            (trace.to_uppercase().as_str(), None),
            (&trace[1..], None),
            (PARENT.replace("00-", "ff-").as_str(), None),
            (PARENT.replace("00f067aa0ba902b7", "0000000000000000").as_str(), None),
            (&PARENT[..PARENT.len() - 1], None),
            (zeros.as_str(), None),
            ("r-1", None),
            ("", None),
        ] {
            assert_eq!(TraceContext::of(request), expected, "{request}");
        }
    }

    #[test]
    fn statuses_are_named_as_on_the_wire() {
        for status in [
            ProviderStatus::Ok,
            ProviderStatus::NoResults,
            ProviderStatus::Partial,
            ProviderStatus::Timeout,
            ProviderStatus::Error,
            ProviderStatus::Suspended,
            ProviderStatus::NotConnected,
        ] {
            assert_eq!(serde_json::to_value(status).unwrap(), status_name(status));
        }
    }
}

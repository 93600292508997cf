//! Request variables: `query_mappings` names the variables for the words, limit, order and page; `query_template_json`
//! holds the others. A name with dots is a path inside an object.

use domain::bounded_json::{self, FIELD_VALUES_MAX};
use domain::ports::{ConnectorError, ProviderQuery};
use domain::search::Sort;
use serde_json::{Map, Value, json};
use syntax::json_path::JsonPath;
use syntax::query_mappings::{PAGE_SIZE, QueryMappings};

/// Results per request, unless `limit_max` is set.
const LIMIT_MAX: u32 = 100;
/// Deepest path inside an object.
const DEPTH_MAX: usize = 8;

#[derive(Debug, Clone)]
pub struct Variables {
    fixed: Map<String, Value>,
    query: Vec<String>,
    limit: Option<Vec<String>>,
    limit_max: u32,
    offset: Option<Vec<String>>,
    page: Option<Vec<String>>,
    cursor: Option<(Vec<String>, JsonPath)>,
    sort: Option<Vec<String>>,
    by_date: Option<Value>,
    by_relevancy: Option<Value>,
}

impl Variables {
    pub fn of(
        mappings: &QueryMappings,
        fixed: &Map<String, Value>,
        document: &str,
    ) -> Result<Self, ConnectorError> {
        let variable_path = |key: &str| -> Result<Option<Vec<String>>, ConnectorError> {
            mappings.get(key).map(|name| self::variable_path(key, name, document)).transpose()
        };
        let Some(query) = variable_path("query_string")? else {
            return Err(ConnectorError::in_field(
                "query_mappings",
                "query_string=<variable> is needed: where the words go.",
            ));
        };
        let limit_max = match mappings.get("limit_max") {
            None => LIMIT_MAX,
            Some(text) => {
                text.trim().parse().ok().filter(|number| (1..=1000).contains(number)).ok_or_else(|| {
                    ConnectorError::in_field("query_mappings", "limit_max is a number from 1 to 1000.")
                })?
            }
        };
        let cursor = match (variable_path("cursor")?, mappings.get("next_cursor")) {
            (None, None) => None,
            (Some(variable_path), Some(path)) => Some((
                variable_path,
                JsonPath::parse(path).map_err(|error| ConnectorError::of_syntax("query_mappings", error))?,
            )),
            _ => {
                let sentence =
                    "cursor=<variable> and next_cursor=<path in the response> must be set together.";
                return Err(ConnectorError::in_field("query_mappings", sentence));
            }
        };
        let sort = variable_path("sort")?;
        let (by_date, by_relevancy) = (mappings.date_sort().map(value), mappings.relevancy_sort().map(value));
        if sort.is_none() && (by_date.is_some() || by_relevancy.is_some()) {
            return Err(ConnectorError::in_field(
                "query_mappings",
                "DATE_SORT and RELEVANCY_SORT need sort=<variable>.",
            ));
        }
        let (limit, offset, page) =
            (variable_path("limit")?, variable_path("offset")?, variable_path("page")?);
        Ok(Self {
            fixed: fixed.clone(),
            query,
            limit,
            limit_max,
            offset,
            page,
            cursor,
            sort,
            by_date,
            by_relevancy,
        })
    }

    pub fn has_cursor(&self) -> bool {
        self.cursor.is_some()
    }

    pub fn has_pages(&self) -> bool {
        self.cursor.is_some() || self.offset.is_some() || self.page.is_some()
    }

    pub fn sorts_by_date(&self) -> bool {
        self.sort.is_some() && self.by_date.is_some()
    }

    /// A source with cursors is paged within one request to the connector.
    pub fn pages(&self, results_wanted: u32) -> u32 {
        if self.cursor.is_none() && self.has_pages() {
            results_wanted.div_ceil(self.page_size(results_wanted))
        } else {
            1
        }
    }

    /// The variables for one page. The words are always one string.
    pub fn bind(&self, query: &ProviderQuery<'_>) -> Value {
        let mut all = self.fixed.clone();
        put(&mut all, &self.query, json!(query.text));
        let size = self.page_size(query.results_wanted);
        let mut number = |variable_path: &Option<Vec<String>>, number: u32| {
            if let Some(variable_path) = variable_path {
                put(&mut all, variable_path, json!(number));
            }
        };
        number(&self.limit, size);
        number(&self.offset, query.page.saturating_mul(size));
        number(&self.page, query.page.saturating_add(1));
        let order = if query.sort == Sort::Date { &self.by_date } else { &self.by_relevancy };
        if let (Some(variable_path), Some(order)) = (&self.sort, order) {
            put(&mut all, variable_path, order.clone());
        }
        Value::Object(all)
    }

    pub fn next_cursor(&self, answer: &Value) -> Option<String> {
        let (_, path) = self.cursor.as_ref()?;
        match path.find(answer).first()? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// Sets the cursor for the next page.
    pub fn put_cursor(&self, body: &mut Value, cursor: &str) {
        let variables = body.get_mut("variables").and_then(Value::as_object_mut);
        if let (Some((variable_path, _)), Some(variables)) = (&self.cursor, variables) {
            put(variables, variable_path, json!(cursor));
        }
    }

    /// Without a limit variable, a page size of ten is assumed.
    fn page_size(&self, results_wanted: u32) -> u32 {
        if self.limit.is_some() { results_wanted.clamp(1, self.limit_max) } else { PAGE_SIZE }
    }
}

/// A variable of the document, or a path inside it.
fn variable_path(key: &str, name: &str, document: &str) -> Result<Vec<String>, ConnectorError> {
    let parts: Vec<String> = name.trim().trim_start_matches('$').split('.').map(str::to_owned).collect();
    let is_name =
        |part: &String| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if parts.len() > DEPTH_MAX || !parts.iter().all(is_name) {
        return Err(ConnectorError::in_field(
            "query_mappings",
            format!("{key} needs the name of a variable."),
        ));
    }
    let variable = format!("${}", parts[0]);
    let is_known = document.match_indices(&variable).any(|(at, _)| {
        !document[at + variable.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    });
    if is_known {
        Ok(parts)
    } else {
        Err(ConnectorError::in_field(
            "query_mappings",
            format!("{key}: the document has no variable {variable}."),
        ))
    }
}

fn put(object: &mut Map<String, Value>, variable_path: &[String], value: Value) {
    let Some((first, rest)) = variable_path.split_first() else { return };
    if rest.is_empty() {
        object.insert(first.clone(), value);
        return;
    }
    let inner = object.entry(first.clone()).or_insert_with(|| json!({}));
    if !inner.is_object() {
        *inner = json!({});
    }
    if let Some(inner) = inner.as_object_mut() {
        put(inner, rest, value);
    }
}

/// The value of an order: parsed as JSON, or else a string.
fn value(text: &str) -> Value {
    bounded_json::parse(text.as_bytes(), FIELD_VALUES_MAX).unwrap_or_else(|_| json!(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const DOCUMENT: &str = "query ($q: String!, $first: Int, $skip: Int, $in: In, $after: String) { s }";

    fn variables(mappings: &str) -> Result<Variables, ConnectorError> {
        let mappings = QueryMappings::parse(mappings).expect("mappings");
        let fixed = json!({"lang": "en", "in": {"kind": "page"}});
        Variables::of(&mappings, fixed.as_object().expect("an object"), DOCUMENT)
    }

    fn bound(mappings: &str, sort: Sort, page: u32) -> Value {
        let query = ProviderQuery {
            text: "solid \"state\"}",
            sort,
            page,
            results_wanted: 25,
            vector: None,
            asker: domain::ids::UserId(1),
            topic: domain::corpus::Topic::default(),
            time_max: Duration::from_secs(1),
        };
        variables(mappings).expect("variables").bind(&query)
    }

    #[test]
    fn what_is_asked_goes_into_variables() {
        let q = "solid \"state\"}";
        let table = [
            ("query_string=q", Sort::Relevancy, 0, json!({"lang": "en", "in": {"kind": "page"}, "q": q})),
            (
                "query_string=$q,limit=first,offset=skip",
                Sort::Relevancy,
                2,
                json!({"lang": "en", "in": {"kind": "page"}, "q": q, "first": 25, "skip": 50}),
            ),
            (
                "query_string=in.text,limit=in.size,limit_max=10,page=in.page,sort=in.order,DATE_SORT={\"by\":1},RELEVANCY_SORT=BEST",
                Sort::Date,
                1,
                json!({"lang": "en", "in": {"kind": "page", "text": q, "size": 10, "page": 2, "order": {"by": 1}}}),
            ),
        ];
        for (mappings, sort, page, want) in table {
            assert_eq!(bound(mappings, sort, page), want, "{mappings}");
        }
        let paged = variables("query_string=q,limit=first,limit_max=10,offset=skip").expect("variables");
        assert_eq!((paged.pages(25), paged.has_pages()), (3, true));
        assert_eq!(variables("query_string=q").expect("variables").pages(25), 1);
    }

    #[test]
    fn mistakes_are_said() {
        for (mappings, want) in [
            ("", "query_string"),
            ("query_string=none", "no variable $none"),
            ("query_string=fir", "no variable $fir"),
            ("query_string=q,limit=a b", "limit"),
            ("query_string=q,cursor=after", "next_cursor"),
            ("query_string=q,DATE_SORT=NEW", "sort="),
            ("query_string=q,limit_max=0", "limit_max"),
        ] {
            let error = variables(mappings).expect_err(mappings);
            assert!(error.message.contains(want), "{mappings}: {error}");
            assert_eq!(error.field, Some("query_mappings"), "{mappings}");
        }
    }

    #[test]
    fn a_cursor_leads_to_the_next_page() {
        let variables = variables("query_string=q,cursor=after,next_cursor=data.s.end").expect("variables");
        assert_eq!(variables.next_cursor(&json!({"data": {"s": {"end": "x1"}}})).as_deref(), Some("x1"));
        assert_eq!(variables.next_cursor(&json!({"data": {"s": {"end": null}}})), None);
        let mut body = json!({"query": "d", "variables": {"q": "x"}});
        variables.put_cursor(&mut body, "x1");
        assert_eq!(body["variables"], json!({"q": "x", "after": "x1"}));
    }
}

//! Tool arguments: `query_mappings` names those for the words, limit, order and page; its other pairs and
//! `query_template_json` have fixed values.

use domain::bounded_json::{self, FIELD_VALUES_MAX};
use domain::ports::ProviderQuery;
use domain::search::Sort;
use serde_json::{Map, Value, json};
use syntax::error::SyntaxError;
use syntax::query_mappings::{PAGE_SIZE, QueryMappings};

/// Results per call, unless `limit_max` is set.
const LIMIT_MAX: u32 = 100;
/// Longest name of a tool or an argument, in characters.
const NAME_CHARS_MAX: usize = 128;
/// Reserved keys; every other key is an argument with a fixed value.
const KNOWN: [&str; 11] = [
    "tool",
    "argument",
    "limit",
    "limit_max",
    "offset",
    "page",
    "sort",
    "DATE_SORT",
    "RELEVANCY_SORT",
    "NOT",
    "NOT_CHAR",
];

#[derive(Debug, Clone)]
pub struct Arguments {
    pub tool: String,
    fixed: Map<String, Value>,
    query: String,
    limit: Option<String>,
    limit_max: u32,
    offset: Option<String>,
    page: Option<String>,
    sort: Option<String>,
    by_date: Option<Value>,
    by_relevancy: Option<Value>,
}

impl Arguments {
    pub fn of(mappings: &QueryMappings, fixed: &Map<String, Value>) -> Result<Self, SyntaxError> {
        let named = |key: &str| mappings.get(key).map(|name| name_of(key, name)).transpose();
        let tool = named("tool")?.ok_or("tool=<name> is needed: the tool that searches.")?;
        let query = named("argument")?.ok_or("argument=<name> is needed: the argument for the words.")?;
        let limit_max = match mappings.get("limit_max") {
            None => LIMIT_MAX,
            Some(text) => {
                let number = text.trim().parse().ok().filter(|number| (1..=1000).contains(number));
                number.ok_or("limit_max is a number from 1 to 1000.")?
            }
        };
        let sort = named("sort")?;
        let (by_date, by_relevancy) = (mappings.date_sort().map(value), mappings.relevancy_sort().map(value));
        if sort.is_none() && (by_date.is_some() || by_relevancy.is_some()) {
            return Err("DATE_SORT and RELEVANCY_SORT need sort=<argument>.".into());
        }
        let (limit, offset, page) = (named("limit")?, named("offset")?, named("page")?);
        let mut fixed = fixed.clone();
        for (key, text) in mappings.pairs().iter().filter(|(key, _)| !KNOWN.contains(&key.as_str())) {
            fixed.insert(name_of(key, key)?, value(text));
        }
        Ok(Self { tool, fixed, query, limit, limit_max, offset, page, sort, by_date, by_relevancy })
    }

    pub fn has_pages(&self) -> bool {
        self.offset.is_some() || self.page.is_some()
    }

    pub fn sorts_by_date(&self) -> bool {
        self.sort.is_some() && self.by_date.is_some()
    }

    pub fn pages(&self, results_wanted: u32) -> u32 {
        if self.has_pages() { results_wanted.div_ceil(self.page_size(results_wanted)) } else { 1 }
    }

    /// The arguments for one page. The words are always one string.
    pub fn bind(&self, query: &ProviderQuery<'_>) -> Value {
        let mut all = self.fixed.clone();
        let size = self.page_size(query.results_wanted);
        for (name, number) in [
            (&self.limit, size),
            (&self.offset, query.page.saturating_mul(size)),
            (&self.page, query.page.saturating_add(1)),
        ] {
            if let Some(name) = name {
                all.insert(name.clone(), json!(number));
            }
        }
        let order = if query.sort == Sort::Date { &self.by_date } else { &self.by_relevancy };
        if let (Some(name), Some(order)) = (&self.sort, order) {
            all.insert(name.clone(), order.clone());
        }
        all.insert(self.query.clone(), json!(query.text));
        Value::Object(all)
    }

    /// Without a limit argument, a page size of ten is assumed.
    fn page_size(&self, results_wanted: u32) -> u32 {
        if self.limit.is_some() { results_wanted.clamp(1, self.limit_max) } else { PAGE_SIZE }
    }
}

fn name_of(key: &str, name: &str) -> Result<String, SyntaxError> {
    let name = name.trim();
    let is_name = !name.is_empty()
        && name.chars().count() <= NAME_CHARS_MAX
        && name.chars().all(|c| c.is_alphanumeric() || "_-./:".contains(c));
    if is_name {
        Ok(name.to_owned())
    } else {
        Err(format!("{key} needs the name of a tool or an argument.").into())
    }
}

/// Parsed as JSON, or else a string.
fn value(text: &str) -> Value {
    bounded_json::parse(text.as_bytes(), FIELD_VALUES_MAX).unwrap_or_else(|_| json!(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn arguments(mappings: &str) -> Result<Arguments, SyntaxError> {
        let mappings = QueryMappings::parse(mappings).expect("mappings");
        Arguments::of(&mappings, json!({"lang": "en"}).as_object().expect("an object"))
    }

    #[test]
    fn what_is_asked_goes_into_arguments() {
        let text = "solid \"state\"}";
        let table = [
            ("tool=t,argument=q", Sort::Relevancy, 0, json!({"lang": "en", "q": text})),
            (
                "tool=t,argument=q,limit=n,offset=skip,kind=page,deep=true,NOT=true",
                Sort::Relevancy,
                2,
                json!({"lang": "en", "kind": "page", "deep": true, "n": 25, "skip": 50, "q": text}),
            ),
            (
                "tool=t,argument=q,limit=n,limit_max=10,page=p,sort=order,DATE_SORT=new,RELEVANCY_SORT=best,lang=de",
                Sort::Date,
                1,
                json!({"lang": "de", "n": 10, "p": 2, "order": "new", "q": text}),
            ),
        ];
        for (mappings, sort, page, want) in table {
            let time_max = Duration::from_secs(1);
            let query = ProviderQuery {
                text,
                sort,
                page,
                results_wanted: 25,
                asker: domain::ids::UserId(1),
                topic: domain::corpus::Topic::default(),
                vector: None,
                time_max,
            };
            assert_eq!(arguments(mappings).expect("arguments").bind(&query), want, "{mappings}");
        }
        let paged = arguments("tool=t,argument=q,limit=n,limit_max=10,offset=s").expect("arguments");
        assert_eq!((paged.pages(25), paged.has_pages()), (3, true));
    }

    #[test]
    fn mistakes_are_said() {
        for (mappings, want) in [
            ("", "tool="),
            ("tool=t", "argument="),
            ("tool=a b,argument=q", "tool needs"),
            ("tool=t,argument=q,DATE_SORT=NEW", "sort="),
            ("tool=t,argument=q,limit_max=0", "limit_max"),
            ("tool=t,argument=q,a b=1", "a b"),
        ] {
            let sentence = arguments(mappings).expect_err(mappings);
            assert!(sentence.message().contains(want), "{mappings}: {sentence}");
        }
    }
}

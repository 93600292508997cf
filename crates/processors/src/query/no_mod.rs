//! NoModQueryProcessor: leaves a query unchanged, except for a leading tag of the provider.

use async_trait::async_trait;
use domain::ports::{ProcessorError, QueryContext, QueryProcessor, QueryProcessorKind};

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "NoModQueryProcessor",
    summary: "Removes a leading tag of the provider and changes nothing else.",
    processor: &NoMod,
};

struct NoMod;

#[async_trait]
impl QueryProcessor for NoMod {
    async fn process(&self, query: &str, cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        let tags = cx.provider.map_or(&cx.search.spec.tags, |provider| &provider.spec.tags);
        Ok(without_tag(query, tags).to_owned())
    }
}

fn without_tag<'a>(query: &'a str, tags: &[String]) -> &'a str {
    let Some((start, rest)) = query.split_once(':') else { return query };
    let start = start.to_lowercase();
    if tags.iter().any(|tag| tag.to_lowercase() == start) { rest } else { query }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_only_a_leading_tag() {
        let tags = ["News".to_owned(), "Sci Tech".to_owned()];
        let table = [
            ("news:fed, C++", "fed, C++"),
            ("NEWS: fed", " fed"),
            ("sci tech:x", "x"),
            ("other:fed", "other:fed"),
            ("fed news:x", "fed news:x"),
            ("plain -not", "plain -not"),
            ("news:a:b", "a:b"),
            ("\"news:a b\" c", "\"news:a b\" c"),
            ("“a b” (c NOT हिन्दी", "“a b” (c NOT हिन्दी"),
        ];
        for (query, want) in table {
            assert_eq!(without_tag(query, &tags), want, "{query}");
        }
    }
}

//! A template, mappings and a query, separated by line breaks. The query must arrive as one literal.

use syntax::query_mappings::QueryMappings;
use syntax::query_template::{Binding, bind, placeholders};

pub fn check(bytes: &[u8]) {
    let mut lines = super::text(bytes).splitn(3, '\n');
    let template = lines.next().unwrap_or_default();
    let Ok(mappings) = QueryMappings::parse(lines.next().unwrap_or_default()) else { return };
    let query = lines.next().unwrap_or("solid {state}");
    let _names = placeholders(template);
    for sort_snippet in [mappings.date_sort(), mappings.relevancy_sort()] {
        let binding = Binding {
            url: "https://a.example/x",
            mappings: &mappings,
            credentials: &[],
            query,
            sort_snippet,
            page: 1,
        };
        let _bound = bind(template, &binding);
    }
}

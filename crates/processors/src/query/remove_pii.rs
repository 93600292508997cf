//! RemovePIIQueryProcessor: removes personal data from a query before a source sees it.

use crate::pii;
use async_trait::async_trait;
use domain::ports::{ProcessorError, QueryContext, QueryProcessor, QueryProcessorKind};
use syntax::query_string::{clean, without_markup};

pub const KIND: QueryProcessorKind = QueryProcessorKind {
    name: "RemovePIIQueryProcessor",
    summary: "Deletes email addresses, telephone, card, account and social security numbers, IP addresses and names \
              after a title from a query.",
    processor: &RemovePii,
};

struct RemovePii;

#[async_trait]
impl QueryProcessor for RemovePii {
    async fn process(&self, query: &str, cx: &QueryContext<'_>) -> Result<String, ProcessorError> {
        Ok(without_pii(query, cx.provider.is_some()))
    }
}

/// A query without personal data stays unchanged. A query that is nothing else becomes empty for a provider, which is
/// then not queried. Before federation an empty query would be treated as an error and ignored, so there the kinds
/// remain: `[EMAIL_ADDRESS]`. Operators and parentheses around what is removed go with it.
fn without_pii(query: &str, may_be_empty: bool) -> String {
    // Before the removal, which may leave an element without content.
    let text = without_markup(query);
    let Some(left) = pii::removed(&text) else { return query.to_owned() };
    match clean(&left) {
        left if left.is_empty() && !may_be_empty => pii::redacted(&text).unwrap_or_default(),
        left => left,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn deletes_what_is_personal() {
        let table = [
            ("contracts with Mr. Smith 2021-03-04", "contracts with 2021-03-04"),
            ("212-555-0123 complaints", "complaints"),
            (
                "  solid <b>state</b>, ISBN 978-3-16-148410-0 ",
                "  solid <b>state</b>, ISBN 978-3-16-148410-0 ",
            ),
            ("ada@byron.example", ""),
            ("river (ada@byron.example OR \"Dr. Byron\")", "river"),
            ("river AND ada@byron.example", "river"),
            ("river -\"ada@byron.example\"", "river"),
            ("“river level” OR ada@byron.example OR C++", "\"river level\" OR C++"),
            ("", ""),
        ];
        for (query, want) in table {
            assert_eq!(without_pii(query, true), want, "{query}");
        }
    }

    #[test]
    fn an_empty_query_never_brings_the_old_one_back() {
        assert_eq!(
            without_pii("ada@byron.example +44 20 7946 0958", false),
            "[EMAIL_ADDRESS] [PHONE_NUMBER]"
        );
        assert_eq!(without_pii("<b>ada@byron.example</b> bills", false), "bills");
        assert_eq!(without_pii("", false), "");
    }

    proptest! {
        #[test]
        fn personal_data_is_gone(
            before in "[a-z]{1,8}", personal in "[a-c]{1,4}@[a-c]{1,4}\\.example|[2-9]{3}-[2-9]{3}-[0-9]{4}", after in "[a-z]{1,8}"
        ) {
            let query = format!("{before} {personal} {after}");
            prop_assert_eq!(without_pii(&query, true), format!("{before} {after}"));
        }

        #[test]
        fn never_panics(query in "\\PC{0,60}|[0-9@.a-c +()<>&;-]{0,60}") {
            without_pii(&query, false);
        }
    }
}

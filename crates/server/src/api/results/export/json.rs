//! Export as JSON, as the API lists results.

use super::content::Export;
use serde_json::{Value, json};

pub(super) fn written(export: &Export<'_>) -> String {
    let search = export.search;
    let value: Value = json!({
        "search_id": search.id,
        "query_string": search.spec.query_string,
        "date_searched": search.date_created,
        "date_exported": export.now,
        "results": export.results,
    });
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::results::export::tests::of_one;
    use domain::result::ResultItem;

    #[test]
    fn results_are_as_in_the_list() {
        let item = ResultItem { title: "</script> \"x\"".into(), starred: true, ..ResultItem::default() };
        let value: Value = serde_json::from_str(&of_one(item, written)).expect("JSON");
        assert_eq!(
            (&value["search_id"], &value["results"][0]["title"]),
            (&json!(7), &json!("</script> \"x\""))
        );
        assert_eq!(value["results"][0]["starred"], true);
    }
}

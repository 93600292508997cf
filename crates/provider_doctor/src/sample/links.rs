//! Columns of labeled links, as in `{"rel": "alternate", "href": …}`: a position of the list at which every result has
//! the same kind of link is a column of its own.

use crate::fields::identifier_words::{is_named, words};
use crate::sample::column::{Column, ITEMS_MAX};
use crate::sample::path::Step;
use crate::sample::shape::is_url;
use serde_json::Value;

/// Most positions from the beginning of a list; the last one is examined as well.
const PLACES_MAX: usize = 4;
/// Members that label a link.
const LABELS: &str = "rel type kind role format contenttype mediatype mimetype";

/// The positions in the lists of links of these columns.
pub fn places(items: &[&Value], columns: &[Column]) -> Vec<Column> {
    let items = items.get(..ITEMS_MAX).unwrap_or(items);
    columns
        .iter()
        .filter(|column| column.first_values().any(is_url))
        .filter_map(|column| Some((List::of(items, column)?, column)))
        .flat_map(|(list, column)| {
            let steps = (0..PLACES_MAX).map(Step::Index).chain([Step::Last]);
            steps.filter_map(|step| list.at(step, column)).collect::<Vec<_>>()
        })
        .collect()
}

/// The lists of links of the items.
struct List<'a> {
    rows: Vec<&'a [Value]>,
    /// The path to the list.
    before: &'a [Step],
    /// The member with the URL.
    url_member: &'a str,
}

impl<'a> List<'a> {
    fn of(items: &[&'a Value], column: &'a Column) -> Option<Self> {
        let [before @ .., Step::Items, Step::Member(url_member)] = column.steps.as_slice() else {
            return None;
        };
        let rows = items.iter().map(|item| links(item, before)).collect::<Option<Vec<_>>>()?;
        Some(Self { rows, before, url_member })
    }

    /// The column at one position, if all links there have the same label.
    fn at(&self, place: Step, column: &Column) -> Option<Column> {
        let chosen = self.rows.iter().map(|row| match place {
            Step::Index(index) => row.get(index),
            _ => row.last(),
        });
        let mut values = Vec::new();
        let mut labels: Vec<String> = Vec::new();
        for link in chosen {
            let url = link.and_then(|link| link.get(self.url_member)).and_then(Value::as_str);
            let url = url.map(str::trim).filter(|url| is_url(url));
            labels.extend(link.filter(|_| url.is_some()).map(label));
            values.push(url.map(str::to_owned).into_iter().collect());
        }
        let label = labels.pop().filter(|label| !label.is_empty())?;
        let steps = [self.before, &[place, Step::Member(self.url_member.to_owned())]].concat();
        labels.iter().all(|other| *other == label).then(|| Column { steps, values, label, ..column.clone() })
    }
}

/// A single link counts as a list of one, and no link as an empty list.
fn links<'a>(item: &'a Value, before: &[Step]) -> Option<&'a [Value]> {
    let mut value = item;
    for step in before {
        let Step::Member(name) = step else { return None };
        match value.get(name) {
            Some(inside) => value = inside,
            None => return Some(&[]),
        }
    }
    Some(match value {
        Value::Array(list) => list,
        Value::Object(_) => std::slice::from_ref(value),
        _ => &[],
    })
}

fn label(link: &Value) -> String {
    let members = link.as_object().into_iter().flatten();
    let labels = members.filter(|(name, _)| is_named(name, LABELS)).filter_map(|(_, value)| value.as_str());
    labels.flat_map(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::columns::columns;
    use crate::sample::path::{Form, format_path};
    use serde_json::json;

    fn link(rel: &str, url: &str) -> Value {
        json!({"@rel": rel, "@href": url})
    }

    #[test]
    fn a_position_with_one_label_is_a_column() {
        let (file, page) = (link("download", "https://h/f"), link("alternate", "https://h/p"));
        let table = [
            (
                vec![json!({"l": [file, page]}), json!({"l": [file, page]})],
                vec!["l[0].@href download", "l[1].@href alternate", "l[-1].@href alternate"],
            ),
            // The first position has a file or a page.
            (
                vec![json!({"l": [file, page]}), json!({"l": page})],
                vec!["l[1].@href alternate", "l[-1].@href alternate"],
            ),
            (
                vec![json!({"l": [file, page]}), json!({})],
                vec!["l[0].@href download", "l[1].@href alternate", "l[-1].@href alternate"],
            ),
            (vec![json!({"l": [{"@href": "https://h/p"}]})], vec![]),
            (vec![json!({"l": {"@rel": "alternate", "@href": "https://h/p"}})], vec![]),
            (
                vec![json!({"l": vec![page.clone(); PLACES_MAX + 3]})],
                vec![
                    "l[0].@href alternate",
                    "l[1].@href alternate",
                    "l[2].@href alternate",
                    "l[3].@href alternate",
                    "l[-1].@href alternate",
                ],
            ),
        ];
        for (items, want) in table {
            let items: Vec<&Value> = items.iter().collect();
            let found = columns(&items);
            let labeled = found.iter().filter(|column| !column.label.is_empty());
            let shown: Vec<String> = labeled
                .map(|one| format!("{} {}", format_path(&one.steps, Form::First), one.label))
                .collect();
            assert_eq!(shown, want, "{items:?}");
        }
    }
}

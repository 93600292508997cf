//! Lists of links that say what each of them is for, as in `{"rel": "alternate", "href": …}`: a place of the list
//! at which every result has the same kind of link is a column of its own.

use super::columns::{Column, ITEMS_MAX};
use super::path::Step;
use super::shape::is_web_address;
use super::words::{is_named, words};
use serde_json::Value;

/// Most places of a list, counted from its beginning; the last one is looked at as well.
const PLACES_MAX: usize = 4;
/// Members that say what a link is for.
const LABELS: &str = "rel type kind role format contenttype mediatype mimetype";

/// The places of the lists of links that these columns lead into.
pub fn places(items: &[&Value], columns: &[Column]) -> Vec<Column> {
    let items = items.get(..ITEMS_MAX).unwrap_or(items);
    columns
        .iter()
        .filter(|column| column.firsts().any(is_web_address))
        .filter_map(|column| Some((List::of(items, column)?, column)))
        .flat_map(|(list, column)| {
            let steps = (0..PLACES_MAX).map(Step::Index).chain([Step::Last]);
            steps.filter_map(|step| list.at(step, column)).collect::<Vec<_>>()
        })
        .collect()
}

/// The list of links of each item.
struct List<'a> {
    rows: Vec<&'a [Value]>,
    /// The steps to the list.
    before: &'a [Step],
    /// The member of a link that is the address.
    address: &'a str,
}

impl<'a> List<'a> {
    fn of(items: &[&'a Value], column: &'a Column) -> Option<Self> {
        let [before @ .., Step::Items, Step::Member(address)] = column.steps.as_slice() else { return None };
        let rows = items.iter().map(|item| links(item, before)).collect::<Option<Vec<_>>>()?;
        Some(Self { rows, before, address })
    }

    /// The column at one place, if all links there have one label.
    fn at(&self, place: Step, column: &Column) -> Option<Column> {
        let chosen = self.rows.iter().map(|row| match place {
            Step::Index(index) => row.get(index),
            _ => row.last(),
        });
        let mut values = Vec::new();
        let mut labels: Vec<String> = Vec::new();
        for link in chosen {
            let address = link.and_then(|link| link.get(self.address)).and_then(Value::as_str);
            let address = address.map(str::trim).filter(|address| is_web_address(address));
            labels.extend(link.filter(|_| address.is_some()).map(label));
            values.push(address.map(str::to_owned).into_iter().collect());
        }
        let label = labels.pop().filter(|label| !label.is_empty())?;
        let steps = [self.before, &[place, Step::Member(self.address.to_owned())]].concat();
        labels.iter().all(|other| *other == label).then(|| Column { steps, values, label, ..column.clone() })
    }
}

/// A single link stands for a list of one, and no link for an empty list.
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
    let said = members.filter(|(name, _)| is_named(name, LABELS)).filter_map(|(_, value)| value.as_str());
    said.flat_map(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::columns::columns;
    use super::super::path::{Form, written};
    use super::*;
    use serde_json::json;

    fn link(rel: &str, address: &str) -> Value {
        json!({"@rel": rel, "@href": address})
    }

    #[test]
    fn a_place_with_one_label_is_a_column() {
        let (file, page) = (link("download", "https://h/f"), link("alternate", "https://h/p"));
        let table = [
            (
                vec![json!({"l": [file, page]}), json!({"l": [file, page]})],
                vec!["l[0].@href download", "l[1].@href alternate", "l[-1].@href alternate"],
            ),
            // The first place holds now a file, now a page.
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
            let labelled = found.iter().filter(|column| !column.label.is_empty());
            let shown: Vec<String> =
                labelled.map(|one| format!("{} {}", written(&one.steps, Form::First), one.label)).collect();
            assert_eq!(shown, want, "{items:?}");
        }
    }
}

//! Turns the items of a list into columns: for each path, the values of the items.

use crate::sample::column::{Column, ITEMS_MAX};
use crate::sample::links;
use crate::sample::path::Step;
use serde_json::Value;
use std::collections::HashMap;

/// Most columns of one list.
pub const COLUMNS_MAX: usize = 400;
/// Most values of one item at one path.
const VALUES_MAX: usize = 20;
/// Deepest path into an item.
const DEPTH_MAX: usize = 8;
/// Longest part of a value that is kept, in bytes.
const VALUE_BYTES_MAX: usize = 2000;

/// The columns of all texts and numbers in these items, in order.
pub fn columns(items: &[&Value]) -> Vec<Column> {
    let items = items.get(..ITEMS_MAX).unwrap_or(items);
    let mut table = Table { columns: Vec::new(), places: HashMap::new(), count: items.len() };
    for (row, item) in items.iter().enumerate() {
        table.walk(item, &mut Vec::new(), row);
    }
    let space = COLUMNS_MAX - table.columns.len();
    let places = links::places(items, &table.columns);
    table.columns.extend(places.into_iter().take(space));
    table.columns
}

struct Table {
    columns: Vec<Column>,
    /// Index of a column by the names of its path.
    places: HashMap<Vec<String>, usize>,
    count: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    Text,
    Number,
}

impl Table {
    fn walk(&mut self, value: &Value, steps: &mut Vec<Step>, row: usize) {
        if steps.len() > DEPTH_MAX {
            return;
        }
        match value {
            Value::Object(object) => {
                for (name, inside) in object {
                    steps.push(Step::Member(name.clone()));
                    self.walk(inside, steps, row);
                    steps.pop();
                }
            }
            // A nested list is usually a table of numbers.
            Value::Array(list) if steps.last() != Some(&Step::Items) && !steps.is_empty() => {
                steps.push(Step::Items);
                list.iter().take(VALUES_MAX).for_each(|inside| self.walk(inside, steps, row));
                steps.pop();
            }
            Value::String(text) => self.add(text.trim(), CellKind::Text, steps, row),
            Value::Number(number) => self.add(&number.to_string(), CellKind::Number, steps, row),
            Value::Array(_) | Value::Null | Value::Bool(_) => {}
        }
    }

    fn add(&mut self, text: &str, kind: CellKind, steps: &[Step], row: usize) {
        if text.is_empty() || steps.is_empty() {
            return;
        }
        // Where one item has a list, another may have a single value; a path into the items finds both.
        let names: Vec<String> = crate::sample::path::members(steps).into_iter().map(str::to_owned).collect();
        let place = match self.places.get(&names) {
            Some(&place) => place,
            None if self.columns.len() >= COLUMNS_MAX => return,
            None => {
                let values = vec![Vec::new(); self.count];
                self.columns.push(Column { steps: steps.to_vec(), values, ..Column::default() });
                self.places.insert(names, self.columns.len() - 1);
                self.columns.len() - 1
            }
        };
        let column = &mut self.columns[place];
        if steps.len() > column.steps.len() {
            column.steps = steps.to_vec();
        }
        column.has_numbers |= kind == CellKind::Number;
        if column.values[row].len() < VALUES_MAX {
            column.values[row].push(beginning(text).to_owned());
        }
    }
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(VALUE_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::path::{Form, format_path};
    use serde_json::{Map, json};

    #[test]
    fn items_become_columns() {
        let items = [
            json!({"a": " x ", "l": [{"n": 1}, {"n": 2}], "b": true, "z": null, "m": [[1]]}),
            json!({"a": "", "l": [], "c": {"d": "y"}}),
        ];
        let found = columns(&items.iter().collect::<Vec<_>>());
        let shown: Vec<_> = found
            .iter()
            .map(|column| (format_path(&column.steps, Form::All), column.values.clone()))
            .collect();
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            shown,
            [
                ("a".to_owned(), vec![texts(&["x"]), vec![]]),
                ("l[*].n".to_owned(), vec![texts(&["1", "2"]), vec![]]),
                ("c.d".to_owned(), vec![vec![], texts(&["y"])]),
            ]
        );
        assert!(found[1].has_numbers && !found[0].has_numbers);
    }

    #[test]
    fn one_or_many_is_one_column() {
        let items = [json!({"a": "x", "p": {"n": "1"}}), json!({"a": ["y", "z"], "p": [{"n": "2"}]})];
        let found = columns(&items.iter().collect::<Vec<_>>());
        let shown: Vec<_> = found.iter().map(|column| format_path(&column.steps, Form::All)).collect();
        assert_eq!(shown, ["a[*]", "p[*].n"]);
        assert!(found.iter().all(|column| column.filled() == 2));
    }

    #[test]
    fn the_work_is_bounded() {
        let wide: Map<String, Value> = (0..COLUMNS_MAX + 5).map(|n| (format!("k{n}"), json!("x"))).collect();
        let wide = Value::Object(wide);
        assert_eq!(columns(&[&wide]).len(), COLUMNS_MAX);
        let long = json!({"a": "é".repeat(VALUE_BYTES_MAX), "l": vec!["x"; VALUES_MAX + 5]});
        let many = vec![&long; ITEMS_MAX + 5];
        let found = columns(&many);
        assert_eq!(found[0].values.len(), ITEMS_MAX);
        assert!(found[0].values[0][0].len() <= VALUE_BYTES_MAX);
        assert_eq!(found[1].values[0].len(), VALUES_MAX);
        let mut deep = json!("x");
        for _ in 0..100 {
            deep = json!({ "a": deep });
        }
        assert!(columns(&[&deep]).is_empty());
    }
}

//! Chooses a chart for a table by the number of its numeric columns.
//!
//! | Numeric columns | Chart |
//! |---|---|
//! | none | bars that count the rows for each value of a column (`count` is true) |
//! | one | bars |
//! | two | scatter if both have a range, else bars |
//! | three or more | bubbles if a column can be a size, else bars |

use serde_json::{Value, json};

/// A longer text is not a number.
const NUMBER_BYTES_MAX: usize = 32;

/// `{"kind": "bar" | "scatter" | "bubble", "fields": […]}`. The fields of bars are the label, if there is one, and the
/// value; of the others x, y and the size.
pub fn suggest(names: &[String], rows: &[Vec<Value>]) -> Value {
    let spreads: Vec<Option<Spread>> = (0..names.len()).map(|column| Spread::of(rows, column)).collect();
    let numeric: Vec<usize> = (0..names.len()).filter(|column| spreads[*column].is_some()).collect();
    let has = |column: usize, test: fn(&Spread) -> bool| spreads[column].as_ref().is_some_and(test);
    let label = (0..names.len()).find(|column| spreads[*column].is_none());
    let chart = |kind: &str, columns: &[usize]| {
        let fields: Vec<&str> = columns.iter().map(|column| names[*column].as_str()).collect();
        json!({"kind": kind, "fields": fields})
    };
    let bars = |value: usize| {
        let columns: Vec<usize> = label.into_iter().chain([value]).collect();
        chart("bar", &columns)
    };
    match numeric.as_slice() {
        [] => {
            let fields: Vec<&String> = label.map(|column| &names[column]).into_iter().collect();
            json!({"kind": "bar", "fields": fields, "count": true})
        }
        [only] => bars(*only),
        [x, y] if has(*x, Spread::has_range) && has(*y, Spread::has_range) => chart("scatter", &[*x, *y]),
        [first, _] => bars(*first),
        [first, ..] => {
            let size = numeric.iter().rev().find(|column| has(**column, Spread::can_be_size));
            let mut axes = numeric.iter().filter(|column| Some(*column) != size);
            match (axes.next(), axes.next(), size) {
                (Some(x), Some(y), Some(size)) => chart("bubble", &[*x, *y, *size]),
                _ => bars(*first),
            }
        }
    }
}

/// The range of the numbers in a column.
struct Spread {
    least: f64,
    most: f64,
}

impl Spread {
    /// `None` if the column contains anything but numbers, or nothing.
    fn of(rows: &[Vec<Value>], column: usize) -> Option<Self> {
        let mut spread = Self { least: f64::INFINITY, most: f64::NEG_INFINITY };
        for value in rows.iter().filter_map(|row| row.get(column)).filter(|value| !value.is_null()) {
            let number = number_of(value)?;
            spread = Self { least: spread.least.min(number), most: spread.most.max(number) };
        }
        spread.least.is_finite().then_some(spread)
    }

    fn has_range(&self) -> bool {
        self.most > self.least
    }

    /// A size cannot be negative.
    fn can_be_size(&self) -> bool {
        self.has_range() && self.least >= 0.0
    }
}

/// Databases and lists of lists often return numbers as text.
fn number_of(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text)
            if text.len() <= NUMBER_BYTES_MAX && text.contains(|c: char| c.is_ascii_digit()) =>
        {
            text.trim().parse().ok()
        }
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_of_numeric_columns_decides() {
        let table = [
            (
                json!([["a", "b"], ["x", "p"], ["y", "q"]]),
                json!({"kind": "bar", "fields": ["a"], "count": true}),
            ),
            (json!([["a", "n"], ["x", 1], ["y", 2]]), json!({"kind": "bar", "fields": ["a", "n"]})),
            (json!([["n"], [1], [2]]), json!({"kind": "bar", "fields": ["n"]})),
            (json!([["a", "n"], ["x", "1.5"], ["y", null]]), json!({"kind": "bar", "fields": ["a", "n"]})),
            (
                json!([["a", "n", "m"], ["x", 1, -3], ["y", 2, 4]]),
                json!({"kind": "scatter", "fields": ["n", "m"]}),
            ),
            (
                json!([["a", "n", "m"], ["x", 1, 4], ["y", 2, 4]]),
                json!({"kind": "bar", "fields": ["a", "n"]}),
            ),
            (
                json!([["n", "m", "s"], [1, 2, 3], [2, 1, 5]]),
                json!({"kind": "bubble", "fields": ["n", "m", "s"]}),
            ),
            (
                json!([["n", "s", "m"], [-1, 2, -3], [2, 1, 5]]),
                json!({"kind": "bubble", "fields": ["n", "m", "s"]}),
            ),
            (
                json!([["a", "n", "m", "s"], ["x", -1, 2, 3], ["y", 2, 2, 3]]),
                json!({"kind": "bar", "fields": ["a", "n"]}),
            ),
            (
                json!([["a", "n"], ["x", "nan"], ["y", "2021-03-04"]]),
                json!({"kind": "bar", "fields": ["a"], "count": true}),
            ),
            (json!([["n", "b"], [1, true]]), json!({"kind": "bar", "fields": ["b", "n"]})),
            (json!([["n"]]), json!({"kind": "bar", "fields": ["n"], "count": true})),
        ];
        for (dataset, want) in table {
            let mut rows: Vec<Vec<Value>> = serde_json::from_value(dataset.clone()).expect("rows");
            let names: Vec<String> =
                rows.remove(0).iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
            assert_eq!(suggest(&names, &rows), want, "{dataset}");
        }
    }
}

//! Chart of a table: its kind, its columns, and the height that the page reserves for it, so that the list does not move
//! when a script draws it.
//!
//! | Numeric columns | Chart |
//! |---|---|
//! | none | bars that count the rows for each value of a column |
//! | one | bars |
//! | two | points if both have a range, else bars |
//! | three or more | bubbles if a column can be a size, else bars |

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Most bars; the table has the rest. `web/static/js/charts/` draws as many, with this height.
const BARS_MAX: usize = 20;
const BAR_HEIGHT: usize = 28;
const BARS_MARGIN: usize = 16;
/// Height of a chart with axes.
const AXES_HEIGHT: usize = 322;
const NUMBER_CHARS_MAX: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Bar,
    Scatter,
    Bubble,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Chart {
    kind: Kind,
    /// Indexes of columns: the label, if there is one, and the value; or x, y and size.
    columns: Vec<usize>,
    /// Their names.
    names: Vec<String>,
    /// Whether the bars count rows.
    is_count: bool,
    /// The column with the names of the points.
    label: Option<usize>,
    /// In pixels.
    height: usize,
    /// Number of bars not shown.
    left_out: usize,
}

/// The columns of a chart, before its height is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Choice {
    kind: Kind,
    columns: Vec<usize>,
    is_count: bool,
}

/// The cells of a table, and the least and the greatest number of each column; None for a column with other values.
struct Table<'a> {
    names: &'a [String],
    rows: &'a [Vec<String>],
    ranges: Vec<Option<(f64, f64)>>,
}

impl Chart {
    /// The suggested chart if it fits the table, else the chart by the rules above. None for a table without rows.
    pub fn of(names: &[String], rows: &[Vec<String>], suggested: Option<&Value>) -> Option<Self> {
        if names.is_empty() || rows.is_empty() {
            return None;
        }
        let table = Table { names, rows, ranges: (0..names.len()).map(|at| range(rows, at)).collect() };
        let choice = suggested.and_then(|suggested| table.checked(suggested));
        let Choice { kind, columns, is_count } = choice.unwrap_or_else(|| table.by_rules());
        let bars = if kind == Kind::Bar { table.bars(&columns, is_count) } else { 0 };
        let shown = bars.min(BARS_MAX);
        let is_text = |at: &usize| !columns.contains(at) && table.ranges[*at].is_none();
        Some(Self {
            kind,
            names: columns.iter().map(|at| names[*at].clone()).collect(),
            is_count,
            label: (0..names.len()).find(is_text).filter(|_| kind != Kind::Bar),
            height: if kind == Kind::Bar { BARS_MARGIN + shown * BAR_HEIGHT } else { AXES_HEIGHT },
            left_out: bars - shown,
            columns,
        })
    }
}

impl Table<'_> {
    fn by_rules(&self) -> Choice {
        let numeric: Vec<usize> = (0..self.names.len()).filter(|at| self.ranges[*at].is_some()).collect();
        let label = self.ranges.iter().position(Option::is_none);
        let axes = |kind, columns| Choice { kind, columns, is_count: false };
        let found = match numeric.as_slice() {
            [] => {
                return Choice { kind: Kind::Bar, columns: vec![label.unwrap_or_default()], is_count: true };
            }
            [_] => None,
            [_, _] => numeric.iter().all(|at| self.varies(*at)).then(|| axes(Kind::Scatter, numeric.clone())),
            _ => self.size(&numeric).map(|size| {
                let others = numeric.iter().copied().filter(|at| *at != size).take(2);
                axes(Kind::Bubble, others.chain([size]).collect())
            }),
        };
        let value = numeric[0];
        let bars = || axes(Kind::Bar, label.into_iter().chain([value]).collect());
        found.filter(|choice| self.has_point(&choice.columns)).unwrap_or_else(bars)
    }

    /// The last column whose numbers can be the sizes of bubbles.
    fn size(&self, numeric: &[usize]) -> Option<usize> {
        let can_be = |at: &usize| self.varies(*at) && self.ranges[*at].is_some_and(|(least, _)| least >= 0.0);
        numeric.iter().rev().copied().find(can_be)
    }

    /// A suggestion such as `{"kind": "bar", "fields": ["region", "sold"]}`; None if it does not fit the table.
    fn checked(&self, suggested: &Value) -> Option<Choice> {
        let (kind, counts): (Kind, &[usize]) = match suggested.get("kind")?.as_str()? {
            "bar" if suggested.get("count") == Some(&Value::Bool(true)) => (Kind::Bar, &[]),
            "bar" => (Kind::Bar, &[1, 2]),
            "scatter" => (Kind::Scatter, &[2]),
            "bubble" => (Kind::Bubble, &[3]),
            _ => return None,
        };
        let column = |name: &Value| self.names.iter().position(|one| name.as_str() == Some(one.as_str()));
        let columns: Vec<usize> =
            suggested.get("fields")?.as_array()?.iter().map(column).collect::<Option<_>>()?;
        if counts.is_empty() {
            return (columns.len() == 1).then_some(Choice { kind, columns, is_count: true });
        }
        let values = if kind == Kind::Bar { columns.len().saturating_sub(1) } else { 0 };
        let are_numbers = columns.iter().skip(values).all(|at| self.ranges[*at].is_some());
        let fits =
            counts.contains(&columns.len()) && are_numbers && (kind == Kind::Bar || self.has_point(&columns));
        fits.then_some(Choice { kind, columns, is_count: false })
    }

    fn varies(&self, column: usize) -> bool {
        self.ranges[column].is_some_and(|(least, most)| most > least)
    }

    /// Whether a row has a number in each of the columns.
    fn has_point(&self, columns: &[usize]) -> bool {
        self.rows.iter().any(|row| columns.iter().all(|at| number(cell(row, *at)).is_some()))
    }

    /// The number of bars, without a limit.
    fn bars(&self, columns: &[usize], is_count: bool) -> usize {
        let Some(last) = columns.last() else { return 0 };
        let cells = self.rows.iter().map(|row| cell(row, *last));
        if is_count {
            cells.collect::<BTreeSet<_>>().len()
        } else {
            cells.filter(|text| number(text).is_some()).count()
        }
    }
}

/// The text of a cell; empty if the row is shorter.
fn cell(row: &[String], column: usize) -> &str {
    row.get(column).map_or("", |text| text.trim())
}

/// The least and the greatest number of a column; None if it is empty or has other values.
fn range(rows: &[Vec<String>], column: usize) -> Option<(f64, f64)> {
    let mut range = None;
    for text in rows.iter().map(|row| cell(row, column)).filter(|text| !text.is_empty()) {
        let number = number(text)?;
        let (least, most) = range.unwrap_or((number, number));
        range = Some((number.min(least), number.max(most)));
    }
    range
}

/// Parses a number. Databases often return numbers as text.
fn number(text: &str) -> Option<f64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let number: f64 = text.parse().ok().filter(|_| is_plain && text.len() <= NUMBER_CHARS_MAX)?;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chart(cells: Value, suggested: Value) -> Chart {
        let text = |cell: &Value| cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
        let mut rows: Vec<Vec<String>> = cells
            .as_array()
            .expect("rows")
            .iter()
            .map(|row| row.as_array().expect("cells").iter().map(text).collect())
            .collect();
        let names = rows.remove(0);
        Chart::of(&names, &rows, Some(&suggested)).expect("a chart")
    }

    #[test]
    fn the_number_of_numeric_columns_determines_the_chart() {
        use Kind::{Bar, Bubble, Scatter};
        let table: [(Value, Kind, &[usize], bool); 12] = [
            (json!([["a", "b"], ["x", "p"], ["y", "q"]]), Bar, &[0], true),
            (json!([["a", "n"], ["x", 1], ["y", 2]]), Bar, &[0, 1], false),
            (json!([["n"], [1], [2]]), Bar, &[0], false),
            (json!([["a", "n"], ["x", "1.5"], ["y", ""]]), Bar, &[0, 1], false),
            (json!([["a", "n", "m"], ["x", 1, -3], ["y", 2, 4]]), Scatter, &[1, 2], false),
            (json!([["a", "n", "m"], ["x", 1, 4], ["y", 2, 4]]), Bar, &[0, 1], false),
            (json!([["n", "m", "s"], [1, 2, 3], [2, 1, 5]]), Bubble, &[0, 1, 2], false),
            (json!([["n", "s", "m"], [-1, 2, -3], [2, 1, 5]]), Bubble, &[0, 2, 1], false),
            (json!([["a", "n", "m", "s"], ["x", -1, 2, 3], ["y", 2, 2, 3]]), Bar, &[0, 1], false),
            (json!([["a", "n"], ["x", "nan"], ["y", "2021-03-04"]]), Bar, &[0], true),
            (json!([["n", "b"], [1, "true"]]), Bar, &[1, 0], false),
            // No row has both numbers.
            (json!([["n", "m"], [1, ""], [2, ""], ["", 3], ["", 4]]), Bar, &[0], false),
        ];
        for (cells, kind, columns, is_count) in table {
            let chart = chart(cells.clone(), Value::Null);
            assert_eq!((chart.kind, &*chart.columns, chart.is_count), (kind, columns, is_count), "{cells}");
        }
        assert_eq!(Chart::of(&["n".to_owned()], &[], None), None);
        assert_eq!(Chart::of(&[], &[vec![]], None), None);
    }

    #[test]
    fn a_suggestion_is_used_only_if_it_fits_the_table() {
        let cells = || json!([["a", "n", "m"], ["x", 1, 4], ["y", 2, 5]]);
        let counted = chart(cells(), json!({"kind": "bar", "fields": ["a"], "count": true}));
        assert_eq!((&*counted.columns, counted.is_count), (&[0][..], true));
        let bars = chart(cells(), json!({"kind": "bar", "fields": ["a", "m"]}));
        assert_eq!(
            (bars.kind, bars.columns, bars.names),
            (Kind::Bar, vec![0, 2], vec!["a".to_owned(), "m".into()])
        );
        for wrong in [
            json!({}),
            json!({"kind": "pie", "fields": ["a"]}),
            json!({"kind": "bar", "fields": ["gone"]}),
            json!({"kind": "bar", "fields": []}),
            json!({"kind": "bar", "fields": ["n", "a"]}),
            json!({"kind": "scatter", "fields": ["a", "n"]}),
            json!({"kind": "bubble", "fields": ["n", "m"]}),
        ] {
            let chart = chart(cells(), wrong.clone());
            assert_eq!(
                (chart.kind, chart.columns, chart.label),
                (Kind::Scatter, vec![1, 2], Some(0)),
                "{wrong}"
            );
        }
    }

    #[test]
    fn the_height_depends_on_the_number_of_bars() {
        let counted = chart(json!([["a"], ["x"], [" x "], ["y"]]), Value::Null);
        assert_eq!((counted.height, counted.left_out), (BARS_MARGIN + 2 * BAR_HEIGHT, 0));
        let mut rows = vec![json!(["a", "n"]), json!(["none", ""])];
        rows.extend((0..BARS_MAX + 3).map(|n| json!([format!("l{n}"), n])));
        let many = chart(rows.into(), Value::Null);
        assert_eq!((many.height, many.left_out), (BARS_MARGIN + BARS_MAX * BAR_HEIGHT, 3));
        assert_eq!(chart(json!([["n", "m"], [1, 2], [3, 4]]), Value::Null).height, AXES_HEIGHT);
    }

    #[test]
    fn numbers_are_parsed() {
        for (text, expected) in [("1", 1.0), ("-2.5", -2.5), ("1e3", 1000.0), (".5", 0.5), ("+1.", 1.0)] {
            assert_eq!(number(text), Some(expected), "{text}");
        }
        let long = "1".repeat(NUMBER_CHARS_MAX + 1);
        for text in ["", "1,5", "0x10", "Infinity", "inf", "NaN", "12 km", "1e999", "e5", ".", &long] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}

//! Profiles the fields of payloads to choose the title, body, date and url of a result.

use domain::result::ResultItem;
use serde_json::Value;
use std::collections::HashMap;
use syntax::dates::parse_date;

/// What a field contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Date,
    Url,
    Text,
    Whole,
    Fraction,
}

#[derive(Debug)]
struct Field<'a> {
    name: &'a str,
    holds: Holds,
    /// The length of each value, in characters.
    lengths: Vec<usize>,
}

/// Limits that tags can change.
#[derive(Debug, Clone, Copy)]
pub struct TitleLimits {
    /// A lone text field whose longest value is shorter is a title, otherwise a body.
    pub chars_max: usize,
    /// The median length of a good title.
    pub chars_median: usize,
}

/// The names of the chosen fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    pub title: Option<String>,
    pub body: Option<String>,
    pub date: Option<String>,
    pub url: Option<String>,
}

impl Choice {
    pub fn of(items: &[ResultItem], limits: TitleLimits) -> Self {
        let fields = profile(items);
        let first = |holds: Holds| fields.iter().find(|field| field.holds == holds).map(Field::owned_name);
        let texts: Vec<&Field<'_>> = fields.iter().filter(|field| field.holds == Holds::Text).collect();
        let (title, body) = match texts.as_slice() {
            [] => (first(Holds::Whole).or_else(|| first(Holds::Fraction)), None),
            [only] if only.longest() < limits.chars_max => (Some(only.owned_name()), None),
            [only] => (None, Some(only.owned_name())),
            several => {
                let badness = |field: &&&Field<'_>| field.badness_as_title(items.len(), limits.chars_median);
                let title = several.iter().min_by(|a, b| badness(a).total_cmp(&badness(b)));
                // The first of fields with the same length.
                let body = several.iter().rev().max_by_key(|field| field.longest());
                let body = body.filter(|body| title.is_none_or(|title| title.name != body.name));
                (title.map(|field| field.owned_name()), body.map(|field| field.owned_name()))
            }
        };
        Self { title, body, date: first(Holds::Date), url: first(Holds::Url) }
    }
}

impl Field<'_> {
    fn owned_name(&self) -> String {
        self.name.to_owned()
    }

    fn longest(&self) -> usize {
        self.lengths.iter().copied().max().unwrap_or_default()
    }

    /// How far its median length is from that of a title, and how many results lack it, in percent.
    fn badness_as_title(&self, items: usize, chars_median: usize) -> f64 {
        let populated = 100.0 * self.lengths.len() as f64 / items.max(1) as f64;
        (median(&self.lengths) - chars_median as f64).abs() + (100.0 - populated)
    }
}

fn median(lengths: &[usize]) -> f64 {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    match (sorted.get(middle), sorted.len() % 2) {
        (None, _) => 0.0,
        (Some(length), 1) => *length as f64,
        (Some(length), _) => (sorted[middle - 1] + length) as f64 / 2.0,
    }
}

/// Each field of the payloads once, in order of appearance. Lists and objects are not fields.
fn profile(items: &[ResultItem]) -> Vec<Field<'_>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut fields: Vec<Field<'_>> = Vec::new();
    for (name, value) in items.iter().flat_map(|item| &item.payload) {
        let Some(holds) = holds(name, value) else { continue };
        let place = *places.entry(name).or_insert_with(|| {
            fields.push(Field { name, holds, lengths: Vec::new() });
            fields.len() - 1
        });
        let field = &mut fields[place];
        field.holds = both(field.holds, holds);
        field.lengths.push(value.as_str().map_or(0, |text| text.chars().count()));
    }
    fields
}

fn holds(name: &str, value: &Value) -> Option<Holds> {
    let is_date = |text: &str| name.to_lowercase().contains("date") && parse_date(text).is_some();
    Some(match value {
        Value::String(text) if text.trim().is_empty() => return None,
        Value::String(text) if is_date(text) => Holds::Date,
        Value::String(text) if is_url(text) => Holds::Url,
        Value::String(_) => Holds::Text,
        Value::Number(number) if is_date(&number.to_string()) => Holds::Date,
        Value::Number(number) if number.is_f64() => Holds::Fraction,
        Value::Number(_) | Value::Bool(_) => Holds::Whole,
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    })
}

/// A field with values of different kinds is text, unless all are numbers.
fn both(a: Holds, b: Holds) -> Holds {
    match (a, b) {
        (a, b) if a == b => a,
        (Holds::Whole | Holds::Fraction, Holds::Whole | Holds::Fraction) => Holds::Fraction,
        _ => Holds::Text,
    }
}

pub fn is_url(text: &str) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LIMITS: TitleLimits = TitleLimits { chars_max: 100, chars_median: 50 };

    fn choice(payloads: &[Value], limits: TitleLimits) -> [Option<String>; 4] {
        let items: Vec<ResultItem> = payloads
            .iter()
            .map(|payload| ResultItem {
                payload: payload.as_object().cloned().unwrap_or_default(),
                ..ResultItem::default()
            })
            .collect();
        let choice = Choice::of(&items, limits);
        [choice.title, choice.body, choice.date, choice.url]
    }

    #[test]
    fn chooses() {
        let (name, text) = ("A name of about the length that titles have here", "words ".repeat(50));
        let table: Vec<(Vec<Value>, [&str; 4])> = vec![
            (vec![json!({"name": "Ada"})], ["name", "", "", ""]),
            (vec![json!({"name": "x".repeat(99)})], ["name", "", "", ""]),
            (vec![json!({"name": "x".repeat(100)})], ["", "name", "", ""]),
            (vec![json!({"text": text, "name": name, "code": "X1"})], ["name", "text", "", ""]),
            (vec![json!({"name": name, "code": "X1"})], ["name", "", "", ""]),
            (
                vec![json!({"code": "X1", "name": name, "text": text}), json!({"code": "X2", "text": text})],
                ["code", "text", "", ""],
            ),
            (vec![json!({"price": 1.5, "id": 7})], ["id", "", "", ""]),
            (vec![json!({"price": 1.5})], ["price", "", "", ""]),
            (vec![json!({"ok": true, "id": 7})], ["ok", "", "", ""]),
            (vec![json!({"n": 1}), json!({"n": 1.5})], ["n", "", "", ""]),
            (
                vec![json!({"update_date": "2021-03-04", "link": "https://x.example", "name": "Ada"})],
                ["name", "", "update_date", "link"],
            ),
            (vec![json!({"Date": 1_700_000_000, "due_date": "soon"})], ["due_date", "", "Date", ""]),
            (vec![json!({"list": [1], "object": {}, "none": null, "empty": " "})], ["", "", "", ""]),
            (vec![json!({"mixed": "https://x.example"}), json!({"mixed": 5})], ["mixed", "", "", ""]),
            (vec![], ["", "", "", ""]),
        ];
        for (payloads, want) in table {
            let want = want.map(|name| Some(name.to_owned()).filter(|name| !name.is_empty()));
            assert_eq!(choice(&payloads, LIMITS), want, "{payloads:?}");
        }
    }

    #[test]
    fn limits_change_the_choice() {
        let payloads = [json!({"code": "X12", "name": "A longer name of it"})];
        assert_eq!(choice(&payloads, LIMITS)[0].as_deref(), Some("name"));
        assert_eq!(choice(&payloads, TitleLimits { chars_median: 3, ..LIMITS })[0].as_deref(), Some("code"));
        let lone = [json!({"name": "Ada"})];
        assert_eq!(choice(&lone, TitleLimits { chars_max: 3, ..LIMITS })[1].as_deref(), Some("name"));
    }
}

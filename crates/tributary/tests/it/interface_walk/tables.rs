//! Parser for the tables, names and settings in the interface specification.

use std::path::PathBuf;

/// A table with its headings.
#[derive(Debug)]
pub struct Table {
    pub heading: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// The text of the interface specification; skips the `suite` if the file is not beside this repository.
pub fn interface(suite: &str) -> Option<String> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/spec/interface.md"));
    let text = std::fs::read_to_string(path).ok();
    if text.is_none() {
        testkit::skip(suite, "the text of the interface is not beside this tree");
    }
    text
}

/// All tables in order.
pub fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let (mut section, mut heading, mut is_inside) = (String::new(), String::new(), false);
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            section = name.to_owned();
            heading = name.to_owned();
        } else if let Some(name) = line.strip_prefix("### ") {
            heading = format!("{section}: {name}");
        }
        if !line.starts_with('|') {
            is_inside = false;
            continue;
        }
        let cells = cells(line);
        match tables.last_mut().filter(|_| is_inside) {
            None => {
                tables.push(Table { heading: heading.clone(), columns: cells, rows: Vec::new() });
                is_inside = true;
            }
            Some(_) if line.starts_with("|--") => {}
            Some(table) => table.rows.push(cells),
        }
    }
    tables
}

/// The cells of a line; `\|` is part of its cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_start_matches('|').replace("\\|", "\u{1}");
    let line = line.trim_end_matches('|');
    line.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

/// The texts in backticks.
pub fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A method and a path with placeholders, and their description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub method: String,
    pub path: String,
    pub said: String,
}

impl Endpoint {
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// Every endpoint of every table that lists methods.
pub fn endpoints(text: &str) -> Vec<Endpoint> {
    let mut endpoints = Vec::new();
    for table in tables(text).into_iter().filter(|table| table.columns[0] == "Method") {
        for row in table.rows {
            let path = quoted(&row[1])[0].to_owned();
            for method in row[0].split(',') {
                let method = method.trim().to_owned();
                endpoints.push(Endpoint { method, path: path.clone(), said: row[2].clone() });
            }
        }
    }
    endpoints
}

/// Every setting with the default that follows its name, if any.
pub fn settings(text: &str) -> Vec<(String, Option<String>)> {
    let mut settings = Vec::new();
    let parts: Vec<&str> = text.split('`').collect();
    for (number, part) in parts.iter().enumerate().skip(1).step_by(2) {
        let name = part.split('=').next().unwrap_or_default();
        let is_setting = name.starts_with("SVC_") && name.len() > 4 || name == "DOCS_CHAT_THROTTLE_RATE";
        if !is_setting || name.contains(['<', '*', ' ']) {
            continue;
        }
        let after = parts.get(number + 1).copied().unwrap_or_default();
        let quoted = parts.get(number + 2).copied().unwrap_or_default();
        settings.push((name.to_owned(), default_after(after, quoted)));
    }
    settings
}

/// `` `NAME` default 5 ``, `` `NAME` (default True: …) ``, `` `NAME` default `url` `` or `` `NAME` 10.0 s ``.
fn default_after(after: &str, quoted: &str) -> Option<String> {
    let after = after.trim_start().trim_start_matches(['(', ',']).trim_start();
    let (after, is_said) = match after.strip_prefix("default") {
        Some(rest) => (rest.trim(), true),
        None => (after, false),
    };
    let word = after.split_whitespace().next().unwrap_or_default().trim_end_matches([',', ';', ':', ')']);
    let is_value = word.parse::<f64>().is_ok() || ["True", "False", "empty"].contains(&word);
    match (word.is_empty(), is_value) {
        (true, _) if is_said => Some(quoted.to_owned()),
        (_, true) => Some(word.to_owned()),
        _ => None,
    }
}

#[test]
fn tables_endpoints_and_settings_are_read() {
    let text = "## A\n\n| Method | Path | Out |\n|---|---|---|\n| GET, PUT | `/svc/x/<id>/` (both) | `a\\|b` |\n\n\
                `SVC_A` default 0.50; `SVC_B` (default True: so), `SVC_C` default `url`, `SVC_D` 10.0 s; \
                `SVC_E` (`x`, `y`), `SVC_F=s3` with `SVC_G`.\n";
    let read = endpoints(text);
    assert_eq!(read.iter().map(Endpoint::name).collect::<Vec<_>>(), ["GET /svc/x/<id>/", "PUT /svc/x/<id>/"]);
    assert_eq!(read[0].said, "`a|b`");
    let settings = settings(text);
    let said: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (name.as_str(), value.as_deref().unwrap_or("-"))).collect();
    let expected = [
        ("SVC_A", "0.50"),
        ("SVC_B", "True"),
        ("SVC_C", "url"),
        ("SVC_D", "10.0"),
        ("SVC_E", "-"),
        ("SVC_F", "-"),
        ("SVC_G", "-"),
    ];
    assert_eq!(said, expected);
}

//! The supported statements.

use super::answer::{Answer, Column};
use super::contents::{Document, ServerState, TABLE, TRANSACTION};
use super::wire::to_utf16;
use chrono::{Datelike, NaiveDate};
use std::sync::PoisonError;

const BEGIN_TRANSACTION: u8 = 8;
const ROLLBACK_TRANSACTION: u8 = 10;
const COLUMNS: [&str; 2] = ["title", "published"];

/// Statements without parameters begin and end the transaction, and set the lock timeout.
pub fn batch(text: &str, transaction: [u8; 8], is_begun: &mut bool) -> Answer {
    let mut answer = Answer::default();
    let millis =
        text.strip_prefix("set lock_timeout ").and_then(|rest| rest.strip_suffix("; begin transaction"));
    if millis.is_some_and(|millis| millis.parse::<u32>().is_ok()) && !*is_begun {
        *is_begun = true;
        answer.token_transaction(BEGIN_TRANSACTION, &TRANSACTION, &[]);
    } else if text == "if @@trancount > 0 rollback transaction" && *is_begun && transaction == TRANSACTION {
        *is_begun = false;
        answer.token_transaction(ROLLBACK_TRANSACTION, &[], &TRANSACTION);
    } else {
        return Answer::error(102, "Incorrect syntax.");
    }
    answer.token_done(0);
    answer
}

pub fn ask(state: &ServerState, text: &str, parameters: &str, values: &[String]) -> Answer {
    let (Some(asked), [pattern]) = (Asked::read(text), values) else {
        return Answer::error(102, "Incorrect syntax near 'select'.");
    };
    if !["@P1 nvarchar(4000)", "@P1 nvarchar(max)"].contains(&parameters) {
        return Answer::error(137, "Must declare the scalar variable \"@P1\".");
    }
    if asked.table != TABLE {
        return Answer::error(208, &format!("Invalid object name '{}'.", asked.table));
    }
    let named = [Some(asked.column), asked.newest_by].into_iter().flatten();
    if let Some(unknown) = named.into_iter().find(|name| !COLUMNS.contains(name)) {
        return Answer::error(207, &format!("Invalid column name '{unknown}'."));
    }
    state.patterns.lock().unwrap_or_else(PoisonError::into_inner).push(pattern.clone());
    let mut found: Vec<&Document> =
        state.documents.iter().filter(|document| is_like(asked.value(document).as_str(), pattern)).collect();
    if asked.is_count {
        let type_info = vec![0x26, 4];
        let value = [vec![4], (found.len() as u32).to_le_bytes().to_vec()].concat();
        return Answer::rows(&[Column { name: "", type_info }], &[vec![value]]);
    }
    if asked.newest_by.is_some() {
        found.sort_by_key(|document| std::cmp::Reverse(document.published));
    }
    found.truncate(asked.rows_max);
    let rows: Vec<Vec<Vec<u8>>> = found.into_iter().map(row).collect();
    Answer::rows(&columns(), &rows)
}

/// `select [top n] *|count(*) from t where c like @P1 [order by … offset 0 rows fetch next n rows only]`
struct Asked<'t> {
    is_count: bool,
    table: &'t str,
    column: &'t str,
    newest_by: Option<&'t str>,
    rows_max: usize,
}

impl<'t> Asked<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let mut rest = text.strip_prefix("select ")?;
        let mut rows_max = usize::MAX;
        if let Some((number, after)) = rest.strip_prefix("top ").and_then(|rest| rest.split_once(' ')) {
            rows_max = number.parse().ok()?;
            rest = after;
        }
        let (fields, rest) = rest.split_once(" from ")?;
        let (table, rest) = rest.split_once(" where ")?;
        let (column, rest) = rest.split_once(" like @P1")?;
        let is_count = match fields {
            "*" => false,
            "count(*)" => true,
            _ => return None,
        };
        let mut asked = Self { is_count, table, column, newest_by: None, rows_max };
        if rest.is_empty() {
            return Some(asked);
        }
        let (order, rest) = rest.strip_prefix(" order by ")?.split_once(" offset 0 rows fetch next ")?;
        asked.rows_max = rest.strip_suffix(" rows only")?.parse().ok().filter(|_| rows_max == usize::MAX)?;
        asked.newest_by = match order {
            "(select null)" => None,
            _ => Some(order.strip_suffix(" desc")?),
        };
        (!is_count).then_some(asked)
    }

    fn value(&self, document: &Document) -> String {
        match self.column {
            "title" => document.title.clone(),
            _ => document.published.to_string(),
        }
    }
}

/// LIKE: `%` is any text, `_` any character, `[x]` the character x.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('%') if rest.as_str().is_empty() => true,
        Some('%') => {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| is_like(&text[at..], rest.as_str()))
        }
        Some(first) => {
            let mut characters = text.chars();
            let Some(character) = characters.next() else { return false };
            let is_same = match first {
                '_' => true,
                '[' => {
                    let Some((class, after)) = rest.as_str().split_once(']') else { return false };
                    let class = if class.is_empty() { "]" } else { class };
                    rest = after.chars();
                    class.contains(character)
                }
                _ => character == first,
            };
            is_same && is_like(characters.as_str(), rest.as_str())
        }
    }
}

/// One column of each supported type.
fn columns() -> Vec<Column> {
    let column = |name, type_info: &[u8]| Column { name, type_info: type_info.to_vec() };
    vec![
        column("title", &[0xe7, 0x40, 0x1f, 9, 4, 208, 0, 52]),
        column("published", &[0x28]),
        column("weight", &[0x6a, 5, 5, 2]),
        column("number", &[0x26, 8]),
        column("is_open", &[0x68, 1]),
        column("share", &[0x6d, 4]),
        column("price", &[0x6e, 8]),
        column("changed", &[0x2a, 3]),
        column("made", &[0x6f, 8]),
        column("code", &[0x24, 16]),
        column("image", &[0xa5, 16, 0]),
        column("absent", &[0x26, 4]),
    ]
}

fn row(document: &Document) -> Vec<Vec<u8>> {
    let sized = |bytes: &[u8]| [&[bytes.len() as u8], bytes].concat();
    let long = |bytes: &[u8]| [&(bytes.len() as u16).to_le_bytes()[..], bytes].concat();
    let day = &(document.published.num_days_from_ce() - 1).to_le_bytes()[..3];
    // Half past ten, in milliseconds.
    let noon = 37_800_000_u32.to_le_bytes();
    let epoch = NaiveDate::from_ymd_opt(1900, 1, 1).expect("a date");
    let days = (document.published - epoch).num_days() as i32;
    vec![
        long(&to_utf16(&document.title)),
        sized(day),
        // 1.50, positive.
        sized(&[1, 150, 0, 0, 0]),
        sized(&9_007_199_254_740_993_i64.to_le_bytes()),
        sized(&[1]),
        sized(&0.1_f32.to_le_bytes()),
        // 12.5 in ten-thousandths, the higher half first.
        sized(&[[0; 4], 125_000_u32.to_le_bytes()].concat()),
        sized(&[&noon[..], day].concat()),
        sized(&[days.to_le_bytes(), (300_u32 * 60).to_le_bytes()].concat()),
        sized(&[0x33, 0x22, 0x11, 0, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff]),
        long(&[0, 255]),
        sized(&[]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_the_original_does() {
        let table = [
            ("river 1", "%river%", true),
            ("river 1", "river", false),
            ("50%", "%50[%]%", true),
            ("501", "%50[%]%", false),
            ("a[b", "%[[]b%", true),
            ("axb", "a_b", true),
            ("a_b", "a[_]b", true),
            ("axb", "a[_]b", false),
        ];
        for (text, pattern, want) in table {
            assert_eq!(is_like(text, pattern), want, "{text} {pattern}");
        }
    }

    #[test]
    fn other_statements_are_not_known() {
        let tail = "order by (select null) offset 0 rows fetch next 5 rows only";
        assert!(Asked::read(&format!("select * from t where a like @P1 {tail}")).is_some());
        for text in [
            "select * from t where a like '%x%'",
            "select secret from t where a like @P1",
            "select * from t where a like @P1 or 1=1",
            "delete from t where a like @P1",
            "select * from t where a like @P1; drop table t",
        ] {
            assert!(Asked::read(text).is_none(), "{text}");
        }
    }
}

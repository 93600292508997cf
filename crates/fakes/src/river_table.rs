//! One table, and the small subset of SQL that the fake databases support. Anything else, such as a value inserted into
//! a statement, is a syntax error.

use testkit::hostile;
use testkit::suites::connector::MANY;

pub const TABLE: &str = "river_documents";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub title: String,
    /// `2024-01-05`
    pub published: String,
}

/// The SQL dialect of a database.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// The placeholder of the pattern.
    pub place: &'static str,
    /// The text before and after the row limit.
    pub limit: (&'static str, &'static str),
}

#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    Syntax(String),
    TableUnknown(String),
}

#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Count(usize),
    Rows(Vec<Document>),
}

/// Many documents about rivers with dates, and one for each hostile text.
pub fn documents() -> Vec<Document> {
    let rivers = (0..MANY + 15).map(|number| Document {
        title: format!("river {number}"),
        published: format!("2024-01-{:02}", number * 11 % 28 + 1),
    });
    let hostile = hostile::QUERIES
        .iter()
        .map(|text| Document { title: (*text).to_owned(), published: "2023-01-01".to_owned() });
    rivers.chain(hostile).collect()
}

/// `select *|count(*) from <table> where title like <place> [order by published desc] [<limit>]`
pub fn answer(statement: &str, form: Form, values: &[String]) -> Result<Answer, Refusal> {
    let syntax = || Refusal::Syntax(format!("syntax error in: {statement}"));
    let rest = statement.strip_prefix("select ").ok_or_else(syntax)?;
    let (fields, rest) = rest.split_once(" from ").ok_or_else(syntax)?;
    let (table, rest) = rest.split_once(" where title like ").ok_or_else(syntax)?;
    let rest = rest.strip_prefix(form.place).ok_or_else(syntax)?;
    let (rest, is_ordered) = match rest.strip_prefix(" order by published desc") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let limit = match rest {
        "" => usize::MAX,
        rest => {
            let number = rest.strip_prefix(form.limit.0).and_then(|rest| rest.strip_suffix(form.limit.1));
            number.and_then(|number| number.parse().ok()).ok_or_else(syntax)?
        }
    };
    let [pattern] = values else { return Err(Refusal::Syntax("one bound value is needed".to_owned())) };
    if table != TABLE {
        return Err(Refusal::TableUnknown(table.to_owned()));
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let is_like = |document: &Document| like(&pattern, &document.title.chars().collect::<Vec<_>>());
    let mut found: Vec<Document> = documents().into_iter().filter(is_like).collect();
    if is_ordered {
        found.sort_by(|one, other| other.published.cmp(&one.published));
    }
    match fields {
        "count(*)" => Ok(Answer::Count(found.len())),
        "*" => {
            found.truncate(limit);
            Ok(Answer::Rows(found))
        }
        _ => Err(syntax()),
    }
}

/// `LIKE` with `\` as the escape character.
fn like(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['%', rest @ ..] => (0..=text.len()).any(|start| like(rest, &text[start..])),
        ['_', rest @ ..] => !text.is_empty() && like(rest, &text[1..]),
        ['\\', c, rest @ ..] | [c, rest @ ..] => text.first() == Some(c) && like(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Form = Form { place: "?", limit: (" limit ", "") };

    fn asked(statement: &str, value: &str) -> Result<Answer, Refusal> {
        answer(statement, FORM, &[value.to_owned()])
    }

    #[test]
    fn only_its_own_sql_is_understood() {
        let start = "select * from river_documents where title like ?";
        let titles = |answer| match answer {
            Ok(Answer::Rows(rows)) => rows.into_iter().map(|row: Document| row.title).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!(titles(asked(&format!("{start} limit 2"), "%river%")), ["river 0", "river 1"]);
        assert_eq!(titles(asked(start, r"%x\%27\%20or%")), ["x%27%20or%201%3D1&key=other#fragment"]);
        let count = "select count(*) from river_documents where title like ?";
        assert_eq!(asked(count, "%river%"), Ok(Answer::Count(MANY as usize + 15)));
        for wrong in [
            "select * from river_documents where title like '%river%'",
            "select * from river_documents where title like ? or 1=1",
            "delete from river_documents where title like ?",
            "select * from river_documents where title like ? limit x",
        ] {
            assert!(matches!(asked(wrong, "x"), Err(Refusal::Syntax(_))), "{wrong}");
        }
        let unknown = "select * from nix where title like ?";
        assert_eq!(asked(unknown, "x"), Err(Refusal::TableUnknown("nix".to_owned())));
    }
}

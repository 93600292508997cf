//! CSV reader: cells separated by commas, quotes around a cell, doubled quotes within, any line end.
//!
//! Rows with an empty first cell and rows that begin with `#` are skipped.

/// An error in one line of the CSV.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[schema(as = QueryTransformMistake)]
pub struct LineError {
    /// Counted from 1.
    #[schema(example = 3)]
    pub line: usize,
    /// A sentence for people.
    #[schema(example = "A pattern may not begin with '*'.")]
    pub message: String,
}

impl LineError {
    pub fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

impl std::fmt::Display for LineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// A row, and the line on which it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub line: usize,
    pub cells: Vec<String>,
}

/// Iterator over rows.
pub struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

/// What ended a cell.
#[derive(PartialEq, Eq)]
enum End {
    Cell,
    Row,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 1 }
    }

    /// The next row, or the line of an unclosed quote.
    fn row(&mut self) -> Result<Row, LineError> {
        let mut row = Row { line: self.line, cells: Vec::new() };
        loop {
            let mut cell = String::new();
            let end = self.cell(&mut cell)?;
            row.cells.push(cell);
            if end == End::Row {
                return Ok(row);
            }
        }
    }

    fn cell(&mut self, cell: &mut String) -> Result<End, LineError> {
        if self.take('"') {
            self.quoted(cell)?;
        }
        let length = self.rest.find([',', '\n', '\r']).unwrap_or(self.rest.len());
        cell.push_str(&self.rest[..length]);
        self.rest = &self.rest[length..];
        if self.take(',') {
            return Ok(End::Cell);
        }
        self.end_line();
        Ok(End::Row)
    }

    /// Reads up to the closing quote.
    fn quoted(&mut self, cell: &mut String) -> Result<(), LineError> {
        let opened = self.line;
        loop {
            let Some(length) = self.rest.find('"') else {
                self.rest = "";
                return Err(LineError::new(opened, "A quote is not closed."));
            };
            let text = &self.rest[..length];
            self.line += line_ends(text);
            cell.push_str(text);
            self.rest = &self.rest[length + 1..];
            if !self.take('"') {
                return Ok(());
            }
            cell.push('"');
        }
    }

    fn skip_line(&mut self) {
        let length = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
        self.rest = &self.rest[length..];
        self.end_line();
    }

    fn end_line(&mut self) {
        let is_return = self.take('\r');
        if self.take('\n') || is_return {
            self.line += 1;
        }
    }

    fn take(&mut self, expected: char) -> bool {
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Row, LineError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            // A comment may contain single quotes, so it is skipped before quotes are parsed.
            if self.rest.trim_start_matches([' ', '\t']).starts_with('#') {
                self.skip_line();
                continue;
            }
            match self.row() {
                Ok(row) if is_passed_over(&row.cells) => {}
                read => return Some(read),
            }
        }
        None
    }
}

fn is_passed_over(cells: &[String]) -> bool {
    let first = cells.first().map(|cell| cell.trim()).unwrap_or_default();
    first.is_empty() || first.starts_with('#')
}

fn line_ends(text: &str) -> usize {
    let returns = text.matches('\r').count();
    text.matches('\n').count() + returns - text.matches("\r\n").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(usize, Vec<String>)> {
        Reader::new(text).map(|row| row.expect("a row")).map(|row| (row.line, row.cells)).collect()
    }

    #[test]
    fn rows_and_lines() {
        type Case = (&'static str, &'static [(usize, &'static [&'static str])]);
        let cases: [Case; 12] = [
            ("a,b", &[(1, &["a", "b"])]),
            ("a,b\nc,d\n", &[(1, &["a", "b"]), (2, &["c", "d"])]),
            ("a,b\r\n\r\nc", &[(1, &["a", "b"]), (3, &["c"])]),
            ("a\rb", &[(1, &["a"]), (2, &["b"])]),
            ("# say \"x\n#\n ,b\na,", &[(4, &["a", ""])]),
            ("\"a,b\",\"say \"\"c\"\"\"", &[(1, &["a,b", "say \"c\""])]),
            ("\"a\r\nb\nc\",d\ne", &[(1, &["a\r\nb\nc", "d"]), (4, &["e"])]),
            ("\"a\" x,b", &[(1, &["a x", "b"])]),
            ("a \"b\", \"c\"", &[(1, &["a \"b\"", " \"c\""])]),
            ("\u{feff}a,b", &[(1, &["a", "b"])]),
            ("\"#a\",b\nc", &[(2, &["c"])]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let expected: Vec<(usize, Vec<String>)> = expected
                .iter()
                .map(|(line, cells)| (*line, cells.iter().map(|&cell| cell.to_owned()).collect()))
                .collect();
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_open_quote_is_named_by_its_line() {
        let mut reader = Reader::new("a,b\nc,\"d\ne\n");
        assert!(reader.next().is_some_and(|row| row.is_ok()));
        let mistake = reader.next().expect("a row").expect_err("an open quote");
        assert_eq!(mistake.line, 2);
        assert!(reader.next().is_none());
    }
}

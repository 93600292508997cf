//! CSV reader: cells separated by commas, quotes around a cell, doubled quotes within, any line end.
//!
//! Rows with an empty first cell and rows that begin with `#` are skipped.

use csv::{ReaderBuilder, StringRecord};

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
    text: &'a str,
    reader: csv::Reader<&'a [u8]>,
    /// The line of the byte up to which line ends were counted.
    line: usize,
    counted: usize,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { text, reader: reader_of(text), line: 1, counted: 0 }
    }

    /// How many bytes have been read.
    fn place(&self) -> usize {
        usize::try_from(self.reader.position().byte()).unwrap_or(usize::MAX).min(self.text.len())
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Row, LineError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = StringRecord::new();
        loop {
            let from = self.place();
            // It fails on invalid UTF-8 and on rows of different lengths: neither can be.
            if !self.reader.read_record(&mut record).unwrap_or_default() {
                return None;
            }
            let begin = from + skipped_bytes(&self.text[from..]);
            self.line += line_ends(&self.text[self.counted..begin]);
            self.counted = begin;
            if self.place() == self.text.len() && is_open(&self.text[begin..]) {
                return Some(Err(LineError::new(self.line, "A quote is not closed.")));
            }
            let row = Row { line: self.line, cells: record.iter().map(str::to_owned).collect() };
            if !is_passed_over(&row.cells) {
                return Some(Ok(row));
            }
        }
    }
}

fn reader_of(text: &str) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().has_headers(false).flexible(true).comment(Some(b'#')).from_reader(text.as_bytes())
}

/// The blank lines and comments that `text` begins with.
fn skipped_bytes(text: &str) -> usize {
    let mut rest = text.trim_start_matches(['\r', '\n']);
    while rest.starts_with('#') {
        rest = rest.find(['\r', '\n']).map_or("", |end| &rest[end..]).trim_start_matches(['\r', '\n']);
    }
    text.len() - rest.len()
}

/// Whether the last row ends within quotes: then a further line belongs to it.
fn is_open(row: &str) -> bool {
    let rows = |text: &str| reader_of(text).into_records().count();
    row.contains('"') && rows(row) == rows(&format!("{row}\nz"))
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
        let cases: [Case; 13] = [
            ("a,b", &[(1, &["a", "b"])]),
            ("a,b\nc,d\n", &[(1, &["a", "b"]), (2, &["c", "d"])]),
            ("a,b\r\n\r\nc", &[(1, &["a", "b"]), (3, &["c"])]),
            ("a\rb", &[(1, &["a"]), (2, &["b"])]),
            ("# say \"x\n#\n ,b\na,", &[(4, &["a", ""])]),
            ("\"a,b\",\"say \"\"c\"\"\"", &[(1, &["a,b", "say \"c\""])]),
            ("\"a\r\nb\nc\",d\ne", &[(1, &["a\r\nb\nc", "d"]), (4, &["e"])]),
            ("\"a\" x,b", &[(1, &["a x", "b"])]),
            ("a \"b\", \"c\"", &[(1, &["a \"b\"", " \"c\""])]),
            ("a\n\n# b\"\r\n\r\n#\nc,\"d\"\n\n", &[(1, &["a"]), (6, &["c", "d"])]),
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
        for (text, is_open) in [
            ("\"", true),
            ("\"\"", false),
            ("\"\"\"", true),
            ("a,\"b\"", false),
            ("a,\"b\"\n", false),
            ("a,\"b\"\"", true),
            ("a,\"b\"\"\"", false),
            ("a \"b", false),
            ("a,\"b\n# c", true),
            ("a,b\n# \"c", false),
            ("\"a b\",", false),
            ("\"\"\"\",\n", false),
            ("\"a\",\"", true),
        ] {
            assert_eq!(Reader::new(text).any(|row| row.is_err()), is_open, "{text:?}");
        }
    }
}
